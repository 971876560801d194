// Steps that are compiled into tiles: transposes, and reductions over columns.
#include "kinds.h"

namespace vitro::fuzz {
namespace {

bool is_square(const Tensor& t) {
  return t.rank() == 2 && t.size(0).value() == t.size(1).value() && is_number(t);
}
bool is_table(const Tensor& t) {
  return t.rank() == 2 && is_number(t) && has_elements(t);
}
bool is_float_table(const Tensor& t) {
  return is_table(t) && is_float(t);
}
bool is_deep(const Tensor& t) {
  return t.rank() >= 3;
}

}  // namespace

void add_tiles(Kinds& all) {
  const Kind rows[] = {
      KIND("plus its transpose", 6, one<is_square>, x(0) + t(x(0))),
      KIND("contiguous transpose", 4, one<is_table>, contiguous(t(x(0)))),
      KIND("transposed and scaled", 3, one<is_table>, contiguous(t(x(0) * 2)) + 1),
      KIND("sum of columns", 4, one<is_table>, sum(x(0), {0})),
      KIND("sum of transposed rows", 2, one<is_table>, sum(t(x(0)), {1}, true)),
      KIND("argmax of columns", 3, one<is_table>, argmax(x(0), 0)),
      KIND("softmax of columns", 3, one<is_float_table>, softmax(x(0), 0)),
      KIND("var of columns", 2, one<is_float_table>, var(x(0), {0})),
      KIND("channels last", 3, one<is_deep>,
           contiguous(transpose(x(0), 1, -1)) * transpose(x(0), 1, -1)),
  };
  all.insert(all.end(), std::begin(rows), std::end(rows));
}

}  // namespace vitro::fuzz
