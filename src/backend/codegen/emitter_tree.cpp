#include "backend/codegen/emitter.h"
#include "backend/codegen/index_text.h"
#include "backend/codegen/value_text.h"

namespace vitro::backend {

void Emitter::declare_trees() {
  for (const loop::Tree& tree : kernel_.trees) {
    variables_[tree.left] = names_.take("a");
    variables_[tree.right] = names_.take("b");
    const std::string type = vector_type_text(tree.none.dtype());
    merges_.push_back(named("merge_" + tree.name));
    // Always inlined: a call would pass values larger than a register through memory.
    out_.line("const auto ", merges_.back(), " = [](", type, " ", variables_[tree.left], ", ", type,
              " ", variables_[tree.right], ") __attribute__((always_inline)) { return ",
              value(tree.merged), "; };");
  }
}

void Emitter::write(const loop::Grow& g) {
  const loop::Tree& tree = kernel_.trees[static_cast<size_t>(g.tree)];
  const std::string part = value(g.part);
  out_.line("tree_add(", buffer_name(tree.row), " + ", scalar_text(g.column), ", ",
            scalar_text(tree.width), ", ", scalar_text(g.number), ", ", part, ", ",
            merges_[static_cast<size_t>(g.tree)], ");");
}

void Emitter::write(const loop::Total& t) {
  const loop::Tree& tree = kernel_.trees[static_cast<size_t>(t.tree)];
  const std::string none = value(tree.none);
  const std::string name = named(t.name.empty() ? "total" : t.name);
  out_.line("const ", vector_type_text(tree.none.dtype()), " ", name, " = tree_total(",
            buffer_name(tree.row), " + ", scalar_text(t.column), ", ", scalar_text(tree.width),
            ", ", scalar_text(t.count), ", ", none, ", ", merges_[static_cast<size_t>(t.tree)],
            ");");
  variables_[t.variable] = name;
  if (lanes_.index.defined()) declared_in_lanes_.insert(t.variable);
}

}  // namespace vitro::backend
