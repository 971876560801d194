// The harness of vitro_bench: one file per workload (work_*.cpp), one per contender (who_*.cpp),
// one way of measuring.  First calls are measured in separate processes, with an empty kernel cache
// and then with the filled one; medians come from the second process.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "vitro/core/tensor.h"

namespace vitro::bench {

// Something to run: a function of tensors and its inputs.
struct Program {
  std::function<Tensor(const std::vector<Tensor>&)> run;
  std::vector<Tensor> inputs;
};

struct Workload {
  std::string_view name, about;
  Program (*make)();
};

// A contender prepared for one program; the first `once` includes building the contender's state.
struct Runner {
  std::function<void()> once;
  std::function<int()> kernels;  // launched per call; -1: unknown
  int times = 1;                 // how many times `once` does the program's work
};
struct Contender {
  std::string_view name, about;
  Runner (*prepare)(Program program);
};

// A measurement that is not of a program: the cost of one step in ns (median over rounds).
struct Step {
  std::string_view name, about;
  double (*ns)();
};

// Registers its argument; defined at namespace scope in the files above.
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

// Answers bench/compare until the end of standard input.
int serve(const Workload& work, const Contender& who);

// The time of one call of `body` in ns: the median of `rounds` measurements of `times` calls each.
double median_ns(int rounds, int times, const std::function<void()>& body);

}  // namespace vitro::bench
