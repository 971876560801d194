// Random small programs over permuted tensors, compiled against eager on one thread: finds layouts
// with slow compiled loops that a fixed list of programs would miss.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <numeric>
#include <random>
#include <string>

#include "sweep.h"
#include "vitro/compile/compile.h"
#include "vitro/ops/all.h"
#include "vitro/runtime/parallel.h"

namespace vitro::bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double worth_a_line = 1.3, least_difference_us = 0.5;
constexpr int64_t extents[] = {1, 2, 3, 5, 8, 15, 16, 17, 33, 64, 100, 128, 333};
constexpr int64_t least_elements = 3000, most_elements = 400'000;

// An operation on a tensor with permuted dimensions; `a` and `b` are two of these.
struct Operation {
  const char* name;
  Tensor (*run)(const Tensor& x, int64_t a, int64_t b);
};
using In = const Tensor&;
constexpr Operation operations[] = {
    {"contiguous", [](In x, int64_t, int64_t) { return contiguous(x); }},
    {"add", [](In x, int64_t, int64_t) { return contiguous(x + 1); }},
    {"gelu", [](In x, int64_t, int64_t) { return contiguous(gelu(x)); }},
    {"flatten", [](In x, int64_t, int64_t) { return flatten(x) + 1; }},
    {"every second", [](In x, int64_t a, int64_t) { return slice(x, a, 0, INT64_MAX, 2) * 2; }},
    {"select", [](In x, int64_t a, int64_t) { return select(x, a, 0) + 1; }},
    {"cat", [](In x, int64_t a, int64_t) { return cat({x, x}, a); }},
    {"stack", [](In x, int64_t a, int64_t) { return stack({x, x * 2}, a); }},
    {"sum", [](In x, int64_t a, int64_t) { return sum(x, {a}); }},
    {"sum of two", [](In x, int64_t a, int64_t b) { return a == b ? sum(x) : sum(x, {a, b}); }},
    {"amax", [](In x, int64_t a, int64_t) { return amax(x, {a}); }},
    {"argmax", [](In x, int64_t a, int64_t) { return argmax(x, a); }},
    {"var", [](In x, int64_t a, int64_t) { return var(x, {a}); }},
    {"softmax", [](In x, int64_t a, int64_t) { return softmax(x, a); }},
    {"centre", [](In x, int64_t a, int64_t) { return x - mean(x, {a}, true); }},
};

struct Case {
  Operation op;
  DType dtype;
  Ints sizes, order;
  int64_t a, b;

  Tensor operator()(const Tensor& x) const { return op.run(permute(x, order), a, b); }
};

Case random_case(std::mt19937& random) {
  const auto below = [&](size_t n) { return static_cast<size_t>(random() % n); };
  const size_t rank = 2 + below(3);
  Case made{operations[below(std::size(operations))], DType::f32, {}, {}, 0, 0};
  if (below(3) == 0) made.dtype = below(2) == 0 ? DType::bf16 : DType::f64;
  int64_t elements = 0;
  while (elements < least_elements || elements > most_elements) {
    made.sizes.clear();
    elements = 1;
    for (size_t d = 0; d < rank; ++d) {
      made.sizes.push_back(extents[below(std::size(extents))]);
      elements *= made.sizes.back();
    }
  }
  made.order.resize(rank);
  std::iota(made.order.begin(), made.order.end(), 0);
  std::shuffle(made.order.begin(), made.order.end(), random);
  made.a = static_cast<int64_t>(below(rank));
  made.b = static_cast<int64_t>(below(rank));
  return made;
}

double least_us(const auto& body) {
  constexpr int rounds = 15, times = 3;
  double least = 1e30;
  for (int r = 0; r < rounds; ++r) {
    const auto start = Clock::now();
    for (int i = 0; i < times; ++i) body();
    const std::chrono::duration<double, std::micro> took = Clock::now() - start;
    least = std::min(least, took.count() / times);
  }
  return least;
}

struct Times {
  double compiled, eager;
  bool is_slower() const {
    return compiled > worth_a_line * eager && compiled - eager > least_difference_us;
  }
};

// Repeats measurements that look slower: other processes may have used the processors.
Times measure(const Case& one) {
  const int64_t elements = std::accumulate(one.sizes.begin(), one.sizes.end(), int64_t{1},
                                           [](int64_t all, int64_t size) { return all * size; });
  Sizes sizes;
  for (const int64_t size : one.sizes) sizes.push_back(size);
  const Tensor x = to(reshape(to(arange(elements), DType::f32), sizes) * 0.001, one.dtype);
  auto fast = compile(one);
  for (int i = 0; i < 3; ++i) fast(x);
  Times least{1e30, 1e30};
  for (int again = 0; again < 3 && (again == 0 || least.is_slower()); ++again) {
    least.compiled = std::min(least.compiled, least_us([&] { fast(x); }));
    least.eager = std::min(least.eager, least_us([&] { one(x); }));
  }
  return least;
}

std::string text_of(const Ints& numbers) {
  std::string out;
  for (const int64_t n : numbers) out += (out.empty() ? "" : ", ") + std::to_string(n);
  return "[" + out + "]";
}

}  // namespace

int measure_layouts(uint32_t seed, int count) {
  set_num_threads(1);
  std::mt19937 random(seed);
  int slower = 0;
  for (int i = 0; i < count; ++i) {
    const Case one = random_case(random);
    const Times times = measure(one);
    if (!times.is_slower()) continue;
    ++slower;
    std::printf("%5.2f  %s of %s %s, permuted by %s, dimensions %ld and %ld: %.1f us, eager %.1f\n",
                times.compiled / times.eager, one.op.name, std::string(name_of(one.dtype)).c_str(),
                text_of(one.sizes).c_str(), text_of(one.order).c_str(), static_cast<long>(one.a),
                static_cast<long>(one.b), times.compiled, times.eager);
    std::fflush(stdout);
  }
  std::printf("%d of %d compiled programs are more than %g times as slow as eager\n", slower, count,
              worth_a_line);
  return 0;
}

}  // namespace vitro::bench
