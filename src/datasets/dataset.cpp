// Datasets: indices, batches, and the random numbers of augmentations.
#include "vitro/datasets/dataset.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "vitro/base/error.h"
#include "vitro/core/generator.h"
#include "vitro/ops/concat.h"
#include "vitro/ops/gather.h"
#include "vitro/ops/view.h"

namespace vitro::data {
namespace {

constexpr int words_of_epoch = 32;             // numbers of a sample in one epoch: 2^32 words
constexpr uint64_t order_stream = UINT64_MAX;  // no sample has that index

Tensor as_tensor(std::span<const int64_t> indices) {
  const int64_t size = static_cast<int64_t>(indices.size());
  return Tensor::from(indices, std::span(&size, 1));
}

}  // namespace

uint32_t Random::word() {
  return random_word(seed_, stream_, next_++);
}

double Random::uniform() {
  const uint64_t high = word() >> 5, low = word() >> 6;  // 27 and 26 bits
  return static_cast<double>(high << 26 | low) * 0x1p-53;
}

// Lemire, "Fast random integer generation in an interval", 2019: the upper half of a product, after
// rejecting the few words that would make some results more likely.
int64_t Random::below(int64_t n) {
  VITRO_CHECK(n > 0, "Random::below: got ", n, ", needs a number above 0");
  const auto range = static_cast<uint64_t>(n);
  for (;;) {
    const uint64_t high = word();
    const unsigned __int128 product = static_cast<unsigned __int128>(high << 32 | word()) * range;
    const auto low = static_cast<uint64_t>(product);
    if (low >= range || low >= -range % range) return static_cast<int64_t>(product >> 64);
  }
}

Random Draws::of(int64_t index) const {
  return {seed, static_cast<uint64_t>(index), static_cast<uint64_t>(epoch) << words_of_epoch};
}

std::vector<int64_t> permutation(int64_t n, const Draws& draws) {
  VITRO_CHECK(n >= 0, "permutation: got ", n, " numbers, needs 0 or more");
  std::vector<int64_t> order(static_cast<size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  Random random(draws.seed, order_stream, static_cast<uint64_t>(draws.epoch) << words_of_epoch);
  for (int64_t i = n - 1; i > 0; --i)
    std::swap(order[static_cast<size_t>(i)], order[static_cast<size_t>(random.below(i + 1))]);
  return order;
}

Sample Dataset::get_batch(std::span<const int64_t> indices, const Draws& draws) const {
  std::vector<Sample> samples;
  samples.reserve(indices.size());
  for (const int64_t index : indices) {
    Random random = draws.of(index);
    samples.push_back(get(index, random));
  }
  return collate(samples);
}

void Dataset::check_index(int64_t index) const {
  VITRO_CHECK(index >= 0 && index < size(), "data: got sample ", index, ", the dataset has ",
              size(), " samples, from 0 on");
}

Sample collate(std::span<const Sample> samples) {
  if (samples.empty()) return {};
  Sample batch;
  std::vector<Tensor> rows(samples.size());
  for (size_t field = 0; field < samples[0].size(); ++field) {
    for (size_t i = 0; i < samples.size(); ++i) {
      VITRO_CHECK(samples[i].size() == samples[0].size(), "data: sample ", i, " of the batch has ",
                  samples[i].size(), " fields, the first one has ", samples[0].size());
      rows[i] = samples[i][field];
      VITRO_CHECK(rows[i].defined(), "data: field ", field, " of sample ", i,
                  " of the batch is undefined");
      VITRO_CHECK(rows[i].sizes() == rows[0].sizes() && rows[i].dtype() == rows[0].dtype(),
                  "data: field ", field, " of sample ", i, " of the batch is ", rows[i].dtype(),
                  rows[i].sizes(), ", that of the first one is ", rows[0].dtype(), rows[0].sizes(),
                  "; samples of a batch need equal sizes and dtypes: change them in a Mapped, or "
                  "collate them yourself (LoaderOptions::collate_fn)");
    }
    batch.push_back(stack(rows));
  }
  return batch;
}

TensorDataset::TensorDataset(std::vector<Tensor> tensors) : tensors_(std::move(tensors)) {
  VITRO_CHECK(!tensors_.empty(), "TensorDataset: needs at least one tensor");
  for (const Tensor& t : tensors_) {
    VITRO_CHECK(t.rank() > 0,
                "TensorDataset: got a tensor without dimensions; the first one "
                "counts the samples");
    VITRO_CHECK(t.size(0) == tensors_[0].size(0), "TensorDataset: got tensors of ",
                tensors_[0].size(0), " and ", t.size(0), " samples, needs as many in each");
  }
  size_ = tensors_[0].size(0).hint();
}

Sample TensorDataset::get(int64_t index, Random& /*random*/) const {
  check_index(index);
  Sample sample;
  for (const Tensor& t : tensors_) sample.push_back(select(t, 0, index));
  return sample;
}

Sample TensorDataset::get_batch(std::span<const int64_t> indices, const Draws& /*draws*/) const {
  for (const int64_t index : indices) check_index(index);
  const Tensor rows = as_tensor(indices);
  Sample batch;
  for (const Tensor& t : tensors_) batch.push_back(index_select(t, 0, rows));
  return batch;
}

Subset::Subset(const Dataset& of, std::vector<int64_t> indices)
    : of_(&of), indices_(std::move(indices)) {
  for (const int64_t index : indices_)
    VITRO_CHECK(index >= 0 && index < of.size(), "Subset: got sample ", index, ", the dataset has ",
                of.size(), " samples, from 0 on");
}

Sample Subset::get(int64_t index, Random& random) const {
  check_index(index);
  return of_->get(indices_[static_cast<size_t>(index)], random);
}

Sample Subset::get_batch(std::span<const int64_t> indices, const Draws& draws) const {
  std::vector<int64_t> of_them;
  for (const int64_t index : indices) {
    check_index(index);
    of_them.push_back(indices_[static_cast<size_t>(index)]);
  }
  return of_->get_batch(of_them, draws);
}

std::vector<Subset> random_split(const Dataset& dataset, std::span<const int64_t> sizes,
                                 uint64_t seed) {
  const int64_t total = dataset.size();
  int64_t left = total;
  for (const int64_t size : sizes) {
    VITRO_CHECK(size >= 0 && size <= left, "random_split: got a part of ", size, " samples, where ",
                left, " of the dataset's ", total, " are left");
    left -= size;
  }
  VITRO_CHECK(left == 0, "random_split: the parts leave ", left, " of the dataset's ", total,
              " samples out");
  const std::vector<int64_t> order = permutation(total, {seed, 0});
  std::vector<Subset> parts;
  auto at = order.begin();
  for (const int64_t size : sizes) {
    parts.emplace_back(dataset, std::vector<int64_t>(at, at + size));
    at += size;
  }
  return parts;
}

ConcatDataset::ConcatDataset(std::vector<const Dataset*> parts) : parts_(std::move(parts)) {
  for (const Dataset* part : parts_) ends_.push_back(size() + part->size());
}

Sample ConcatDataset::get(int64_t index, Random& random) const {
  check_index(index);
  const auto part = std::upper_bound(ends_.begin(), ends_.end(), index) - ends_.begin();
  const int64_t begin = part > 0 ? ends_[static_cast<size_t>(part - 1)] : 0;
  return parts_[static_cast<size_t>(part)]->get(index - begin, random);
}

SequenceDataset::SequenceDataset(Tensor numbers, int64_t length, int64_t step)
    : numbers_(std::move(numbers)), length_(length), step_(step > 0 ? step : length) {
  VITRO_CHECK(numbers_.rank() == 1 && numbers_.dtype() == DType::i64, "SequenceDataset: got ",
              numbers_.dtype(), numbers_.sizes(), ", needs i64 of rank 1");
  VITRO_CHECK(length > 0 && step >= 0, "SequenceDataset: got length ", length, " and step ", step,
              ", needs a length above 0 and a step of 0 or more");
  const int64_t count = numbers_.numel().hint();
  VITRO_CHECK(count > length, "SequenceDataset: got ", count, " numbers, a window of ", length,
              " needs one more than that");
  size_ = (count - length - 1) / step_ + 1;
}

Sample SequenceDataset::get(int64_t index, Random& /*random*/) const {
  check_index(index);
  const int64_t begin = index * step_;
  return {slice(numbers_, 0, begin, begin + length_),
          slice(numbers_, 0, begin + 1, begin + 1 + length_)};
}

}  // namespace vitro::data
