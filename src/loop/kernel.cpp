// Visits the statements, values and index expressions of a kernel, and computes the cost of its
// values.
#include "loop/kernel.h"

#include <functional>
#include <unordered_set>

namespace vitro::loop {
namespace {

template <class... F>
struct Overloaded : F... {
  using F::operator()...;
};
template <class... F>
Overloaded(F...) -> Overloaded<F...>;

void collect(const Node* node, std::unordered_set<const Node*>& seen,
             std::vector<const Node*>& out) {
  if (!seen.insert(node).second) return;
  for (const Node* operand : node->operands) collect(operand, seen, out);
  out.push_back(node);
}

// For const and mutable blocks.
template <class B, class Visit>
void visit_values(B& block, const Visit& visit) {
  for (auto& s : block) {
    std::visit(
        [&](auto& what) {
          using T = std::remove_cvref_t<decltype(what)>;
          if constexpr (std::is_same_v<T, Declare> || std::is_same_v<T, Store>) {
            visit(what.value);
          } else if constexpr (std::is_same_v<T, Assign>) {
            for (auto& v : what.values) visit(v);
          } else if constexpr (std::is_same_v<T, Grow>) {
            visit(what.part);
          } else if constexpr (std::is_same_v<T, Loop>) {
            visit_values(what.body, visit);
          } else if constexpr (std::is_same_v<T, Product>) {
            if (what.left.value.defined()) visit(what.left.value);
            visit_values(what.body, visit);
            visit_values(what.across, visit);
          } else if constexpr (std::is_same_v<T, Bands>) {
            for (auto& stage : what.stages) {
              visit_values(stage.product.body, visit);
            }
          }
        },
        s.what);
  }
}

}  // namespace

void each_value(const Block& block, const std::function<void(Value)>& visit) {
  visit_values(block, visit);
}

void change_values(Block& block, const std::function<void(Value&)>& visit) {
  visit_values(block, visit);
}

void each_access(const Block& stores, FunctionRef<void(int, sym::Expr, bool)> visit) {
  std::vector<Value> roots;
  for (const Statement& s : stores) {
    const auto& store = std::get<Store>(s.what);
    visit(store.buffer, store.element, true);
    roots.push_back(store.value);
  }
  for (const Node* node : nodes_below(roots)) {
    if (reads_memory(*node)) visit(static_cast<int>(node->payload), node->index, false);
  }
}

std::vector<const Node*> nodes_below(const std::vector<Value>& roots) {
  std::unordered_set<const Node*> seen;
  std::vector<const Node*> out;
  for (const Value v : roots) collect(v.node(), seen, out);
  return out;
}

namespace {

void each_index_below(const std::vector<Value>& roots,
                      const std::function<void(sym::Expr)>& visit) {
  for (const Node* node : nodes_below(roots)) {
    if (node->index.defined()) visit(node->index);
  }
}

void each_index_of(const Block& block, const std::function<void(sym::Expr)>& visit);

void each_index_of(const Product& p, const std::function<void(sym::Expr)>& visit) {
  for (const sym::Expr e : {p.m, p.n, p.k, p.panels, p.left.base, p.left.row_stride,
                            p.left.k_stride, p.right_base, p.right_stride}) {
    visit(e);
  }
  if (p.left.windows) p.left.windows->each(visit);
  if (!p.batch.constant()) visit(sym::extent_of(p.batch));
  each_index_of(p.body, visit);
  each_index_of(p.across, visit);
}

void each_index_of(const Block& block, const std::function<void(sym::Expr)>& visit) {
  for (const Statement& s : block) {
    std::visit(
        Overloaded{
            [](const Declare&) {},
            [](const Assign&) {},
            [&](const Store& store) { visit(store.element); },
            [&](const Loop& loop) {
              visit(loop.begin);
              visit(loop.end);
              visit(sym::extent_of(loop.index));
              each_index_of(loop.body, visit);
            },
            [&](const Product& p) { each_index_of(p, visit); },
            [&](const Bands& b) {
              visit(b.images);
              for (const Bands::Stage& stage : b.stages) each_index_of(stage.product, visit);
            },
            [&](const Pack& p) {
              for (const sym::Expr e :
                   {p.k, p.n, p.batches, p.base, p.k_stride, p.n_stride, p.taps, p.tap_stride}) {
                visit(e);
              }
            },
            [&](const Multiply& m) {
              for (const sym::Expr e :
                   {m.rows, m.columns, m.k, m.left.base, m.left.row_stride, m.left.k_stride,
                    m.right_base, m.right_k_stride, m.right_n_stride, m.to_base, m.to_stride}) {
                visit(e);
              }
            },
            [&](const Grow& g) {
              visit(g.number);
              visit(g.column);
            },
            [&](const Total& t) {
              visit(t.count);
              visit(t.column);
            },
            [&](const Turn& t) {
              for (const sym::Expr e :
                   {t.base, t.row_stride, t.rows, t.columns, t.to_base, t.to_stride}) {
                visit(e);
              }
            },
            [&](const Sort& s) {
              for (const sym::Expr e : {s.base, s.size, s.count, s.values_base, s.values_stride,
                                        s.indices_base, s.indices_stride}) {
                visit(e);
              }
            },
        },
        s.what);
  }
}

}  // namespace

void each_index(const Block& block, const std::function<void(sym::Expr)>& visit) {
  std::vector<Value> roots;
  each_value(block, [&](Value v) { roots.push_back(v); });
  each_index_below(roots, visit);
  each_index_of(block, visit);
}

namespace {

// Visits the buffers that statements read other than by loads of values.
void each_operand(const Block& block, const std::function<void(int)>& visit);

void each_operand(const Product& product, const std::function<void(int)>& visit) {
  visit(product.left.buffer);
  visit(product.right);
  each_operand(product.body, visit);
  each_operand(product.across, visit);
}

void each_operand(const Block& block, const std::function<void(int)>& visit) {
  for (const Statement& s : block) {
    if (const auto* loop = std::get_if<Loop>(&s.what)) each_operand(loop->body, visit);
    if (const auto* pack = std::get_if<Pack>(&s.what)) visit(pack->from);
    if (const auto* turn = std::get_if<Turn>(&s.what)) visit(turn->from);
    if (const auto* sort = std::get_if<Sort>(&s.what)) visit(sort->from);
    if (const auto* multiply = std::get_if<Multiply>(&s.what)) {
      visit(multiply->left.buffer);
      visit(multiply->right);
      visit(multiply->panels);
    }
    if (const auto* product = std::get_if<Product>(&s.what)) each_operand(*product, visit);
    if (const auto* bands = std::get_if<Bands>(&s.what)) {
      for (const Bands::Stage& stage : bands->stages) each_operand(stage.product, visit);
    }
  }
}

}  // namespace

std::vector<bool> buffers_read(const Kernel& kernel) {
  std::vector<bool> read(kernel.buffers.size());
  const auto note = [&](int buffer) {
    if (buffer >= 0 && static_cast<size_t>(buffer) < read.size())
      read[static_cast<size_t>(buffer)] = true;
  };
  std::vector<Value> roots;
  each_value(kernel.body, [&](Value v) { roots.push_back(v); });
  for (const IndirectIndex& indirect : kernel.indirect_indices) roots.push_back(indirect.value);
  for (const Node* node : nodes_below(roots)) {
    if (reads_memory(*node)) note(static_cast<int>(node->payload));
  }
  each_operand(kernel.body, note);
  return read;
}

void each_index(const Kernel& kernel, const std::function<void(sym::Expr)>& visit) {
  for (const sym::Expr task : kernel.tasks) visit(sym::extent_of(task));
  for (const Row& row : kernel.rows) visit(row.size);
  for (const Tree& tree : kernel.trees) visit(tree.width);
  for (const IndirectIndex& indirect : kernel.indirect_indices) {
    visit(indirect.bound);
    each_index_below({indirect.value}, visit);
  }
  each_index(kernel.body, visit);
}

bool Row::is_local() const {
  const auto known = bytes().constant();
  return known && *known <= (32 << 10);
}

sym::Expr Row::bytes() const {
  return sym::floordiv(size + 63, 64) * (64 * bytes_of(dtype));
}

namespace {

// Rows that panels have for the parts of k rows (kernels::bf16x6_panel_rows()).
sym::Expr rows_of_parts(sym::Expr k) {
  return sym::floordiv(k + 31, 32) * 48;
}

}  // namespace

sym::Expr Product::panel_rows() const {
  if (!bf16x6) return k;
  if (!left.windows) return rows_of_parts(k);
  return sym::floordiv(k, left.windows->channels) * rows_of_parts(left.windows->channels);
}

sym::Expr Pack::rows() const {
  if (bf16x6) return sym::floordiv(taps, joined) * rows_of_parts(joined * k);
  return winograd > 0 ? k * ((winograd + 2) * (winograd + 2)) : taps * k;
}

sym::Expr Kernel::scratch_bytes() const {
  sym::Expr sum = 0;
  for (const Row& row : rows) {
    if (!row.is_local()) sum = sum + row.bytes();
  }
  return sum;
}

int cost_of(Value v) {
  int cost = 0;
  for (const Node* node : nodes_below({v})) cost += info(node->fn).cost;
  return cost;
}

}  // namespace vitro::loop
