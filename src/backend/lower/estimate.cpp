// Estimates the bytes moved and flops computed by one launch, from the kernel's statements.
#include <set>
#include <unordered_set>

#include "backend/lower/builder.h"
#include "backend/schedule/reductions.h"

namespace vitro::backend {
namespace {

using loop::Node;
using Turns = std::vector<Expr>;  // indices of the loops around a statement

Expr count(const Turns& turns) {
  Expr out = 1;
  for (const Expr index : turns) {
    if (!index.constant()) out = out * sym::extent_of(index);
  }
  return out;
}

class Counter {
 public:
  explicit Counter(loop::Kernel& kernel) : kernel_(kernel) {}

  void run() {
    block(kernel_.body, kernel_.tasks);
    kernel_.bytes = bytes_;
    kernel_.flops = flops_;
  }

 private:
  using Access = std::pair<int, const sym::Node*>;  // a buffer and an element of it

  // Counts the elements that an access can reach: the product of the extents of its indices. What
  // was stored is read from the caches.
  void access(int buffer, Expr element, DType dtype, bool stores) {
    if (buffer >= loop::Kernel::first_row) return;
    const Access which{buffer, element.node()};
    if (stored_.contains(which) || !(stores ? stored_ : read_).insert(which).second) return;
    Expr count = 1;
    for (const Expr s : sym::symbols_of(element)) {
      if (sym::kind_of(s) == sym::Kind::index) count = count * sym::extent_of(s);
    }
    bytes_ = bytes_ + count * bytes_of(dtype);
  }

  void value(loop::Value v, const Turns& turns) {
    for (const Node* node : loop::nodes_below({v})) {
      if (!seen_.insert(node).second) continue;
      if (reads_memory(*node)) {
        access(static_cast<int>(node->payload), node->index, node->dtype, false);
      } else {
        flops_ = flops_ + count(turns) * info(node->fn).cost;
      }
    }
  }

  void block(const loop::Block& statements, const Turns& turns) {
    for (const loop::Statement& s : statements) {
      std::visit([&](const auto& what) { statement(what, turns); }, s.what);
    }
  }
  void statement(const loop::Declare& d, const Turns& turns) { value(d.value, turns); }
  void statement(const loop::Assign& a, const Turns& turns) {
    for (const loop::Value v : a.values) value(v, turns);
  }
  void statement(const loop::Store& s, const Turns& turns) {
    value(s.value, turns);
    access(s.buffer, s.element, s.value.dtype(), true);
  }
  // A loop that begins at a block's first index replaces the loop over blocks.
  void statement(const loop::Loop& l, const Turns& turns) {
    Turns inside;
    for (const Expr index : turns) {
      if (!sym::contains(l.begin, index)) inside.push_back(index);
    }
    inside.push_back(l.index);
    block(l.body, inside);
  }
  void statement(const loop::Product& p, const Turns& turns) {
    const Expr batches = p.batch.constant() ? Expr(1) : sym::extent_of(p.batch);
    const Expr size = bytes_of(p.accumulate);
    flops_ = flops_ + products_of(p) * p.n * 2 * batches;
    const bool in_scratch = p.left.buffer >= loop::Kernel::first_row;
    const Expr left = in_scratch ? Expr(0) : left_elements(p);
    bytes_ = bytes_ + (left + p.k * p.n) * size * batches;
    Turns inside = turns;
    inside.push_back(p.row);
    inside.push_back(p.column);
    block(p.body, inside);
    block(p.across, inside);
  }
  void statement(const loop::Bands& b, const Turns& turns) {
    for (const loop::Bands::Stage& stage : b.stages) statement(stage.product, turns);
  }
  // The multiplications for one column.
  static Expr products_of(const loop::Product& p) {
    if (!p.winograd()) return p.m * p.k;
    if (!p.left.transposed) return p.winograd()->tiles * p.k;
    const int64_t side = p.winograd()->m + 2;
    return p.winograd()->tiles * sym::floordiv(p.m, 9) * (side * side);
  }
  // Distinct elements of the left operand: windows overlap.
  static Expr left_elements(const loop::Product& p) {
    if (!p.left.windows) return p.m * p.k;
    Expr positions = 1, elements = p.left.windows->depthwise ? p.n : p.left.windows->channels;
    for (const loop::Windows::Dimension& d : p.left.windows->dimensions) {
      positions = positions * d.out;
      elements = elements * d.size;
    }
    return sym::floordiv(p.left.transposed ? p.k : p.m, positions) * elements;
  }
  // Every block counts like the first one, which is the largest.
  void statement(const loop::Multiply& m, const Turns& turns) {
    std::vector<std::pair<Expr, Expr>> first;
    for (const Expr index : turns) {
      if (!index.constant()) first.emplace_back(index, Expr(0));
    }
    const auto all = [&](Expr e) { return sym::substitute(e, first) * count(turns); };
    flops_ = flops_ + all(m.rows * m.columns) * m.k * 2;
    const auto add_bytes = [&](int buffer, Expr elements) {
      if (buffer >= loop::Kernel::first_row) return;
      bytes_ = bytes_ + all(elements) * bytes_of(m.accumulate);
    };
    add_bytes(m.left.buffer, m.rows * m.k);
    add_bytes(m.right, m.columns * m.k);
  }
  void statement(const loop::Pack& p, const Turns&) {
    bytes_ = bytes_ + (p.taps * p.k + p.rows()) * p.n * p.batches * bytes_of(p.accumulate);
  }

  void statement(const loop::Grow& g, const Turns& turns) { value(g.part, turns); }
  void statement(const loop::Total&, const Turns&) {}

  // Every block counts like the first one, which is the largest.
  void statement(const loop::Turn& t, const Turns& turns) {
    std::vector<std::pair<Expr, Expr>> first;
    for (const Expr index : turns) {
      if (!index.constant()) first.emplace_back(index, Expr(0));
    }
    const Expr elements = sym::substitute(t.rows * t.columns, first) * count(turns);
    for (const int buffer : {t.from, t.to}) {
      if (buffer >= loop::Kernel::first_row) continue;
      bytes_ = bytes_ + elements * bytes_of(kernel_.buffers[static_cast<size_t>(buffer)].dtype);
    }
  }

  void statement(const loop::Sort& s, const Turns& turns) {
    const Expr rows = count(turns);
    const auto add_bytes = [&](int buffer, Expr elements) {
      if (buffer < 0 || buffer >= loop::Kernel::first_row) return;
      const DType dtype = kernel_.buffers[static_cast<size_t>(buffer)].dtype;
      bytes_ = bytes_ + rows * elements * bytes_of(dtype);
    };
    flops_ = flops_ + rows * (s.size + s.count * operations_of_sorted);
    add_bytes(s.from, s.size);
    add_bytes(s.values, s.count);
    add_bytes(s.indices, s.count);
  }

  loop::Kernel& kernel_;
  Expr bytes_ = 0, flops_ = 0;
  std::set<Access> read_, stored_;
  std::unordered_set<const Node*> seen_;
};

}  // namespace

void estimate(loop::Kernel& kernel) {
  Counter(kernel).run();
}

}  // namespace vitro::backend
