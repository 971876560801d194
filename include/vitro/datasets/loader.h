// Batches of a dataset, in an order that repeats; threads prepare them ahead.
//   data::DataLoader loader(train, {.batch_size = 64, .shuffle = true, .num_workers = 1});
//   for (int epoch = 0; epoch < 10; ++epoch)
//     for (const data::Sample& batch : loader) step(batch[0], batch[1]);
// The names and meaning are those of torch.utils.data.DataLoader.  The order and the numbers of
// augmentations follow from the seed and the epoch, with any number of workers.  A profile shows
// the time that the program waits for a batch as a range "enumerate(DataLoader)#next", which `vitro
// trace doctor` reports if it matters.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <vector>

#include "vitro/datasets/dataset.h"

namespace vitro::data {

struct LoaderOptions {
  int64_t batch_size = 1;
  // Another order in each epoch.
  bool shuffle = false;
  // Leaves out a last batch with fewer samples.
  bool drop_last = false;
  // Threads that prepare batches; 0: the thread that asks for them.
  int num_workers = 0;
  // Batches that each worker prepares ahead.
  int prefetch_factor = 2;
  // Of the order and of the numbers of augmentations.
  uint64_t seed = 0;
  // The samples of an epoch, in order, in place of all of them.  Must give the same for the same
  // epoch.
  std::function<std::vector<int64_t>(int64_t epoch)> sampler = {};
  // Makes a batch of samples, called on the workers.  By default collate(), or what the dataset has
  // in its place.
  std::function<Sample(std::vector<Sample> samples)> collate_fn = {};
  // Changes each batch, called on the workers; its numbers follow from the seed, the epoch and the
  // number of the batch.
  std::function<Sample(Sample batch, Random& random)> batch_transform = {};
};

// One thread at a time may use a loader.  The dataset must outlive it.
class DataLoader {
 public:
  // Error if an option is out of range.
  explicit DataLoader(const Dataset& dataset, LoaderOptions options = {});
  DataLoader(const DataLoader&) = delete;
  DataLoader& operator=(const DataLoader&) = delete;
  ~DataLoader();

  // The batches of the next epoch.
  int64_t size() const;

  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = Sample;
    using difference_type = ptrdiff_t;
    using pointer = const Sample*;
    using reference = const Sample&;
    const Sample& operator*() const { return loader_->batch_; }
    const Sample* operator->() const { return &loader_->batch_; }
    Iterator& operator++() {
      loader_->next();
      return *this;
    }
    void operator++(int) { ++*this; }
    bool operator==(std::default_sentinel_t) const { return !loader_->epoch_; }

   private:
    friend DataLoader;
    explicit Iterator(DataLoader& loader) : loader_(&loader) {}
    DataLoader* loader_;
  };
  // Begins an epoch: the first one, or the one after that of the last begin(), or the one that
  // seek() set.  Only the newest iterator is valid.  What the dataset throws is thrown, as an Error
  // that names epoch and batch, where the batch would be the next one.
  Iterator begin();
  std::default_sentinel_t end() const { return {}; }

  // Where the run is, for checkpoints: the epoch, and how many of its batches the program was
  // given.
  struct Position {
    int64_t epoch = 0, batch = 0;
    bool operator==(const Position&) const = default;
  };
  Position position() const { return position_; }
  // The next begin() continues there.  Error if a number is negative.
  void seek(Position position);

 private:
  class Epoch;
  void next();
  std::vector<int64_t> order(int64_t epoch) const;
  int64_t batches_of(size_t samples) const;
  Sample batch(int64_t number, std::span<const int64_t> indices, int64_t epoch) const;
  Sample collated(std::span<const int64_t> indices, const Draws& draws) const;

  const Dataset& dataset_;
  LoaderOptions options_;
  Position position_;
  bool resumes_ = true;  // the next begin() continues at position_
  std::unique_ptr<Epoch> epoch_;
  Sample batch_;
};

}  // namespace vitro::data
