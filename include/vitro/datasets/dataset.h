// Sources of samples, with the names and meaning of torch.utils.data.
//   data::TensorDataset digits({images, labels});
//   std::vector<data::Subset> parts = data::random_split(digits, {1500, 297}, 7);
//   data::Mapped train(parts[0], [](data::Sample s, data::Random& random) {
//     if (random.chance(0.5)) s[0] = flip(s[0], {-1});
//     return s;
//   });
// A dataset that is made from another one keeps a reference to it: the other must outlive it.
// Threads: the workers of a DataLoader call one dataset at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "vitro/core/tensor.h"

namespace vitro::data {

// The fields of one sample, such as an image and its label; or those of a batch, in which each
// field has a first dimension for the samples.
using Sample = std::vector<Tensor>;

// Numbers for augmentations.  They follow from a seed, an epoch and a sample alone, so that a run
// repeats with any number of workers.
class Random {
 public:
  Random(uint64_t seed, uint64_t stream, uint64_t first = 0)
      : seed_(seed), stream_(stream), next_(first) {}
  uint32_t word();
  // In [0, 1), with 53 random bits.
  double uniform();
  // In [low, high).
  double uniform(double low, double high) { return low + (high - low) * uniform(); }
  // From 0 to n - 1, each as likely.  Error unless n > 0.
  int64_t below(int64_t n);
  bool chance(double probability) { return uniform() < probability; }

 private:
  uint64_t seed_, stream_, next_;
};

// Gives each sample of an epoch its numbers.
struct Draws {
  uint64_t seed = 0;
  int64_t epoch = 0;
  Random of(int64_t index) const;
};

// Numbers from 0 to n - 1 in an order that follows from the seed and the epoch.
std::vector<int64_t> permutation(int64_t n, const Draws& draws);

class Dataset {
 public:
  Dataset() = default;
  virtual ~Dataset() = default;
  virtual int64_t size() const = 0;
  // Sample `index`, from 0 to size() - 1.
  virtual Sample get(int64_t index, Random& random) const = 0;
  // Several samples as a batch.  By default those of get(), as collate() stacks them.
  virtual Sample get_batch(std::span<const int64_t> indices, const Draws& draws) const;

 protected:
  Dataset(const Dataset&) = default;
  Dataset& operator=(const Dataset&) = default;
  // Error that says which indices there are.
  void check_index(int64_t index) const;
};

// Stacks the samples field by field.  Error if their fields differ in number, sizes or dtype.
// torch.utils.data.default_collate.
Sample collate(std::span<const Sample> samples);

// Sample i is element i of each tensor.
class TensorDataset final : public Dataset {
 public:
  // Error unless all tensors have the same first dimension.
  explicit TensorDataset(std::vector<Tensor> tensors);
  int64_t size() const override { return size_; }
  Sample get(int64_t index, Random& random) const override;
  Sample get_batch(std::span<const int64_t> indices, const Draws& draws) const override;

 private:
  std::vector<Tensor> tensors_;
  int64_t size_ = 0;
};

// Some of another dataset's samples.
class Subset final : public Dataset {
 public:
  // Error if the other has no sample of an index.
  Subset(const Dataset& of, std::vector<int64_t> indices);
  int64_t size() const override { return static_cast<int64_t>(indices_.size()); }
  Sample get(int64_t index, Random& random) const override;
  Sample get_batch(std::span<const int64_t> indices, const Draws& draws) const override;
  const std::vector<int64_t>& indices() const { return indices_; }

 private:
  const Dataset* of_;
  std::vector<int64_t> indices_;
};

// Parts of these sizes with samples drawn at random, none twice.  Error unless the sizes add up to
// the dataset's.
std::vector<Subset> random_split(const Dataset& dataset, std::span<const int64_t> sizes,
                                 uint64_t seed = 0);
inline std::vector<Subset> random_split(const Dataset& dataset,
                                        std::initializer_list<int64_t> sizes, uint64_t seed = 0) {
  return random_split(dataset, std::span(sizes.begin(), sizes.size()), seed);
}

// One dataset after the other.
class ConcatDataset final : public Dataset {
 public:
  explicit ConcatDataset(std::vector<const Dataset*> parts);
  int64_t size() const override { return ends_.empty() ? 0 : ends_.back(); }
  Sample get(int64_t index, Random& random) const override;

 private:
  std::vector<const Dataset*> parts_;
  std::vector<int64_t> ends_;
};

// Each sample of another dataset, changed by a function: the `transform` of PyTorch's datasets.
class Mapped final : public Dataset {
 public:
  using Function = std::function<Sample(Sample sample, Random& random)>;
  Mapped(const Dataset& of, Function function) : of_(&of), function_(std::move(function)) {}
  int64_t size() const override { return of_->size(); }
  Sample get(int64_t index, Random& random) const override {
    return function_(of_->get(index, random), random);
  }

 private:
  const Dataset* of_;
  Function function_;
};

// Windows of a sequence of numbers: field 0 has `length` of them, field 1 the ones that follow each
// of these.  For language models.
class SequenceDataset final : public Dataset {
 public:
  // `numbers` is i64 of rank 1; a window begins every `step` numbers (0: every `length`).
  SequenceDataset(Tensor numbers, int64_t length, int64_t step = 0);
  int64_t size() const override { return size_; }
  Sample get(int64_t index, Random& random) const override;

 private:
  Tensor numbers_;
  int64_t length_, step_, size_ = 0;
};

}  // namespace vitro::data
