#include "ops/fill_value.h"

#include <cstring>
#include <limits>

#include "ops/wide.h"
#include "vitro/base/error.h"
#include "vitro/core/formula.h"
#include "vitro/ops/create.h"
#include "vitro/ops/definition.h"

namespace vitro::ops {
namespace {

struct FittingAttrs {
  DType dtype = DType::f32;
  static constexpr void each(auto&& f) { f("dtype", &FittingAttrs::dtype); }
};
// Not in the list of ops: it is a part of functions.
struct FittingNumber {
  static constexpr OpKind kind = OpKind::opaque;
  static constexpr std::string_view name = "fitting_number",
                                    doc =
                                        "The only element in `dtype`; an error if it is outside "
                                        "of the range of the dtype.";
  static constexpr std::string_view signatures = "(Tensor self, *, ScalarType dtype) -> Tensor";
  static constexpr int arity = 1;
  using Attrs = FittingAttrs;
  static void shape(ShapeCall& call) {
    call.results.push_back(
        dense(call.attrs.as<Attrs>().dtype, call.operands[0].meta->device, Sizes()));
  }
  static void kernel(const OpaqueCall& call);
  static void gradient(Formula& f) { f.set(0, f.gradient()); }
};

Scalar read(const OpaqueTensor& from) {
  return dispatch(from.dtype, [&]<class T>() -> Scalar {
    T value;
    std::memcpy(&value, from.data, sizeof value);
    if constexpr (std::is_arithmetic_v<T>)
      return value;
    else
      return static_cast<float>(value);
  });
}

void FittingNumber::kernel(const OpaqueCall& call) {
  const Scalar number = read(call.operands[0].tensor);
  const OpaqueTensor& to = call.results[0];
  check_holds(name, to.dtype, number);
  dispatch(to.dtype, [&]<class T>() {
    T value;
    if constexpr (!std::is_arithmetic_v<T>)
      value = T(static_cast<float>(number.as_double()));
    else if constexpr (std::is_floating_point_v<T>)
      value = static_cast<T>(number.as_double());
    else
      value = static_cast<T>(number.as_int());
    std::memcpy(to.data, &value, sizeof value);
  });
}

// Whether every number of dtype `from` is in the range of `to`, where -n is 256 - n for u8.
bool always_fits(DType from, DType to) {
  if (from == to || is_bool(from) || is_bool(to) || is_complex(to)) return true;
  if (is_floating(to))
    return is_floating(from) ? largest(from) <= largest(to)
                             : to != DType::f16 || bytes_of(from) < bytes_of(DType::i32);
  if (is_floating(from)) return false;
  return bytes_of(from) < bytes_of(to);
}

}  // namespace

FillValue fill_value(std::string_view op, const Operand& value, DType dtype,
                     std::source_location where) {
  const DType given = value.is_tensor() ? value.tensor().dtype() : value.number().dtype();
  VITRO_CHECK(!is_complex(given) || is_complex(dtype) || is_bool(dtype), op, ": a tensor of ",
              dtype, " cannot hold a complex number; cast the tensor first");
  if (value.is_number()) {
    const Scalar& number = value.number();
    if (is_bool(dtype)) return {{}, Scalar(!number.is(0))};  // any number is true or false
    check_holds(op, dtype, number);
    const bool rounds = number.is_floating() && !is_floating(dtype) && !is_complex(dtype);
    return {{}, rounds ? Scalar(number.as_int()) : number};
  }
  if (always_fits(given, dtype)) return {vitro::to({value.tensor(), where}, dtype), {}};
  const FittingAttrs attrs{dtype};
  return {
      call_one(def<FittingNumber>(), std::array{value}, attrs_view<FittingNumber>(attrs), where),
      {}};
}

}  // namespace vitro::ops
