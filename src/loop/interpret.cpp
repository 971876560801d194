// Runs the statements of a kernel on sixteen lanes of elements (loop/element.h), including its
// checks, in the order of its tasks.
#include "loop/interpret.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "loop/element.h"
#include "vitro/base/error.h"

namespace vitro::loop {
namespace {

using sym::Expr;

constexpr int64_t lanes = 16;
using Lanes = std::array<Element, lanes>;
using Indices = std::array<int64_t, lanes>;

class Interpretation {
 public:
  Interpretation(const Kernel& kernel, const KernelInputs& inputs);
  void run_task(int64_t task);

 private:
  using Known = std::unordered_map<const Node*, Lanes>;

  void run(const Block& block);
  void run(const Declare& d);
  void run(const Assign& a);
  void run(const Store& s);
  void run(const Loop& l);
  void run(const Grow& g);
  void run(const Total& t);
  void run(const Turn& t);
  void run(const Sort& s);
  void run(const Multiply&) { refuse("a product of blocks"); }
  void run(const Product&) { refuse("a product"); }
  void run(const Bands&) { refuse("a band of products"); }
  void run(const Pack&) { refuse("a pack"); }
  [[noreturn]] static void refuse(std::string_view what) {
    throw_bug("interpret", __FILE__, __LINE__, cat(what, " is not interpreted"));
  }
  void read_before(int buffer, std::span<const Statement> statements);
  std::vector<const Node*> loads_of(int buffer, std::span<const Statement> statements) const;

  const Lanes& value(Value v) { return value(v.node()); }
  const Lanes& value(const Node* node);
  Lanes compute(const Node* node);
  Lanes loaded(const Node* node);
  Lanes merged(const Tree& tree, const Lanes& left, const Lanes& right);
  // An index in every lane; in one lane.
  Indices at(Expr e);
  int64_t at(Expr e, int64_t lane);
  int64_t scalar(Expr e) { return at(e, 0); }
  bool varies(Expr e);
  bool find_out_whether_varies(Expr e);
  const Indices& indirect_values(size_t which);
  const IndirectIndex* indirect_index_of(Expr symbol, size_t* number) const;
  std::byte* memory(int buffer);
  DType dtype_of(int buffer) const;
  Lanes tree_load(const Tree& tree, int64_t element);

