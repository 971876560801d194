#include "vitro/core/storage_watch.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "vitro/core/tensor.h"

namespace vitro {
namespace {

std::atomic<int> gone;
std::atomic<uint64_t> last;

void note(uint64_t id) {
  last = id;
  ++gone;
}

TEST(StorageWatch, hears_once_of_the_end_of_what_it_watches_and_of_nothing_else) {
  gone = 0;
  set_storage_watcher(note);
  Tensor watched = Tensor::empty({4}), other = Tensor::empty({4});
  const uint64_t id = watched.storage().id();
  watch_storage(watched.storage());
  watch_storage(watched.storage());
  other = Tensor();
  Tensor view = watched;
  watched = Tensor();
  EXPECT_EQ(gone, 0);
  view = Tensor();
  EXPECT_EQ(gone, 1);
  EXPECT_EQ(last, id);
}

TEST(StorageWatch, hears_on_any_thread) {
  gone = 0;
  set_storage_watcher(note);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([] {
      for (int i = 0; i < 500; ++i) {
        const Tensor watched = Tensor::empty({4}), other = Tensor::empty({4});
        watch_storage(watched.storage());
      }
    });
  }
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(gone, 2000);
}

}  // namespace
}  // namespace vitro
