// Checkpoints: a run that is stopped at any step goes on to the bit; files that do not fit.
#include "vitro/training/checkpoint.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <memory>

#include "error_of.h"
#include "vitro/autograd/autograd.h"
#include "vitro/compile/compile.h"
#include "vitro/core/autocast.h"
#include "vitro/core/generator.h"
#include "vitro/core/generator_state.h"
#include "vitro/datasets.h"
#include "vitro/io/safetensors.h"
#include "vitro/nn.h"
#include "vitro/ops/all.h"
#include "vitro/ops/arithmetic.h"
#include "vitro/ops/loss.h"
#include "vitro/optim.h"

namespace vitro {
namespace {

struct Net : nn::Module {
  nn::Linear fc1{*this, "fc1", 6, 8}, fc2{*this, "fc2", 8, 3};
  nn::BatchNorm1d norm{*this, "norm", 8};
  nn::Dropout drop{*this, "drop", 0.3};
  Tensor operator()(const Tensor& x) { return fc2(drop(relu(norm(fc1(x))))); }
};

data::TensorDataset points() {
  data::Random random(3, 0);
  std::vector<float> x;
  std::vector<int64_t> y;
  for (int i = 0; i < 20; ++i) {
    for (int k = 0; k < 6; ++k) x.push_back(static_cast<float>(random.uniform(-1, 1)));
    y.push_back(random.below(3));
  }
  return data::TensorDataset({Tensor::from(x, {20, 6}), Tensor::from(y, {20})});
}

// All that a program makes when it starts.  `seed` is that of weights and dropout.
struct Training {
  Training(const std::string& path, uint64_t seed, bool compiled = false,
           Generator generator = Generator::philox)
      : checkpoint(path) {
    manual_seed(seed, generator);
    model = std::make_unique<Net>();
    model->requires_grad_();
    optimizer =
        std::make_unique<optim::AdamW>(model->parameters(), optim::AdamWOptions{.lr = 0.01});
    schedule = std::make_unique<optim::CosineAnnealingLR>(*optimizer, 10);
    plateau = std::make_unique<optim::ReduceLROnPlateau>(*optimizer);
    loader = std::make_unique<data::DataLoader>(
        samples,
        data::LoaderOptions{.batch_size = 4, .shuffle = true, .num_workers = 1, .seed = 5});
    checkpoint.add("model", *model);
    checkpoint.add("optimizer", *optimizer);
    checkpoint.add("schedule", *schedule);
    checkpoint.add("plateau", *plateau);
    checkpoint.add("loader", *loader);
    checkpoint.add("best", best);
    checkpoint.add("count", count);
    checkpoint.add("sum", sum);
    step = [this](const Tensor& x, const Tensor& y) {
      optimizer->zero_grad();
      const Tensor loss = cross_entropy_loss((*model)(x), y);
      loss.backward();
      optimizer->step();
      return detach(loss);
    };
    if (compiled) step = compile(step);
  }

  // Steps until `most` are made in all; appends their losses.
  void go(int64_t most, std::vector<float>& losses) {
    while (count < most) {
      for (const data::Sample& batch : *loader) {
        losses.push_back(step(batch[0], batch[1]).item<float>());
        best = std::min<double>(best, losses.back());
        add_(sum, losses.back());
        ++count;
        if (loader->position().batch == loader->size()) schedule->step();
        checkpoint.save();
        if (count == most) return;
      }
    }
  }

