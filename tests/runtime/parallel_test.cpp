// parallel_for: pieces, threads, exceptions, visibility of memory, idle workers and forks.
#include "vitro/runtime/parallel.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <ctime>
#include <mutex>
#include <numeric>
#include <set>
#include <thread>
#include <vector>

#include "error_of.h"
#include "vitro/base/error.h"

namespace vitro {
namespace {

// Sets the number of threads for a scope, whatever the machine has.
struct Threads {
  explicit Threads(int count) : before(num_threads()) { set_num_threads(count); }
  ~Threads() { set_num_threads(before); }
  int before;
};

TEST(ParallelFor, visits_each_item_once) {
  const Threads threads(4);
  for (const int64_t items : {0, 1, 2, 3, 7, 31, 32, 33, 1000, 100'003}) {
    for (const int64_t grain : {0, 1, 3, 64, 1'000'000}) {
      std::vector<std::atomic<int>> visits(items);
      parallel_for(items, grain, [&](int64_t begin, int64_t end) {
        ASSERT_LT(begin, end);
        for (int64_t i = begin; i < end; ++i) ++visits[i];
      });
      for (int64_t i = 0; i < items; ++i) ASSERT_EQ(visits[i], 1) << i << " of " << items;
    }
  }
}

TEST(ParallelFor, cuts_no_piece_that_is_smaller_than_the_grain) {
  const Threads threads(4);
  std::mutex lock;
  std::multiset<int64_t> sizes;
  parallel_for(1000, 90, [&](int64_t begin, int64_t end) {
    std::lock_guard hold(lock);
    sizes.insert(end - begin);
  });
  EXPECT_GE(*sizes.begin(), 90);
  EXPECT_EQ(std::accumulate(sizes.begin(), sizes.end(), int64_t{0}), 1000);
}

TEST(ParallelFor, uses_as_many_threads_as_it_is_told_after_more) {
  {
    const Threads more(6);
    parallel_for(600, 1, [](int64_t, int64_t) {});
  }
  const Threads fewer(2);
  std::atomic<int> running[2] = {}, wrong = 0;
  for (int round = 0; round < 300; ++round) {
    parallel_for(100, 1, [&](int64_t, int64_t, int thread) {
      wrong += thread < 0 || thread >= 2 || running[thread & 1]++ != 0;
      --running[thread & 1];
    });
  }
  EXPECT_EQ(wrong, 0);
}

TEST(ParallelFor, uses_several_threads_with_numbers_of_their_own) {
  const Threads threads(3);
  std::mutex lock;
  std::set<std::thread::id> seen;
  std::atomic<int> running[4] = {}, wrong = 0;
  // Each thread waits in its piece until all three have arrived.
  parallel_for(3, 1, [&](int64_t, int64_t, int thread) {
    wrong += thread < 0 || thread >= 3 || running[thread]++ != 0;
    {
      std::lock_guard hold(lock);
      seen.insert(std::this_thread::get_id());
    }
    for (;;) {
      std::lock_guard hold(lock);
      if (seen.size() == 3) break;
    }
    --running[thread & 3];
  });
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(seen.size(), 3u);
}

TEST(ParallelFor, inside_another_runs_on_the_same_thread) {
  const Threads threads(4);
  std::atomic<int64_t> total{0};
  parallel_for(64, 1, [&](int64_t begin, int64_t end) {
    const auto outer = std::this_thread::get_id();
    for (int64_t i = begin; i < end; ++i) {
      parallel_for(100, 1, [&](int64_t b, int64_t e, int thread) {
        EXPECT_EQ(std::this_thread::get_id(), outer);
        EXPECT_EQ(thread, 0);
        total += e - b;
      });
    }
  });
  EXPECT_EQ(total, 6400);
}

TEST(ParallelFor, hands_on_the_first_exception_and_works_again_after_it) {
  const Threads threads(4);
  for (int round = 0; round < 50; ++round) {
    EXPECT_THROW(parallel_for(1000, 1,
                              [&](int64_t begin, int64_t) {
                                if (begin > 100) throw Error("mm: a piece failed");
                              }),
                 Error);
    std::atomic<int64_t> sum{0};
    parallel_for(1000, 1, [&](int64_t begin, int64_t end) { sum += end - begin; });
    ASSERT_EQ(sum, 1000);
  }
}

TEST(ParallelFor, hands_on_the_exception_that_a_plain_loop_would_throw) {
  const Threads threads(4);
  for (int round = 0; round < 20; ++round) {
    const std::string error = error_of([&] {
      parallel_for(1000, 1, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          // Other threads come first.
          if (i == 200) std::this_thread::sleep_for(std::chrono::milliseconds(2));
          VITRO_CHECK(i <= 200, "mm: item ", i, " failed");
        }
      });
    });
    ASSERT_EQ(error, "mm: item 201 failed");
  }
}

TEST(ParallelFor, may_be_called_by_many_threads_at_once) {
  const Threads threads(4);
  std::vector<std::thread> callers;
  std::atomic<int64_t> wrong{0};
  for (int c = 0; c < 6; ++c) {
    callers.emplace_back([&, c] {
      for (int round = 0; round < 400; ++round) {
        std::atomic<int64_t> sum{0};
        const int64_t items = 1 + (c * 37 + round * 11) % 500;
        parallel_for(items, 1 + round % 7, [&](int64_t begin, int64_t end) { sum += end - begin; });
        wrong += sum != items;
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(wrong, 0);
}

TEST(ParallelFor, sees_what_the_caller_wrote_and_shows_what_the_pieces_wrote) {
  const Threads threads(4);
  std::vector<int64_t> from(5000), to(5000);
  for (int64_t round = 0; round < 500; ++round) {
    for (size_t i = 0; i < from.size(); ++i) from[i] = round + static_cast<int64_t>(i);
    parallel_for(5000, 100, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) to[i] = 2 * from[i];
    });
    for (int64_t i = 0; i < 5000; ++i) ASSERT_EQ(to[i], 2 * (round + i));
  }
}

int64_t cpu_time_ns() {
  timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec;
}

TEST(ParallelFor, leaves_an_idle_program_asleep) {
  const Threads threads(4);
  parallel_for(64, 1, [](int64_t, int64_t) {});
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  const int64_t before = cpu_time_ns();
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  // Three spinning workers would use 600 ms, sleeping ones almost nothing.
  EXPECT_LT(cpu_time_ns() - before, 100'000'000);
}

#if !defined(__SANITIZE_THREAD__)  // TSan allows no threads in the child of a fork
TEST(ParallelFor, works_in_the_child_of_a_fork) {
  const Threads threads(3);
  parallel_for(64, 1, [](int64_t, int64_t) {});
  const pid_t child = fork();
  if (child == 0) {
    std::atomic<int64_t> sum{0};
    for (int round = 0; round < 20; ++round) {
      parallel_for(1000, 1, [&](int64_t begin, int64_t end) { sum += end - begin; });
    }
    _exit(sum == 20'000 ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}
#endif

TEST(ParallelFor, names_its_threads) {
  const Threads threads(2);
  std::mutex lock;
  std::set<std::string> names;
  const auto caller = std::this_thread::get_id();
  for (int round = 0; round < 1000 && names.empty(); ++round) {
    parallel_for(2, 1, [&](int64_t, int64_t) {
      if (std::this_thread::get_id() == caller) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        return;
      }
      char name[16] = {};
      pthread_getname_np(pthread_self(), name, sizeof name);
      std::lock_guard hold(lock);
      names.insert(name);
    });
  }
  ASSERT_FALSE(names.empty());
  EXPECT_TRUE(names.begin()->starts_with("vitro-")) << *names.begin();
}

TEST(NumThreads, refuses_what_is_no_number_of_threads) {
  try {
    set_num_threads(0);
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.message(), "set_num_threads: got 0, needs 1 to 1024");
    EXPECT_TRUE(e.location().starts_with("parallel_test.cpp:")) << e.what();
  }
}

TEST(Grain, keeps_small_work_on_one_core_and_says_why) {
  const Threads threads(4);
  const Cost f32_add{.bytes = 12, .flops = 1};
  EXPECT_FALSE(should_parallelise(1000, f32_add));
  EXPECT_TRUE(should_parallelise(10'000'000, f32_add));
  EXPECT_EQ(should_parallelise(1000, f32_add).why,
            "about 1 us of work: waking another thread needs at least 10 us per thread");
  EXPECT_EQ(grain_for({.bytes = 1e9}), 1);
  set_num_threads(1);
  EXPECT_EQ(should_parallelise(10'000'000, f32_add).why, "only one thread is available");
}

}  // namespace
}  // namespace vitro
