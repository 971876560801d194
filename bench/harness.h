// The harness of vitro_bench: a file per workload (work_*.cpp), a file per contender (who_*.cpp),
// one way of measuring. A first call is measured in a process of its own, once with an empty kernel
// cache and once with the filled one; medians come from the second.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "vitro/core/tensor.h"

namespace vitro::bench {

// Something to run: a function of tensors and what to give it.
struct Program {
  std::function<Tensor(const std::vector<Tensor>&)> run;
  std::vector<Tensor> inputs;
};

struct Workload {
  std::string_view name, about;
  Program (*make)();
};

// A contender made ready for one program; building the contender's own state belongs to the first
// `once`.
struct Runner {
  std::function<void()> once;
  std::function<int()> kernels;  // launched per call, -1: not known
  int times = 1;                 // how often `once` does the program's work
};
struct Contender {
  std::string_view name, about;
  Runner (*prepare)(Program program);
};

// What is not a program: the cost of one step of something, in nanoseconds (median over rounds).
struct Step {
  std::string_view name, about;
  double (*ns)();
};

// Made at namespace scope by the files above.
struct Add {
  explicit Add(Workload w);
  explicit Add(Contender c);
  explicit Add(Step s);
};

struct Registry {
  std::vector<Workload> workloads;
  std::vector<Contender> contenders;
  std::vector<Step> steps;
};
Registry& registry();

// Stays and answers bench/compare until standard input ends.
int serve(const Workload& work, const Contender& who);

// Median of `rounds` measurements of the time of one `body` call, in nanoseconds, each over `times`
// calls.
double median_ns(int rounds, int times, const std::function<void()>& body);

}  // namespace vitro::bench