  Checkpoint checkpoint;
  std::unique_ptr<Net> model;
  data::TensorDataset samples = points();
  std::unique_ptr<optim::AdamW> optimizer;
  std::unique_ptr<optim::CosineAnnealingLR> schedule;
  std::unique_ptr<optim::ReduceLROnPlateau> plateau;
  std::unique_ptr<data::DataLoader> loader;
  std::function<Tensor(const Tensor&, const Tensor&)> step;
  Tensor sum = zeros({});
  double best = 100;
  int64_t count = 0;
};

class Checkpoints : public testing::Test {
 protected:
  Checkpoints() : folder_(testing::TempDir() + "vitro_checkpoint_" + std::to_string(getpid())) {
    std::filesystem::create_directories(folder_);
  }
  ~Checkpoints() override { std::filesystem::remove_all(folder_); }
  std::string path(const std::string& name = "run.safetensors") const {
    return folder_ + "/" + name;
  }
  // A message without the folder.
  std::string message(const std::function<void()>& f) const {
    std::string text = error_of(f);
    for (size_t at; (at = text.find(folder_ + "/")) != text.npos;)
      text.erase(at, folder_.size() + 1);
    return text;
  }
  void stops_and_goes_on(bool compiled, Generator generator) {
    std::vector<float> whole;
    Training expected(path("whole"), 1, compiled, generator);
    expected.go(12, whole);
    ASSERT_EQ(whole.size(), 12U);
    for (const int64_t stop : {1, 5, 8}) {
      std::filesystem::remove(path());
      std::vector<float> losses;
      Training before(path(), 1, compiled, generator);
      EXPECT_FALSE(before.checkpoint.load());
      before.go(stop, losses);
      Training after(path(), 99, compiled, generator);  // other weights, until it loads
      EXPECT_TRUE(after.checkpoint.load());
      after.go(12, losses);
      EXPECT_EQ(losses, whole) << stop;
      EXPECT_EQ(after.best, expected.best);
      EXPECT_EQ(after.sum.item<float>(), expected.sum.item<float>());
      EXPECT_EQ(*after.optimizer->learning_rates()[0], *expected.optimizer->learning_rates()[0]);
    }
  }
  std::string folder_;
};

TEST_F(Checkpoints, a_run_goes_on_to_the_bit) {
  stops_and_goes_on(false, Generator::philox);
}
TEST_F(Checkpoints, a_compiled_run_goes_on_to_the_bit) {
  stops_and_goes_on(true, Generator::philox);
}
TEST_F(Checkpoints, a_run_with_numbers_of_torch_goes_on_to_the_bit) {
  stops_and_goes_on(false, Generator::mt19937);
}

// With steps that overflow: the first, and some later.
TEST_F(Checkpoints, a_run_in_mixed_precision_goes_on_to_the_bit) {
  struct Mixed {
    Mixed(const std::string& path, uint64_t seed) : checkpoint(path) {
      manual_seed(seed);
      model = std::make_unique<Net>();
      model->requires_grad_();
      optimizer =
          std::make_unique<optim::AdamW>(model->parameters(), optim::AdamWOptions{.lr = 0.01});
      checkpoint.add("model", *model);
      checkpoint.add("optimizer", *optimizer);
      checkpoint.add("scaler", scaler);
      step = compile([this](const Tensor& x, const Tensor& y, const Tensor& factor) {
        optimizer->zero_grad();
        Tensor loss;
        {
          const Autocast on(DType::f16);
          loss = cross_entropy_loss((*model)(x), y);
        }
        scaler.scale(loss * factor).backward();
        scaler.step(*optimizer);
        scaler.update();
        optimizer->zero_grad();
        return detach(loss);
      });
    }
    void go(int from, int to, std::vector<float>& losses) {
      const data::TensorDataset samples = points();
      data::DataLoader loader(samples, {.batch_size = 20});
      for (const data::Sample& all : loader) {
        for (int i = from; i < to; ++i) {
          const float factor = i % 4 == 0 ? std::numeric_limits<float>::infinity() : 1.0F;
          losses.push_back(step(all[0], all[1], full({}, factor)).item<float>());
        }
      }
      checkpoint.save();
    }
    Checkpoint checkpoint;
    std::unique_ptr<Net> model;
    std::unique_ptr<optim::AdamW> optimizer;
    optim::GradScaler scaler{{.growth_interval = 2}};
    std::function<Tensor(const Tensor&, const Tensor&, const Tensor&)> step;
  };
  std::vector<float> whole;
  Mixed expected(path("whole"), 1);
  expected.go(0, 12, whole);
  for (const int stop : {1, 5, 6}) {
    std::filesystem::remove(path());
    std::vector<float> losses;
    Mixed before(path(), 1);
    before.go(0, stop, losses);
    Mixed after(path(), 99);
    EXPECT_TRUE(after.checkpoint.load());
    after.go(stop, 12, losses);
    EXPECT_EQ(losses, whole) << stop;
    EXPECT_EQ(after.scaler.get_scale(), expected.scaler.get_scale());
  }
}

TEST_F(Checkpoints, a_run_can_go_back_to_one) {
  std::vector<float> first, again;
  Training run(path(), 1, true);
  run.go(3, first);
  std::filesystem::copy_file(path(), path("third"));
  EXPECT_TRUE(run.checkpoint.load());  // the epoch that go() left goes on
  run.go(9, first);
  std::filesystem::copy_file(path("third"), path(),
                             std::filesystem::copy_options::overwrite_existing);
  EXPECT_TRUE(run.checkpoint.load());
  EXPECT_EQ(run.count, 3);
  run.go(9, again);
  EXPECT_EQ(again, std::vector<float>(first.begin() + 3, first.end()));
}

TEST_F(Checkpoints, another_program_is_refused_and_keeps_its_state) {
  std::vector<float> losses;
  Training(path(), 1).go(2, losses);
  struct Other : nn::Module {
    nn::Linear fc1{*this, "fc1", 6, 9}, fc3{*this, "fc3", 8, 3};
  } other;
  const std::vector<float> before = other.fc3.weight.to_vector<float>();
  double best = 1;
  Checkpoint checkpoint(path());
  checkpoint.add("model", other);
  checkpoint.add("best", best);
  const std::string text = message([&] { checkpoint.load(); });
  EXPECT_EQ(text.substr(0, text.find('\n')),
            "Checkpoint: run.safetensors is not one of this program:");
  for (const char* line :
       {"model.fc1.weight: the file has f32[8, 6], the program f32[9, 6]",
        "model.fc3.weight: missing in the file", "model.fc2.weight: missing in the program",
        "optimizer.group.0.lr: missing in the program"})
    EXPECT_NE(text.find(line), std::string::npos) << text;
  EXPECT_EQ(best, 1);
  EXPECT_EQ(other.fc3.weight.to_vector<float>(), before);
}

TEST_F(Checkpoints, damaged_files_are_refused) {
  std::vector<float> losses;
  Training run(path(), 1);
  run.go(1, losses);
  const auto size = std::filesystem::file_size(path());
  for (const auto part : {size - 1, size / 2, size / 20, uintmax_t{5}, uintmax_t{0}}) {
    std::filesystem::copy_file(path(), path("part"));
    std::filesystem::resize_file(path("part"), part);
    Training other(path("part"), 2);
    EXPECT_NE(message([&] { other.checkpoint.load(); }).find("Checkpoint: part"),
              std::string::npos);
    EXPECT_EQ(other.count, 0);
    std::filesystem::remove(path("part"));
  }
  io::write_safetensors(path("weights"), {{"fc1.weight", zeros({2})}});
  Training other(path("weights"), 2);
  EXPECT_EQ(message([&] { other.checkpoint.load(); }),
            "Checkpoint: weights: not a checkpoint, but another file of safetensors; Module::load "
            "reads weights");
}

TEST_F(Checkpoints, numbers_out_of_range_are_refused) {
  data::TensorDataset samples = points();
  data::DataLoader loader(samples);
  Checkpoint checkpoint(path());
  checkpoint.add("loader", loader);
  const std::string state = generator_state();
  for (const char* batch : {"-1", "x", "1.5", ""}) {
    io::write_safetensors(path(), {},
                          {{"format", "vitro.checkpoint.1"},
                           {"generator", state},
                           {"loader.epoch", "3"},
                           {"loader.batch", batch}});
    EXPECT_EQ(message([&] { checkpoint.load(); }),
              cat("Checkpoint: run.safetensors is not one of this program:\n  loader.batch: the "
                  "file has \"",
                  batch, "\", which is not such a number"));
    EXPECT_EQ(loader.position(), data::DataLoader::Position());
  }
}

TEST_F(Checkpoints, names_are_distinct) {
  double a = 0, b = 0;
  Checkpoint checkpoint(path());
  checkpoint.add("loss", a);
  checkpoint.add("lossy", b);
  EXPECT_EQ(message([&] { checkpoint.add("loss.best", b); }),
            "Checkpoint: the name loss.best is that of something else, or begins with it (loss)");
  EXPECT_EQ(message([&] { checkpoint.add("loss", b); }),
            "Checkpoint: the name loss is that of something else, or begins with it (loss)");
  EXPECT_EQ(message([&] { checkpoint.add("", b); }), "Checkpoint: a name is empty");
  EXPECT_EQ(message([&] { checkpoint.add("format", b); }),
            "Checkpoint: the name format is reserved");
}

TEST_F(Checkpoints, hold_averages_of_weights) {
  struct Run {
    explicit Run(const std::string& path, uint64_t seed) : checkpoint(path) {
      manual_seed(seed);
      model = std::make_unique<Net>();
      average = std::make_unique<nn::StochasticWeightAverage>(*model);
      checkpoint.add("model", *model);
      checkpoint.add("average", *average);
    }
    void step() {
      for (Tensor* parameter : model->parameters()) add_(*parameter, 0.3);
      average->update(*model);
    }
    Checkpoint checkpoint;
    std::unique_ptr<Net> model;
    std::unique_ptr<nn::StochasticWeightAverage> average;
  };
  Run whole(path("whole"), 1), before(path(), 1), after(path(), 2);
  for (int i = 0; i < 5; ++i) whole.step();
  for (int i = 0; i < 2; ++i) before.step();
  before.checkpoint.save();
  EXPECT_TRUE(after.checkpoint.load());
  for (int i = 0; i < 3; ++i) after.step();
  EXPECT_EQ(after.average->count(), 5);
  const auto wanted = whole.average->state_dict(), got = after.average->state_dict();
  ASSERT_EQ(got.size(), wanted.size());
  for (size_t i = 0; i < got.size(); ++i) {
    EXPECT_EQ(got[i].name, wanted[i].name);
    EXPECT_TRUE(equal(got[i].tensor, wanted[i].tensor)) << got[i].name;
  }
}

}  // namespace
}  // namespace vitro
