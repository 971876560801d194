// Random work of every kind that a profiler records, with counts.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <random>
#include <string>
#include <vector>

#include "vitro/core/tensor.h"
#include "vitro/profiler/profile.h"

namespace vitro {

using Counts = std::map<std::string, int64_t>;

inline void add_to(Counts& sums, const Counts& more) {
  for (const auto& [what, count] : more) sums[what] += count;
}

// Tensors passed between threads.
class Exchange {
 public:
  void give(Tensor tensor);
  void drop_one();  // frees on the calling thread

 private:
  std::mutex lock_;
  std::vector<Tensor> tensors_;
};

// One thread of a program: nested activity of every kind.
class Work {
 public:
  Work(uint32_t seed, Exchange& exchange) : random_(seed), exchange_(exchange) {}

  // Counts of what was done: by kind of slice and incident, "allocation", "counter", and "in NAME"
  // for ops in that module.
  Counts run();

 private:
  uint32_t below(uint32_t n) { return static_cast<uint32_t>(random_() % n); }
  void inside(int depth);  // nesting level
  void something(int depth);
  void slice(int depth);
  void incident();
  void memory();
  void op();
  void user_launch();

  std::mt19937 random_;
  Exchange& exchange_;
  Counts done_;
  std::vector<Tensor> kept_;
};

// The same counts for a profile.
Counts counts_of(const Profile& profile);

// Checks the details of slices against the options and what Work does.
void expect_details(const Profile& profile);

}  // namespace vitro
