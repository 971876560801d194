// The memory of a tensor as elements of another dtype: the same memory where there is one, else, in
// a graph, a copy of its bytes by an op of its own.
#include <cstddef>
#include <cstring>
#include <utility>
#include <vector>

#include "core/numbers.h"
#include "ops/view_copy.h"
#include "vitro/base/called_as.h"
#include "vitro/base/error.h"
#include "vitro/base/function_ref.h"
#include "vitro/core/interpreter.h"
#include "vitro/ops/complex.h"
#include "vitro/ops/create.h"
#include "vitro/ops/define.h"
#include "vitro/ops/definition.h"
#include "vitro/ops/layout.h"
#include "vitro/ops/shapes.h"
#include "vitro/ops/view.h"

namespace vitro {
namespace ops {
namespace {

int64_t element_bytes(DType dtype) {
  return is_complex(dtype) ? 2 * bytes_of(real_of(dtype)) : bytes_of(dtype);
}

// The sizes of x as `dtype`: the last one changes with the size of elements.
Sizes sizes_as(const Sizes& sizes, DType from, DType dtype) {
  const int64_t before = element_bytes(from), after = element_bytes(dtype);
  Sizes out = sizes;
  if (before == after) return out;
  VITRO_CHECK(!out.empty(), "view: a tensor without dimensions cannot be viewed as ", dtype,
              ", whose elements have another size than those of ", from);
  const Size bytes = out.back() * before;
  VITRO_CHECK(equal(bytes % after, 0), "view: the last dimension, ", number_of(out.back()),
              " elements of ", from, ", does not make whole elements of ", dtype,
              "; needs a multiple of ", after, " bytes");
  out.back() = bytes / after;
  return out;
}

struct ViewCopyAttrs {
  DType dtype = DType::f32;
  static constexpr void each(auto&& f) { f("dtype", &ViewCopyAttrs::dtype); }
};
// Writes the elements in order, so that the bytes of both are the same sequence.
struct ViewCopy {
  static constexpr OpKind kind = OpKind::opaque;
  static constexpr std::string_view name = "view_copy",
                                    doc = "The bytes of the elements as those of another dtype.";
  static constexpr std::string_view signatures = ".dtype(Tensor self, ScalarType dtype) -> Tensor";
  static constexpr int arity = 1;
  static constexpr bool is_constant = true;
  using Attrs = ViewCopyAttrs;
  static void shape(ShapeCall& call) {
    const TensorMeta& x = *call.operands[0].meta;
    const DType dtype = call.attrs.as<Attrs>().dtype;
    call.results.push_back(dense(dtype, x.device, sizes_as(x.sizes, x.dtype, dtype)));
  }
  static void kernel(const OpaqueCall& call) {
    const OpaqueTensor &x = call.operands[0].tensor, &y = call.results[0];
    const auto bytes = static_cast<size_t>(bytes_of(x.dtype));
    auto* to = static_cast<std::byte*>(y.data);
    const auto* from = static_cast<const std::byte*>(x.data);
    int64_t count = 1;
    for (const int64_t size : x.sizes) count *= size;
    std::vector<int64_t> index(x.sizes.size(), 0);
    for (int64_t i = 0, at = 0; i < count; ++i) {
      std::memcpy(to, from + at * static_cast<int64_t>(bytes), bytes);
      to += bytes;
      for (size_t d = index.size(); d-- > 0;) {
        at += x.strides[d];
        if (++index[d] < x.sizes[d]) break;
        at -= x.strides[d] * x.sizes[d];
        index[d] = 0;
      }
    }
  }
};

// Strides count elements: those of dimensions before the last one change with their size.
Tensor view_of_memory(const Tensor& x, DType dtype, std::source_location where) {
  TensorImpl& impl = *x.impl();
  if (impl.call != 0) {
    materialize(impl, Need::pointer, where);
  } else if (thread_state.top) {
    before_access(impl, Need::pointer, where);
  }
  const int64_t before = bytes_of(x.dtype()), after = bytes_of(dtype);
  const Sizes wanted = sizes_as(x.sizes(), x.dtype(), dtype);
  std::vector<int64_t> sizes, strides(impl.strides.begin(), impl.strides.end());
  for (const Size size : wanted) sizes.push_back(size.hint());
  const auto in_new = [&](int64_t elements) {
    VITRO_CHECK(elements * before % after == 0, "view: strides ", numbers_of(x.strides()),
                " and offset ", impl.offset, " of ", x.dtype(), " do not fit elements of ", dtype,
                "; use contiguous(x)");
    return elements * before / after;
  };
  if (before != after) {
    VITRO_CHECK(strides.back() == 1, "view: the elements of the last dimension are ",
                strides.back(), " apart, and to be viewed as ", dtype,
                ", of another size, they must be next to one another; use contiguous(x)");
    for (size_t d = 0; d + 1 < strides.size(); ++d) strides[d] = in_new(strides[d]);
  }
  return Tensor::over(x.storage(), dtype, sizes, strides, in_new(impl.offset));
}

// Complex numbers are viewed as pairs of real ones, which `of_real` views as others.
Tensor viewed(const Tensor& x, DType dtype, FunctionRef<Tensor(const Tensor&, DType)> of_real) {
  VITRO_CHECK(!is_bool(dtype),
              "view: as bool is not implemented, as bytes may be neither 0 nor 1; "
              "use ne(view(x, DType::u8), 0)");
  if (x.rank() == 0) {
    (void)sizes_as({}, x.dtype(), dtype);
    return squeeze(viewed(unsqueeze(x, 0), dtype, of_real), 0);
  }
  Tensor real = x;
  if (x.is_complex()) {
    Sizes flat = x.sizes();
    flat.back() = flat.back() * 2;
    real = view(view_as_real(x), flat);
  }
  const DType part = is_complex(dtype) ? real_of(dtype) : dtype;
  Tensor out = real.dtype() == part ? real : of_real(real, part);
  if (!is_complex(dtype)) return out;
  Sizes pairs = sizes_as(x.sizes(), x.dtype(), dtype);
  pairs.push_back(2);
  return view_as_complex(view(out, pairs));
}

}  // namespace

Tensor view_copy_as(At x, DType dtype) {
  const CalledAs name("view_copy", x.where);
  const Tensor& t = x.operand.tensor();
  if (t.dtype() == dtype) return clone(x, MemoryFormat::contiguous);
  const Tensor own = t.is_complex() ? clone(x, MemoryFormat::contiguous) : t;
  return viewed(own, dtype, [&](const Tensor& real, DType part) {
    return call<ViewCopy>(x.where, {real}, {part});
  });
}

}  // namespace ops

Tensor view(ops::At x, DType dtype) {
  const CalledAs name("view", x.where);
  const Tensor& t = x.operand.tensor();
  if (t.dtype() == dtype) return t;
  return ops::viewed(t, dtype, [&](const Tensor& real, DType part) {
    return ops::view_of_memory(real, part, x.where);
  });
}

}  // namespace vitro
