// Rows of the table of kinds for indices that kernels compute, and for writes at indices; see
// kinds.h.
#include "kinds.h"

namespace vitro::fuzz {
namespace {

bool is_line(const Tensor& t) {
  return has_dims(t) && has_elements(t) && is_number(t);
}

// Another variable in which indices are found, and one of its dimensions.
bool then_found(Random& random, const Variables& all, Step& step) {
  if (!pick(random, all, step, is_line)) return false;
  step.ints.push_back(static_cast<int64_t>(below(random, chosen(all, step, 1).rank())));
  return true;
}
bool found(Random& random, const Variables& all, Step& step) {
  return dim<has_elements>(random, all, step) && then_found(random, all, step);
}

bool written_dim(Random& random, const Variables& all, Step& step) {
  if (!pick(random, all, step, writable)) return false;
  const Tensor& first = chosen(all, step);
  if (!has_dims(first) || !has_elements(first)) return false;
  step.ints.push_back(static_cast<int64_t>(below(random, first.rank())));
  return true;
}
bool written_rows(Random& random, const Variables& all, Step& step) {
  return written_dim(random, all, step) && pick(random, all, step, is_index);
}
bool written_picked(Random& random, const Variables& all, Step& step) {
  return written_rows(random, all, step) && chosen(all, step).rank() == chosen(all, step, 1).rank();
}
bool written_found(Random& random, const Variables& all, Step& step) {
  return written_dim(random, all, step) && then_found(random, all, step);
}

Tensor flat(const Tensor& t) {
  return reshape(t, {-1});
}

}  // namespace

void add_indices(Kinds& all) {
  const Kind rows[] = {
      KIND("argmax", 4, dim<is_line>, argmax(x(0), i(0))),
      KIND("argsort", 3, dim<is_line>, argsort(x(0), i(0))),
      KIND("topk", 3, dim<is_line>, topk(x(0), x(0).size(i(0)) / 2, i(0))),
      KIND("cummax", 2, dim<is_line>, cummax(x(0), i(0))),
      KIND("gather argmax", 3, dim<is_line>, gather(x(0), i(0), argmax(x(0), i(0), true))),
      KIND("one at argmax", 3, dim<is_line>,
           scatter(zeros_like(x(0)), i(0), argmax(x(0), i(0), true), 1)),
      KIND("gather sorted", 2, dim<is_line>, gather(x(0), i(0), argsort(x(0), i(0)))),
      KIND("index_select at argmax", 3, found,
           index_select(x(0), i(0), s.repaired_index(flat(argmax(x(1), i(1))), x(0).size(i(0))))),
      KIND("embedding of argmax", 3, found,
           embedding(x(0), s.repaired_index(argmax(x(1), i(1)), x(0).size(0)))),
      KIND("index of argsort", 2, found,
           vitro::index(x(0), {s.repaired_index(argsort(x(1), i(1)), x(0).size(0), true)})),
      KIND("index_fill_ at argmax", 3, written_found,
           index_fill_(x(0), i(0), s.repaired_index(flat(argmax(x(1), i(1))), x(0).size(i(0))), 2)),
      KIND("index_put_ at argmax", 3, written_found,
           index_put_(x(0), {s.repaired_index(argmax(x(1), i(1)), x(0).size(0), true)},
                      an_element(x(0)), true)),
      KIND("index_put_ any", 3, written_rows,
           index_put_(x(0), {s.repaired_index(x(1), x(0).size(0), true)}, an_element(x(0)))),
      KIND("index_add_", 3, written_rows,
           index_add_(x(0), i(0), remainder(flat(x(1)), x(0).size(i(0))),
                      index_select(x(0), i(0), remainder(flat(x(1)), x(0).size(i(0)))))),
      KIND("index_add_ any", 3, written_rows,
           index_add_(x(0), i(0), index(1, x(0).size(i(0))),
                      index_select(x(0), i(0), index(1, x(0).size(i(0)))))),
      KIND("index_copy_", 2, written_rows,
           index_copy_(x(0), i(0), remainder(flat(x(1)), x(0).size(i(0))),
                       index_select(x(0), i(0), remainder(flat(x(1) + 1), x(0).size(i(0)))))),
      KIND("scatter_", 3, written_picked,
           scatter_(x(0), i(0), remainder(x(1), x(0).size(i(0))), 2)),
      KIND("scatter_add_", 3, written_picked,
           scatter_add_(x(0), i(0), s.repaired_index(x(1), x(0).size(i(0))),
                        gather(x(0), i(0), s.repaired_index(x(1), x(0).size(i(0)))))),
      KIND("put_", 2, written_rows,
           put_(x(0), remainder(x(1), x(0).numel()), expand(an_element(x(0)), x(1).sizes()), true)),
      KIND("written around indices", 4, written_rows,
           (add_(x(0), 1),
            index_put_(x(0), {s.repaired_index(x(1), x(0).size(0), true)}, an_element(x(0))),
            add_(x(0), 1))),
      KIND("written around argmax", 4, written_found,
           (add_(x(0), 1),
            index_fill_(x(0), i(0), s.repaired_index(flat(argmax(x(1), i(1))), x(0).size(i(0))), 2),
            add_(x(0), 1))),
      KIND("chunk", 3, dim<anything>, chunk(x(0), 3, i(0))),
      KIND("chunks joined", 3, dim<is_number>, cat({chunk(x(0), 2, i(0))[0] * 2, x(0)}, i(0))),
      KIND("sum of ends", 3, dim<is_line>, select(x(0), i(0), 0) + select(x(0), i(0), -1)),
      KIND("add_ to a chunk", 3, written_dim, add_(chunk(x(0), 2, i(0))[0], 1)),
  };
  all.insert(all.end(), std::begin(rows), std::end(rows));
  // The number of indices depends on elements.
  all.push_back(
      BREAK("index of nonzero", 3, found,
            index_select(x(0), i(0), s.repaired_index(flat(nonzero(x(1))), x(0).size(i(0))))));
}

}  // namespace vitro::fuzz