  const Kernel& kernel_;
  const KernelInputs& inputs_;
  std::unordered_map<const sym::Node*, int64_t> scalars_;  // symbols and indices, of lane 0
  Expr vector_;                                            // index of the current vector loop
  int64_t count_ = lanes;                                  // lanes that exist
  std::vector<Lanes> variables_;
  std::unordered_set<int> in_lanes_;  // variables declared inside the vector loop
  std::vector<std::vector<std::byte>> rows_;
  // Values of the current statement, and values kept until the end of the current block.
  Known known_;
  std::unordered_map<size_t, Indices> indirect_indices_;
  std::vector<Known> kept_;
  // Caches of analyses: by first statement, and by expression and vector loop.
  std::unordered_map<const Statement*, std::vector<const Node*>> read_before_;
  std::map<std::pair<const sym::Node*, const sym::Node*>, bool> varies_;
};

Interpretation::Interpretation(const Kernel& kernel, const KernelInputs& inputs)
    : kernel_(kernel), inputs_(inputs), variables_(static_cast<size_t>(kernel.variables)) {
  for (size_t i = 0; i < inputs.symbols.size(); ++i)
    scalars_[inputs.symbols[i].node()] = inputs.sizes[i];
  for (const Row& row : kernel.rows) {
    const int64_t padded = (scalar(row.size) + lanes - 1) / lanes * lanes;
    rows_.emplace_back(static_cast<size_t>(padded * bytes_of(row.dtype)));
  }
}

void Interpretation::run_task(int64_t task) {
  for (size_t i = kernel_.tasks.size(); i-- > 0;) {
    const int64_t extent = scalar(sym::extent_of(kernel_.tasks[i]));
    scalars_[kernel_.tasks[i].node()] = i == 0 ? task : task % extent;
    task /= std::max<int64_t>(extent, 1);
  }
  run(kernel_.body);
}

void Interpretation::run(const Block& block) {
  kept_.emplace_back();
  for (size_t i = 0; i < block.size(); ++i) {
    known_.clear();
    indirect_indices_.clear();
    if (const auto* store = std::get_if<Store>(&block[i].what))
      read_before(store->buffer, std::span(block).subspan(i));
    std::visit([this](const auto& what) { run(what); }, block[i].what);
  }
  kept_.pop_back();
}

// Elements of a buffer that statements of a block need are read before the first of these
// statements overwrites the buffer.
void Interpretation::read_before(int buffer, std::span<const Statement> statements) {
  const auto [found, is_new] = read_before_.try_emplace(&statements[0]);
  if (is_new) found->second = loads_of(buffer, statements);
  for (const Node* node : found->second) kept_.back().emplace(node, Lanes(value(node)));
}

std::vector<const Node*> Interpretation::loads_of(int buffer,
                                                  std::span<const Statement> statements) const {
  std::vector<Value> roots;
  for (const Statement& s : statements) {
    if (std::holds_alternative<Loop>(s.what)) continue;
    each_value({s}, [&](Value v) { roots.push_back(v); });
  }
  const auto reads = [&](const Node* n) {
    return reads_memory(*n) && n->payload == static_cast<uint64_t>(buffer);
  };
  std::vector<const Node*> out;
  for (const Node* node : nodes_below(roots)) {
    bool needed = reads(node);
    for (size_t p = 0; !needed && node->index.defined() && p < kernel_.indirect_indices.size();
         ++p) {
      if (!sym::contains(node->index, kernel_.indirect_indices[p].symbol)) continue;
      const auto below = nodes_below({kernel_.indirect_indices[p].value});
      needed = std::any_of(below.begin(), below.end(), reads);
    }
    if (needed) out.push_back(node);
  }
  return out;
}

void Interpretation::run(const Declare& d) {
  variables_[static_cast<size_t>(d.variable)] = value(d.value);
  if (vector_.defined()) in_lanes_.insert(d.variable);
}

void Interpretation::run(const Assign& a) {
  std::vector<Lanes> values;
  for (const Value v : a.values) values.push_back(value(v));
  for (size_t i = 0; i < values.size(); ++i) {
    const bool some = vector_.defined() && !in_lanes_.contains(a.variables[i]);
    const int64_t count = some ? count_ : lanes;
    std::copy_n(values[i].begin(), count, variables_[static_cast<size_t>(a.variables[i])].begin());
  }
}

void Interpretation::run(const Store& s) {
  const Lanes& x = value(s.value);
  const int64_t count = varies(s.element) ? count_ : 1;
  const DType dtype = dtype_of(s.buffer);
  const Indices element = at(s.element);
  for (int64_t l = 0; l < count; ++l)
    store(memory(s.buffer), element[static_cast<size_t>(l)], dtype, x[static_cast<size_t>(l)]);
}

void Interpretation::run(const Loop& l) {
  const int64_t begin = scalar(l.begin), end = scalar(l.end);
  if (!l.vector) {
    for (int64_t i = begin; i < end; ++i) {
      scalars_[l.index.node()] = i;
      run(l.body);
    }
    return;
  }
  const Expr before = vector_;
  for (int64_t i = begin; i < end; i += lanes) {
    vector_ = l.index;
    count_ = std::min(lanes, end - i);
    scalars_[l.index.node()] = i;
    run(l.body);
  }
  vector_ = before;
  count_ = lanes;
  in_lanes_.clear();
}

Lanes Interpretation::merged(const Tree& tree, const Lanes& left, const Lanes& right) {
  variables_[static_cast<size_t>(tree.left)] = left;
  variables_[static_cast<size_t>(tree.right)] = right;
  known_.clear();
  return value(tree.merged);
}

Lanes Interpretation::tree_load(const Tree& tree, int64_t element) {
  Lanes out;
  for (int64_t l = 0; l < lanes; ++l)
    out[static_cast<size_t>(l)] = load(memory(tree.row), element + l, dtype_of(tree.row));
  return out;
}

// Same as tree_add of kernels/reduce.h.
void Interpretation::run(const Grow& g) {
  const Tree& tree = kernel_.trees[static_cast<size_t>(g.tree)];
  const int64_t width = scalar(tree.width);
  int64_t element = scalar(g.column);
  Lanes part = value(g.part);
  for (int64_t number = scalar(g.number); number & 1; number >>= 1, element += width)
    part = merged(tree, tree_load(tree, element), part);
  for (int64_t l = 0; l < lanes; ++l)
    store(memory(tree.row), element + l, dtype_of(tree.row), part[static_cast<size_t>(l)]);
}

// Same as tree_total of kernels/reduce.h.
void Interpretation::run(const Total& t) {
  const Tree& tree = kernel_.trees[static_cast<size_t>(t.tree)];
  const int64_t width = scalar(tree.width);
  int64_t element = scalar(t.column), count = scalar(t.count);
  Lanes total = value(tree.none);
  if (count != 0) {
    for (; !(count & 1); count >>= 1) element += width;
    total = tree_load(tree, element);
    while (count >>= 1) {
      element += width;
      if (count & 1) total = merged(tree, tree_load(tree, element), total);
    }
  }
  variables_[static_cast<size_t>(t.variable)] = total;
  if (vector_.defined()) in_lanes_.insert(t.variable);
}

void Interpretation::run(const Turn& t) {
  const DType dtype = dtype_of(t.from);
  const int64_t rows = scalar(t.rows), columns = scalar(t.columns);
  const int64_t from = scalar(t.base), from_row = scalar(t.row_stride);
  const int64_t to = scalar(t.to_base), to_row = scalar(t.to_stride);
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t c = 0; c < columns; ++c)
      store(memory(t.to), to + c * to_row + r, dtype,
            load(memory(t.from), from + r * from_row + c, dtype));
  }
}

