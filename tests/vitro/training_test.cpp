// Tests of docs/training.md: all of its code is in this file, so that it compiles and does what the
// page says.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <iostream>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "code_of_page.h"
#include "error_of.h"
#include "vitro/vitro.h"

namespace vitro {
namespace {

namespace fs = std::filesystem;

constexpr const char* page = VITRO_TEST_DATA "/../../docs/training.md";

class Folder {
 public:
  Folder() : path_(fs::temp_directory_path() / ("vitro_training_" + std::to_string(getpid()))) {
    fs::create_directories(path_);
  }
  ~Folder() { fs::remove_all(path_); }
  std::string name() const { return path_.string(); }

 private:
  fs::path path_;
};

struct Block : nn::Module {
  nn::Conv2d conv;
  nn::BatchNorm2d norm;
  Tensor gain;
  Block(nn::Module& owner, std::string name, int64_t channels)
      : Module(owner, std::move(name), "Block"),
        conv(*this, "conv", channels, channels, 3, {.padding = 1}, false),
        norm(*this, "norm", channels) {
    add_parameter("gain", gain, full({1, channels, 1, 1}, 0.5));
  }
  Tensor operator()(const Tensor& x) {
    const auto here = scope();
    return x + gain * relu(norm(conv(x)));
  }
};
struct Net : nn::Module {
  nn::Conv2d stem{*this, "stem", 1, 8, 3, {.padding = 1}};
  nn::ModuleList<Block> blocks{*this, "blocks", 2, 8};
  nn::Linear fc{*this, "fc", 8 * 4 * 4, 10};
  Tensor operator()(const Tensor& images) {
    Tensor x = stem(images);
    for (Block& block : blocks) x = block(x);
    return fc(flatten(max_pool2d(x, 2), 1));
  }
};

double loss_on(Net& model, const data::Dataset& images) {
  const NoGrad off;
  model.eval();
  double sum = 0;
  data::DataLoader loader(images, {.batch_size = 100});
  for (const data::Sample& batch : loader)
    sum += cross_entropy_loss(model(batch[0]), batch[1], {}, reduce_sum).item<float>();
  model.train();
  return sum / static_cast<double>(images.size());
}

data::TensorDataset digits() {
  const std::string folder = VITRO_TEST_DATA "/digits/";
  const Tensor images = to(*data::read_idx(folder + "images.idx.gz"), DType::f32) / 16.0;
  const Tensor labels = to(*data::read_idx(folder + "labels.idx.gz"), DType::i64);
  return data::TensorDataset({unsqueeze(images, 1), labels});
}

struct Trained {
  double loss;                     // on what the run has not seen, of the best epoch
  std::vector<NamedTensor> state;  // of that epoch
  std::vector<float> losses;       // of each step in this process
};

Trained train(const std::string& folder, int64_t epochs) {
  manual_seed(2);
  const data::TensorDataset all = digits();
  const std::vector<data::Subset> parts = data::random_split(all, {1437, 360});
  const data::Subset &seen = parts[0], &unseen = parts[1];
  std::vector<float> losses;

  Net model;
  model.requires_grad_();
  optim::AdamW optimizer(model.parameters(), {.lr = 5e-3});
  optim::LambdaLR schedule(optimizer, [](int64_t step) {
    if (step < 10) return static_cast<double>(step + 1) / 10;
    return (1 + std::cos(std::numbers::pi * static_cast<double>(step - 10) / 300)) / 2;
  });
  data::DataLoader loader(seen, {.batch_size = 64, .shuffle = true, .drop_last = true});
  const auto step = compile([&](const Tensor& x, const Tensor& y) {
    const Tensor loss = cross_entropy_loss(model(x), y);
    loss.backward();
    nn::clip_grad_norm_(model.parameters(), 1.0);
    optimizer.step();
    optimizer.zero_grad();
    return detach(loss);
  });

  double best = 1e9;
  int64_t epochs_without_gain = 0;
  Checkpoint run(folder + "/run.safetensors");
  run.add("model", model);
  run.add("optimizer", optimizer);
  run.add("schedule", schedule);
  run.add("loader", loader);
  run.add("best", best);
  run.add("epochs_without_gain", epochs_without_gain);
  run.load();
  while (loader.position().epoch < epochs && epochs_without_gain < 3) {
    for (const data::Sample& batch : loader) {
      losses.push_back(step(batch[0], batch[1]).item<float>());
      schedule.step();
    }
    const double loss = loss_on(model, unseen);
    epochs_without_gain = loss < best ? 0 : epochs_without_gain + 1;
    if (loss < best) io::write_safetensors(folder + "/best.safetensors", model.state_dict());
    best = std::min(best, loss);
    run.save();
  }
  model.load_state_dict(*io::Safetensors::read(folder + "/best.safetensors")->tensors());

  const double found = loss_on(model, unseen);
  EXPECT_EQ(found, best);
  std::vector<NamedTensor> state;
  for (const NamedTensor& one : model.state_dict())
    state.push_back({one.name, clone(detach(one.tensor))});
  return {found, state, losses};
}

TEST(Training, a_run_learns_and_goes_on_where_it_was_stopped) {
  const Folder whole, parts;
  const std::string first = whole.name() + "/whole", second = whole.name() + "/parts";
  for (const std::string& folder : {first, second}) fs::create_directories(folder);
  const Trained once = train(first, 4);
  std::vector<float> losses = train(second, 2).losses;
  const Trained rest = train(second, 4);
  losses.insert(losses.end(), rest.losses.begin(), rest.losses.end());
  EXPECT_EQ(losses, once.losses);
  EXPECT_EQ(rest.loss, once.loss);
  EXPECT_LT(once.loss, 0.25);  // guessing: ln 10 = 2.3
  ASSERT_EQ(rest.state.size(), once.state.size());
  for (size_t i = 0; i < rest.state.size(); ++i)
    EXPECT_TRUE(equal(rest.state[i].tensor, once.state[i].tensor)) << rest.state[i].name;
}

TEST(Training, layers_are_frozen_and_groups_have_their_own_rates) {
  const Folder folder;
  const std::string path = folder.name() + "/pretrained.safetensors";
  Net pretrained;
  io::write_safetensors(path, pretrained.state_dict());
  const data::TensorDataset all = digits();
  data::DataLoader loader(all, {.batch_size = 32});

  Net model;
  model.load_state_dict(*io::Safetensors::read(path)->tensors());
  model.requires_grad_();
  model.stem.requires_grad_(false);
  optim::Parameters head, body;
  for (const auto& [name, parameter] : model.named_parameters()) {
    if (parameter->requires_grad()) (name.starts_with("fc.") ? head : body).push_back(parameter);
  }
  optim::AdamW optimizer({{body, {.lr = 1e-4}}, {head, {.lr = 1e-2, .weight_decay = 0}}});
  nn::ExponentialMovingAverage average(model, {.decay = 0.9});
  const auto step = compile([&](const Tensor& x, const Tensor& y) {
    const Tensor loss = cross_entropy_loss(model(x), y);
    loss.backward();
    optimizer.step();
    optimizer.zero_grad();
    average.update(model);
    return detach(loss);
  });

  std::vector<double> want;
  int steps = 0;
  for (const data::Sample& batch : loader) {
    step(batch[0], batch[1]);
    const std::vector<float> now = model.fc.bias.to_vector<float>();
    for (size_t i = 0; i < now.size(); ++i) {
      if (steps == 0) want.push_back(now[i]);
      want[i] = 0.9 * want[i] + 0.1 * static_cast<double>(now[i]);
    }
    if (++steps == 5) break;
  }
  EXPECT_TRUE(equal(model.stem.weight, pretrained.stem.weight));
  const auto moved = [](const Tensor& a, const Tensor& b) {
    return amax(abs(detach(a) - b)).item<float>();
  };
  const float of_head = moved(model.fc.weight, pretrained.fc.weight);
  const float of_body = moved(model.blocks[0].conv.weight, pretrained.blocks[0].conv.weight);
  EXPECT_GT(of_head, 1e-2);  // at most 5 steps of about 1e-2
  EXPECT_LT(of_body, 1e-3);
  EXPECT_GT(of_body, 0);

  average.swap(model);
  const std::vector<float> averaged = model.fc.bias.to_vector<float>();
  average.swap(model);
  for (size_t i = 0; i < averaged.size(); ++i) EXPECT_NEAR(averaged[i], want[i], 1e-5);
}

struct Line : nn::Module {
  nn::Linear fc;
  Line(int64_t in, int64_t out) : fc(*this, "fc", in, out) {}
  Tensor operator()(const Tensor& x) const { return fc(x); }
};

TEST(Training, parts_of_a_batch_in_mixed_precision_are_one_step) {
  const Tensor x = sin(reshape(arange(64, DType::f32), {16, 4})), y = remainder(arange(16), 3);
  Line model(4, 3), in_f32(4, 3);
  in_f32.load_state_dict(model.state_dict());
  for (Line* one : {&model, &in_f32}) one->requires_grad_();
  optim::SGD optimizer(model.parameters(), {.lr = 0.5}), other(in_f32.parameters(), {.lr = 0.5});

  optim::GradScaler scaler;
  const auto step = compile([&](const std::vector<data::Sample>& parts) {
    Tensor total = zeros({});
    for (const data::Sample& part : parts) {
      Tensor loss;
      {
        const Autocast on(DType::f16);
        loss = cross_entropy_loss(model(part[0]), part[1]) / static_cast<double>(parts.size());
      }
      scaler.scale(loss).backward();
      total += detach(loss);
    }
    scaler.unscale_(optimizer);
    nn::clip_grad_norm_(model.parameters(), 1.0);
    scaler.step(optimizer);
    scaler.update();
    optimizer.zero_grad();
    return total;
  });

  std::vector<data::Sample> parts;
  for (int64_t i = 0; i < 16; i += 4)
    parts.push_back({slice(x, 0, i, i + 4), slice(y, 0, i, i + 4)});
  const Tensor loss = cross_entropy_loss(in_f32(x), y);
  loss.backward();
  nn::clip_grad_norm_(in_f32.parameters(), 1.0);
  other.step();
  EXPECT_NEAR(step(parts).item<float>(), loss.item<float>(), 2e-3);  // products in f16
  EXPECT_TRUE(allclose(detach(model.fc.weight), detach(in_f32.fc.weight), 0, 2e-3));
}

TEST(Training, second_derivatives_and_those_of_single_samples) {
  const Tensor x = Tensor::from({1.0F, 2.0F, -1.0F, 0.5F, 3.0F, 1.0F}, {3, 2});
  const Tensor y = Tensor::from({1.0F, -1.0F, 2.0F}, {3, 1});
  Line model(2, 1);
  model.requires_grad_();
  const std::vector<Tensor> direction{Tensor::from({1.0F, -2.0F}, {1, 2}),
                                      Tensor::from({0.5F}, {1})};

  const auto loss_of = [&](const Tensor& in, const Tensor& want) {
    return mse_loss(model(in), want);
  };
  const std::vector<Tensor> slopes =
      grad(loss_of(x, y), model.parameters(), {.create_graph = true});
  Tensor along = zeros({});
  for (size_t i = 0; i < slopes.size(); ++i) along = along + sum(slopes[i] * direction[i]);
  const std::vector<Tensor> product = grad(along, model.parameters());

  std::vector<Tensor> rows;
  for (int64_t i = 0; i < 3; ++i) {
    const Tensor loss = loss_of(slice(x, 0, i, i + 1), slice(y, 0, i, i + 1));
    rows.push_back(flatten(grad(loss, {model.fc.weight})[0]));
  }
  const Tensor of_samples = stack(rows);

  // The loss is quadratic: the product is a difference of gradients.
  EXPECT_TRUE(allclose(mean(of_samples, 0), flatten(detach(slopes[0]))));
  {
    const NoGrad off;
    model.fc.weight += direction[0];
    model.fc.bias += direction[1];
  }
  const std::vector<Tensor> there = grad(loss_of(x, y), model.parameters());
  for (size_t i = 0; i < 2; ++i)
    EXPECT_TRUE(allclose(product[i], there[i] - detach(slopes[i]), 1e-4, 1e-4));
}

TEST(Training, a_step_is_profiled) {
  const Folder place;
  const std::string folder = place.name();
  Line model(4, 3);
  model.requires_grad_();
  const Tensor x = ones({2, 4});
  const auto step = compile([&](const Tensor& in) {
    const Tensor loss = mean(square(model(in)));
    loss.backward();
    model.zero_grad();
    return detach(loss);
  });

  Profiler profiler({.record_shapes = true,
                     .profile_memory = true,
                     .schedule = vitro::schedule({.wait = 1, .warmup = 1, .active = 3})});
  for (int i = 0; i < 5; ++i) {
    step(x);
    profiler.step();
  }
  profiler.stop();
  const auto table = profiler.key_averages().table({.sort_by = "self_cpu_time_total"});
  profiler.write_trace(folder + "/step.json.gz");
  profiler.export_memory_timeline(folder + "/memory.html");
  const std::string explained = explain(step).so_far().text();

  EXPECT_NE(table.find("ProfilerStep#4"), std::string::npos) << table;
  EXPECT_TRUE(fs::exists(folder + "/step.json.gz") && fs::exists(folder + "/memory.html"));
  EXPECT_NE(explained.find("5 calls"), std::string::npos) << explained;
}

TEST(Training, a_model_goes_back_to_torch) {
  const Folder place;
  const std::string folder = place.name();
  Net model;
  const Tensor x = sin(reshape(arange(2 * 64, DType::f32), {2, 1, 8, 8}));

  model.eval();
  io::write_safetensors(folder + "/model.safetensors", model.state_dict());
  mark_dynamic(x, 0);
  save(export_graph(std::ref(model), x), folder + "/model.pt2");

  const NoGrad off;
  EXPECT_TRUE(allclose(load(folder + "/model.pt2")({x})[0], model(x), 1e-4, 1e-5));
  EXPECT_EQ(io::Safetensors::read(folder + "/model.safetensors")->entries().size(),
            model.state_dict().size());
}

// Each message on the page is what the mistake gives.
TEST(Training, mistakes_have_the_messages_of_the_page) {
  const std::string text = read_page(page);
  const auto expect = [&](const char* message, auto mistake) {
    const std::string got = error_of(mistake);
    EXPECT_NE(got.find(message), std::string::npos) << got;
    EXPECT_NE(text.find(message), std::string::npos) << message;
  };
  Line model(4, 3);
  const Tensor x = ones({2, 4});
  expect("the output does not require a gradient", [&] { mean(model(x)).backward(); });
  model.requires_grad_();
  expect("reduce it to one number", [&] { model(x).backward(); });
  expect("were released by an earlier backward", [&] {
    const Tensor loss = mean(model(x));
    backward(loss, {}, {.retain_graph = true});
    loss.backward();
    loss.backward();
  });
  expect("writes to a leaf that requires a gradient", [&] { model.fc.weight += 1; });
  expect("which was written after the call", [&] {
    const Tensor y = exp(model(x)), loss = mean(y);
    add_(y, 1);
    loss.backward();
  });
  expect("no loss was scaled", [&] {
    optim::SGD optimizer(model.parameters());
    optim::GradScaler scaler;
    model.zero_grad();
    mean(model(x)).backward();
    scaler.step(optimizer);
  });
  expect("is a gradient that no backward() has computed", [&] {
    model.zero_grad();
    (void)model.fc.weight.grad().sizes();
  });
  expect("has NaN elements", [&] {
    const DetectAnomaly on;
    mean(sqrt(model(x) * 0) * 0).backward();
  });
}

TEST(Training, every_piece_of_code_on_the_page_stands_in_this_file) {
  const std::string here = bare(read_page(VITRO_TEST_DATA "/../vitro/training_test.cpp"));
  const std::vector<std::string> pieces = code_in(read_page(page));
  EXPECT_GT(pieces.size(), 7U);
  for (const std::string& piece : pieces)
    EXPECT_NE(here.find(bare(piece)), std::string::npos) << piece;
}

}  // namespace
}  // namespace vitro
