// Rows of the table of kinds for views, joins, gathers and scatters; see kinds.h.
#include "kinds.h"

namespace vitro::fuzz {
namespace {

bool at_dim(Random& random, const Variables& all, Step& step) {
  if (!dim<has_elements>(random, all, step)) return false;
  const auto size = static_cast<size_t>(chosen(all, step).size(step.ints[0]).value());
  step.ints.push_back(static_cast<int64_t>(below(random, 2 * size)) - static_cast<int64_t>(size));
  return true;
}

bool two_dims(Random& random, const Variables& all, Step& step) {
  if (!dim<anything>(random, all, step)) return false;
  const int64_t rank = chosen(all, step).rank();
  step.ints.push_back(static_cast<int64_t>(below(random, static_cast<size_t>(rank))));
  return true;
}

bool range(Random& random, const Variables& all, Step& step) {
  if (!dim<anything>(random, all, step)) return false;
  const int64_t size = chosen(all, step).size(step.ints[0]).value();
  const auto bound = [&] { return static_cast<int64_t>(below(random, size + 2)); };
  step.ints.push_back(one_in(random, 4) ? -bound() : bound() / 2);
  step.ints.push_back(one_in(random, 4) ? INT64_MAX : bound());
  step.ints.push_back(1 + static_cast<int64_t>(below(random, 3)));
  return true;
}

bool order(Random& random, const Variables& all, Step& step) {
  if (!pick(random, all, step, anything)) return false;
  for (int64_t d = 0; d < chosen(all, step).rank(); ++d) {
    step.ints.insert(step.ints.begin() + static_cast<std::ptrdiff_t>(below(random, d + 1)), d);
  }
  return true;
}

// Variables whose sizes differ from the first one's only in dimension i(0).
bool joined(Random& random, const Variables& all, Step& step) {
  if (!dim<anything>(random, all, step)) return false;
  const Tensor& first = chosen(all, step);
  const int64_t rank = first.rank(), dim = (step.ints[0] + rank) % rank;
  for (size_t more = 1 + below(random, 2); more-- > 0;) {
    const bool found = pick(random, all, step, [&](const Tensor& t) {
      if (t.rank() != rank) return false;
      for (int64_t d = 0; d < rank; ++d) {
        if (d != dim && t.size(d).value() != first.size(d).value()) return false;
      }
      return true;
    });
    if (!found) return false;
  }
  return true;
}

bool alike(Random& random, const Variables& all, Step& step) {
  if (!pick(random, all, step, anything)) return false;
  const Tensor& first = chosen(all, step);
  step.ints.push_back(static_cast<int64_t>(below(random, static_cast<size_t>(first.rank() + 1))));
  return pick(random, all, step,
              [&](const Tensor& t) { return attribute::same(first.sizes(), t.sizes()); });
}

bool rows(Random& random, const Variables& all, Step& step) {
  return dim<has_elements>(random, all, step) && pick(random, all, step, is_index);
}

bool picked(Random& random, const Variables& all, Step& step) {
  return rows(random, all, step) && chosen(all, step).rank() == chosen(all, step, 1).rank();
}

bool replaced(Random& random, const Variables& all, Step& step) {
  if (!at_dim(random, all, step)) return false;
  const Tensor& first = chosen(all, step);
  return pick(random, all, step,
              [&](const Tensor& t) { return attribute::same(first.sizes(), t.sizes()); });
}

bool matrix_and_indices(Random& random, const Variables& all, Step& step) {
  return pick(random, all, step,
              [](const Tensor& t) { return t.rank() >= 2 && has_elements(t); }) &&
         pick(random, all, step, is_index);
}

bool written_and_indices(Random& random, const Variables& all, Step& step) {
  return pick(random, all, step, writable) && has_elements(chosen(all, step)) &&
         has_dims(chosen(all, step)) && pick(random, all, step, is_index);
}

Dims order_of(const Site& s) {
  Dims out;
  for (const int64_t d : s.step.ints) out.push_back(d);
  return out;
}

Tensor joined_of(const Site& s, bool stacked) {
  std::vector<Tensor> list;
  for (size_t k = 0; k < s.step.args.size(); ++k) list.push_back(s.x(k));
  return stacked ? stack(list, s.i(0)) : cat(list, s.i(0));
}

}  // namespace

void add_views(Kinds& all) {
  const Kind rows_of_table[] = {
      KIND("reshape flat", 4, one<anything>, reshape(x(0), {x(0).numel()})),
      KIND("reshape in two", 3, dim<anything>, reshape(x(0), {x(0).size(i(0)), -1})),
      KIND("reshape turned", 2, two_dims,
           reshape(x(0), {x(0).size(i(1)), x(0).numel() / x(0).size(i(1))})),
      KIND("view", 2, one<anything>, view(x(0), {1, x(0).numel()})),
      KIND("transpose", 8, two_dims, transpose(x(0), i(0), i(1))),
      KIND("expand", 3, dim<anything>, expand(x(0), {3, -1})),
      KIND("expand new", 3, one<anything>,
           expand(reshape(x(0), {x(0).numel()}), {2, x(0).numel()})),
      KIND("slice", 10, range, slice(x(0), i(0), i(1), i(2), i(3))),
      KIND("first half", 4, dim<anything>, slice(x(0), i(0), 0, x(0).size(i(0)) / 2)),
      KIND("second half", 4, dim<anything>, slice(x(0), i(0), x(0).size(i(0)) / 2)),
      KIND("all but one", 3, dim<anything>, narrow(x(0), i(0), 1, x(0).size(i(0)) - 1)),
      KIND("select", 8, at_dim, select(x(0), i(0), i(1))),
      KIND("unsqueeze", 5, dim<anything>, unsqueeze(x(0), i(0))),
      KIND("diagonal", 4, (two_dims), diagonal(x(0), 0, i(0), i(1))),
      KIND("as_strided", 3, one<has_elements>,
           as_strided(contiguous(x(0)), {2, x(0).numel() - 1}, {1, 1})),
      KIND("split in two", 2, dim<anything>,
           split_with_sizes(x(0), {1, static_cast<int64_t>(x(0).size(i(0))) - 1}, i(0))),
      KIND("stack", 4, alike, stack({x(0), x(1)}, i(0))),
      KIND("index_select", 8, rows,
           index_select(x(0), i(0), remainder(reshape(x(1), {-1}), x(0).size(i(0))))),
      KIND("index_select any", 5, rows, index_select(x(0), i(0), index(1, x(0).size(i(0))))),
      KIND("embedding", 8, rows, embedding(x(0), remainder(x(1), x(0).size(0)))),
      KIND("embedding any", 5, rows, embedding(x(0), index(1, x(0).size(0)))),
      KIND("gather", 10, picked, gather(x(0), i(0), remainder(x(1), x(0).size(i(0))))),
      KIND("slice_scatter", 3, replaced,
           slice_scatter(x(0), slice(x(1), i(0), 0, x(1).size(i(0)) / 2), i(0), 0,
                         x(0).size(i(0)) / 2)),
      KIND("slice_scatter apart", 2, replaced,
           slice_scatter(x(0), slice(x(1), i(0), 1, INT64_MAX, 2), i(0), 1, INT64_MAX, 2)),
      KIND("index two", 5, matrix_and_indices,
           vitro::index(x(0), {remainder(x(1), x(0).size(0)),
                               remainder(x(1) + 1, x(0).size(1)) - x(0).size(1)})),
      KIND("index second", 3, matrix_and_indices,
           vitro::index(x(0), {{}, remainder(x(1), x(0).size(1))})),
      KIND("index any", 3, rows, vitro::index(x(0), {s.repaired_index(x(1), x(0).size(0), true)})),
      KIND("index_put", 4, matrix_and_indices,
           index_put(x(0), {remainder(x(1), x(0).size(0)), remainder(x(1), x(0).size(1))},
                     an_element(x(0)))),
      KIND("index_put added", 4, matrix_and_indices,
           index_put(x(0), {{}, remainder(x(1), x(0).size(1))}, an_element(x(0)), true)),
      KIND("index_put_", 4, written_and_indices,
           index_put_(x(0), {remainder(x(1), x(0).size(0))}, an_element(x(0)))),
      KIND("scatter_add", 3, picked,
           scatter_add(x(0), i(0), remainder(x(1), x(0).size(i(0))),
                       gather(x(0), i(0), remainder(x(1), x(0).size(i(0)))))),
      KIND("scatter_reduce", 3, picked,
           scatter_reduce(x(0), i(0), remainder(x(1), x(0).size(i(0))),
                          gather(x(0), i(0), remainder(x(1), x(0).size(i(0)))),
                          ops::ScatterReduction::amax, false)),
      KIND("scatter number", 3, picked, scatter(x(0), i(0), remainder(x(1), x(0).size(i(0))), 2)),
      KIND("select_scatter", 3, replaced, select_scatter(x(0), select(x(1), i(0), 0), i(0), i(1))),
  };
  all.insert(all.end(), std::begin(rows_of_table), std::end(rows_of_table));
  all.push_back({"permute", 6, false, &order,
                 [](const Site& s) -> Variables { return {permute(s.x(0), order_of(s))}; },
                 "permute(x(0), {i...})"});
  all.push_back({"cat", 8, false, &joined,
                 [](const Site& s) -> Variables { return {joined_of(s, false)}; },
                 "cat({x...}, i(0))"});
}

}  // namespace vitro::fuzz
