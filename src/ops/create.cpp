// Shape rules of ops that create and cast tensors, and their public functions.
#include "vitro/ops/create.h"

#include <cmath>

#include "core/numbers.h"
#include "ops/memory_format.h"
#include "ops/wide.h"
#include "vitro/base/called_as.h"
#include "vitro/base/error.h"

namespace vitro {
namespace ops {
namespace {

DType dtype_for(const Scalar& number) {
  return number.is_floating() ? default_float : number.dtype();
}

const Scalar& number_of(const ShapeCall& call, size_t i) {
  VITRO_CHECK(call.operands[i].number, call.op, ": operand ", i, " must be a number");
  return *call.operands[i].number;
}

const TensorMeta& tensor_of(const ShapeCall& call, size_t i) {
  VITRO_CHECK(call.operands[i].meta, call.op, ": operand ", i, " must be a tensor");
  return *call.operands[i].meta;
}

TensorMeta like(const TensorMeta& x, DType dtype) {
  TensorMeta out{dtype, x.device, x.sizes, {}, 0};
  out.strides = strides_like(x);
  return out;
}

bool is_integer(const Scalar& start, const Scalar& end, const Scalar& step) {
  return !start.is_floating() && !end.is_floating() && !step.is_floating();
}

// A number of a range of i64 is rounded towards 0 first.
Scalar in_range(const Scalar& number, std::optional<DType> dtype) {
  const bool rounds =
      dtype == DType::i64 && number.is_floating() && std::abs(number.as_double()) < 0x1p62;
  return rounds ? Scalar(static_cast<int64_t>(number.as_double())) : number;
}

// Whether `step` leads from `start` towards `end`.
bool leads(const Scalar& start, const Scalar& end, const Scalar& step) {
  if (!is_integer(start, end, step)) {
    const double first = start.as_double(), last = end.as_double();
    return first == last || (step.as_double() > 0) == (last > first);
  }
  return less(0, step.size()) ? !less(end.size(), start.size()) : !less(start.size(), end.size());
}

// (end - start) / step rounded up; symbolic if the numbers are.
Size integer_length(const Scalar& start, const Scalar& end, const Scalar& step) {
  const Size first = start.size(), last = end.size(), by = step.size();
  if (first.is_symbolic() || last.is_symbolic() || by.is_symbolic()) {
    if (less(by, 0)) return less(last, first) ? (first - last - by - 1) / (Size(0) - by) : Size(0);
    return less(first, last) ? (last - first + by - 1) / by : Size(0);
  }
  const __int128 way = __int128{last.value()} - first.value();  // may exceed 64 bits
  const __int128 quotient = way / by.value(), rest = way % by.value();
  return static_cast<int64_t>(quotient + (rest != 0));
}

// As a plain number; symbols have their values of this run.
double length_about(const Scalar& start, const Scalar& end, const Scalar& step) {
  return std::ceil((end.hint().as_double() - start.hint().as_double()) / step.hint().as_double());
}

Size length_of(const Scalar& start, const Scalar& end, const Scalar& step) {
  const double about = length_about(start, end, step);
  VITRO_CHECK(about < 0x1p62, "arange: from ", start, " to ", end, " by ", step, " has ", about,
              " elements, more than a tensor can have");
  if (is_integer(start, end, step)) return integer_length(start, end, step);
  const double length = std::ceil((end.as_double() - start.as_double()) / step.as_double());
  return length > 0 ? static_cast<int64_t>(length) : 0;
}

// Operand 1 must broadcast to operand 0, which determines the shape of the result.
void shape_of_write(ShapeCall& call) {
  const TensorMeta& x = tensor_of(call, 0);
  if (const TensorMeta* src = call.operands[1].meta) {
    VITRO_CHECK(equal_sizes(broadcast(call.op, x.sizes, src->sizes), x.sizes), call.op, ": sizes ",
                src->sizes, " do not broadcast to ", x.sizes);
  }
  call.results.push_back(like(x, x.dtype));
}

void shape_of_triangle(ShapeCall& call) {
  VITRO_CHECK(tensor_of(call, 0).rank() >= 2, call.op,
              ": needs a tensor of rank 2 or more, got sizes ", call.operands[0].meta->sizes);
  const TensorMeta& x = *call.operands[0].meta;
  call.results.push_back(dense(x.dtype, x.device, x.sizes));
}

}  // namespace

void Full::shape(ShapeCall& call) {
  const auto& a = call.attrs.as<Attrs>();
  for (const Size s : a.size)
    VITRO_CHECK(!less(s, 0), "full: sizes must not be negative, got ", a.size);
  const DType dtype = a.dtype.value_or(dtype_for(number_of(call, 0)));
  check_holds(call.op, dtype, number_of(call, 0));
  call.results.push_back(dense(dtype, a.device.value_or(cpu), a.size));
}

void FullLike::shape(ShapeCall& call) {
  const TensorMeta& x = tensor_of(call, 0);
  const DType dtype = call.attrs.as<Attrs>().dtype.value_or(x.dtype);
  check_holds(call.op, dtype, number_of(call, 1));
  call.results.push_back(like(x, dtype));
}

void Arange::shape(ShapeCall& call) {
  const auto& a = call.attrs.as<Attrs>();
  const auto given = [&](size_t i) { return in_range(number_of(call, i), a.dtype); };
  const Scalar start = given(0), end = given(1), step = given(2);
  VITRO_CHECK(!step.is(0), "arange: step must not be 0");
  const auto number = [](const Scalar& s) { return s.hint().as_double(); };
  VITRO_CHECK(!std::isnan(number(step)), "arange: step must not be nan");
  VITRO_CHECK(std::isfinite(number(start)) && std::isfinite(number(end)), "arange: from ", start,
              " to ", end, " by ", step, " does not end; needs finite bounds");
  VITRO_CHECK(leads(start, end, step), "arange: step ", step, " does not lead from ", start, " to ",
              end, "; change its sign or swap the bounds");
  const DType dtype = a.dtype.value_or(is_integer(start, end, step) ? DType::i64 : default_float);
  VITRO_CHECK(!is_bool(dtype), "arange: takes numbers (not bool), got ", dtype);
  call.results.push_back(dense(dtype, a.device.value_or(cpu), {length_of(start, end, step)}));
}

void Fill::shape(ShapeCall& call) {
  VITRO_CHECK(!call.operands[1].meta || call.operands[1].meta->rank() == 0,
              "fill: takes a number or a tensor without dimensions, got sizes ",
              call.operands[1].meta->sizes, "; copy takes tensors");
  if (call.operands[1].number)
    check_holds(call.op, tensor_of(call, 0).dtype, *call.operands[1].number);
  shape_of_write(call);
}

void Copy::shape(ShapeCall& call) {
  shape_of_write(call);
}

void Clone::shape(ShapeCall& call) {
  const TensorMeta& x = tensor_of(call, 0);
  const MemoryFormat format = call.attrs.as<Attrs>().memory_format;
  if (format == MemoryFormat::preserve) return call.results.push_back(like(x, x.dtype));
  const bool channels_last = format != MemoryFormat::contiguous;
  const int rank = format == MemoryFormat::channels_last ? 4 : 5;
  VITRO_CHECK(!channels_last || x.rank() == rank, call.op, ": memory_format \"",
              names_of_values(format)[static_cast<size_t>(format)], "\" needs a tensor of rank ",
              rank, ", got sizes ", numbers_of(x.sizes));
  call.results.push_back(dense_in(channels_last, x.dtype, x.device, x.sizes));
}

void ToCopy::shape(ShapeCall& call) {
  const TensorMeta& x = tensor_of(call, 0);
  call.results.push_back(like(x, call.attrs.as<Attrs>().dtype.value_or(x.dtype)));
}

void Tril::shape(ShapeCall& call) {
  shape_of_triangle(call);
}
void Triu::shape(ShapeCall& call) {
  shape_of_triangle(call);
}

}  // namespace ops

namespace {

// Normalizes the CPU to nullopt, so that calls that differ only in this are the same call.
std::optional<Device> unless_cpu(std::optional<Device> device) {
  return device == cpu ? std::nullopt : device;
}

template <class Op>
const Tensor& write(const Tensor& x, const Operand& value, std::source_location from) {
  Tensor result;
  const Operand operands[] = {x, value};
  vitro::call(OpCall{&ops::def<Op>(), operands, {}, true, from}, {&result, 1});
  return x;
}

}  // namespace

Tensor full(SizesArg size, const Scalar& fill, std::optional<DType> dtype,
            std::optional<Device> device, std::source_location from) {
  return ops::call<ops::Full>(from, {fill}, {size, dtype, unless_cpu(device)});
}
Tensor zeros(SizesArg size, DType dtype, std::optional<Device> device, std::source_location from) {
  const CalledAs name("zeros", from);
  return full(std::move(size), 0, dtype, device, from);
}
Tensor ones(SizesArg size, DType dtype, std::optional<Device> device, std::source_location from) {
  const CalledAs name("ones", from);
  return full(std::move(size), 1, dtype, device, from);
}
Tensor full_like(ops::At x, const Scalar& fill, std::optional<DType> dtype) {
  return ops::call<ops::FullLike>(x.where, {x.operand, fill}, {dtype});
}
Tensor zeros_like(ops::At x, std::optional<DType> dtype) {
  const CalledAs name("zeros_like", x.where);
  return full_like(x, 0, dtype);
}
Tensor ones_like(ops::At x, std::optional<DType> dtype) {
  const CalledAs name("ones_like", x.where);
  return full_like(x, 1, dtype);
}
Tensor scalar_tensor(const Scalar& number, DType dtype, std::optional<Device> device,
                     std::source_location from) {
  const CalledAs name("scalar_tensor", from);
  return full({}, number, dtype, device, from);
}
Tensor arange(const Scalar& start, const Scalar& end, const Scalar& step,
              std::optional<DType> dtype, std::optional<Device> device, std::source_location from) {
  return ops::call<ops::Arange>(from, {start, end, step}, {dtype, unless_cpu(device)});
}
Tensor arange(const Scalar& end, std::optional<DType> dtype, std::optional<Device> device,
              std::source_location from) {
  return arange(0, end, 1, dtype, device, from);
}

const Tensor& fill_(const Tensor& x, const Operand& value, std::source_location from) {
  return write<ops::Fill>(x, value, from);
}
const Tensor& zero_(const Tensor& x, std::source_location from) {
  const CalledAs name("zero_", from);
  return fill_(x, 0, from);
}
const Tensor& copy_(const Tensor& x, const Operand& src, std::source_location from) {
  return write<ops::Copy>(x, src, from);
}
Tensor fill(ops::At x, const Operand& value) {
  return ops::call<ops::Fill>(x.where, {x.operand, value});
}
Tensor copy(ops::At x, const Operand& src) {
  return ops::call<ops::Copy>(x.where, {x.operand, src});
}
Tensor clone(ops::At x, ops::MemoryFormat memory_format) {
  return ops::call<ops::Clone>(x.where, {x.operand}, {memory_format});
}
Tensor contiguous(ops::At x) {
  const CalledAs name("contiguous", x.where);
  const Tensor& t = x.operand.tensor();
  return t.is_contiguous() ? t : clone(x, ops::MemoryFormat::contiguous);
}
Tensor to(ops::At x, DType dtype) {
  const CalledAs name("to", x.where);
  const Tensor& t = x.operand.tensor();
  return t.dtype() == dtype ? t : ops::call<ops::ToCopy>(x.where, {x.operand}, {dtype});
}
Tensor tril(ops::At x, int64_t diagonal) {
  return ops::call<ops::Tril>(x.where, {x.operand}, {diagonal});
}
Tensor triu(ops::At x, int64_t diagonal) {
  return ops::call<ops::Triu>(x.where, {x.operand}, {diagonal});
}

}  // namespace vitro
