// Averages of the weights of a model over the steps of its training, which often serve better than
// the last ones; torch.optim.swa_utils.
//   nn::ExponentialMovingAverage average(model, {.decay = 0.999});
//   for (...) { train_step(); average.update(model); }
//   average.swap(model);   evaluate(model);   average.swap(model);   // there and back
// Calls are ops and record no gradients; update() may be part of a compiled step. State: state_dict
// has PyTorch's keys of AveragedModel; Checkpoint::add takes an average. Norms that use running
// statistics need those of the averaged weights: run some batches in training mode after swap(), or
// average the statistics, too (`use_buffers`).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "vitro/core/named_tensor.h"
#include "vitro/core/tensor.h"
#include "vitro/nn/module.h"

namespace vitro::nn {

// One thread at a time.
class WeightAverage {
 public:
  WeightAverage(const WeightAverage&) = delete;
  WeightAverage& operator=(const WeightAverage&) = delete;
  virtual ~WeightAverage() = default;

  // Takes the model's values into the average; the first ones as they are. Buffers are copied
  // unless `use_buffers`, and always if they are not floating-point. Error in all of these calls if
  // the model has other parameters than the one that the average was made for.
  void update(Module& model);
  // Writes the average into a model.
  void copy_to(Module& model) const;
  // Exchanges the values of the average and of a model.
  void swap(Module& model);
  // The number of calls of update().
  int64_t count() const { return count_; }

  // Copies of the count, "n_averaged", and of the tensors, "module.fc.weight" and so on.
  std::vector<NamedTensor> state_dict() const;
  // Error that lists what is missing, unexpected or of other sizes; then nothing is changed.
  void load_state_dict(std::span<const NamedTensor> state);
  // For checkpoints: the tensors, under their names in state_dict(), and the count.
  std::vector<std::pair<std::string, Tensor*>> named_tensors();
  int64_t& mutable_count() { return count_; }

 protected:
  WeightAverage(Module& model, bool use_buffers);
  // The share of the model in the average after `count` updates, of which the first was a copy.
  virtual double share(int64_t count) const = 0;

 private:
  struct Part {
    std::string name;
    Tensor value;
    bool is_averaged;
  };
  // The tensors of a model that belong to the parts.
  std::vector<Tensor> tensors_of(Module& model) const;
  std::vector<Part> parts_;
  int64_t count_ = 0;
};

struct ExponentialMovingAverageOptions {
  double decay = 0.999;
  // After n updates the decay is at most (1 + n) / (10 + n): early values, far from where training
  // ends, weigh less.
  bool warm_up = false;
  bool use_buffers = false;
};
// average = decay * average + (1 - decay) * model.
class ExponentialMovingAverage final : public WeightAverage {
 public:
  explicit ExponentialMovingAverage(Module& model, ExponentialMovingAverageOptions options = {});

 private:
  double share(int64_t count) const override;
  ExponentialMovingAverageOptions options_;
};

// The mean of all values (Izmailov et al., 2018); optim::SWALR is the schedule for it.
class StochasticWeightAverage final : public WeightAverage {
 public:
  explicit StochasticWeightAverage(Module& model, bool use_buffers = false)
      : WeightAverage(model, use_buffers) {}

 private:
  double share(int64_t count) const override { return 1 / (static_cast<double>(count) + 1); }
};

}  // namespace vitro::nn
