// Fractional pools: windows begin at random places, about as far apart as the sizes of the operand
// and of the result are: B. Graham, "Fractional max-pooling" (2014). Their elements are gathered.
#include "core/numbers.h"
#include "ops/autocast.h"
#include "ops/value.h"
#include "ops/wide.h"
#include "vitro/base/called_as.h"
#include "vitro/base/error.h"
#include "vitro/ops/concat.h"
#include "vitro/ops/create.h"
#include "vitro/ops/gather.h"
#include "vitro/ops/pool.h"
#include "vitro/ops/reduce.h"
#include "vitro/ops/unary.h"
#include "vitro/ops/view.h"

namespace vitro {
namespace {

using namespace ops;

// The places of the elements of windows along a dimension, [n, c, out, kernel], from random numbers
// [n, c].
Value places_of_windows(const Value& random, Size size, int64_t out, int64_t kernel) {
  const Device device = random.device();
  const Size last = size - kernel;
  Value begin =
      expand(full({}, Scalar(last), DType::i64, device), {random.size(0), random.size(1), 1});
  if (out > 1) {
    const Value r = unsqueeze(random, -1);
    const Value alpha =
        Value(full({}, Scalar(last), random.dtype(), device)) / static_cast<double>(out - 1);
    const Value number = arange(out - 1, random.dtype(), device);
    const Value steps =
        to(trunc((number + r) * alpha), DType::i64) - to(trunc(r * alpha), DType::i64);
    begin = vitro::cat({steps, begin}, -1);
  }
  if (out == 0) begin = narrow(begin, -1, 0, 0);
  return Value(unsqueeze(begin, -1)) + arange(kernel, DType::i64, device);
}

void check(std::string_view op, const Tensor& x, const Dims& kernel, const Dims& out,
           const Tensor& random, int64_t rank) {
  const bool batched = x.rank() == rank + 2;
  bool fits = is_floating(x.dtype()) && random.dtype() == x.dtype() && random.rank() == 3 &&
              (batched || x.rank() == rank + 1);
  if (fits) {
    const Size n = batched ? x.size(0) : Size(1);
    fits = !less(random.size(0), n) && equal(random.size(1), x.size(-rank - 1)) &&
           equal(random.size(2), rank);
  }
  VITRO_CHECK(fits, op, ": needs x of floating-point numbers and sizes [n, c, ...] of ", rank + 2,
              " dimensions, n may be left out, and random_samples of its dtype and sizes [n, c, ",
              rank, "], got ", x.dtype(), numbers_of(x.sizes()), " and ", random.dtype(),
              numbers_of(random.sizes()));
  for (int64_t d = 0; d < rank; ++d) {
    const auto at = static_cast<size_t>(d);
    fits = fits && kernel[at] >= 1 && out[at] >= 0 &&
           !less(x.size(d - rank), kernel[at] + out[at] - 1);
  }
  VITRO_CHECK(fits, op, ": kernels of sizes ", kernel, " cannot begin at ", out,
              " different places of sizes ", numbers_of(x.sizes()));
}

std::pair<Tensor, Tensor> fractional(std::string_view op, const At& x, const Dims& kernel,
                                     const Dims& out, const Tensor& random, int64_t rank) {
  const CalledAs name(op, x.where);
  const Tensor& t = x.operand.tensor();
  check(op, t, kernel, out, random, rank);
  const bool batched = t.rank() == rank + 2;
  const Value all = batched ? Value(t) : Value(unsqueeze(t, 0));
  const Size n = all.size(0), c = all.size(1);
  const Value numbers = narrow(random, 0, 0, n);
  // [n, c, out..., kernel...]: the place in the plane, by the rule of row-major order
  Value places = full({}, 0, DType::i64, t.device());
  Sizes windows{n, c};
  Size plane = 1, count = 1, elements = 1;
  for (int64_t d = 0; d < rank; ++d) {
    const auto at = static_cast<size_t>(d);
    // the random numbers of planes are in the order x, y, those of volumes z, y, x
    const Value r = select(numbers, 2, rank == 2 ? 1 - d : d);
    Value one = places_of_windows(r, all.size(2 + d), out[at], kernel[at]);
    Sizes among{n, c};
    for (int64_t e = 0; e < 2 * rank; ++e)
      among.push_back(e == d ? out[at] : e == rank + d ? kernel[at] : 1);
    places = places * Scalar(all.size(2 + d)) + reshape(one, among);
    windows.push_back(out[at]);
    count = count * out[at];
    plane = plane * all.size(2 + d);
    elements = elements * kernel[at];
  }
  windows.push_back(elements);
  const Value flat = reshape(places, {n, c, count * elements});
  const Value taken = gather(reshape(all, {n, c, plane}), 2, flat);
  const auto [values, which] = max(reshape(taken, windows), -1);
  const Value indices = squeeze(gather(reshape(places, windows), -1, unsqueeze(which, -1)), {-1});
  if (batched) return {values, indices};
  return {squeeze(values, {0}), squeeze(indices, {0})};
}

}  // namespace

std::pair<Tensor, Tensor> fractional_max_pool2d(ops::At x, const Dims& kernel_size,
                                                const Dims& output_size,
                                                const Tensor& random_samples) {
  if (autocasts())
    return autocasted("fractional_max_pool2d", &fractional_max_pool2d, x, kernel_size, output_size,
                      random_samples);
  return fractional("fractional_max_pool2d", x, kernel_size, output_size, random_samples, 2);
}
std::pair<Tensor, Tensor> fractional_max_pool3d(ops::At x, const Dims& kernel_size,
                                                const Dims& output_size,
                                                const Tensor& random_samples) {
  if (autocasts())
    return autocasted("fractional_max_pool3d", &fractional_max_pool3d, x, kernel_size, output_size,
                      random_samples);
  return fractional("fractional_max_pool3d", x, kernel_size, output_size, random_samples, 3);
}

}  // namespace vitro
