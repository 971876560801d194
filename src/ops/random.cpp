// Random numbers: words of Philox, programs of them, and functions of those.
#include "vitro/ops/random.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <span>
#include <vector>

#include "base/sort_list.h"
#include "core/numbers.h"
#include "ops/random_key.h"
#include "ops/value.h"
#include "ops/wide.h"
#include "vitro/base/called_as.h"
#include "vitro/base/error.h"
#include "vitro/base/function_ref.h"
#include "vitro/core/formula.h"
#include "vitro/core/generator.h"
#include "vitro/core/mt19937.h"
#include "vitro/ops/activation.h"
#include "vitro/ops/binary.h"
#include "vitro/ops/gather.h"
#include "vitro/ops/norm.h"
#include "vitro/ops/reduce.h"
#include "vitro/ops/scan.h"
#include "vitro/ops/sort.h"
#include "vitro/ops/unary.h"
#include "vitro/ops/view.h"

namespace vitro {
namespace ops {
namespace {

constexpr int64_t word = int64_t{1} << 32;  // how many words there are

// Where the numbers are computed. The key is on the host.
using OnDevice = std::optional<Device>;  // none: the CPU

Value words(const Tensor& key, int stream, Size size, OnDevice device) {
  return call<Philox>({}, {select(key, 0, 0), select(key, 0, 1 + stream)}, {size, device});
}

// The number of binary digits of a significand.
int digits_of(DType dtype) {
  return dtype == DType::f64 ? 53 : dtype == DType::f32 ? 24 : dtype == DType::f16 ? 11 : 8;
}

// The low digits of words.
Value digits(const Value& words, int count, DType dtype) {
  return to(to(words, DType::i32) & ((int64_t{1} << count) - 1), dtype);
}

// In [0, 1), from one stream, in f64 from two.
Value unit(const Tensor& key, int stream, const PhiloxNumbersAttrs& a, DType dtype) {
  const DType wide = compute_type(dtype);
  const Value first = words(key, stream, a.size, a.device);
  if (dtype != DType::f64)
    return to(digits(first, digits_of(dtype), wide) * std::ldexp(1, -digits_of(dtype)), dtype);
  const Value low = digits(words(key, stream + 1, a.size, a.device), 27, wide);
  return (digits(first, 26, wide) * 0x1p27 + low) * 0x1p-53;
}

// Normalizes the CPU to none, so that calls that differ only in this are the same call.
OnDevice unless_cpu(OnDevice device) {
  return device == cpu ? std::nullopt : device;
}

// Words below this are an event of probability p.
int64_t limit_of(double p) {
  return std::llround(std::ldexp(p, 32));
}

// x where it is kept, scaled so that its mean does not change.
Value dropped(const Tensor& x, const Tensor& kept, double p) {
  return x * to(kept, x.dtype()) * (p == 1 ? 0.0 : 1 / (1 - p));
}

void check_key(const ShapeCall& call, const Argument& key, int64_t streams) {
  VITRO_CHECK(key.meta && key.meta->dtype == DType::i64 && key.meta->rank() == 1 &&
                  !less(key.meta->sizes[0], 1 + streams),
              call.op, ": needs a key of dtype i64 and size ", 1 + streams);
}

void check_size(const ShapeCall& call, Size size) {
  VITRO_CHECK(!less(size, 0), call.op, ": sizes must not be negative, got ", number_of(size));
}

}  // namespace

void Philox::shape(ShapeCall& call) {
  for (const Argument& one : call.operands)
    VITRO_CHECK(one.meta && one.meta->dtype == DType::i64 && one.meta->rank() == 0,
                "philox: seed and stream must be i64 tensors without dimensions");
  const auto& a = call.attrs.as<Attrs>();
  check_size(call, a.size);
  call.results.push_back(dense(DType::i64, a.device.value_or(cpu), {a.size}));
}

void PhiloxNumbers::shape(ShapeCall& call) {
  const auto& a = call.attrs.as<Attrs>();
  VITRO_CHECK(is_floating(a.dtype), call.op, ": needs a floating-point dtype, got ", a.dtype);
  check_size(call, a.size);
  check_key(call, call.operands[0],
            call.op == PhiloxNormal::name ? PhiloxNormal::streams(a.dtype)
                                          : PhiloxUniform::streams(a.dtype));
  call.results.push_back(dense(a.dtype, a.device.value_or(cpu), {a.size}));
}

void PhiloxUniform::expand(std::span<const Operand> operands, AttrsView attrs,
                           std::span<Tensor> results) {
  const auto& a = attrs.as<Attrs>();
  results[0] = unit(operands[0].tensor(), 0, a, a.dtype);
}

// The cosine branch of the Box-Muller transform.
void PhiloxNormal::expand(std::span<const Operand> operands, AttrsView attrs,
                          std::span<Tensor> results) {
  const auto& a = attrs.as<Attrs>();
  const Tensor& key = operands[0].tensor();
  const DType wide = compute_type(a.dtype);
  const Value radius = sqrt(log(1.0 - unit(key, 0, a, wide)) * -2.0);
  const Value angle = unit(key, PhiloxUniform::streams(wide), a, wide);
  results[0] = to(radius * vitro::cos(angle * (2 * std::numbers::pi)), a.dtype);
}

void PhiloxDropout::shape(ShapeCall& call) {
  const double p = call.attrs.as<Attrs>().p;
  VITRO_CHECK(p >= 0 && p <= 1, call.op, ": needs a probability in [0, 1], got ", p);
  VITRO_CHECK(call.operands[0].meta, call.op, ": needs a tensor as its first operand");
  const TensorMeta& x = *call.operands[0].meta;
  VITRO_CHECK(is_floating(x.dtype), call.op, ": takes floating-point numbers, got ", x.dtype);
  check_key(call, call.operands[1], 1);
  call.results.push_back({x.dtype, x.device, x.sizes, strides_like(x), 0});
}

void PhiloxDropout::expand(std::span<const Operand> operands, AttrsView attrs,
                           std::span<Tensor> results) {
  const double p = attrs.as<Attrs>().p;
  const Tensor& x = operands[0].tensor();
  const Value kept =
      words(operands[1].tensor(), 0, x.numel(), unless_cpu(x.device())) < limit_of(1 - p);
  results[0] = dropped(x, reshape(kept, x.sizes()), p);
}

// Drops the same elements.
void PhiloxDropout::gradient(Formula& f) {
  f.set(0,
        call_one(f.op(), std::array{Operand(f.gradient()), Operand(f.tensor(1))}, f.attrs(), {}));
}

Tensor next_key(int streams) {
  const RandomState state = take_random(static_cast<uint64_t>(streams));
  std::vector<int64_t> key{static_cast<int64_t>(state.seed)};
  for (int i = 0; i < streams; ++i)  // initial values of parameters have stream 0
    key.push_back(static_cast<int64_t>(state.counter) + 1 + i);
  return Tensor::from(key, {1 + streams});
}

}  // namespace ops

namespace {

using namespace ops;

Size checked_count(std::string_view op, const Sizes& sizes) {
  for (const Size size : sizes)
    VITRO_CHECK(!less(size, 0), op, ": sizes must not be negative, got ", numbers_of(sizes));
  return product(sizes);
}

void check_probability(std::string_view op, double p) {
  VITRO_CHECK(p >= 0 && p <= 1, op, ": needs a probability in [0, 1], got ", p);
}

// ---- PyTorch's numbers: made on the host, one after the other ----

bool as_torch() {
  return current_generator() == Generator::mt19937;
}

// A tensor that `fill(generator, elements)` fills.
template <class T, class Fill>
Tensor filled_in_order(std::string_view op, const Sizes& sizes, OnDevice device, Fill fill) {
  (void)checked_count(op, sizes);
  VITRO_CHECK(device.value_or(cpu) == cpu, op,
              ": numbers of mt19937 are drawn on the CPU only, got ", *device);
  Dims plain;
  for (const Size size : sizes) plain.push_back(size.value());
  const Tensor out = Tensor::empty(plain, dtype_of<T>);
  const std::span elements(static_cast<T*>(out.storage().data()),
                           static_cast<size_t>(out.numel().value()));
  draw_from_mt19937([&](Mt19937& generator) { fill(generator, elements); });
  return out;
}
template <class T>
Tensor each_in_order(std::string_view op, const Sizes& sizes, OnDevice device,
                     T (Mt19937::*draw)()) {
  return filled_in_order<T>(op, sizes, device, [&](Mt19937& generator, std::span<T> out) {
    for (T& x : out) x = (generator.*draw)();
  });
}

Value torch_units(std::string_view op, const Sizes& sizes, DType dtype, OnDevice device) {
  if (dtype == DType::f64) return each_in_order<double>(op, sizes, device, &Mt19937::unit_f64);
  const Value made = to(each_in_order<float>(op, sizes, device, &Mt19937::unit_f32), dtype);
  return dtype == DType::f32 ? made : ops::where(made == 1, 0, made);  // rounded up
}
Value torch_normals(std::string_view op, const Sizes& sizes, DType dtype, OnDevice device) {
  if (dtype == DType::f64)
    return filled_in_order<double>(
        op, sizes, device,
        [](Mt19937& generator, std::span<double> out) { generator.fill_normal(out); });
  return to(filled_in_order<float>(op, sizes, device,
                                   [&](Mt19937& generator, std::span<float> out) {
                                     generator.fill_normal(out, dtype != DType::f32);
                                   }),
            dtype);
}
Value torch_normals_one_by_one(std::string_view op, const Sizes& sizes, DType dtype,
                               OnDevice device) {
  return to(each_in_order<double>(op, sizes, device, &Mt19937::normal), dtype);
}

// made(sizes) for the dimensions of x in the order of their strides, in which PyTorch visits the
// elements of a tensor that it fills.
Value along_strides(const Tensor& x, FunctionRef<Value(const Sizes&)> made) {
  if (!as_torch() || x.is_contiguous()) return made(x.sizes());
  Dims order;
  for (int64_t d = 0; d < x.rank(); ++d) order.push_back(d);
  sort_list(order, [&](int64_t a, int64_t b) { return less(x.strides()[b], x.strides()[a]); });
  Sizes sizes;
  Dims back = order;
  for (size_t i = 0; i < order.size(); ++i) {
    sizes.push_back(x.size(order[i]));
    back[static_cast<size_t>(order[i])] = static_cast<int64_t>(i);
  }
  return permute(made(sizes), back);
}

// ---- numbers of either generator ----

// A distribution: its op, how many streams it takes, and PyTorch's numbers.
struct Distribution {
  const OpDef& (*op)();
  int (*streams)(DType dtype);
  Value (*torch)(std::string_view op, const Sizes& sizes, DType dtype, OnDevice device);
};
constexpr Distribution unit_interval{&def<PhiloxUniform>, &PhiloxUniform::streams, &torch_units},
    standard_normal{&def<PhiloxNormal>, &PhiloxNormal::streams, &torch_normals},
    normal_one_by_one{&def<PhiloxNormal>, &PhiloxNormal::streams, &torch_normals_one_by_one};

Value drawn(const Distribution& from, std::string_view op, const Sizes& sizes, DType dtype,
            OnDevice device, std::source_location where) {
  if (is_complex(dtype)) {  // both parts; normal ones have half of the variance each
    Sizes pairs = sizes;
    pairs.push_back(2);
    const Value parts = drawn(from, op, pairs, real_of(dtype), device, where);
    const bool is_normal = from.op == &def<PhiloxNormal>;
    return Tensor::as_complex(is_normal ? parts * std::sqrt(0.5) : parts);
  }
  VITRO_CHECK(is_floating(dtype), op, ": needs a floating-point dtype, got ", dtype);
  if (as_torch()) return from.torch(op, sizes, dtype, device);
  const Size count = checked_count(op, sizes);
  const PhiloxNumbersAttrs attrs{count, dtype, unless_cpu(device)};
  const Tensor key = next_key(from.streams(dtype));
  const AttrsView view = attrs_view<PhiloxUniform>(attrs);
  return reshape({call_one(from.op(), std::array{Operand(key)}, view, where), where}, sizes);
}
// Whether an event of probability p occurs.
Value happens(std::string_view op, const Sizes& sizes, double p, OnDevice device,
              std::source_location from) {
  if (as_torch()) return torch_units(op, sizes, DType::f64, device) < p;
  const Value made = words(next_key(1), 0, product(sizes), unless_cpu(device));
  return reshape({made < limit_of(p), from}, sizes);
}

void check_real(DType dtype) {
  VITRO_CHECK(!is_complex(dtype), CalledAs::current().name,
              ": is not defined for complex numbers, got ", dtype);
}
// Numbers of dtype `dtype` and the layout of x.
Tensor laid_out(const At& x, const Tensor& made, std::optional<DType> dtype = {}) {
  const Tensor& t = x.operand.tensor();
  if (!dtype && !made.is_complex()) check_real(t.dtype());
  const Tensor out = vitro::to({made, x.where}, dtype.value_or(t.dtype()));
  return t.is_contiguous() ? out : copy(zeros_like(x, out.dtype()), out);
}
Value drawn_like(const Distribution& from, std::string_view op, const At& x, DType dtype) {
  const Tensor& t = x.operand.tensor();
  return along_strides(
      t, [&](const Sizes& sizes) { return drawn(from, op, sizes, dtype, t.device(), x.where); });
}
Value happens_like(std::string_view op, const At& x, double p) {
  const Tensor& t = x.operand.tensor();
  return along_strides(
      t, [&](const Sizes& sizes) { return happens(op, sizes, p, t.device(), x.where); });
}
// The distribution with another center and width, in x's layout.
Tensor moved(const At& x, const Value& made, double width, double center) {
  return laid_out(x, made * width + center);
}

// Strictly between 0 and 1; of PyTorch's numbers one may be 0.
Value inner_unit(std::string_view op, const At& x, DType dtype) {
  check_real(dtype);
  if (as_torch()) return drawn_like(unit_interval, op, x, DType::f64);
  const double step = std::ldexp(1, -digits_of(dtype));
  return drawn_like(unit_interval, op, x, dtype) * (1 - step) + step / 2;
}

Tensor written(const At& x, const Tensor& made) {
  return copy_(x.operand.tensor(), made, x.where);
}

}  // namespace

// ---- new tensors ----

Tensor rand(SizesArg size, DType dtype, std::optional<Device> device, std::source_location from) {
  const CalledAs name("rand", from);
  return drawn(unit_interval, "rand", size, dtype, device, from);
}
Tensor rand_like(ops::At x, std::optional<DType> dtype) {
  const CalledAs name("rand_like", x.where);
  const DType made = dtype.value_or(x.operand.tensor().dtype());
  return laid_out(x, drawn_like(unit_interval, "rand_like", x, made), made);
}
Tensor randn(SizesArg size, DType dtype, std::optional<Device> device, std::source_location from) {
  const CalledAs name("randn", from);
  return drawn(standard_normal, "randn", size, dtype, device, from);
}
Tensor randn_like(ops::At x, std::optional<DType> dtype) {
  const CalledAs name("randn_like", x.where);
  const DType made = dtype.value_or(x.operand.tensor().dtype());
  const Distribution& one =
      x.operand.tensor().is_contiguous() ? standard_normal : normal_one_by_one;
  return laid_out(x, drawn_like(one, "randn_like", x, made), made);
}

namespace {

constexpr int64_t int_max = std::numeric_limits<int64_t>::max();

struct Bounds {
  int64_t least, most;
};
// Between these the dtype has every integer.
Bounds dense_bounds(DType dtype) {
  if (is_bool(dtype)) return {0, 1};
  if (dtype == DType::u8) return {0, 255};
  if (is_floating(dtype))
    return {-(int64_t{1} << digits_of(dtype)), int64_t{1} << digits_of(dtype)};
  const int unused = 64 - 8 * static_cast<int>(bytes_of(dtype));
  return {-(int_max >> unused) - 1, int_max >> unused};
}
// The largest and the smallest that it has, as far as i64 has them.
Bounds bounds_of(DType dtype) {
  if (!is_floating(dtype)) return dense_bounds(dtype);
  return dtype == DType::f16 ? Bounds{-65504, 65504} : Bounds{-int_max - 1, int_max};
}

// The largest integer of the floating-point dtype that is not above x.
int64_t rounded_down(int64_t x, DType dtype) {
  const uint64_t size = x < 0 ? -static_cast<uint64_t>(x) : static_cast<uint64_t>(x);
  const int unused = static_cast<int>(std::bit_width(size)) - digits_of(dtype);
  return unused <= 0 ? x : x & -(int64_t{1} << unused);
}
// The smallest that is not below x.
int64_t rounded_up(int64_t x, DType dtype) {
  return x == -int_max - 1 ? x : -rounded_down(-x, dtype);
}

// Remainders of words, or of two words each.
Value torch_integers(std::string_view op, uint64_t range, bool is_long, const Sizes& sizes,
                     OnDevice device) {
  return filled_in_order<int64_t>(
      op, sizes, device, [&](Mt19937& generator, std::span<int64_t> out) {
        for (int64_t& x : out)
          x = static_cast<int64_t>((is_long ? generator.long_word() : generator.word()) % range);
      });
}

// In [0, range): the integer part of the product with a number in [0, 1), which rounding never
// makes range; of a large range the remainder of 63 bits.
Value below(std::string_view op, Size range, const Sizes& sizes, OnDevice device,
            std::source_location from) {
  if (as_torch()) {
    const auto numbers = static_cast<uint64_t>(range.value());
    return torch_integers(op, numbers, numbers >= uint64_t{1} << 28, sizes, device);
  }
  const Scalar factor = range;
  if (!less(int64_t{1} << 31, range))
    return to(drawn(unit_interval, op, sizes, DType::f64, device, from) * factor, DType::i32);
  const Size count = checked_count(op, sizes);
  const Tensor key = next_key(2);
  const Value high = words(key, 0, count, unless_cpu(device)),
              low = words(key, 1, count, unless_cpu(device));
  return reshape({ops::remainder((high & (word / 2 - 1)) * word + low, factor), from}, sizes);
}

Value integers(std::string_view op, Size low, Size high, const Sizes& sizes, DType dtype,
               std::optional<Device> device, std::source_location from) {
  check_real(dtype);
  VITRO_CHECK(less(low, high), op, ": needs low < high, got low ", number_of(low), " and high ",
              number_of(high));
  const Bounds bounds = bounds_of(dtype), dense = dense_bounds(dtype);
  VITRO_CHECK(!less(low, bounds.least) && !less(bounds.most, high - 1), op, ": ", number_of(low),
              " to ", number_of(high - 1), " are not all numbers of ", dtype);
  if (is_floating(dtype) && (less(low, dense.least) || less(dense.most, high - 1))) {
    // From a number of the dtype to another, so that rounding leads to none outside.
    const int64_t first = rounded_up(low, dtype), last = rounded_down(high - 1, dtype);
    VITRO_CHECK(first <= last, op, ": ", dtype, " has no number from ", number_of(low), " to ",
                number_of(high - 1));
    low = first;
    high = last + 1;
  }
  int64_t range = 0;
  VITRO_CHECK(!__builtin_sub_overflow(high.hint(), low.hint(), &range), op, ": from ",
              number_of(low), " to ", number_of(high), " are more than 2^63 - 1 numbers");
  return to(to(below(op, high - low, sizes, device, from), DType::i64) + Scalar(low), dtype);
}
Value integers_like(std::string_view op, Size low, Size high, const At& x, DType dtype) {
  const Tensor& t = x.operand.tensor();
  return along_strides(t, [&](const Sizes& sizes) {
    return integers(op, low, high, sizes, dtype, t.device(), x.where);
  });
}

}  // namespace

Tensor randint(Size low, Size high, SizesArg size, DType dtype, std::optional<Device> device,
               std::source_location from) {
  const CalledAs name("randint", from);
  return integers("randint", low, high, size, dtype, device, from);
}
Tensor randint(Size high, SizesArg size, DType dtype, std::optional<Device> device,
               std::source_location from) {
  return randint(0, high, std::move(size), dtype, device, from);
}
Tensor randint_like(ops::At x, Size low, Size high, std::optional<DType> dtype) {
  const CalledAs name("randint_like", x.where);
  const DType made = dtype.value_or(x.operand.tensor().dtype());
  return laid_out(x, integers_like("randint_like", low, high, x, made), made);
}
Tensor randint_like(ops::At x, Size high, std::optional<DType> dtype) {
  return randint_like(x, 0, high, dtype);
}

namespace {

// Swaps each with one of those behind it.
Tensor torch_permutation(Size n, OnDevice device) {
  return filled_in_order<int64_t>(
      "randperm", {n}, device, [](Mt19937& generator, std::span<int64_t> out) {
        std::iota(out.begin(), out.end(), int64_t{0});
        const bool is_long = out.size() >= std::numeric_limits<uint32_t>::max() / 20;
        for (size_t i = 0; i + 1 < out.size(); ++i) {
          const uint64_t word = is_long ? generator.long_word() : generator.word();
          std::swap(out[i], out[i + word % (out.size() - i)]);
        }
      });
}

}  // namespace

// Sorts numbers of 53 random bits.
Tensor randperm(Size n, DType dtype, std::optional<Device> device, std::source_location from) {
  const CalledAs name("randperm", from);
  VITRO_CHECK(!less(n, 0), "randperm: needs a number that is not negative, got ", number_of(n));
  VITRO_CHECK(!is_bool(dtype) && !less(dense_bounds(dtype).most, n - 1), "randperm: 0 to ",
              number_of(n - 1), " are not all numbers of ", dtype);
  if (as_torch()) return vitro::to({torch_permutation(n, device), from}, dtype);
  const Tensor keys = drawn(unit_interval, "randperm", {n}, DType::f64, device, from);
  return vitro::to({sort({keys, from}).second, from}, dtype);
}

namespace {

void check_deviation(std::string_view op, double std) {
  VITRO_CHECK(std >= 0, op, ": needs a deviation of at least 0, got ", std);
}

Tensor normal_of(const Sizes& sizes, DType dtype, OnDevice device, const Operand& mean,
                 const Operand& std, std::source_location from) {
  const Tensor made = drawn(standard_normal, "normal", sizes, dtype, device, from);
  return vitro::to({add({mul({made, from}, std), from}, mean), from}, dtype);
}

}  // namespace

Tensor normal(ops::At mean, double std) {
  const CalledAs name("normal", mean.where);
  check_deviation("normal", std);
  const Tensor& m = mean.operand.tensor();
  return normal_of(m.sizes(), m.dtype(), m.device(), m, std, mean.where);
}
Tensor normal(ops::At mean, const Tensor& std) {
  const CalledAs name("normal", mean.where);
  const Tensor& m = mean.operand.tensor();
  return normal_of(broadcast("normal", m.sizes(), std.sizes()), m.dtype(), m.device(), m, std,
                   mean.where);
}
Tensor normal(double mean, const Tensor& std, std::source_location from) {
  const CalledAs name("normal", from);
  return normal_of(std.sizes(), std.dtype(), std.device(), mean, std, from);
}
Tensor normal(double mean, double std, SizesArg size, DType dtype, std::optional<Device> device,
              std::source_location from) {
  const CalledAs name("normal", from);
  check_deviation("normal", std);
  return normal_of(size, dtype, device, mean, std, from);
}

Tensor bernoulli(ops::At p) {
  return bernoulli({contiguous(p), p.where}, p.operand.tensor());
}

// Without replacement: the indices of the largest p / e for exponential numbers e.
Tensor multinomial(ops::At x, int64_t num_samples, bool replacement) {
  const CalledAs name("multinomial", x.where);
  const Tensor& t = x.operand.tensor();
  check_floating("multinomial", t);
  VITRO_CHECK(t.rank() == 1 || t.rank() == 2, "multinomial: needs rank 1 or 2, got sizes ",
              numbers_of(t.sizes()));
  VITRO_CHECK(num_samples > 0, "multinomial: needs a positive number of samples, got ",
              num_samples);
  const Size count = t.size(-1);
  VITRO_CHECK(!less(count, replacement ? 1 : num_samples), "multinomial: cannot draw ", num_samples,
              " samples", replacement ? "" : " without replacement", " of ", number_of(count),
              " elements");
  const DType wide = compute_type(t.dtype());
  const Value p = to(t, wide);
  if (!replacement) return topk({p / exponential({p, x.where}), x.where}, num_samples).second;
  // The number of partial sums that are not above a part of the whole.
  const Value sums = cumsum({p, x.where}, -1);
  Sizes sizes = t.sizes();
  sizes.back() = num_samples;
  const Value u = drawn(unit_interval, "multinomial", sizes, as_torch() ? DType::f64 : wide,
                        t.device(), x.where);
  const Value whole = narrow(sums, -1, count - 1, 1), at = u * whole;
  const Value below =
      (unsqueeze(sums, -2) <= unsqueeze(at, -1)) & unsqueeze(Value(sums < whole), -2);
  return vitro::sum({below, x.where}, {-1});
}

// ---- numbers with the sizes, dtype and strides of x ----

Tensor bernoulli(ops::At x, double p) {
  const CalledAs name("bernoulli", x.where);
  check_probability("bernoulli", p);
  const Tensor& t = x.operand.tensor();
  return vitro::to({happens("bernoulli", t.sizes(), p, t.device(), x.where), x.where}, t.dtype());
}
Tensor bernoulli(ops::At x, const Tensor& p) {
  const CalledAs name("bernoulli", x.where);
  check_floating("bernoulli", p);
  const DType wide = compute_type(p.dtype());
  const Tensor each = vitro::expand({p, x.where}, x.operand.tensor().sizes());
  return laid_out(x, drawn_like(unit_interval, "bernoulli", x, wide) < to(each, wide));
}
Tensor uniform(ops::At x, double from, double to) {
  const CalledAs name("uniform", x.where);
  if (x.operand.tensor().is_complex())  // both parts
    return Tensor::as_complex(uniform({x.operand.tensor().pairs(), x.where}, from, to));
  const DType dtype = x.operand.tensor().dtype();
  check_floating("uniform", x.operand.tensor());
  VITRO_CHECK(from <= to, "uniform: needs from <= to, got from ", from, " and to ", to);
  VITRO_CHECK(-largest(dtype) <= from && to <= largest(dtype) && std::isfinite(to - from),
              "uniform: needs finite numbers of ", dtype, " as bounds and as their distance, got ",
              from, " and ", to);
  const DType wide = compute_type(dtype);
  const Value u = drawn_like(unit_interval, "uniform", x, wide);
  // PyTorch rounds once.
  const auto number = [&](double n) { return wide == DType::f32 ? static_cast<float>(n) : n; };
  const double width = number(number(to) - number(from));
  const Value exact = ops::to(u, as_torch() ? DType::f64 : wide) * width + number(from);
  const Value made = ops::to(exact, dtype);
  return laid_out(x, ops::where(made == to, from, made));  // rounding may give `to`
}
Tensor normal_functional(ops::At x, double mean, double std) {
  const CalledAs name("normal_functional", x.where);
  check_deviation("normal_functional", std);
  const Tensor& t = x.operand.tensor();
  const Distribution& one = t.is_contiguous() ? standard_normal : normal_one_by_one;
  return moved(x, drawn_like(one, "normal_functional", x, t.dtype()), std, mean);
}
Tensor log_normal(ops::At x, double mean, double std) {
  const CalledAs name("log_normal", x.where);
  VITRO_CHECK(std > 0, "log_normal: needs a positive deviation, got ", std);
  const DType wide = compute_type(x.operand.tensor().dtype());
  check_real(wide);
  return laid_out(x, exp(drawn_like(normal_one_by_one, "log_normal", x, wide) * std + mean));
}
Tensor exponential(ops::At x, double lambd) {
  const CalledAs name("exponential", x.where);
  VITRO_CHECK(lambd > 0, "exponential: needs a positive lambd, got ", lambd);
  const DType wide = compute_type(x.operand.tensor().dtype());
  return moved(x, log(1.0 - inner_unit("exponential", x, wide)), -1 / lambd, 0);
}
Tensor cauchy(ops::At x, double median, double sigma) {
  const CalledAs name("cauchy", x.where);
  VITRO_CHECK(sigma > 0, "cauchy: needs a positive sigma, got ", sigma);
  const DType wide = compute_type(x.operand.tensor().dtype());
  const Value angle = (inner_unit("cauchy", x, wide) - 0.5) * std::numbers::pi;
  return moved(x, vitro::tan(angle), sigma, median);
}
Tensor geometric(ops::At x, double p) {
  const CalledAs name("geometric", x.where);
  VITRO_CHECK(p > 0 && p < 1, "geometric: needs a probability in (0, 1), got ", p);
  const DType dtype = x.operand.tensor().dtype();
  VITRO_CHECK(!is_bool(dtype), "geometric: needs a dtype of numbers, got bool");
  const DType wide = is_floating(dtype) ? compute_type(dtype) : DType::f64;
  return laid_out(x, vitro::ceil(log(inner_unit("geometric", x, wide)) * (1 / std::log1p(-p))));
}
Tensor random(ops::At x) {
  if (!as_torch()) return random(x, 0, std::nullopt);
  const CalledAs name("random", x.where);
  const Tensor& t = x.operand.tensor();
  const uint64_t range = static_cast<uint64_t>(dense_bounds(t.dtype()).most) + 1;
  return laid_out(x, along_strides(t, [&](const Sizes& sizes) {
                    return torch_integers("random", range, range > uint64_t{1} << 32, sizes,
                                          t.device());
                  }));
}
Tensor random(ops::At x, int64_t to) {
  return random(x, 0, to);
}
Tensor random(ops::At x, int64_t from, std::optional<int64_t> to) {
  const CalledAs name("random", x.where);
  const DType dtype = x.operand.tensor().dtype();
  const int64_t most = dense_bounds(dtype).most;
  const int64_t end = to.value_or(most == int_max ? most : most + 1);
  return laid_out(x, integers_like("random", from, end, x, dtype));
}

Tensor bernoulli_(ops::At x, double p) {
  const CalledAs name("bernoulli_", x.where);
  check_probability("bernoulli", p);
  check_real(x.operand.tensor().dtype());
  return written(x, happens_like("bernoulli", x, p));
}
Tensor bernoulli_(ops::At x, const Tensor& p) {
  const CalledAs name("bernoulli_", x.where);
  return written(x, bernoulli(x, p));
}
Tensor uniform_(ops::At x, double from, double to) {
  const CalledAs name("uniform_", x.where);
  return written(x, uniform(x, from, to));
}
Tensor normal_(ops::At x, double mean, double std) {
  const CalledAs name("normal_", x.where);
  return written(x, normal_functional(x, mean, std));
}
Tensor log_normal_(ops::At x, double mean, double std) {
  const CalledAs name("log_normal_", x.where);
  return written(x, log_normal(x, mean, std));
}
Tensor exponential_(ops::At x, double lambd) {
  const CalledAs name("exponential_", x.where);
  return written(x, exponential(x, lambd));
}
Tensor cauchy_(ops::At x, double median, double sigma) {
  const CalledAs name("cauchy_", x.where);
  return written(x, cauchy(x, median, sigma));
}
Tensor geometric_(ops::At x, double p) {
  const CalledAs name("geometric_", x.where);
  return written(x, geometric(x, p));
}
Tensor random_(ops::At x) {
  const CalledAs name("random_", x.where);
  return written(x, random(x));
}
Tensor random_(ops::At x, int64_t to) {
  const CalledAs name("random_", x.where);
  return written(x, random(x, to));
}
Tensor random_(ops::At x, int64_t from, std::optional<int64_t> to) {
  const CalledAs name("random_", x.where);
  return written(x, random(x, from, to));
}

// ---- dropout ----

namespace {

// Whether nothing is dropped.
bool is_identity(std::string_view op, double p, bool train) {
  check_probability(op, p);
  return !train || p == 0;
}

// Sizes of the slices of the first two dimensions.
Sizes channels(std::string_view op, const Tensor& x) {
  VITRO_CHECK(x.rank() >= 2, op, ": needs rank 2 or more, got sizes ", numbers_of(x.sizes()));
  Sizes sizes(static_cast<size_t>(x.rank()), Size(1));
  sizes[0] = x.size(0);
  sizes[1] = x.size(1);
  return sizes;
}

// Dropped numbers become the limit of selu; then all are scaled to the mean and variance of before.
Tensor dropped_to_alpha(const At& x, const Value& keep, double p) {
  const Tensor& t = x.operand.tensor();
  if (p == 1) return t * 0.0;
  constexpr double alpha = 1.7580993408473766;
  const double a = 1 / std::sqrt((alpha * alpha * p + 1) * (1 - p));
  const Value kept = to(keep, t.dtype());
  return t * (kept * a) + ((kept - 1.0) * (alpha * a) + alpha * a * p);
}

}  // namespace

Tensor dropout(ops::At x, double p, bool train) {
  const CalledAs name("dropout", x.where);
  const Tensor& t = x.operand.tensor();
  if (is_identity("dropout", p, train)) return t;
  if (p == 1) return t * 0;
  check_floating("dropout", t);
  if (as_torch()) return dropped(t, happens_like("dropout", x, 1 - p), p);
  return call<PhiloxDropout>(x.where, {t, next_key(1)}, {p});
}

std::pair<Tensor, Tensor> native_dropout(ops::At x, double p, std::optional<bool> train) {
  const CalledAs name("native_dropout", x.where);
  const Tensor& t = x.operand.tensor();
  if (!train.value_or(true)) return {clone(x), ones_like(x, DType::boolean)};
  check_probability("native_dropout", p);
  if (!t.is_complex()) check_floating("native_dropout", t);
  if (as_torch() || t.is_complex()) {
    const Tensor kept = laid_out(x, happens_like("native_dropout", x, 1 - p), DType::boolean);
    return {dropped(t, kept, p), kept};
  }
  const Tensor key = next_key(1);
  const Value kept = words(key, 0, t.numel(), unless_cpu(t.device())) < limit_of(1 - p);
  return {call<PhiloxDropout>(x.where, {t, key}, {p}),
          laid_out(x, reshape({kept, x.where}, t.sizes()), DType::boolean)};
}
Tensor native_dropout_backward(ops::At grad_output, const Tensor& mask, double scale) {
  const CalledAs name("native_dropout_backward", grad_output.where);
  const Tensor& g = grad_output.operand.tensor();
  return mul({g * to(mask, g.dtype()), grad_output.where}, scale);
}

Tensor feature_dropout(ops::At x, double p, bool train) {
  const CalledAs name("feature_dropout", x.where);
  const Tensor& t = x.operand.tensor();
  if (is_identity("feature_dropout", p, train)) return t;
  const Sizes sizes = channels("feature_dropout", t);
  if (p == 1) return t * 0;
  check_floating("feature_dropout", t);
  return t * Value(dropout({ones(sizes, t.dtype(), t.device(), x.where), x.where}, p));
}
Tensor alpha_dropout(ops::At x, double p, bool train) {
  const CalledAs name("alpha_dropout", x.where);
  const Tensor& t = x.operand.tensor();
  if (is_identity("alpha_dropout", p, train)) return t;
  check_floating("alpha_dropout", t);
  return dropped_to_alpha(x, happens_like("alpha_dropout", x, 1 - p), p);
}
Tensor feature_alpha_dropout(ops::At x, double p, bool train) {
  const CalledAs name("feature_alpha_dropout", x.where);
  const Tensor& t = x.operand.tensor();
  if (is_identity("feature_alpha_dropout", p, train)) return t;
  const Sizes sizes = channels("feature_alpha_dropout", t);
  check_floating("feature_alpha_dropout", t);
  return dropped_to_alpha(x, happens("feature_alpha_dropout", sizes, 1 - p, t.device(), x.where),
                          p);
}

}  // namespace vitro