// Same as sort_row of kernels/sort.h.
void Interpretation::run(const Sort& s) {
  const DType dtype = dtype_of(s.from);
  const int64_t base = scalar(s.base), count = scalar(s.count);
  std::vector<std::pair<Element, int64_t>> row;
  for (int64_t i = 0, size = scalar(s.size); i < size; ++i)
    row.emplace_back(load(memory(s.from), base + i, dtype), i);
  const auto less = [&](Element a, Element b) {
    if (!is_floating(dtype)) return a.integer < b.integer;
    return std::isnan(b.real) ? !std::isnan(a.real) : a.real < b.real;
  };
  const auto before = [&](const auto& a, const auto& b) {
    if (less(a.first, b.first)) return !s.descending;
    if (less(b.first, a.first)) return s.descending;
    return a.second < b.second;
  };
  std::make_heap(row.begin(), row.end(), before);
  std::sort_heap(row.begin(), row.end(), before);
  const int64_t values = scalar(s.values_base), indices = scalar(s.indices_base);
  const int64_t values_stride = scalar(s.values_stride), indices_stride = scalar(s.indices_stride);
  for (int64_t i = 0; i < count; ++i) {
    const auto& [element, index] = row[static_cast<size_t>(i)];
    if (s.values >= 0) store(memory(s.values), values + i * values_stride, dtype, element);
    if (s.indices >= 0)
      store(memory(s.indices), indices + i * indices_stride, DType::i64, {.integer = index});
  }
}

const Lanes& Interpretation::value(const Node* node) {
  for (size_t block = kept_.size(); block-- > 0;) {
    if (const auto found = kept_[block].find(node); found != kept_[block].end())
      return found->second;
  }
  if (const auto found = known_.find(node); found != known_.end()) return found->second;
  const Lanes made = compute(node);
  return known_[node] = made;
}

Lanes Interpretation::compute(const Node* node) {
  Lanes out{};
  switch (node->fn) {
    case Fn::constant:
    case Fn::number: {
      const uint64_t bits =
          node->fn == Fn::constant ? node->payload : inputs_.numbers[node->payload];
      Element x{.integer = static_cast<int64_t>(bits)};
      if (is_bool(node->dtype)) x.integer = bits != 0;
      out.fill(x);
      return out;
    }
    case Fn::variable:
      return variables_[node->payload];
    case Fn::load:
    case Fn::load_where:
      return loaded(node);
    case Fn::not_negative: {
      const Indices index = at(node->index);
      for (size_t l = 0; l < out.size(); ++l) out[l].integer = index[l] >= 0;
      return out;
    }
    case Fn::index: {
      const Indices index = at(node->index);
      for (size_t l = 0; l < out.size(); ++l) out[l].integer = index[l];
      return out;
    }
    default:
      break;
  }
  std::array<Lanes, 3> x;
  for (size_t i = 0; i < node->operands.size(); ++i) x[i] = value(node->operands[i]);
  const size_t typed = node->fn == Fn::select ? 1 : 0;
  const DType from = node->operands[typed]->dtype;
  for (size_t l = 0; l < out.size(); ++l) {
    switch (node->fn) {
      case Fn::cast:
        out[l] = converted(x[0][l], from, node->dtype);
        break;
      case Fn::rotate:
        out[l] = x[0][(l + node->payload) % lanes];
        break;
      case Fn::first_lane:
        out[l] = x[0][0];
        break;
      case Fn::not_zero:
        out[l] = x[0][l];
        if (static_cast<int64_t>(l) < count_ && x[0][l].integer == 0)
          inputs_.fail(static_cast<int>(node->payload), 0, 0);
        break;
      default: {
        const std::array<Element, 3> operands{x[0][l], x[1][l], x[2][l]};
        out[l] = apply(node->fn, from, operands.data());
      }
    }
  }
  return out;
}

