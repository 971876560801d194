// Chains of products: rows of a product are scaled, masked and reduced (softmax), and are the left
// operand of the next product. A block of them stays in the cache; the entire matrix is never
// written to memory.
#include <algorithm>

#include "backend/fuse/groups.h"
#include "backend/program/operand.h"

namespace vitro::backend {
namespace {

const Code rows_leave{"V0407", "rows between two products are needed elsewhere",
                      "The rows that a product passes to the next one are also read by another op, "
                      "or returned to the caller, so they must be in memory.",
                      "", "Nothing."};
const Code other_rows{"V0408", "two products do not share their rows",
                      "The second product reads other elements in a row than the ones that were "
                      "reduced there (after a permute or a slice), or its sizes are not those of "
                      "the first.",
                      "", "Nothing."};
const Code kept_panels{"V0409", "the panels of a parameter are kept",
                       "A parameter that is the right operand of a product is packed once; in one "
                       "kernel with another product it would be packed for every block of rows.",
                       "", "Nothing."};

const Code written_early{"V0420", "the second product overwrites what the first one reads",
                         "The result of the second product is written to an input that the first "
                         "product, or what follows it, reads: all rows must be read before.",
                         "", "Nothing."};

const Code no_matrix{"V0412", "an operand of two products in one kernel is computed",
                     "The operands of products that share a kernel are read as matrices in memory; "
                     "this one is computed in the kernel, or its rows are not evenly spaced.",
                     "", "Nothing."};

const graph::Node& node_of(const Program& p, const Group& group) {
  return p.graph()[p[*group.product].value.node];
}

// Not a convolution.
bool of_matrices(const Program& p, const Group& group) {
  return !node_of(p, group).op->contraction->windows;
}

graph::Value operand(const graph::Node& node, size_t i) {
  return std::get<graph::Value>(node.args[i]);
}

// Sizes of a product: batch, rows, inner, columns.
struct Matrices {
  Expr batches = 1, m, k, n;
};

Matrices matrices_of(const Program& p, const graph::Node& node) {
  const Index sizes = sizes_of(node.results[0]);
  return {sizes.size() == 3 ? sizes[0] : Expr(1), sizes[sizes.size() - 2],
          sizes_of(p.graph().meta(operand(node, 0))).back(), sizes.back()};
}

class Chain {
 public:
  Chain(const Program& p, const Group& first, const Group& rows, const Group& last)
      : p_(p), first_(first), rows_(rows), last_(last) {}

  Verdict run(Group* made) {
    if (Verdict v = nothing_is_kept(); !v) return v;
    if (Verdict v = rows_stay(); !v) return v;
    if (Verdict v = nothing_is_overwritten(); !v) return v;
    if (Verdict v = operands_lie(); !v) return v;
    Group middle;
    if (Verdict v = join_middle(middle); !v) return v;
    if (Verdict v = rows_agree(middle); !v) return v;
    *made = last_;
    made->product.reset();
    made->stages = {product_of_first(), std::move(middle), last_};
    made->compute_nodes.clear();
    for (const Group* group : {&first_, &rows_, &last_}) {
      made->compute_nodes.insert(made->compute_nodes.end(), group->compute_nodes.begin(),
                                 group->compute_nodes.end());
    }
    std::sort(made->compute_nodes.begin(), made->compute_nodes.end());
    made->iteration = {};
    return Verdict::yes("a block of rows stays in the cache from one product to the next");
  }

 private:
  // Only these groups read the results of the first two, except that the last one's product reads
  // the rows.
  Verdict rows_stay() const {
    for (const Group* group : {&first_, &rows_}) {
      for (const ComputeNodeId id : group->stored) {
        const bool is_row = group == &rows_ && id == rows_.stored[0];
        for (const ComputeNodeId reader : p_.readers(id)) {
          const bool inside =
              is_row ? reader == *last_.product : first_.has(reader) || rows_.has(reader);
          if (!inside) return leave(id);
        }
        if (p_.is_output(id) || p_[id].role != ComputeRole::result ||
            (group == &rows_ && !is_row)) {
          return leave(id);
        }
      }
    }
    return Verdict::yes();
  }
  Verdict leave(ComputeNodeId id) const {
    return Verdict::no(rows_leave, cat(p_.name_of(id), " must be in memory"));
  }

  // A block of rows is written before the next one reads what the first product needs.
  Verdict nothing_is_overwritten() const {
    for (const ComputeNodeId id : last_.stored) {
      if (!p_.overwrites(id)) continue;
      for (const ComputeNodeId reader : p_.needs(id)) {
        if (first_.has(reader) || rows_.has(reader))
          return Verdict::no(written_early, cat(p_.name_of(id), " overwrites what ",
                                                p_.name_of(reader), " reads"));
      }
    }
    return Verdict::yes();
  }

