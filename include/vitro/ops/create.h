// Creating tensors: filled, ranges, copies, casts, triangles.
//   Tensor z = zeros({2, 3});   Tensor i = arange(10);   Tensor h = to(x, DType::f16);
#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <tuple>

#include "vitro/ops/define.h"
#include "vitro/ops/math.h"

namespace vitro {
namespace ops {

struct Create : Pointwise {
  static constexpr Promote promote = Promote::attribute;
};
// Base for ops that have only numbers as operands.
struct CreateAnew : Create {
  static constexpr std::string_view not_differentiable = "no element of a tensor takes part in it";
};

struct FullAttrs {
  Sizes size;
  std::optional<DType> dtype;    // none: that of the number (f32, i64 or bool)
  std::optional<Device> device;  // none: the CPU
  static constexpr void each(auto&& f) {
    f("size", &FullAttrs::size);
    f("dtype", &FullAttrs::dtype);
    f("device", &FullAttrs::device);
  }
};
struct Full : CreateAnew {
  static constexpr std::string_view name = "full", doc = "A new tensor filled with a number.";
  static constexpr std::string_view signatures =
      "(SymInt[] size, Scalar fill_value, *, ScalarType? dtype=None, Layout? layout=None, Device? "
      "device=None, bool? pin_memory=None) -> Tensor";
  static constexpr int arity = 1, copied_operand = 0;
  using Attrs = FullAttrs;
  static void shape(ShapeCall& call);
  static auto value(auto fill) { return fill; }
};

struct DTypeAttrs {
  std::optional<DType> dtype;
  static constexpr void each(auto&& f) { f("dtype", &DTypeAttrs::dtype); }
};
struct FullLike : CreateAnew {
  static constexpr std::string_view name = "full_like",
                                    doc = "A new tensor like x, filled with a number.";
  static constexpr std::string_view signatures =
      "(Tensor self, Scalar fill_value, *, ScalarType? dtype=None, Layout? layout=None, Device? "
      "device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor";
  static constexpr int arity = 2, copied_operand = 1;
  static constexpr bool first_is_shape = true;
  using Attrs = DTypeAttrs;
  static void shape(ShapeCall& call);
  static auto value(auto, auto fill) { return fill; }
};

struct ArangeAttrs {
  std::optional<DType> dtype;
  std::optional<Device> device;  // none: the CPU
  static constexpr void each(auto&& f) {
    f("dtype", &ArangeAttrs::dtype);
    f("device", &ArangeAttrs::device);
  }
};
struct Arange : CreateAnew {
  static constexpr std::string_view name = "arange", doc = "start, start + step, ... before end.";
  static constexpr std::string_view signatures =
      ".start_step(Scalar start, Scalar end, Scalar step=1, *, ScalarType? dtype=None, Layout? "
      "layout=None, Device? device=None, bool? pin_memory=None) -> Tensor";
  static constexpr int arity = 3;
  static constexpr bool uses_index = true;
  static constexpr Accepts accepts = Accepts::no_bool;
  using Attrs = ArangeAttrs;
  static void shape(ShapeCall& call);
  static auto value(auto at, auto start, auto, auto step) {
    return start + m::like(start, at(-1)) * step;
  }
};

struct Fill : Create {
  static constexpr std::string_view name = "fill", doc = "x with every element replaced.";
  static constexpr std::string_view signatures =
      ".Scalar(Tensor self, Scalar value) -> Tensor\n"
      ".Tensor(Tensor self, Tensor value) -> Tensor";
  static constexpr int arity = 2, copied_operand = 1;
  static constexpr bool first_is_shape = true;
  static void shape(ShapeCall& call);
  static auto value(auto, auto fill) { return fill; }
  static auto vjp(auto g, auto, auto, auto) { return std::make_tuple(no_gradient, g); }
};
struct Copy : Create {
  static constexpr std::string_view name = "copy",
                                    doc = "The elements of src with x's dtype, broadcast to x.";
  static constexpr std::string_view signatures =
      "(Tensor self, Tensor src, bool non_blocking=False) -> Tensor";
  static constexpr int arity = 2, copied_operand = 1;
  static constexpr bool first_is_shape = true;
  static void shape(ShapeCall& call);
  static auto value(auto, auto src) { return src; }
  static auto vjp(auto g, auto, auto, auto) { return std::make_tuple(no_gradient, g); }
};

enum class MemoryFormat : uint8_t { preserve, contiguous, channels_last, channels_last_3d };
constexpr auto names_of_values(MemoryFormat) {
  return std::array<std::string_view, 4>{"preserve", "contiguous", "channels_last",
                                         "channels_last_3d"};
}
struct CloneAttrs {
  MemoryFormat memory_format = MemoryFormat::preserve;
  static constexpr void each(auto&& f) { f("memory_format", &CloneAttrs::memory_format); }
};
struct Clone : Create {
  static constexpr std::string_view name = "clone", doc = "A copy in new memory.";
  static constexpr std::string_view signatures =
      "(Tensor self, *, MemoryFormat? memory_format=None) -> Tensor";
  static constexpr int arity = 1, copied_operand = 0;
  using Attrs = CloneAttrs;
  static void shape(ShapeCall& call);
  static auto value(auto x) { return x; }
  static auto vjp(auto g, auto, auto) { return g; }
};
struct ToCopy : Create {
  static constexpr std::string_view name = "_to_copy", doc = "A copy with another dtype.";
  static constexpr std::string_view signatures =
      "(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? "
      "pin_memory=None, bool non_blocking=False, MemoryFormat? memory_format=None) -> Tensor";
  static constexpr int arity = 1, copied_operand = 0;
  using Attrs = DTypeAttrs;
  static void shape(ShapeCall& call);
  static auto value(auto x) { return x; }
  static auto vjp(auto g, auto, auto) { return g; }
};

struct TriangleAttrs {
  int64_t diagonal = 0;
  static constexpr void each(auto&& f) { f("diagonal", &TriangleAttrs::diagonal); }
  // As a literal of a body; exact because no dimension is longer than 2^52.
  constexpr double limit() const {
    constexpr int64_t farthest = int64_t{1} << 52;
    return static_cast<double>(diagonal < -farthest  ? -farthest
                               : diagonal > farthest ? farthest
                                                     : diagonal);
  }
};
struct Triangle : Pointwise {
  static constexpr int arity = 1;
  static constexpr bool uses_index = true, uses_attrs = true;
  using Attrs = TriangleAttrs;
  static void gradient(Formula& f);
};
struct Tril : Triangle {
  static constexpr std::string_view name = "tril",
                                    doc = "x where column <= row + diagonal, else 0.";
  static constexpr std::string_view signatures = "(Tensor self, SymInt diagonal=0) -> Tensor";
  static void shape(ShapeCall& call);
  static auto value(const Attrs& attrs, auto at, auto x) {
    return m::where(at(-1) - at(-2) <= attrs.limit(), x, m::like(x, 0.0));
  }
};
struct Triu : Triangle {
  static constexpr std::string_view name = "triu",
                                    doc = "x where column >= row + diagonal, else 0.";
  static constexpr std::string_view signatures = "(Tensor self, SymInt diagonal=0) -> Tensor";
  static void shape(ShapeCall& call);
  static auto value(const Attrs& attrs, auto at, auto x) {
    return m::where(at(-1) - at(-2) >= attrs.limit(), x, m::like(x, 0.0));
  }
};

}  // namespace ops

// On the CPU unless a device is given.
Tensor full(SizesArg size, const Scalar& fill, std::optional<DType> dtype = {},
            std::optional<Device> device = {},
            std::source_location from = std::source_location::current());
Tensor zeros(SizesArg size, DType dtype = default_float, std::optional<Device> device = {},
             std::source_location from = std::source_location::current());
Tensor ones(SizesArg size, DType dtype = default_float, std::optional<Device> device = {},
            std::source_location from = std::source_location::current());
Tensor full_like(ops::At x, const Scalar& fill, std::optional<DType> dtype = {});
Tensor zeros_like(ops::At x, std::optional<DType> dtype = {});
Tensor ones_like(ops::At x, std::optional<DType> dtype = {});
// A tensor without dimensions.
Tensor scalar_tensor(const Scalar& number, DType dtype = default_float,
                     std::optional<Device> device = {},
                     std::source_location from = std::source_location::current());
// i64 if all numbers are integers, else the default float.
Tensor arange(const Scalar& start, const Scalar& end, const Scalar& step = 1,
              std::optional<DType> dtype = {}, std::optional<Device> device = {},
              std::source_location from = std::source_location::current());
Tensor arange(const Scalar& end, std::optional<DType> dtype = {}, std::optional<Device> device = {},
              std::source_location from = std::source_location::current());

const Tensor& fill_(const Tensor& x, const Operand& value,
                    std::source_location from = std::source_location::current());
const Tensor& zero_(const Tensor& x, std::source_location from = std::source_location::current());
const Tensor& copy_(const Tensor& x, const Operand& src,
                    std::source_location from = std::source_location::current());
Tensor fill(ops::At x, const Operand& value);
Tensor copy(ops::At x, const Operand& src);
Tensor clone(ops::At x, ops::MemoryFormat memory_format = ops::MemoryFormat::preserve);
Tensor contiguous(ops::At x);       // x itself if it is contiguous
Tensor to(ops::At x, DType dtype);  // x itself if it has the dtype
Tensor tril(ops::At x, int64_t diagonal = 0);
Tensor triu(ops::At x, int64_t diagonal = 0);

}  // namespace vitro
