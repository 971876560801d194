// Datasets: samples, batches, splits, and random numbers that repeat.
#include "vitro/datasets/dataset.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "error_of.h"
#include "vitro/core/generator.h"
#include "vitro/ops/all.h"

namespace vitro::data {
namespace {

Random no_random() {
  return {0, 0};
}

// Samples (i, 10 * i).
TensorDataset numbered(int64_t n) {
  const Tensor i = arange(n, DType::f32);
  return TensorDataset({i, i * 10.0});
}

TEST(TensorDataset, has_the_elements_of_each_tensor) {
  const TensorDataset data({Tensor::from({1.F, 2.F, 3.F, 4.F}, {2, 2}), Tensor::from({7, 8}, {2})});
  Random random = no_random();
  EXPECT_EQ(data.size(), 2);
  const Sample one = data.get(1, random);
  EXPECT_EQ(one[0].to_vector<float>(), (std::vector<float>{3, 4}));
  EXPECT_EQ(one[1].item<int>(), 8);
  const Sample batch = data.get_batch(std::vector<int64_t>{1, 0, 1}, {});
  EXPECT_EQ(batch[0].to_vector<float>(), (std::vector<float>{3, 4, 1, 2, 3, 4}));
  EXPECT_EQ(batch[1].to_vector<int>(), (std::vector<int>{8, 7, 8}));
}

TEST(TensorDataset, refuses_what_it_does_not_have) {
  const TensorDataset data = numbered(3);
  Random random = no_random();
  EXPECT_EQ(error_of([&] { data.get(3, random); }),
            "data: got sample 3, the dataset has 3 samples, from 0 on");
  EXPECT_EQ(error_of([&] { data.get_batch(std::vector<int64_t>{0, -1}, {}); }),
            "data: got sample -1, the dataset has 3 samples, from 0 on");
  EXPECT_EQ(error_of([] { TensorDataset({zeros({2}), zeros({3})}); }),
            "TensorDataset: got tensors of 2 and 3 samples, needs as many in each");
  EXPECT_EQ(error_of([] { TensorDataset({}); }), "TensorDataset: needs at least one tensor");
}

TEST(Dataset, batches_of_others_are_stacked) {
  const TensorDataset data = numbered(4);
  const Mapped twice(data, [](Sample s, Random&) { return Sample{s[0] * 2.0, s[1]}; });
  const Sample batch = twice.get_batch(std::vector<int64_t>{3, 1}, {});
  EXPECT_EQ(batch[0].to_vector<float>(), (std::vector<float>{6, 2}));
  EXPECT_EQ(batch[1].to_vector<float>(), (std::vector<float>{30, 10}));
}

TEST(Dataset, samples_of_a_batch_are_alike) {
  const TensorDataset data = numbered(4);
  const Mapped growing(data, [](Sample s, Random&) {
    return Sample{zeros({static_cast<int64_t>(s[0].item<float>())})};
  });
  EXPECT_EQ(error_of([&] { growing.get_batch(std::vector<int64_t>{1, 2}, {}); }),
            "data: field 0 of sample 1 of the batch is f32[2], that of the first one is f32[1]; "
            "samples of a batch need equal sizes and dtypes: change them in a Mapped, or collate "
            "them yourself (LoaderOptions::collate_fn)");
  const Mapped fewer(data, [](Sample s, Random&) {
    if (s[0].item<float>() == 2) s.pop_back();
    return s;
  });
  EXPECT_EQ(error_of([&] { fewer.get_batch(std::vector<int64_t>{1, 2}, {}); }),
            "data: sample 1 of the batch has 1 fields, the first one has 2");
}

TEST(Dataset, parts_of_a_split_have_each_sample_once) {
  const TensorDataset data = numbered(10);
  const std::vector<Subset> parts = random_split(data, {7, 3}, 5);
  std::vector<int64_t> all = parts[0].indices();
  EXPECT_EQ(all.size(), 7U);
  all.insert(all.end(), parts[1].indices().begin(), parts[1].indices().end());
  EXPECT_FALSE(std::ranges::is_sorted(all));
  std::ranges::sort(all);
  for (int64_t i = 0; i < 10; ++i) EXPECT_EQ(all[static_cast<size_t>(i)], i);
  EXPECT_EQ(random_split(data, {7, 3}, 5)[1].indices(), parts[1].indices());
  EXPECT_NE(random_split(data, {7, 3}, 6)[1].indices(), parts[1].indices());
  EXPECT_EQ(error_of([&] { random_split(data, {7, 2}); }),
            "random_split: the parts leave 1 of the dataset's 10 samples out");
  EXPECT_EQ(error_of([&] { random_split(data, {7, 4}); }),
            "random_split: got a part of 4 samples, where 3 of the dataset's 10 are left");
}

TEST(Dataset, subsets_and_sequences_of_datasets_map_indices) {
  const TensorDataset first = numbered(3), second = numbered(5);
  const ConcatDataset both({&first, &second});
  Random random = no_random();
  EXPECT_EQ(both.size(), 8);
  EXPECT_EQ(both.get(2, random)[0].item<float>(), 2);
  EXPECT_EQ(both.get(3, random)[0].item<float>(), 0);
  EXPECT_EQ(both.get(7, random)[0].item<float>(), 4);
  const Subset some(both, {7, 2});
  EXPECT_EQ(some.get_batch(std::vector<int64_t>{0, 1}, {})[0].to_vector<float>(),
            (std::vector<float>{4, 2}));
  EXPECT_EQ(error_of([&] { Subset(both, {8}); }),
            "Subset: got sample 8, the dataset has 8 samples, from 0 on");
}

TEST(Dataset, windows_of_a_sequence_come_with_what_follows) {
  const SequenceDataset data(arange(8), 3);
  Random random = no_random();
  EXPECT_EQ(data.size(), 2);
  EXPECT_EQ(data.get(1, random)[0].to_vector<int64_t>(), (std::vector<int64_t>{3, 4, 5}));
  EXPECT_EQ(data.get(1, random)[1].to_vector<int64_t>(), (std::vector<int64_t>{4, 5, 6}));
  EXPECT_EQ(SequenceDataset(arange(8), 3, 1).size(), 5);
  EXPECT_EQ(SequenceDataset(arange(4), 3).size(), 1);
  EXPECT_EQ(error_of([] { SequenceDataset(arange(3), 3); }),
            "SequenceDataset: got 3 numbers, a window of 3 needs one more than that");
}

TEST(Random, numbers_follow_from_seed_epoch_and_sample) {
  const auto first = [](const Draws& draws, int64_t sample) {
    Random random = draws.of(sample);
    return random.word();
  };
  std::set<uint32_t> different;
  for (const uint64_t seed : {1U, 2U})
    for (const int64_t epoch : {0, 1})
      for (const int64_t sample : {0, 1, 2}) different.insert(first({seed, epoch}, sample));
  EXPECT_EQ(different.size(), 12U);
  EXPECT_EQ(first({1, 1}, 2), first({1, 1}, 2));
}

// Pearson's statistic of 10 equally likely results is above 27.9 once in 1000 times.
TEST(Random, is_uniform) {
  Random random(3, 4);
  std::array<int, 10> below{}, uniform{};
  for (int i = 0; i < 10000; ++i) {
    ++below[static_cast<size_t>(random.below(10))];
    ++uniform[static_cast<size_t>(random.uniform(0, 10))];
  }
  for (const auto& counts : {below, uniform}) {
    double statistic = 0;
    for (const int n : counts) statistic += std::pow(n - 1000.0, 2) / 1000;
    EXPECT_LT(statistic, 27.9);
  }
  EXPECT_EQ(error_of([&] { random.below(0); }), "Random::below: got 0, needs a number above 0");
}

TEST(Random, every_order_of_three_is_as_likely) {
  std::array<int, 27> counts{};
  for (int64_t epoch = 0; epoch < 6000; ++epoch) {
    const std::vector<int64_t> order = permutation(3, {9, epoch});
    ++counts[static_cast<size_t>(order[0] * 9 + order[1] * 3 + order[2])];
  }
  double statistic = 0;
  int orders = 0;
  for (const int n : counts) {
    if (n == 0) continue;
    ++orders;
    statistic += std::pow(n - 1000.0, 2) / 1000;
  }
  EXPECT_EQ(orders, 6);
  EXPECT_LT(statistic, 20.5);  // once in 1000 times
}

}  // namespace
}  // namespace vitro::data
