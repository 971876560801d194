// Choosing arguments of random steps: predicates on tensors, and numbers.
#include "choose.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace vitro::fuzz {

size_t below(Random& random, size_t n) {
  return static_cast<size_t>(random() % n);
}
bool one_in(Random& random, size_t n) {
  return below(random, n) == 0;
}

bool anything(const Tensor&) {
  return true;
}
bool is_float(const Tensor& t) {
  return is_floating(t.dtype());
}
bool is_integral(const Tensor& t) {
  return is_integer(t.dtype());
}
bool is_number(const Tensor& t) {
  return !is_bool(t.dtype());
}
bool is_condition(const Tensor& t) {
  return is_bool(t.dtype());
}
bool is_index(const Tensor& t) {
  return (t.dtype() == DType::i64 || t.dtype() == DType::i32) && t.numel().value() <= 64;
}
bool has_dims(const Tensor& t) {
  return t.rank() > 0;
}
bool has_elements(const Tensor& t) {
  return t.numel().value() > 0;
}
bool writable(const Tensor& t) {
  for (int64_t d = 0; d < t.rank(); ++d) {
    if (t.size(d).value() > 1 && t.strides()[static_cast<size_t>(d)].value() == 0) return false;
  }
  return true;
}
bool no_overlap(const Tensor& t) {
  std::vector<std::pair<int64_t, int64_t>> dims;  // stride and size, innermost first
  for (int64_t d = 0; d < t.rank(); ++d) {
    const auto k = static_cast<size_t>(d);
    if (t.size(d).value() > 1) dims.emplace_back(t.strides()[k].value(), t.size(d).value());
  }
  std::sort(dims.begin(), dims.end());
  int64_t covered = 0;
  for (const auto& [stride, size] : dims) {
    if (stride <= covered) return false;
    covered += stride * (size - 1);
  }
  return true;
}

bool broadcasts(const Tensor& a, const Tensor& b) {
  const Sizes x = a.sizes(), y = b.sizes();
  for (size_t i = 1; i <= std::min(x.size(), y.size()); ++i) {
    const int64_t p = x[x.size() - i].value(), q = y[y.size() - i].value();
    if (p != q && p != 1 && q != 1) return false;
  }
  return true;
}

bool broadcasts_to(const Tensor& small, const Tensor& large) {
  const Sizes x = small.sizes(), y = large.sizes();
  if (x.size() > y.size()) return false;
  for (size_t i = 1; i <= x.size(); ++i) {
    const int64_t p = x[x.size() - i].value();
    if (p != 1 && p != y[y.size() - i].value()) return false;
  }
  return true;
}

const Tensor& chosen(const Variables& all, const Step& step, size_t arg) {
  return all[step.args[arg].variable];
}

Arg random_number(Random& random) {
  static constexpr double fractions[] = {0.5, -1.25, 2.0, 1.0, 0.0, -0.0, 3.0, 1e-3, 1e30};
  static constexpr int64_t integers[] = {0, 1, 2, 3, -1, -2, 7, 300};
  Arg arg{Arg::Kind::number, one_in(random, 3), 0, {}};
  switch (below(random, 16)) {
    case 0:
      arg.number = Scalar(one_in(random, 2));
      arg.varies = false;
      break;
    case 1:
      arg.number = Scalar(one_in(random, 2) ? NAN : one_in(random, 2) ? INFINITY : -INFINITY);
      break;
    case 2:
    case 3:
    case 4:
    case 5:
    case 6:
      arg.number = Scalar(integers[below(random, std::size(integers))]);
      break;
    default:
      arg.number = Scalar(fractions[below(random, std::size(fractions))]);
  }
  return arg;
}

bool number(Random& random, Step& step) {
  step.args.push_back(random_number(random));
  return true;
}

}  // namespace vitro::fuzz