  Verdict nothing_is_kept() const {
    for (const Group* group : {&first_, &last_}) {
      const graph::Value right = operand(node_of(p_, *group), 1);
      const graph::NodeId from =
          p_.through_views({right, Index(sizes_of(p_.graph().meta(right)).size(), Expr(0))})
              .value.node;
      const graph::Node& made = p_.graph()[from];
      if (has_kept_panels(p_.graph(), from)) {
        return Verdict::no(kept_panels, cat(made.name, " is packed once"));
      }
    }
    return Verdict::yes();
  }

  Verdict operands_lie() const {
    const graph::Node &a = node_of(p_, first_), &b = node_of(p_, last_);
    const auto left = operand_in_memory(p_, a, 0);
    const DType dtype = p_.graph().meta(operand(a, 0)).dtype;
    const bool unit = left && (left->second_stride.is(1) || left->first_stride.is(1));
    if (!unit || compute_type(dtype) != dtype) return not_in_memory(first_, "left");
    if (!operand_in_memory(p_, a, 1)) return not_in_memory(first_, "right");
    if (!operand_in_memory(p_, b, 1) || is_made_here(operand(b, 1)))
      return not_in_memory(last_, "right");
    return Verdict::yes();
  }
  // The rows are both operands of the second product if a matrix is multiplied by itself.
  bool is_made_here(graph::Value value) const {
    const Index any(sizes_of(p_.graph().meta(value)).size(), Expr(0));
    const auto& makers = p_.makers(p_.through_views({value, any}).value.node);
    return std::any_of(makers.begin(), makers.end(),
                       [&](ComputeNodeId id) { return first_.has(id) || rows_.has(id); });
  }
  Verdict not_in_memory(const Group& group, std::string_view side) const {
    return Verdict::no(no_matrix,
                       cat("the ", side, " operand of ", node_of(p_, group).name,
                           " is not a plain matrix of ", node_of(p_, group).results[0].dtype));
  }

  Group product_of_first() const {
    Group out{{*first_.product}, {}, {}};
    out.product = first_.product;
    return out;
  }

  // Joins what follows the first product with the reduction of its rows.
  Verdict join_middle(Group& middle) const {
    for (const ComputeNodeId id : first_.compute_nodes) {
      if (id != *first_.product) middle.compute_nodes.push_back(id);
    }
    middle.compute_nodes.insert(middle.compute_nodes.end(), rows_.compute_nodes.begin(),
                                rows_.compute_nodes.end());
    std::sort(middle.compute_nodes.begin(), middle.compute_nodes.end());
    middle.stored = rows_.stored;
    return can_group(p_, middle.compute_nodes, &middle.iteration);
  }

  Verdict rows_agree(const Group& middle) const {
    const Matrices a = matrices_of(p_, node_of(p_, first_)),
                   b = matrices_of(p_, node_of(p_, last_));
    const IterationSpace& space = middle.iteration.space;
    const bool plain = space.reduced == std::vector<bool>{false, true} && space.sizes[1] == a.n &&
                       space.sizes[0] == a.batches * a.m;
    const bool matrix = !a.n.is(1) && !a.k.is(1) && !b.n.is(1);
    if (!plain || !matrix || !(a.batches == b.batches) || !(a.m == b.m) || !(a.n == b.k)) {
      return disagree(*first_.product);
    }
    const Expr own = flatten(space.index, space.sizes);
    const graph::NodeId product = p_[*first_.product].value.node;
    for (const ComputeNodeId id : middle.compute_nodes) {
      const IndexMap& map = middle.index_map(id);
      if (map.empty()) {
        if (reads(id, product)) return disagree(id);
        continue;
      }
      if (!reads_own(middle, id, map, own)) return disagree(id);
    }
    const ComputeNodeId row = middle.stored[0];
    const Read made{p_[row].value, middle.index_map(row)};
    if (made.index.empty() || !(number_of(made) == own)) return disagree(row);
    return left_is_rows(row) ? Verdict::yes() : disagree(*last_.product);
  }

  // Whether the first product is read only at element number `own`, also by what is computed again
  // at the index at which `id` reads it.
  bool reads_own(const Group& middle, ComputeNodeId id, const Index& at, Expr own) const {
    return std::ranges::all_of(p_.reads_at(id, at), [&](const Read& read) {
      if (read.value.node == p_[*first_.product].value.node) return number_of(read) == own;
      return std::ranges::all_of(p_.makers(read.value.node), [&](ComputeNodeId made) {
        const bool again = middle.has(made) && p_[made].kind == ComputeKind::elementwise &&
                           !(middle.index_map(made) == read.index);
        return !again || reads_own(middle, made, read.index, own);
      });
    });
  }

  // Whether the second product's left operand is the reduced matrix, element by element.
  bool left_is_rows(ComputeNodeId row) const {
    const graph::Value left = operand(node_of(p_, last_), 0);
    const Index sizes = sizes_of(p_.graph().meta(left));
    Index index;
    for (size_t d = 0; d < sizes.size(); ++d) {
      index.push_back(sizes[d].is(1) ? Expr(0) : Expr::index(cat("d", d), sizes[d]));
    }
    const Read read = p_.through_views({left, index});
    return read.value.node == p_[row].value.node && number_of(read) == flatten(index, sizes) &&
           compute_type(p_.graph().meta(left).dtype) == p_.graph().meta(left).dtype;
  }

