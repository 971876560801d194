// The rules of ops that create, move, convert, sum and multiply complex numbers.
#include <algorithm>
#include <array>
#include <limits>

#include "ops/complex_calls.h"
#include "ops/complex_products.h"
#include "ops/functions.h"
#include "ops/parts_by_formula.h"
#include "vitro/base/called_as.h"
#include "vitro/base/error.h"
#include "vitro/ops/concat.h"
#include "vitro/ops/create.h"
#include "vitro/ops/gather.h"
#include "vitro/ops/norm.h"
#include "vitro/ops/product.h"
#include "vitro/ops/rearrange.h"
#include "vitro/ops/reduce.h"
#include "vitro/ops/scan.h"
#include "vitro/ops/scatter.h"
#include "vitro/ops/unary.h"
#include "vitro/ops/view.h"
#include "vitro/ops/window.h"

namespace vitro::ops {
namespace {

Tensor call_one_like(const ComplexCall& call, std::span<const Operand> operands, AttrsView attrs) {
  return call_one(call.op(), operands, attrs, call.call().where);
}

// ---- the same op on the real parts and on the imaginary parts ----

// The attributes for parts: a complex dtype becomes that of the parts.
Attrs attrs_of_parts(AttrsView attrs, std::optional<DType> dtype) {
  if (!attrs || !dtype) return Attrs(attrs);
  return with(attrs, "dtype", real_of(*dtype));
}
std::optional<DType> asked_dtype(AttrsView attrs) {
  return attrs && attrs.type->dtype ? attrs.type->dtype(attrs.data) : std::nullopt;
}

// The operands that hold numbers, as bits; others are indices, masks or shapes.
constexpr uint32_t all_operands = ~0U, first_and_last = 0;
bool holds_numbers(const ComplexCall& call, size_t i, uint32_t numbers) {
  if (call.operand(i).kind() == Operand::Kind::none) return false;
  if (numbers == all_operands) return true;
  if (numbers == first_and_last) return i == 0 || i + 1 == call.count();
  return i < 32 && (numbers >> i & 1) != 0;
}

// Operands that are joined are promoted; others must have the dtype of the first.
DType dtype_of_numbers(const ComplexCall& call, uint32_t numbers) {
  const std::optional<DType> asked = asked_dtype(call.attrs());
  VITRO_CHECK(!asked || is_complex(*asked), call.op().name,
              ": a result of complex numbers cannot have dtype ", *asked);
  if (asked) return *asked;
  if (numbers == all_operands) return call.dtype();
  const DType first = call.tensor(0).dtype();
  for (size_t i = 0; i < call.count(); ++i) {
    const bool is_number = holds_numbers(call, i, numbers);
    if (!call.operand(i).is_tensor()) continue;
    VITRO_CHECK(is_number || !call.tensor(i).is_complex(), call.op().name, ": operand ", i,
                " must not be complex, got ", call.tensor(i).dtype());
    VITRO_CHECK(!is_number || call.tensor(i).dtype() == first, call.op().name,
                ": operands must have the same dtype, got ", first, " and ", call.tensor(i).dtype(),
                "; cast one of them");
  }
  return first;
}

void run_each_part(ComplexCall& call, uint32_t numbers) {
  const DType dtype = dtype_of_numbers(call, numbers);
  const Attrs attrs = attrs_of_parts(call.attrs(), asked_dtype(call.attrs()));
  std::vector<Parts> parts(call.count());
  std::vector<Operand> re(call.call().operands.begin(), call.call().operands.end()), im = re;
  for (size_t i = 0; i < call.count(); ++i) {
    if (!holds_numbers(call, i, numbers)) continue;
    parts[i] = call.parts(i, dtype);
    parts[i].im = parts[i].imaginary();
    re[i] = Operand(parts[i].re);
    im[i] = Operand(parts[i].im);
  }
  call.set(Parts{call_one_like(call, re, attrs.view()), call_one_like(call, im, attrs.view())});
}
template <uint32_t numbers>
void each_part(ComplexCall& call) {
  run_each_part(call, numbers);
}

// ---- views: the same view of the pairs, whose dimension stays the last ----

int64_t before_pairs(int64_t dim) {
  return dim < 0 ? dim - 1 : dim;
}
// First by the rule of the op on the complex sizes, whose errors have these.
void check_view(const ComplexCall& call) {
  (void)infer(call.op(), call.call().operands, call.attrs());
}
void view_of_pairs(ComplexCall& call, const Attrs& attrs) {
  check_view(call);
  const Operand pairs = call.tensor(0).pairs();
  call.set(Tensor::as_complex(call_one_like(call, {&pairs, 1}, attrs.view())));
}
template <class A, auto member>
void along_dim(ComplexCall& call) {
  A attrs = call.attrs<A>();
  attrs.*member = before_pairs(attrs.*member);
  view_of_pairs(call, Attrs(AttrsView{&attrs, call.attrs().type}));
}
template <class A>
void to_sizes(ComplexCall& call) {
  A attrs = call.attrs<A>();
  attrs.size.push_back(2);
  view_of_pairs(call, Attrs(AttrsView{&attrs, call.attrs().type}));
}
void permute_rule(ComplexCall& call) {
  PermuteAttrs attrs = call.attrs<PermuteAttrs>();
  const int64_t rank = call.tensor(0).rank();
  for (int64_t& dim : attrs.dims) dim = wrap_dim("permute", dim, rank);
  attrs.dims.push_back(rank);
  view_of_pairs(call, Attrs(AttrsView{&attrs, call.attrs().type}));
}
void squeeze_rule(ComplexCall& call) {
  SqueezeAttrs attrs = call.attrs<SqueezeAttrs>();
  const int64_t rank = call.tensor(0).rank();
  if (rank == 0) return call.set(call.tensor(0));
  for (int64_t& dim : attrs.dim) dim = wrap_dim("squeeze", dim, rank);
  view_of_pairs(call, Attrs(AttrsView{&attrs, call.attrs().type}));
}
void as_strided_rule(ComplexCall& call) {
  check_view(call);
  AsStridedAttrs attrs = call.attrs<AsStridedAttrs>();
  attrs.size.push_back(2);
  for (Size& stride : attrs.stride) stride = stride * 2;
  attrs.stride.push_back(1);
  const Tensor flat = view(call.tensor(0).pairs(), {-1});
  call.set(
      Tensor::as_complex(as_strided(flat, attrs.size, attrs.stride, attrs.storage_offset * 2)));
}
void as_strided_scatter_rule(ComplexCall& call) {
  check_view(call);
  const auto& attrs = call.attrs<AsStridedAttrs>();
  Sizes size = attrs.size, stride = attrs.stride;
  size.push_back(2);
  for (Size& one : stride) one = one * 2;
  stride.push_back(1);
  const Tensor pairs = call.complex(0, call.tensor(0).dtype()).pairs(),
               source = call.complex(1, call.tensor(0).dtype()).pairs();
  call.set(Tensor::as_complex(
      as_strided_scatter(pairs, source, size, stride, attrs.storage_offset * 2)));
}
// Views that append a dimension, which is then exchanged with that of the pairs.
void exchanged(ComplexCall& call, const Attrs& attrs) {
  check_view(call);
  const Operand pairs = call.tensor(0).pairs();
  call.set(Tensor::as_complex(transpose(call_one_like(call, {&pairs, 1}, attrs.view()), -2, -1)));
}
void diagonal_rule(ComplexCall& call) {
  DiagonalAttrs attrs = call.attrs<DiagonalAttrs>();
  attrs.dim1 = before_pairs(attrs.dim1);
  attrs.dim2 = before_pairs(attrs.dim2);
  exchanged(call, Attrs(AttrsView{&attrs, call.attrs().type}));
}
void unfold_rule(ComplexCall& call) {
  UnfoldAttrs attrs = call.attrs<UnfoldAttrs>();
  const Tensor& x = call.tensor(0);
  if (x.rank() == 0) return each_part<1>(call);
  attrs.dimension = before_pairs(attrs.dimension);
  exchanged(call, Attrs(AttrsView{&attrs, call.attrs().type}));
}

// ---- creation and conversion ----

// The number as one that a real tensor stores. Error unless it is real.
Scalar stored(std::string_view op, DType dtype, const Scalar& number) {
  if (!number.is_complex()) return number;
  const std::complex<double> z = number.as_complex();
  VITRO_CHECK(z.imag() == 0, op, ": the number ", number, " cannot be stored in a tensor of ",
              dtype, "; needs c64 or c128");
  return z.real();
}
void full_rule(ComplexCall& call) {
  const Scalar& number = call.operand(0).number();
  const DType dtype = call.attrs<FullAttrs>().dtype.value_or(DType::c64);
  if (!is_complex(dtype)) {
    const Operand real = stored("full", dtype, number);
    return call.set(call_one_like(call, {&real, 1}, call.attrs()));
  }
  const Attrs attrs = with(call.attrs(), "dtype", real_of(dtype));
  const std::complex<double> z = number.as_complex();
  const Operand re = z.real(), im = z.imag();
  call.set(Parts{call_one_like(call, {&re, 1}, attrs.view()),
                 z.imag() == 0 ? Value() : Value(call_one_like(call, {&im, 1}, attrs.view()))});
}
// Only the layout of operand 0 is used.
void full_like_rule(ComplexCall& call) {
  const Tensor& x = call.tensor(0);
  const Scalar& number = call.operand(1).number();
  const DType dtype = call.attrs<DTypeAttrs>().dtype.value_or(x.dtype());
  const std::complex<double> z = number.as_complex();
  const Tensor shape = parts_of(x).re;
  if (!is_complex(dtype)) {
    const Operand operands[] = {shape, stored("full_like", dtype, number)};
    return call.set(call_one_like(call, operands, call.attrs()));
  }
  const Attrs attrs = with(call.attrs(), "dtype", real_of(dtype));
  const Operand re[] = {shape, z.real()}, im[] = {shape, z.imag()};
  call.set(Parts{call_one_like(call, re, attrs.view()),
                 z.imag() == 0 ? Value() : Value(call_one_like(call, im, attrs.view()))});
}

// The real part of a complex tensor, where the program asked for it: a function that is not for
// complex numbers would lose the imaginary one.
Tensor real_part(const Tensor& x) {
  const std::string_view asked = CalledAs::current().name;
  constexpr std::string_view casts[] = {"to",      "_to_copy", "copy",       "copy_", "type_as",
                                        "softmax", "_softmax", "log_softmax"};  // with a dtype
  VITRO_CHECK(std::ranges::find(casts, asked) != std::end(casts), asked,
              ": does not take complex numbers, got ", x.dtype(),
              "; pass real(x), imag(x), abs(x) or view_as_real(x)");
  return parts_of(x).re;
}
void to_rule(ComplexCall& call) {
  const Tensor& x = call.tensor(0);
  const DType dtype = call.attrs<DTypeAttrs>().dtype.value_or(x.dtype());
  if (!is_complex(dtype)) {
    const Tensor real = real_part(x);
    const Operand operand = real;
    return call.set(call_one_like(call, {&operand, 1}, call.attrs()));
  }
  const Attrs attrs = with(call.attrs(), "dtype", real_of(dtype));
  const Operand from = x.is_complex() ? x.pairs() : x;
  const Tensor made = call_one_like(call, {&from, 1}, attrs.view());
  call.set(x.is_complex() ? Tensor::as_complex(made) : joined({made, {}}));
}
void copy_rule(ComplexCall& call) {
  const Tensor& x = call.tensor(0);
  if (!x.is_complex()) {
    const Tensor source = real_part(call.tensor(1));
    const Operand operands[] = {x, source};
    return call.set(call_one_like(call, operands, {}));
  }
  const bool from_complex = call.operand(1).is_tensor() && call.tensor(1).is_complex();
  if (from_complex) (void)infer(call.op(), call.call().operands, {});
  if (call.call().in_place && from_complex)
    return (void)copy_(x.pairs(), call.tensor(1).pairs(), call.call().where);
  const Parts target = call.parts(0, x.dtype()), source = call.parts(1, x.dtype());
  call.set(Parts{copy(target.re, source.re), copy(target.im, source.imaginary())});
}
// A tensor gives real elements its real part.
void fill_rule(ComplexCall& call) {
  const DType dtype = call.tensor(0).dtype();
  if (!is_complex(dtype)) {
    const Operand& value = call.operand(1);
    const Tensor real = value.is_tensor() ? parts_of(value.tensor()).re : Tensor();
    const Operand operands[] = {
        call.tensor(0), real.defined() ? real : Operand(stored("fill", dtype, value.number()))};
    return call.set(call_one_like(call, operands, {}));
  }
  const Parts x = call.parts(0, dtype), value = call.parts(1, dtype);
  call.set(Parts{fill(x.re, value.re), fill(x.im, value.imaginary())});
}
// The same op on the pairs.
void of_pairs_rule(ComplexCall& call) {
  view_of_pairs(call, Attrs(call.attrs()));
}
void pad_rule(ComplexCall& call) {
  const std::complex<double> z = call.attrs<ConstantPadAttrs>().value.as_complex();
  const Parts x = call.parts(0);
  const auto padded = [&](const Tensor& part, double number) {
    const Attrs attrs = with(call.attrs(), "value", Scalar(number));
    const Operand operand = part;
    return call_one_like(call, {&operand, 1}, attrs.view());
  };
  call.set(Parts{padded(x.re, z.real()), padded(x.imaginary(), z.imag())});
}

// ---- selections whose size depends on data ----

void masked_select_rule(ComplexCall& call) {
  const Tensor &x = call.tensor(0), &mask = call.tensor(1);
  const Sizes sizes = broadcast("masked_select", x.sizes(), mask.sizes());
  Sizes apart = sizes;
  apart.push_back(2);
  call.set(Tensor::as_complex(index(expand(x.pairs(), apart), expand(mask, sizes))));
}

// ---- products and statistics ----

template <class Attrs, auto product>
void product_rule(ComplexCall& call) {
  const DType dtype = dtype_of_numbers(call, all_operands), real = real_of(dtype);
  const Parts made = product(call.parts(0, DType::c128), call.attrs<Attrs>());
  call.set(Parts{to(made.re, real), to(made.im, real)});
}

void matrix_product(ComplexCall& call) {
  const Tensor &x = call.tensor(0), &y = call.tensor(1);
  VITRO_CHECK(x.dtype() == y.dtype(), call.op().name, ": operands must have the same dtype, got ",
              x.dtype(), " and ", y.dtype(), "; cast one of them");
  const Parts a = parts_of(x), b = parts_of(y);
  const auto times = [&](const Tensor& l, const Tensor& r) {
    const Operand operands[] = {l, r};
    return Value(call_one_like(call, operands, {}));
  };
  call.set(Parts{times(a.re, b.re) - times(a.im, b.im), times(a.re, b.im) + times(a.im, b.re)});
}

// The variance of complex numbers is that of both parts together.
void var_rule(ComplexCall& call) {
  const Parts z = call.parts(0);
  const Operand re = z.re, im = z.im;
  call.set(Value(call_one_like(call, {&re, 1}, call.attrs())) +
           call_one_like(call, {&im, 1}, call.attrs()));
}
void var_mean_rule(ComplexCall& call) {
  const Parts z = call.parts(0);
  const auto of = [&](const Tensor& part) {
    std::array<Tensor, 2> out;
    const Operand operand = part;
    vitro::call(OpCall{&call.op(), {&operand, 1}, call.attrs(), false, call.call().where}, out);
    return out;
  };
  const auto re = of(z.re), im = of(z.im);
  call.set(Value(re[0]) + im[0]);
  call.set(joined({re[1], im[1]}), 1);
}

// Less the largest real part, so that no exponential overflows.
void logsumexp_rule(ComplexCall& call) {
  const auto& a = call.attrs<LogsumexpAttrs>();
  const Parts z = call.parts(0);
  const Value most = amax(z.re, a.dim, true);
  const Value shift = where(isinf(most) | isnan(most), 0, most);
  const Parts e = exp(Parts{z.re - shift, z.imaginary()});
  const Parts sums{sum(e.re, a.dim, true), sum(e.im, a.dim, true)};
  const Parts logs = is_recorded(sums) ? parts_of(vitro::log(joined(sums))) : log(sums);
  const Parts all{logs.re + shift, logs.im};
  const Dims dims = wrap_dims("logsumexp", a.dim, call.tensor(0).rank());
  const auto shaped = [&](const Value& part) {
    return a.keepdim || dims.empty() ? part : Value(squeeze(part, dims));
  };
  call.set(Parts{shaped(all.re), shaped(all.im)});
}
// After the step of distance d, element i is that of the 2 d elements up to i.
void logcumsumexp_rule(ComplexCall& call) {
  const Tensor& x = call.tensor(0);
  if (x.rank() == 0) return call.set(call.parts(0));
  const int64_t dim = wrap_dim("logcumsumexp", call.attrs<ScanAttrs>().dim, x.rank());
  Parts z = call.parts(0);
  const Size n = x.size(dim);
  for (int64_t d = 1; less(d, n); d *= 2) {
    const auto behind = [&](const Value& part, double first) {
      Sizes sizes = part.sizes();
      sizes[static_cast<size_t>(dim)] = d;
      const Tensor none = full(sizes, first, part.dtype(), part.device());
      return vitro::cat({none, narrow(part, dim, 0, n - d)}, dim);
    };
    z = log_add_exp(z, {behind(z.re, -std::numeric_limits<double>::infinity()), behind(z.im, 0)});
  }
  call.set(z);
}
void scatter_reduce_rule(ComplexCall& call) {
  VITRO_CHECK(call.attrs<ScatterReduceAttrs>().reduce == ScatterReduction::sum,
              "scatter_reduce: complex numbers can only be added");
  run_each_part(call, 5);
}

// A composite that only calls ops which have rules, and whose shape rule takes complex operands.
void program(ComplexCall& call) {
  (void)infer(call.op(), call.call().operands, call.attrs());  // checks them
  call.op().composite->expand(call.call().operands, call.attrs(), call.results());
}

constexpr std::array rules = std::to_array<NamedRule>({
    {"_to_copy", &to_rule},
    {"addmm", &program},
    {"as_strided", &as_strided_rule},
    {"as_strided_scatter", &as_strided_scatter_rule},
    {"bmm", &matrix_product},
    {"cat", &each_part<all_operands>},
    {"clone", &of_pairs_rule},
    {"constant_pad_nd", &pad_rule},
    {"copy", &copy_rule},
    {"cumprod", &product_rule<ScanAttrs, &cumulative_product_of>},
    {"cumsum", &each_part<1>},
    {"detach", &of_pairs_rule},
    {"diagonal", &diagonal_rule},
    {"diagonal_scatter", &each_part<3>},
    {"embedding", &each_part<1>},
    {"expand", &to_sizes<ExpandAttrs>},
    {"fill", &fill_rule},
    {"flip", &each_part<1>},
    {"full", &full_rule},
    {"full_like", &full_like_rule},
    {"gather", &each_part<1>},
    {"im2col", &each_part<1>},
    {"index", &each_part<1>},
    {"index_add", &each_part<5>},
    {"index_copy", &each_part<5>},
    {"index_put", &each_part<first_and_last>},
    {"index_select", &each_part<1>},
    {"linear", &program},
    {"logcumsumexp", &logcumsumexp_rule},
    {"logsumexp", &logsumexp_rule},
    {"masked_select", &masked_select_rule},
    {"matmul", &program},
    {"mean", &each_part<1>},
    {"mm", &matrix_product},
    {"permute", &permute_rule},
    {"prod", &product_rule<ReduceAttrs, &product_of>},
    {"reflection_pad1d", &each_part<1>},
    {"reflection_pad2d", &each_part<1>},
    {"reflection_pad3d", &each_part<1>},
    {"replication_pad1d", &each_part<1>},
    {"replication_pad2d", &each_part<1>},
    {"replication_pad3d", &each_part<1>},
    {"scatter", &each_part<5>},
    {"scatter_add", &each_part<5>},
    {"scatter_reduce", &scatter_reduce_rule},
    {"select", &along_dim<SelectAttrs, &SelectAttrs::dim>},
    {"select_scatter", &each_part<3>},
    {"slice", &along_dim<SliceAttrs, &SliceAttrs::dim>},
    {"slice_scatter", &each_part<3>},
    {"squeeze", &squeeze_rule},
    {"stack", &each_part<all_operands>},
    {"sum", &each_part<1>},
    {"tril", &each_part<1>},
    {"triu", &each_part<1>},
    {"unfold", &unfold_rule},
    {"unsqueeze", &along_dim<UnsqueezeAttrs, &UnsqueezeAttrs::dim>},
    {"var", &var_rule},
    {"var_mean", &var_mean_rule},
    {"view", &to_sizes<ViewAttrs>},
});
static_assert(std::ranges::is_sorted(rules, {}, &NamedRule::op));

}  // namespace

std::span<const NamedRule> complex_layout_rules() {
  return rules;
}

}  // namespace vitro::ops
