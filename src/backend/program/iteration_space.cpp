// Builds the iteration space of a compute node and index maps from it to tensors of other shapes
// with the same number of elements.
#include "backend/program/iteration_space.h"

namespace vitro::backend {
namespace {

bool are_equal(Expr a, Expr b) {
  return a == b || sym::prove_equal(a, b).value_or(false);
}

void name_indices(IterationSpace& space) {
  int kept = 0, reduced = 0;
  for (size_t d = 0; d < space.sizes.size(); ++d) {
    const bool reduces = !space.reduced.empty() && space.reduced[d];
    const std::string name = reduces ? cat("k", reduced++) : cat("i", kept++);
    space.index.push_back(space.sizes[d].is(1) ? Expr(0) : Expr::index(name, space.sizes[d]));
  }
}

Index kept_of(const IterationSpace& space, const Index& from) {
  Index out;
  for (size_t d = 0; d < from.size(); ++d) {
    if (!space.reduces() || !space.reduced[d]) out.push_back(from[d]);
  }
  return out;
}

// Splits `index` (of dimensions `sizes`) into dimensions `parts`, if these split each dimension of
// `sizes` separately.  Unlike flattening all dimensions, this gives simple expressions for symbolic
// sizes without proofs.
std::optional<Index> cut(const Index& index, const Index& sizes, const Index& parts) {
  Index out;
  for (size_t d = 0; d < sizes.size(); ++d) {
    const bool is_last = d + 1 == sizes.size();
    Index own;
    Expr count = 1;
    while (out.size() + own.size() < parts.size() && (is_last || count != sizes[d])) {
      own.push_back(parts[out.size() + own.size()]);
      count = count * own.back();
    }
    if (count != sizes[d]) return std::nullopt;
    const Index digits = unflatten(index[d], own);
    out.insert(out.end(), digits.begin(), digits.end());
  }
  if (out.size() != parts.size()) return std::nullopt;
  return out;
}

}  // namespace

Index IterationSpace::kept_sizes() const {
  return kept_of(*this, sizes);
}
Index IterationSpace::kept_index() const {
  return kept_of(*this, index);
}

IterationSpace iteration_space_of(const ComputeNode& compute_node) {
  IterationSpace space;
  space.scanned = compute_node.kind == ComputeKind::scan ||
                  compute_node.kind == ComputeKind::sort || compute_node.kind == ComputeKind::put;
  for (size_t d = 0; d < compute_node.sizes.size(); ++d) {
    const bool reduced = !compute_node.reduced.empty() && compute_node.reduced[d];
    const bool joins = !compute_node.reduced.empty() && d > 0 && space.reduced.back() == reduced;
    if (joins) {
      space.sizes.back() = space.sizes.back() * compute_node.sizes[d];
      continue;
    }
    space.sizes.push_back(compute_node.sizes[d]);
    if (!compute_node.reduced.empty()) space.reduced.push_back(reduced);
  }
  name_indices(space);
  space.row = flatten(space.kept_index(), space.kept_sizes());
  return space;
}

bool same_space(const IterationSpace& a, const IterationSpace& b) {
  if (a.sizes.size() != b.sizes.size() || a.reduced != b.reduced || a.scanned != b.scanned)
    return false;
  for (size_t d = 0; d < a.sizes.size(); ++d) {
    if (!are_equal(a.sizes[d], b.sizes[d])) return false;
  }
  return true;
}

bool is_row(const IterationSpace& space, const Index& sizes) {
  return space.reduces() && !are_equal(count_of(sizes), count_of(space.sizes)) &&
         are_equal(count_of(sizes), count_of(space.kept_sizes()));
}

Expr with_index(Expr e, const IterationSpace& space, const Index& values) {
  std::vector<std::pair<Expr, Expr>> pairs;
  for (size_t d = 0; d < values.size(); ++d) {
    if (!space.index[d].constant()) pairs.emplace_back(space.index[d], values[d]);
  }
  return sym::substitute(e, pairs);
}

Index with_index(Index index, const IterationSpace& space, const Index& values) {
  for (Expr& e : index) e = with_index(e, space, values);
  return index;
}

std::optional<IndexMap> index_map_to(const IterationSpace& space, const Index& sizes) {
  if (sizes == space.sizes) return space.index;
  if (auto map = cut(space.index, space.sizes, sizes)) return map;
  if (are_equal(count_of(sizes), count_of(space.sizes))) {
    return unflatten(flatten(space.index, space.sizes), sizes);
  }
  if (!is_row(space, sizes)) return std::nullopt;
  return row_index_map(space, sizes);
}

IndexMap row_index_map(const IterationSpace& space, const Index& sizes) {
  const Index kept = space.kept_index(), kept_sizes = space.kept_sizes();
  if (flatten(kept, kept_sizes) == space.row) {  // kept dimensions in order
    if (auto map = cut(kept, kept_sizes, sizes)) return *map;
  }
  return unflatten(space.row, sizes);
}

}  // namespace vitro::backend
