// Makes the input tensors of a call in the layouts of `Layout`, from the program's seed.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <iterator>
#include <limits>

#include "program.h"
#include "vitro/ops/all.h"

namespace vitro::fuzz {
namespace {

// Small numbers of both signs; for a wild input sometimes an awkward one.
double random_element(const Input& input, Random& random) {
  static constexpr double odd[] = {
      0.0, -0.0, INFINITY, -INFINITY, NAN, 1e30,   -1e30,   1e-40, -1e-310,  65504,  1e10,  -3e9,
      2.5, 3.5,  -128.7,   255.9,     127, -32768, 1.0 / 3, 1e-7,  16777217, 0x1p53, 0x1p63};
  if (input.wild && one_in(random, 8)) return odd[below(random, std::size(odd))];
  if (one_in(random, 128)) return odd[below(random, 6)];
  return static_cast<double>(static_cast<int64_t>(random() % 4001) - 2000) / 512;
}

template <class T>
T converted(double v, bool wild) {
  if constexpr (std::is_same_v<T, bool>) {
    return v > 0;
  } else if constexpr (std::is_integral_v<T>) {
    if (!wild && std::abs(v) > 100) return T{3};
    using Limits = std::numeric_limits<T>;
    if (!(v > -9e18 && v < 9e18)) return v < 0 ? Limits::min() : Limits::max();
    return static_cast<T>(static_cast<int64_t>(v));
  } else if constexpr (sizeof(T) == 8) {
    return v;
  } else {
    return T(static_cast<float>(v));
  }
}

Tensor dense_tensor(const Ints& sizes, const Input& input, DType dtype, Random& random) {
  Tensor made = Tensor::empty({sizes.data(), sizes.size()}, dtype);
  const int64_t count = made.numel().value();
  dispatch(dtype, [&]<class T>() {
    auto* to = static_cast<unsigned char*>(made.storage().data());
    for (int64_t i = 0; i < count; ++i) {
      const T t = converted<T>(random_element(input, random), input.wild);
      std::memcpy(to + static_cast<size_t>(i) * sizeof(T), &t, sizeof t);
    }
  });
  return made;
}

Tensor laid_out(Ints sizes, const Input& input, Layout layout, DType dtype, Random& random) {
  const size_t rank = sizes.size();
  if (rank == 0) return dense_tensor(sizes, input, dtype, random);
  const auto dense = [&] { return dense_tensor(sizes, input, dtype, random); };
  switch (layout) {
    case Layout::dense:
      return dense();
    case Layout::transposed:
      std::swap(sizes[0], sizes[rank - 1]);
      return transpose(dense(), 0, static_cast<int64_t>(rank) - 1);
    case Layout::stepped:
      sizes[rank - 1] = sizes[rank - 1] * 2;
      return slice(dense(), -1, 0, INT64_MAX, 2);
    case Layout::expanded: {
      Sizes wanted;
      for (const int64_t size : sizes) wanted.push_back(size);
      sizes[0] = 1;
      return expand(dense(), wanted);
    }
    case Layout::windows: {
      int64_t last = 0;
      for (const int64_t size : sizes) last += size - 1;
      const Tensor line = dense_tensor({std::max<int64_t>(last + 1, 1)}, input, dtype, random);
      Sizes wanted;
      for (const int64_t size : sizes) wanted.push_back(size);
      return as_strided(line, wanted, Sizes(rank, Size(1)));
    }
    case Layout::offset:
      sizes[0] += 2;
      return narrow(dense(), 0, 1, sizes[0] - 2);
  }
  __builtin_unreachable();
}

// A view of another input.
Tensor part_of(const Tensor& whole, Layout layout) {
  if (whole.rank() == 0 || layout == Layout::dense) return whole;
  if (layout == Layout::transposed) return transpose(whole, 0, -1);
  if (layout == Layout::stepped) return slice(whole, 0, 0, INT64_MAX, 2);
  return slice(whole, 0, layout == Layout::offset ? 1 : 0);
}

}  // namespace

Variables make_inputs(const Program& program, int64_t call) {
  const auto number = static_cast<size_t>(call);
  const size_t size_of_call =
      std::min(number, program.sizes.size() - 1);                // shrinking removes calls
  Random random(program.seed * 16 + (number < 2 ? 0 : number));  // the first two calls are equal
  Variables out;
  for (const Input& input : program.inputs) {
    const bool other = input.restless && call >= 3;
    const auto layout = static_cast<Layout>(other && input.layout != Layout::windows
                                                ? (static_cast<size_t>(input.layout) + number) %
                                                      static_cast<size_t>(Layout::windows)
                                                : static_cast<size_t>(input.layout));
    if (input.shares >= 0) {
      out.push_back(part_of(out[static_cast<size_t>(input.shares)], layout));
      continue;
    }
    Ints sizes;
    for (const int64_t size : input.sizes) {
      sizes.push_back(size == varies       ? program.sizes[size_of_call]
                      : size == varies_too ? program.other_sizes[size_of_call]
                                           : size);
    }
    const bool widened = other && call == 4 && input.dtype == DType::f32;
    out.push_back(laid_out(sizes, input, layout, widened ? DType::f64 : input.dtype, random));
  }
  return out;
}

}  // namespace vitro::fuzz
