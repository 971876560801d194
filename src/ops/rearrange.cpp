// Functions that move, repeat or select elements, or create tensors.
#include "vitro/ops/rearrange.h"

#include <algorithm>
#include <cmath>

#include "core/numbers.h"
#include "ops/norms.h"
#include "ops/value.h"
#include "ops/wide.h"
#include "vitro/base/called_as.h"
#include "vitro/base/error.h"
#include "vitro/core/region.h"
#include "vitro/ops/choose.h"
#include "vitro/ops/concat.h"
#include "vitro/ops/create.h"
#include "vitro/ops/gather.h"
#include "vitro/ops/norm.h"
#include "vitro/ops/reduce.h"
#include "vitro/ops/scan.h"
#include "vitro/ops/scatter.h"
#include "vitro/ops/unary.h"
#include "vitro/ops/view.h"
#include "vitro/ops/window.h"

namespace vitro {
namespace {

using namespace ops;

Tensor rolled(const Tensor& x, Size shift, int64_t dim) {
  const Size size = x.rank() == 0 ? Size(1) : x.size(dim);
  if (x.rank() == 0 || known_equal(size, 0) || known_equal(shift, 0)) return clone(x);
  const Size first = size - shift % size;  // the element that comes to the begin
  return cat({narrow(x, dim, first % size, size - first % size), narrow(x, dim, 0, first % size)},
             dim);
}

}  // namespace

Tensor roll(ops::At x, SizesArg shifts, DimsArg dims) {
  const CalledAs name("roll", x.where);
  const Tensor& t = x.operand.tensor();
  if (dims.empty() && shifts.size() == 1)
    return reshape(rolled(reshape(x, {-1}), shifts[0], 0), t.sizes());
  VITRO_CHECK(!shifts.empty() && shifts.size() == dims.size(),
              "roll: needs as many dims as shifts, got ", shifts.size(), " shifts and ",
              dims.size(), " dims");
  VITRO_CHECK(t.rank() > 0, "roll: a tensor without dimensions has no dimension ", dims[0]);
  Tensor out = t;
  for (size_t i = 0; i < dims.size(); ++i)
    out = rolled(out, shifts[i], ops::wrap_dim("roll", dims[i], t.rank()));
  return out;
}

Tensor fliplr(ops::At x) {
  const CalledAs name("fliplr", x.where);
  VITRO_CHECK(x.operand.tensor().rank() >= 2, "fliplr: needs rank 2 or more, got sizes ",
              numbers_of(x.operand.tensor().sizes()));
  return flip(x, {1});
}

Tensor flipud(ops::At x) {
  const CalledAs name("flipud", x.where);
  VITRO_CHECK(x.operand.tensor().rank() >= 1, "flipud: takes a tensor with dimensions");
  return flip(x, {0});
}

Tensor rot90(ops::At x, int64_t k, DimsArg dims) {
  const CalledAs name("rot90", x.where);
  const int64_t rank = x.operand.tensor().rank();
  VITRO_CHECK(dims.size() == 2 && rank >= 2, "rot90: needs two dimensions, got dims ", Dims(dims),
              " for sizes ", numbers_of(x.operand.tensor().sizes()));
  const int64_t a = ops::wrap_dim("rot90", dims[0], rank),
                b = ops::wrap_dim("rot90", dims[1], rank);
  VITRO_CHECK(a != b, "rot90: needs two dimensions, got ", Dims(dims));
  switch (((k % 4) + 4) % 4) {
    case 1:
      return transpose(flip(x, {b}), a, b);
    case 2:
      return flip(x, {a, b});
    case 3:
      return transpose(flip(x, {a}), a, b);
    default:
      return clone(x, ops::MemoryFormat::contiguous);
  }
}

std::vector<Tensor> tensor_split(ops::At x, int64_t sections, int64_t dim) {
  const CalledAs name("tensor_split", x.where);
  VITRO_CHECK(sections > 0, "tensor_split: sections must be positive, got ", sections);
  VITRO_CHECK(x.operand.tensor().rank() > 0, "tensor_split: takes a tensor with dimensions");
  const int64_t size = x.operand.tensor().size(dim), least = size / sections;
  VITRO_CHECK(sections <= int64_t{1} << 24, "tensor_split: returns ", sections, " tensors");
  Dims indices;
  for (int64_t i = 1; i < sections; ++i)
    indices.push_back(i * least + std::min(i, size % sections));
  return tensor_split_at(x, indices, dim);
}

std::vector<Tensor> tensor_split_at(ops::At x, const Dims& indices, int64_t dim) {
  const CalledAs name("tensor_split", x.where);
  VITRO_CHECK(x.operand.tensor().rank() > 0, "tensor_split: takes a tensor with dimensions");
  std::vector<Tensor> out;
  int64_t begin = 0;
  for (const int64_t end : indices) {
    out.push_back(slice(x, dim, begin, end));
    begin = end;
  }
  out.push_back(slice(x, dim, begin));
  return out;
}

std::vector<Tensor> meshgrid(ops::TensorsArg tensors, std::string_view indexing,
                             std::source_location from) {
  const CalledAs name("meshgrid", from);
  VITRO_CHECK(!tensors.empty(), "meshgrid: needs at least one tensor");
  VITRO_CHECK(indexing == "ij" || indexing == "xy",
              "meshgrid: indexing must be \"ij\" or \"xy\", got \"", indexing, "\"");
  Sizes sizes;
  for (const Tensor& t : tensors) {
    VITRO_CHECK(t.rank() <= 1, "meshgrid: needs tensors of rank 0 or 1, got sizes ",
                numbers_of(t.sizes()));
    VITRO_CHECK(t.dtype() == tensors[0].dtype(), "meshgrid: dtypes differ: ", tensors[0].dtype(),
                " and ", t.dtype());
    sizes.push_back(t.numel());
  }
  const bool swap = indexing == "xy" && tensors.size() >= 2;
  if (swap) std::swap(sizes[0], sizes[1]);
  std::vector<Tensor> out;
  for (size_t i = 0; i < tensors.size(); ++i) {
    Sizes along(tensors.size(), Size(1));
    along[swap && i < 2 ? 1 - i : i] = tensors[i].numel();
    out.push_back(expand(reshape(tensors[i], along), sizes));
  }
  return out;
}

Tensor cartesian_prod(ops::TensorsArg tensors, std::source_location from) {
  const CalledAs name("cartesian_prod", from);
  for (const Tensor& t : tensors)
    VITRO_CHECK(t.rank() == 1, "cartesian_prod: needs tensors of rank 1, got sizes ",
                numbers_of(t.sizes()));
  if (tensors.size() == 1) return tensors[0];
  std::vector<Tensor> columns;
  for (const Tensor& grid : meshgrid(tensors, "ij", from)) columns.push_back(reshape(grid, {-1}));
  return stack(columns, 1);
}

Tensor repeat_interleave(ops::At x, Size repeats, std::optional<int64_t> dim) {
  const CalledAs name("repeat_interleave", x.where);
  VITRO_CHECK(!less(repeats, 0), "repeat_interleave: repeats must not be negative, got ",
              number_of(repeats));
  const Tensor t = dim ? x.operand.tensor() : reshape(x, {-1});
  const int64_t d = ops::wrap_dim("repeat_interleave", dim.value_or(0), t.rank());
  const Tensor lines = t.rank() == 0 ? reshape(t, {1}) : t;
  Sizes sizes = lines.sizes();
  const auto at = static_cast<size_t>(d);
  Sizes wide = sizes;
  wide.insert(at + 1, repeats);
  sizes[at] = sizes[at] * repeats;
  return region("repeat_interleave", {&lines}, [&] {
    const Tensor repeated = expand(unsqueeze(lines, d + 1), wide);
    return reshape(clone(repeated, ops::MemoryFormat::contiguous), sizes);
  });
}

// The indices of the elements, each as often as it is repeated: the number of runs that end at or
// before a place.
Tensor repeat_interleave(ops::At x, const Tensor& repeats, std::optional<int64_t> dim,
                         std::optional<Size> output_size) {
  const CalledAs name("repeat_interleave", x.where);
  const Tensor t = dim ? x.operand.tensor() : reshape(x, {-1});
  const int64_t d = dim.value_or(0);
  VITRO_CHECK(repeats.rank() <= 1, "repeat_interleave: repeats needs rank 0 or 1, got sizes ",
              numbers_of(repeats.sizes()));
  VITRO_CHECK(is_integer(repeats.dtype()), "repeat_interleave: repeats must be integers, got ",
              repeats.dtype());
  const Size size = t.rank() == 0 ? Size(1) : t.size(d);
  VITRO_CHECK(known_equal(repeats.numel(), 1) || equal(repeats.numel(), size),
              "repeat_interleave: repeats has ", number_of(repeats.numel()),
              " elements, dimension ", d, " has size ", number_of(size));
  const Tensor ends = cumsum(expand(to(reshape(repeats, {-1}), DType::i64), {size}), 0);
  Size count = output_size.value_or(0);
  if (!output_size && !known_equal(size, 0)) {
    VITRO_CHECK(amin(repeats, Dims(), false).item<int64_t>() >= 0,
                "repeat_interleave: repeats must not be negative");
    count = select(ends, 0, -1).item<int64_t>();
  }
  Tensor places = searchsorted(ends, arange(count, DType::i64, t.device()), false, true);
  // If output_size is another number, the index is one past the end: an error where it is read.
  if (output_size && !known_equal(size, 0))
    places = ops::where(narrow(ends, 0, size - 1, 1) == Scalar(count), places, Scalar(size));
  return index_select(t, d, places);
}

Tensor eye(Size n, std::optional<Size> m, DType dtype, std::optional<Device> device,
           std::source_location from) {
  const CalledAs name("eye", from);
  const Size columns = m.value_or(n);
  VITRO_CHECK(!less(n, 0) && !less(columns, 0), "eye: sizes must not be negative, got ",
              number_of(n), " and ", number_of(columns));
  const Tensor rows = reshape(arange(n, DType::i64, device), {n, 1});
  return to(rows == arange(columns, DType::i64, device), dtype);
}

namespace {

// An end of a range of the dtype: integers are rounded towards 0.
double end_in(const Scalar& end, DType dtype) {
  return is_floating(dtype) ? end.as_double() : std::trunc(end.as_double());
}

}  // namespace

// From both ends, so that the last one is `end`.
Tensor linspace(const Scalar& start, const Scalar& end, int64_t steps, DType dtype,
                std::optional<Device> device, std::source_location from) {
  const CalledAs name("linspace", from);
  VITRO_CHECK(steps >= 0, "linspace: steps must not be negative, got ", steps);
  if (is_complex(dtype)) return linspace_between(start, end, steps, dtype, device, from);
  const DType wide = is_floating(dtype) ? compute_type(dtype) : DType::f64;
  if (steps == 1) return full({1}, start, dtype, device);
  const double a = end_in(start, dtype), b = end_in(end, dtype);
  const double step = (b - a) / static_cast<double>(steps - 1);
  const Tensor places = arange(steps, DType::i64, device);
  const Value forth = a + to(places, wide) * step;
  const Value back = b - to(steps - 1 - places, wide) * step;
  return to(ops::where(places < steps / 2, forth, back), dtype);
}

Tensor logspace(const Scalar& start, const Scalar& end, int64_t steps, double base, DType dtype,
                std::optional<Device> device, std::source_location from) {
  const CalledAs name("logspace", from);
  if (is_complex(dtype)) return logspace_between(start, end, steps, base, dtype, device, from);
  if (steps == 1) return full({1}, std::pow(base, start.as_double()), dtype, device);
  const DType wide = is_floating(dtype) ? compute_type(dtype) : DType::f64;
  const double a = end_in(start, dtype), b = end_in(end, dtype);
  return to(pow(Scalar(base), linspace(a, b, steps, wide, device, from)), dtype);
}

namespace {

Value end_of_space(std::string_view op, const Operand& end, DType dtype,
                   std::optional<Device> device) {
  if (end.is_number()) return full({}, end.number(), dtype, device);
  VITRO_CHECK(end.tensor().rank() == 0, op, ": start and end must have no dimensions, got sizes ",
              numbers_of(end.tensor().sizes()));
  return ops::to(end.tensor(), dtype);
}

// Unless a device is given, that of a tensor.
std::optional<Device> device_for(const Operand& start, const Operand& end,
                                 std::optional<Device> device) {
  for (const Operand* one : {&start, &end}) {
    if (!device && one->is_tensor()) device = one->tensor().device();
  }
  return device;
}

}  // namespace

Tensor linspace_between(const Operand& start, const Operand& end, int64_t steps, DType dtype,
                        std::optional<Device> device, std::source_location from) {
  const CalledAs name("linspace", from);
  VITRO_CHECK(steps >= 0, "linspace: steps must not be negative, got ", steps);
  device = device_for(start, end, device);
  const DType wide = is_floating(dtype) || is_complex(dtype) ? compute_type(dtype) : DType::f64;
  const Value a = ops::to(end_of_space("linspace", start, dtype, device), wide),
              b = ops::to(end_of_space("linspace", end, dtype, device), wide);
  const Tensor places = arange(steps, DType::i64, device);
  const Value step = (b - a) / static_cast<double>(std::max<int64_t>(steps - 1, 1));
  const Value forth = a + ops::to(places, real_of(wide)) * step,
              back = b - ops::to(steps - 1 - places, real_of(wide)) * step;
  return ops::to(ops::where(places < std::max<int64_t>(steps / 2, 1), forth, back), dtype);
}

Tensor logspace_between(const Operand& start, const Operand& end, int64_t steps, double base,
                        DType dtype, std::optional<Device> device, std::source_location from) {
  const CalledAs name("logspace", from);
  device = device_for(start, end, device);
  const DType wide = is_floating(dtype) || is_complex(dtype) ? compute_type(dtype) : DType::f64;
  // As in PyTorch, one power is of the number itself; several are of numbers of the dtype.
  const DType of_start = steps == 1 && !is_complex(dtype) ? DType::f64 : dtype;
  const Value a = end_of_space("logspace", start, of_start, device),
              b = end_of_space("logspace", end, dtype, device);
  if (of_start != dtype) return reshape(to(pow(Scalar(base), a), dtype), {1});
  return to(pow(Scalar(base), linspace_between(a, b, steps, wide, device, from)), dtype);
}

Tensor one_hot(ops::At x, int64_t num_classes) {
  const CalledAs name("one_hot", x.where);
  const Tensor& t = x.operand.tensor();
  VITRO_CHECK(t.dtype() == DType::i64, "one_hot: takes i64, got ", t.dtype());
  if (num_classes == -1) {
    VITRO_CHECK(!equal(t.numel(), 0), "one_hot: needs num_classes for a tensor without elements");
    num_classes = amax(t, Dims(), false).item<int64_t>() + 1;
  }
  VITRO_CHECK(num_classes >= 0, "one_hot: num_classes must not be negative, got ", num_classes);
  Sizes sizes = t.sizes();
  sizes.push_back(num_classes);
  // By scatter, which reports indices that are out of range.
  return scatter(zeros(sizes, DType::i64, t.device()), -1, unsqueeze(t, -1), Scalar(1));
}

// As in PyTorch the first sequence says the dtype and the sizes of the other dimensions, to which
// those of the others broadcast.
Tensor pad_sequence(ops::TensorsArg sequences, bool batch_first, double padding_value,
                    std::string_view padding_side, std::source_location from) {
  const CalledAs name("pad_sequence", from);
  VITRO_CHECK(!sequences.empty(), "pad_sequence: needs a sequence");
  const bool is_left = padding_side == "left";
  VITRO_CHECK(is_left || padding_side == "right",
              "pad_sequence: padding_side must be \"left\" or \"right\", got \"", padding_side,
              '"');
  const Tensor& first = sequences[0];
  Size longest = 0;
  for (const Tensor& one : sequences) {
    VITRO_CHECK(one.rank() > 0, "pad_sequence: a sequence needs a dimension, got a number");
    longest = max(longest, one.size(0));
  }
  std::vector<Tensor> parts;
  for (const Tensor& one : sequences) {
    Sizes sizes = first.sizes(), pad(2 * sizes.size(), Size(0));
    sizes[0] = one.size(0);
    pad[pad.size() - (is_left ? 2 : 1)] = longest - sizes[0];
    const Tensor same = expand({to(one, first.dtype()), from}, sizes);
    parts.push_back(constant_pad_nd({same, from}, pad, padding_value));
  }
  return stack(parts, batch_first ? 0 : 1);
}

Tensor diff(ops::At x, int64_t n, int64_t dim, const Tensor& prepend, const Tensor& append) {
  const CalledAs name("diff", x.where);
  VITRO_CHECK(n >= 0, "diff: n must not be negative, got ", n);
  VITRO_CHECK(x.operand.tensor().rank() > 0, "diff: takes a tensor with dimensions");
  if (n == 0) return clone(x);
  std::vector<Tensor> parts;
  for (const Tensor* part : {&prepend, &x.operand.tensor(), &append}) {
    if (part->defined()) parts.push_back(*part);
  }
  Tensor out = parts.size() > 1 ? cat(parts, dim) : parts[0];
  for (; n > 0; --n) {
    if (known_equal(out.size(dim), 0)) return out;
    const Tensor before = slice(out, dim, 0, out.size(dim) - 1), behind = slice(out, dim, 1);
    out = is_bool(out.dtype()) ? behind != before : behind - before;
  }
  return out;
}

namespace {

// The areas between neighbours along dim, in the type of the computation; `width` is the distance
// of places, a number or a tensor.
Value areas(const Tensor& y, int64_t dim, const Operand& width) {
  const Tensor wide = to(y, compute_type(y.dtype()));
  const Value pairs = slice(wide, dim, 1) + slice(wide, dim, 0, wide.size(dim) - 1);
  return width.is_number() ? pairs * (width.number().as_double() / 2)
                           : pairs * width.tensor() / 2.0;
}

// The distances of the places x, as a factor of y.
Tensor widths(const Tensor& y, const Tensor& x, int64_t dim) {
  dim = ops::wrap_dim("trapezoid", dim, y.rank());
  if (x.rank() != 1) return diff(x, 1, dim);
  const Tensor distances = diff(x, 1, 0);
  Sizes sizes(static_cast<size_t>(y.rank()), Size(1));
  sizes[static_cast<size_t>(dim)] = distances.size(0);
  return reshape(distances, sizes);
}

// Halves are rounded once; integers give floating-point numbers.
Tensor rounded(const Tensor& area, DType dtype) {
  return is_floating(dtype) ? to(area, dtype) : Value(area);
}

}  // namespace

Tensor trapezoid(ops::At y, const Tensor& x, int64_t dim) {
  const CalledAs name("trapezoid", y.where);
  const Tensor& t = y.operand.tensor();
  dim = ops::wrap_dim("trapezoid", dim, t.rank());  // x may have more dimensions
  return rounded(sum(areas(t, dim, widths(t, x, dim)), Dims{dim}), promote(t.dtype(), x.dtype()));
}
Tensor trapezoid(ops::At y, const Scalar& dx, int64_t dim) {
  const CalledAs name("trapezoid", y.where);
  const Tensor& t = y.operand.tensor();
  return rounded(sum(areas(t, dim, dx), Dims{dim}), t.dtype());
}
Tensor cumulative_trapezoid(ops::At y, const Tensor& x, int64_t dim) {
  const CalledAs name("cumulative_trapezoid", y.where);
  const Tensor& t = y.operand.tensor();
  dim = ops::wrap_dim("cumulative_trapezoid", dim, t.rank());
  return rounded(cumsum(areas(t, dim, widths(t, x, dim)), dim), promote(t.dtype(), x.dtype()));
}
Tensor cumulative_trapezoid(ops::At y, const Scalar& dx, int64_t dim) {
  const CalledAs name("cumulative_trapezoid", y.where);
  const Tensor& t = y.operand.tensor();
  return rounded(cumsum(areas(t, dim, dx), dim), t.dtype());
}

Tensor histc(ops::At x, int64_t bins, const Scalar& min, const Scalar& max) {
  const CalledAs name("histc", x.where);
  const Tensor t = reshape(x, {-1});
  ops::check_floating("histc", t);
  VITRO_CHECK(bins > 0, "histc: bins must be positive, got ", bins);
  Value low = full({}, min, t.dtype(), t.device()), high = full({}, max, t.dtype(), t.device());
  if (min.as_double() == max.as_double() && !equal(t.numel(), 0)) {
    low = amin(t, Dims(), false);
    high = amax(t, Dims(), false);
  }
  VITRO_CHECK(min.as_double() <= max.as_double(), "histc: min must be at most max, got ", min,
              " and ", max);
  const Value none = low == high, from = ops::where(none, low - 1, low),
              end = ops::where(none, high + 1, high);
  const Value place = (t - from) / (end - from) * static_cast<double>(bins);
  const Value inside = (t >= from) & (t <= end);
  const Value bin = ops::minimum(to(ops::where(inside, place, 0), DType::i64), bins - 1);
  const Tensor counts = zeros({bins + 1}, t.dtype(), t.device());
  return narrow(scatter_add(counts, 0, ops::where(inside, bin, bins), ones_like(t)), 0, 0, bins);
}

Tensor count_nonzero(ops::At x, DimsArg dim) {
  const CalledAs name("count_nonzero", x.where);
  return sum(x.operand.tensor() != 0, Dims(dim));
}

Tensor stddev(ops::At x, DimsArg dim, double correction, bool keepdim) {
  const CalledAs name("std", x.where);
  if (x.operand.tensor().is_complex()) return sqrt(var(x, dim, correction, keepdim));
  const Tensor wide = ops::widened("std", x);
  return to(ops::std_mean_of(wide, dim, correction, keepdim).first, x.operand.tensor().dtype());
}

// Steps through powers of two: `place` counts elements that come before v.
Tensor searchsorted(ops::At sorted_sequence, const Tensor& x, bool out_int32, bool right) {
  const CalledAs name("searchsorted", sorted_sequence.where);
  const Tensor values = contiguous(x);
  const Tensor& row = sorted_sequence.operand.tensor();
  bool fits = row.rank() == 1 || (row.rank() > 0 && row.rank() == x.rank());
  for (int64_t d = 0; fits && row.rank() > 1 && d + 1 < row.rank(); ++d)
    fits = equal(row.size(d), x.size(d));
  VITRO_CHECK(fits, "searchsorted: needs one sorted row, or one for each row of x; got sizes ",
              numbers_of(row.sizes()), " and ", numbers_of(x.sizes()));
  const Size count = row.size(-1);
  Value place = zeros(values.sizes(), DType::i64, values.device());  // its strides are the result's
  if (!equal(count, 0)) {
    int64_t step = 1;
    while (!less(count, Size(step) * 2)) step *= 2;
    for (; step > 0; step /= 2) {
      const Value probed = place + (step - 1), last = ops::minimum(probed, count - 1);
      const Tensor there = row.rank() == 1 ? take(row, last) : gather(row, -1, last);
      const Value goes_on = right ? ~(there > values) : ~(there >= values);
      place = ops::where((probed < count) & goes_on, place + step, place);
    }
  }
  return to(place, out_int32 ? DType::i32 : DType::i64);
}

Tensor bucketize(ops::At x, const Tensor& boundaries, bool out_int32, bool right) {
  const CalledAs name("bucketize", x.where);
  VITRO_CHECK(boundaries.rank() == 1, "bucketize: boundaries needs rank 1, got sizes ",
              numbers_of(boundaries.sizes()));
  return searchsorted(boundaries, x.operand.tensor(), out_int32, right);
}

Tensor isin(ops::At elements, const Tensor& test_elements, bool invert) {
  const CalledAs name("isin", elements.where);
  VITRO_CHECK(!is_bool(promote(elements.operand.tensor().dtype(), test_elements.dtype())),
              "isin: takes numbers (not bool)");
  const Tensor found = any(unsqueeze(elements, -1) == reshape(test_elements, {-1}), DimsArg{-1});
  return invert ? logical_not(found) : found;
}

}  // namespace vitro
