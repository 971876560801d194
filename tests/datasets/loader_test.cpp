// The data loader: order, workers, positions, errors, and what a profile shows.
#include "vitro/datasets/loader.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>

#include "error_of.h"
#include "vitro/ops/all.h"

namespace vitro::data {
namespace {

using Rows = std::vector<std::vector<float>>;

TensorDataset numbered(int64_t n) {
  return TensorDataset({arange(n, DType::f32)});
}

// Field 0 of all batches of an epoch.
Rows epoch_of(DataLoader& loader) {
  Rows out;
  for (const Sample& batch : loader) out.push_back(batch[0].to_vector<float>());
  return out;
}

TEST(DataLoader, gives_all_samples_in_order) {
  const TensorDataset data = numbered(5);
  DataLoader loader(data, {.batch_size = 2});
  EXPECT_EQ(loader.size(), 3);
  EXPECT_EQ(epoch_of(loader), (Rows{{0, 1}, {2, 3}, {4}}));
  EXPECT_EQ(epoch_of(loader), (Rows{{0, 1}, {2, 3}, {4}}));
  DataLoader whole(data, {.batch_size = 2, .drop_last = true});
  EXPECT_EQ(whole.size(), 2);
  EXPECT_EQ(epoch_of(whole), (Rows{{0, 1}, {2, 3}}));
}

TEST(DataLoader, shuffles_each_epoch_anew_and_repeats) {
  const TensorDataset data = numbered(20);
  const auto epochs = [&](uint64_t seed, int workers) {
    DataLoader loader(data,
                      {.batch_size = 3, .shuffle = true, .num_workers = workers, .seed = seed});
    std::vector<Rows> out{epoch_of(loader), epoch_of(loader)};
    for (const Rows& rows : out) {
      std::multiset<float> all;
      for (const auto& row : rows) all.insert(row.begin(), row.end());
      EXPECT_EQ(all.size(), 20U);
      EXPECT_EQ(std::set(all.begin(), all.end()).size(), 20U);
    }
    EXPECT_NE(out[0], out[1]);
    return out;
  };
  const std::vector<Rows> alone = epochs(7, 0);
  EXPECT_EQ(epochs(7, 0), alone);
  EXPECT_EQ(epochs(7, 3), alone);
  EXPECT_NE(epochs(8, 0), alone);
}

TEST(DataLoader, augmentations_repeat_with_any_number_of_workers) {
  const TensorDataset data = numbered(30);
  const Mapped noisy(data,
                     [](Sample s, Random& random) { return Sample{s[0] + random.uniform()}; });
  const auto epochs = [&](int workers) {
    DataLoader loader(noisy, {.batch_size = 4, .num_workers = workers, .seed = 3});
    return std::vector<Rows>{epoch_of(loader), epoch_of(loader)};
  };
  const std::vector<Rows> alone = epochs(0);
  EXPECT_NE(alone[0], alone[1]);
  for (const int workers : {1, 2, 5}) EXPECT_EQ(epochs(workers), alone);
}

TEST(DataLoader, continues_where_another_one_stopped) {
  const TensorDataset data = numbered(10);
  for (const int workers : {0, 2}) {
    const LoaderOptions options{
        .batch_size = 3, .shuffle = true, .num_workers = workers, .seed = 1};
    DataLoader whole(data, options);
    Rows expected;
    for (int epoch = 0; epoch < 2; ++epoch)
      for (auto& row : epoch_of(whole)) expected.push_back(row);
    for (int stop = 0; stop <= 8; ++stop) {
      Rows seen;
      DataLoader::Position position;
      DataLoader before(data, options);
      while (static_cast<int>(seen.size()) < stop) {
        for (const Sample& batch : before) {
          seen.push_back(batch[0].to_vector<float>());
          position = before.position();
          if (static_cast<int>(seen.size()) == stop) break;
        }
      }
      DataLoader after(data, options);
      after.seek(position);
      while (after.position().epoch < 2)
        for (auto& row : epoch_of(after)) seen.push_back(row);
      EXPECT_EQ(seen, expected) << stop;
    }
  }
}

TEST(DataLoader, an_epoch_that_is_left_is_over) {
  const TensorDataset data = numbered(6);
  DataLoader loader(data, {.batch_size = 2, .num_workers = 1});
  for ([[maybe_unused]] const Sample& batch : loader) break;
  EXPECT_EQ(loader.position(), (DataLoader::Position{0, 1}));
  EXPECT_EQ(epoch_of(loader).size(), 3U);
  EXPECT_EQ(loader.position(), (DataLoader::Position{2, 0}));
}

TEST(DataLoader, workers_prepare_ahead_and_no_further) {
  const TensorDataset data = numbered(100);
  std::atomic<int> made{0};
  const Mapped counted(data, [&](Sample s, Random&) {
    made.fetch_add(1);
    return s;
  });
  DataLoader loader(counted, {.num_workers = 2, .prefetch_factor = 3});
  auto it = loader.begin();
  while (made.load() < 7) std::this_thread::yield();  // the first one, and six ahead
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(made.load(), 7);
  ++it;
  while (made.load() < 8) std::this_thread::yield();
  EXPECT_EQ((*it)[0].to_vector<float>(), std::vector<float>{1});
}

TEST(DataLoader, workers_are_other_threads) {
  const TensorDataset data = numbered(40);
  std::mutex lock;
  std::set<std::thread::id> threads;
  const Mapped seen(data, [&](Sample s, Random&) {
    std::lock_guard hold(lock);
    threads.insert(std::this_thread::get_id());
    return s;
  });
  DataLoader loader(seen, {.num_workers = 2});
  EXPECT_EQ(epoch_of(loader).size(), 40U);
  EXPECT_FALSE(threads.contains(std::this_thread::get_id()));
}

TEST(DataLoader, an_error_comes_where_its_batch_would) {
  const TensorDataset data = numbered(8);
  const Mapped failing(data, [](Sample s, Random&) {
    if (s[0].item<float>() == 5) throw std::runtime_error("a broken image");
    return s;
  });
  for (const int workers : {0, 2}) {
    DataLoader loader(failing, {.batch_size = 2, .num_workers = workers});
    Rows rows;
    EXPECT_EQ(error_of([&] {
                for (const Sample& batch : loader) rows.push_back(batch[0].to_vector<float>());
              }),
              "DataLoader: batch 2 of epoch 0: a broken image");
    EXPECT_EQ(rows, (Rows{{0, 1}, {2, 3}}));
  }
}

TEST(DataLoader, takes_a_sampler_and_a_function_that_collates) {
  const TensorDataset data = numbered(6);
  DataLoader loader(data,
                    {.batch_size = 2,
                     .num_workers = 1,
                     .sampler = [](int64_t epoch) { return std::vector<int64_t>{5, epoch, 5}; },
                     .collate_fn =
                         [](std::vector<Sample> samples) {
                           Sample sum{zeros({1})};
                           for (const Sample& s : samples) sum[0] = sum[0] + s[0];
                           return sum;
                         }});
  EXPECT_EQ(loader.size(), 2);
  EXPECT_EQ(epoch_of(loader), (Rows{{5}, {5}}));
  EXPECT_EQ(epoch_of(loader), (Rows{{6}, {5}}));
}

TEST(DataLoader, changes_batches_by_numbers_that_repeat) {
  const TensorDataset data = numbered(9);
  const Mapped noisy(
      data, [](Sample s, Random& random) { return Sample{s[0] * 0.0 + random.uniform()}; });
  const auto epochs = [&](int workers) {
    DataLoader loader(noisy, {.batch_size = 3,
                              .num_workers = workers,
                              .seed = 3,
                              .batch_transform = [](Sample batch, Random& random) {
                                batch.push_back(Tensor::from({random.uniform()}, {1}));
                                return batch;
                              }});
    std::vector<double> out;
    for (int epoch = 0; epoch < 2; ++epoch)
      for (const Sample& batch : loader) {
        for (const float sample : batch[0].to_vector<float>()) out.push_back(sample);
        out.push_back(batch[1].item<double>());
      }
    return out;
  };
  const std::vector<double> alone = epochs(0);
  EXPECT_EQ(alone.size(), 24U);
  EXPECT_EQ(std::set(alone.begin(), alone.end()).size(), 24U);  // no number twice
  for (const int workers : {1, 3}) EXPECT_EQ(epochs(workers), alone);
}

TEST(DataLoader, refuses_options_out_of_range) {
  const TensorDataset data = numbered(2), none({zeros({0})});
  EXPECT_EQ(error_of([&] { DataLoader(data, {.batch_size = 0}); }),
            "DataLoader: got batch_size 0, needs 1 or more");
  EXPECT_EQ(error_of([&] { DataLoader(data, {.num_workers = -1}); }),
            "DataLoader: got num_workers -1, needs 0 or more");
  EXPECT_EQ(error_of([&] { DataLoader(none, {.shuffle = true}); }),
            "DataLoader: got shuffle for a dataset without samples");
  DataLoader empty(none);
  EXPECT_EQ(empty.size(), 0);
  EXPECT_EQ(epoch_of(empty).size(), 0U);
}

}  // namespace
}  // namespace vitro::data
