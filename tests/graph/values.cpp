// Awkward values of each dtype, tensors and inputs made of them, and bitwise comparison.
#include "graph/values.h"

#include <cstring>
#include <limits>
#include <random>

#include "vitro/base/cat.h"
#include "vitro/ops/create.h"

namespace vitro::graph {
namespace {

template <class T>
T converted(double v) {
  if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>) {
    return T(static_cast<float>(v));
  } else if constexpr (std::is_same_v<T, bool>) {
    return v != 0;
  } else if constexpr (std::is_integral_v<T>) {
    if (v >= static_cast<double>(std::numeric_limits<T>::max()))
      return std::numeric_limits<T>::max();
    if (v <= static_cast<double>(std::numeric_limits<T>::lowest()))
      return std::numeric_limits<T>::lowest();
    return static_cast<T>(v);
  } else {
    return static_cast<T>(v);
  }
}

template <class T>
double as_double(T v) {
  if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>) {
    return static_cast<float>(v);
  } else {
    return static_cast<double>(v);
  }
}

template <class T>
bool same_element(T a, T b) {
  if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>) {
    const auto x = static_cast<float>(a), y = static_cast<float>(b);
    if (x != x && y != y) return true;
  } else if constexpr (std::is_floating_point_v<T>) {
    if (a != a && b != b) return true;
  }
  return std::memcmp(&a, &b, sizeof a) == 0;
}

}  // namespace

std::vector<double> hard_values(DType dtype) {
  const double inf = std::numeric_limits<double>::infinity();
  if (is_bool(dtype)) return {0, 1};
  if (!is_floating(dtype)) return {0, 1, 2, 3, -1, -2, 7, 100, -1e30, 1e30};
  return {0.0,
          -0.0,
          1.0,
          -1.0,
          0.5,
          1.5,
          2.5,
          -2.5,
          3.1,
          1e-40,
          -1e-40,
          1e-310,
          1e38,
          7e4,
          inf,
          -inf,
          std::numeric_limits<double>::quiet_NaN()};
}

Tensor hard_tensor(const TensorMeta& meta, uint64_t seed) {
  Ints sizes, strides;
  for (const Size s : meta.sizes) sizes.push_back(s.value());
  for (const Size s : meta.strides) strides.push_back(s.value());
  Tensor out = Tensor::empty_strided(sizes, strides, meta.dtype);
  const std::vector<double> values = hard_values(meta.dtype);
  std::mt19937_64 random(seed);
  dispatch(meta.dtype, [&]<class T>() {
    T* elements = out.data<T>();
    const size_t count = out.storage().bytes() / sizeof(T);
    for (size_t i = 0; i < count; ++i) elements[i] = converted<T>(values[random() % values.size()]);
  });
  return out;
}

Inputs::Inputs(const Graph& g, uint64_t seed) {
  tensors.reserve(g.inputs().size());
  for (const NodeId id : g.inputs()) {
    const TensorMeta& meta = g[id].results[0];
    ++seed;
    if (g[id].input == InputKind::number) {
      const double number = static_cast<double>(seed % 5) - 1;
      operands.push_back(is_floating(meta.dtype) ? Scalar(number * 0.75)
                                                 : Scalar(static_cast<int64_t>(number)));
      continue;
    }
    tensors.push_back(hard_tensor(meta, seed));
    operands.emplace_back(tensors.back());
  }
}

std::string difference(const Tensor& a, const Tensor& b) {
  const auto text = [](const Tensor& t) { return cat(t.dtype(), t.sizes()); };
  if (text(a) != text(b)) return cat(text(a), " and ", text(b));
  return dispatch(a.dtype(), [&]<class T>() -> std::string {
    const Tensor left_elements = clone(a, ops::MemoryFormat::contiguous),
                 right_elements = clone(b, ops::MemoryFormat::contiguous);
    const T *x = left_elements.const_data<T>(), *y = right_elements.const_data<T>();
    for (int64_t i = 0; i < a.numel().value(); ++i) {
      const T left = x[i], right = y[i];
      if (!same_element<T>(left, right))
        return cat("element ", i, " of ", text(a), ": ", as_double(left), " and ",
                   as_double(right));
    }
    return {};
  });
}

}  // namespace vitro::graph
