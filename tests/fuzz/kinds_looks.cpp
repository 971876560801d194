#include "kinds.h"

namespace vitro::fuzz {
namespace {

bool is_single(const Tensor& t) {
  return t.numel().value() == 1;
}
bool is_f32(const Tensor& t) {
  return t.dtype() == DType::f32 && has_elements(t);
}
bool sum_positive(const Tensor& t) {
  return sum(to(t, DType::f64)).item<double>() > 0;
}
// An integer in [0, 4) computed from the elements.
int64_t integer_of(const Tensor& t) {
  return remainder(sum(to(gt(t, 0), DType::i64)), 4).item<int64_t>();
}

float first_of(const Tensor& t) {
  return t.numel() == 0 ? 0 : contiguous(t).to_vector<float>()[0];
}
// Writes the first element through a pointer, not by an op.
const Tensor& poked(const Tensor& t) {
  float* elements = t.data<float>();
  if (t.numel() != 0) *elements = 2.5F;
  return t;
}

}  // namespace

void add_looks(Kinds& all) {
  const Kind rows[] = {
      BREAK("branch", 3, (two<is_number, anything>), sum_positive(x(0)) ? exp(x(1)) : cos(x(1))),
      BREAK("scaled by item", 2, (two<is_single, is_number>), x(1) * x(0).item()),
      BREAK("shifted by a count", 2, (two<is_number, is_number>), x(1) + integer_of(x(0))),
      BREAK("sliced by a count", 2, (two<is_number, has_dims>), slice(x(1), 0, integer_of(x(0)))),
      BREAK("full of a count", 1, one<is_number>, full({integer_of(x(0)), 3}, 1.5)),
      BREAK("first element", 1, one<is_f32>, x(0) * first_of(x(0))),
      BREAK("written through a pointer", 1, one<is_f32>, poked(x(0)) + 1),
      BREAK("graph_break", 1, one<anything>, (graph_break("asked"), x(0))),
      KIND("scaled by size", 4, dim<is_number>, x(0) * x(0).size(i(0))),
      KIND("scaled by count", 2, one<is_number>, x(0) / x(0).numel()),
      KIND("branch on a size", 3, dim<is_number>, x(0).size(i(0)) < 8 ? x(0) + 1 : x(0) * 2),
      KIND("branch on sizes", 2, dim<is_number>,
           x(0).numel() == x(0).size(i(0)) ? neg(x(0)) : abs(x(0))),
  };
  all.insert(all.end(), std::begin(rows), std::end(rows));
}

const std::vector<Kind>& kinds() {
  static const auto* all = [] {
    auto* made = new Kinds;
    for (auto* add :
         {&add_calls, &add_views, &add_makers, &add_layers, &add_tiles, &add_indices, &add_looks})
      add(*made);
    return made;
  }();
  return *all;
}

const Kind& kind_of(const Step& step) {
  return kinds()[step.kind];
}

Tensor Site::seen(size_t i) const {
  const Arg& arg = step.args[i];
  Tensor t = x(i);
  if (arg.look == Look::turned && t.rank() >= 2) t = transpose(t, -1, -2);
  if (arg.look == Look::part && t.rank() >= 1) t = select(t, 0, 0);
  while (arg.look == Look::row && t.rank() > 1) t = select(t, 0, 0);
  while (arg.look == Look::element && t.rank() > 0) t = select(t, 0, 0);
  if (arg.look == Look::in_front) t = unsqueeze(t, 0);
  return arg.converted ? to(t, x(0).dtype()) : t;
}

Scalar Site::n(size_t i) const {
  const Arg& arg = step.args[i];
  if (arg.kind == Arg::Kind::size) return x(i).size(arg.dim) / arg.divisor + arg.added;
  if (!arg.varies || occasion.number == 0) return arg.number;
  if (arg.number.is_floating()) {
    return {arg.number.as_double() + static_cast<double>(occasion.number)};
  }
  return {arg.number.as_int() + occasion.number};
}

Tensor Site::index(size_t i, Size size) const {
  return repaired_index(reshape(x(i), {-1}), size);
}

Tensor Site::repaired_index(const Tensor& index, Size size, bool wraps) const {
  if (occasion.repair == 0) return index;
  const Size least = wraps ? Size(0) - size : Size(0);
  const Tensor inside = logical_and(ge(index, least), lt(index, size));
  return where(inside, index,
               full_like(index, std::min<int64_t>(occasion.repair, size.value()) - 1));
}

}  // namespace vitro::fuzz
