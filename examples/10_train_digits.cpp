// Lesson 10: training.
//
// A small network learns to read handwritten digits.  The whole step is one compiled program:
// forward, backward, and the update of the parameters.
//
//   train_digits [FOLDER [EPOCHS]]
//
// With a folder it draws the loss in loss.svg there, and keeps digits.safetensors: stop the program
// at any moment and start it again, and it goes on.
#include <vitro/report/chart.h>
#include <vitro/report/svg.h>
#include <vitro/vitro.h>

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <string>
#include <vector>

#include "test_data.h"
#include "training_bar.h"

namespace {

namespace data = vitro::data;
namespace nn = vitro::nn;
namespace optim = vitro::optim;
using vitro::Tensor;

struct Net : nn::Module {
  nn::Conv2d conv1{*this, "conv1", 1, 16, 3, {.padding = 1}};
  nn::BatchNorm2d norm1{*this, "norm1", 16};
  nn::Conv2d conv2{*this, "conv2", 16, 32, 3, {.padding = 1}};
  nn::BatchNorm2d norm2{*this, "norm2", 32};
  nn::Dropout drop{*this, "drop", 0.3};
  nn::Linear fc{*this, "fc", 32 * 4 * 4, 10};

  Tensor operator()(const Tensor& images) {
    Tensor x = vitro::relu(norm1(conv1(images)));
    x = vitro::max_pool2d(vitro::relu(norm2(conv2(x))), 2);
    return fc(drop(flatten(x, 1)));
  }
};

// An image of values from 0 to 1, moved by up to a pixel in each direction.
data::Sample augmented(const data::Sample& sample, data::Random& random) {
  const Tensor padded = vitro::constant_pad_nd(sample[0], {1, 1, 1, 1});
  const int64_t x = random.below(3), y = random.below(3);
  return {slice(slice(padded, 1, y, y + 8), 2, x, x + 8), sample[1]};
}

double accuracy(Net& model, const data::Dataset& digits) {
  const vitro::NoGrad inference;
  model.eval();
  int64_t right = 0;
  data::DataLoader loader(digits, {.batch_size = 64});
  for (const data::Sample& batch : loader)
    right += vitro::sum(vitro::eq(vitro::argmax(model(batch[0]), 1), batch[1])).item<int64_t>();
  model.train();
  return static_cast<double>(right) / static_cast<double>(digits.size());
}

void draw(const std::string& path, const std::vector<float>& losses) {
  const auto number = [](double value) { return vitro::cat(value); };
  const auto out = vitro::report::create_file(path);
  vitro::report::Svg svg(*out, {.width = 800, .height = 300, .title = "Loss of each step"});
  const auto highest = static_cast<double>(*std::max_element(losses.begin(), losses.end()));
  const vitro::report::Axis x{.high = static_cast<double>(losses.size()), .from = 60, .to = 780};
  const vitro::report::Axis y{.high = highest, .from = 250, .to = 20};
  draw_axes(svg, {x, "step", number}, {y, "loss", number});
  std::vector<vitro::report::Point> points;
  for (const float loss : losses)
    points.push_back({x.at(static_cast<double>(points.size())), y.at(loss)});
  svg.polyline(points, "stroke0");
  svg.finish();
  out->finish();
}

data::TensorDataset read_digits() {
  const std::string folder = VITRO_TEST_DATA "/digits/";
  const Tensor images = to(*data::read_idx(folder + "images.idx.gz"), vitro::DType::f32) / 16.0;
  const Tensor labels = to(*data::read_idx(folder + "labels.idx.gz"), vitro::DType::i64);
  return data::TensorDataset({unsqueeze(images, 1), labels});
}

}  // namespace

int main(int argc, char** argv) try {
  const std::string folder = argc > 1 ? argv[1] : "";
  const int64_t epochs = argc > 2 ? std::stoll(argv[2]) : 15;
  vitro::manual_seed(1);

  const data::TensorDataset digits = read_digits();
  const std::vector<data::Subset> parts = data::random_split(digits, {1437, 360});
  const data::Mapped train(parts[0], augmented);
  data::DataLoader loader(train,
                          {.batch_size = 32, .shuffle = true, .drop_last = true, .num_workers = 1});

  Net model;
  model.requires_grad_();
  optim::AdamW optimizer(model.parameters(), {.lr = 3e-3});
  optim::OneCycleLR schedule(optimizer, 1e-2, epochs * loader.size());
  const auto step = vitro::compile(
      [&](const Tensor& x, const Tensor& y) {
        optimizer.zero_grad();
        const Tensor loss = cross_entropy_loss(model(x), y);
        loss.backward();
        optimizer.step();
        return detach(loss);
      },
      {.name = "step"});

  Tensor losses = vitro::zeros({epochs * loader.size()});
  int64_t steps = 0;
  vitro::Checkpoint run(folder + "/digits.safetensors");
  run.add("model", model);
  run.add("optimizer", optimizer);
  run.add("schedule", schedule);
  run.add("loader", loader);
  run.add("losses", losses);
  run.add("steps", steps);
  if (!folder.empty() && run.load()) std::cout << "goes on after " << steps << " steps\n";

  TrainingBar bar(losses.numel().value() - steps, "images");
  while (loader.position().epoch < epochs) {
    for (const data::Sample& batch : loader) {
      const auto loss = step(batch[0], batch[1]).item<float>();
      losses.data<float>()[steps++] = loss;
      schedule.step();
      bar.step(loss, batch[0].size(0));
    }
    if (!folder.empty()) run.save();
  }

  const std::vector<float> curve = losses.to_vector<float>();
  if (!folder.empty()) draw(folder + "/loss.svg", curve);
  std::cout << explain(step).so_far().summary();
  const double right = accuracy(model, parts[1]);
  std::printf("loss of the first and the last of %lld steps: %.3f and %.3f\n",
              static_cast<long long>(steps), curve.front(), curve.back());
  std::printf("%.1f %% of the digits that it has not seen are read right\n", 100 * right);
  return right >= 0.97 ? 0 : 1;
} catch (const std::exception& e) {
  std::cerr << e.what() << '\n';
  return 1;
}