  bool reads(ComputeNodeId id, graph::NodeId node) const {
    const auto all = p_.reads_at(id, Index(p_[id].sizes.size(), Expr(0)));
    return std::any_of(all.begin(), all.end(),
                       [&](const Read& read) { return read.value.node == node; });
  }
  Expr number_of(const Read& read) const {
    return flatten(read.index, sizes_of(p_.graph().meta(read.value)));
  }
  Verdict disagree(ComputeNodeId compute_node) const {
    return Verdict::no(other_rows,
                       cat(p_.name_of(compute_node), " does not process entire rows in order"));
  }

  const Program& p_;
  const Group &first_, &rows_, &last_;
};

// The group that computes the base of the view `value`; -1 if none does.
int maker_of(const Program& p, const std::vector<Group>& groups, graph::Value value) {
  const Read read =
      p.through_views({value, Index(sizes_of(p.graph().meta(value)).size(), Expr(0))});
  if (p.graph()[read.value.node].is_input() || p.makers(read.value.node).size() != 1) return -1;
  const ComputeNodeId made = p.makers(read.value.node)[0];
  for (size_t g = 0; g < groups.size(); ++g) {
    if (groups[g].has(made)) return static_cast<int>(g);
  }
  return -1;
}

// The product whose result a group of rows reads; -1: none, or several.
int product_below(const Program& p, const std::vector<Group>& groups, const Group& rows) {
  int found = -1;
  for (const ComputeNodeId id : rows.compute_nodes) {
    for (const ComputeNodeId needed : p.needs(id)) {
      for (size_t g = 0; g < groups.size(); ++g) {
        if (!groups[g].product || !groups[g].has(needed)) continue;
        if (found >= 0 && found != static_cast<int>(g)) return -1;
        found = static_cast<int>(g);
      }
    }
  }
  return found;
}

bool needs_one_of(const Program& p, const Group& group, const Group& other) {
  return std::ranges::any_of(group.compute_nodes, [&](ComputeNodeId id) {
    return std::ranges::any_of(p.needs(id),
                               [&](ComputeNodeId needed) { return other.has(needed); });
  });
}

// Groups before `last` that must run after a group of `begin`, which is to run with `last`: they
// overwrite its inputs or depend on a group that does. In order.
std::vector<size_t> waiting_for(const Program& p, const std::vector<Group>& all,
                                const std::vector<size_t>& begin, size_t last) {
  std::vector<size_t> waited_for = begin, out;
  for (size_t g = 0; g < last; ++g) {
    if (std::ranges::find(begin, g) != begin.end()) continue;
    const bool waits = std::ranges::any_of(
        waited_for, [&](size_t other) { return needs_one_of(p, all[g], all[other]); });
    if (!waits) continue;
    waited_for.push_back(g);
    out.push_back(g);
  }
  return out;
}

}  // namespace

void chain_products(const Program& program, Groups& groups) {
  std::vector<Group>& all = groups.groups;
  for (size_t last = 0; last < all.size(); ++last) {
    if (!all[last].product || !of_matrices(program, all[last])) continue;
    const int rows = maker_of(program, all, operand(node_of(program, all[last]), 0));
    if (rows < 0) continue;
    const Group& reductions = all[static_cast<size_t>(rows)];
    if (reductions.product || !reductions.stages.empty() || !reductions.iteration.space.reduces())
      continue;
    const int first = product_below(program, all, reductions);
    if (first < 0 || static_cast<size_t>(first) == last) continue;
    if (!of_matrices(program, all[static_cast<size_t>(first)])) continue;
    Group made;
    Verdict verdict =
        Chain(program, all[static_cast<size_t>(first)], reductions, all[last]).run(&made);
    const std::vector<size_t> begin = {static_cast<size_t>(first), static_cast<size_t>(rows)};
    const std::vector<size_t> waiting = waiting_for(program, all, begin, last);
    for (const size_t g : waiting) {
      if (verdict && needs_one_of(program, made, all[g]))
        verdict = Verdict::no(cycle, "another kernel runs between them");
    }
    const auto name_of = [&](const Group& group) { return program.name_of(*group.product); };
    groups.decisions.push_back({name_of(all[begin[0]]), name_of(all[last]), verdict});
    if (!verdict) continue;
    std::vector<Group> before, after;
    for (size_t g = 0; g < last; ++g) {
      if (std::ranges::find(begin, g) != begin.end()) continue;
      const bool waits = std::ranges::find(waiting, g) != waiting.end();
      (waits ? after : before).push_back(std::move(all[g]));
    }
    const size_t position = before.size();
    before.push_back(std::move(made));
    std::ranges::move(after, std::back_inserter(before));
    std::move(all.begin() + static_cast<std::ptrdiff_t>(last) + 1, all.end(),
              std::back_inserter(before));
    all = std::move(before);
    last = position;
  }
}

}  // namespace vitro::backend