// Lanes that do not exist, or that the condition excludes, are 0.
Lanes Interpretation::loaded(const Node* node) {
  Lanes out{};
  const auto buffer = static_cast<int>(node->payload);
  const std::byte* from = memory(buffer);
  const DType dtype = dtype_of(buffer);
  if (node->fn == Fn::load_where) {
    const Lanes wanted = value(node->operands[0]);
    const Indices element = at(node->index);
    for (size_t l = 0; l < out.size(); ++l) {
      if (wanted[l].integer && (static_cast<int64_t>(l) < count_ || !varies(node->index)))
        out[l] = load(from, element[l], dtype);
    }
    return out;
  }
  if (!varies(node->index)) {
    out.fill(load(from, scalar(node->index), dtype));
    return out;
  }
  const Indices element = at(node->index);
  for (size_t l = 0; static_cast<int64_t>(l) < count_; ++l) out[l] = load(from, element[l], dtype);
  return out;
}

const IndirectIndex* Interpretation::indirect_index_of(Expr symbol, size_t* number) const {
  for (size_t p = 0; p < kernel_.indirect_indices.size(); ++p) {
    if (kernel_.indirect_indices[p].symbol == symbol)
      return *number = p, &kernel_.indirect_indices[p];
  }
  return nullptr;
}

const Indices& Interpretation::indirect_values(size_t which) {
  if (const auto found = indirect_indices_.find(which); found != indirect_indices_.end())
    return found->second;
  const IndirectIndex& p = kernel_.indirect_indices[which];
  const Lanes x = value(p.value);
  const Indices bound = at(p.bound);
  Indices out{};
  for (size_t l = 0; static_cast<int64_t>(l) < count_; ++l) {
    out[l] = x[l].integer;
    if (out[l] >= 0 && out[l] < bound[l]) continue;
    inputs_.fail(p.check, out[l], bound[l]);
    out[l] = 0;
  }
  return indirect_indices_[which] = out;
}

int64_t Interpretation::at(Expr e, int64_t lane) {
  return sym::evaluate(e, [&](Expr symbol) {
    size_t which = 0;
    if (indirect_index_of(symbol, &which)) return indirect_values(which)[static_cast<size_t>(lane)];
    const int64_t first = scalars_.at(symbol.node());
    return vector_.defined() && symbol == vector_ ? first + lane : first;
  });
}

Indices Interpretation::at(Expr e) {
  Indices out;
  const bool differ = varies(e);
  for (size_t l = 0; l < out.size(); ++l)
    out[l] = l == 0 || differ ? at(e, static_cast<int64_t>(l)) : out[0];
  return out;
}

// Whether lanes may differ in it.
bool Interpretation::varies(Expr e) {
  if (!vector_.defined()) return false;
  const auto [found, is_new] = varies_.try_emplace({e.node(), vector_.node()}, false);
  if (is_new) found->second = find_out_whether_varies(e);
  return found->second;
}

bool Interpretation::find_out_whether_varies(Expr e) {
  const std::vector<Expr> symbols = sym::symbols_of(e);
  return std::any_of(symbols.begin(), symbols.end(), [&](Expr symbol) {
    if (symbol == vector_) return true;
    size_t which = 0;
    if (!indirect_index_of(symbol, &which)) return false;
    const auto below = nodes_below({kernel_.indirect_indices[which].value});
    return std::any_of(below.begin(), below.end(), [&](const Node* node) {
      const bool of_lane =
          node->fn == Fn::variable && in_lanes_.contains(static_cast<int>(node->payload));
      return of_lane || (node->index.defined() && varies(node->index));
    });
  });
}

std::byte* Interpretation::memory(int buffer) {
  if (buffer >= Kernel::first_row)
    return rows_[static_cast<size_t>(buffer - Kernel::first_row)].data();
  return static_cast<std::byte*>(inputs_.buffers[static_cast<size_t>(buffer)]);
}

DType Interpretation::dtype_of(int buffer) const {
  return buffer >= Kernel::first_row
             ? kernel_.rows[static_cast<size_t>(buffer - Kernel::first_row)].dtype
             : kernel_.buffers[static_cast<size_t>(buffer)].dtype;
}

}  // namespace

std::string why_not_interpreted(const Kernel& kernel) {
  if (kernel.lanes != lanes) return cat("loops of ", kernel.lanes, " lanes are not interpreted");
  for (const Statement& s : kernel.body) {
    if (std::holds_alternative<Product>(s.what) || std::holds_alternative<Bands>(s.what) ||
        std::holds_alternative<Pack>(s.what))
      return "a matrix product is not interpreted";
  }
  return {};
}

void interpret(const Kernel& kernel, const KernelInputs& inputs, int64_t begin, int64_t end) {
  Interpretation interpretation(kernel, inputs);
  for (int64_t task = begin; task < end; ++task) interpretation.run_task(task);
}

}  // namespace vitro::loop
