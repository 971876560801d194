// Writes loops and statements as C++: names values that are used more than once and hoists them out
// of loops in which they do not change.  emitter_value.cpp writes single values.
#include "backend/codegen/emitter.h"

#include <algorithm>
#include <set>

#include "backend/codegen/index_text.h"
#include "backend/codegen/value_text.h"
#include "backend/schedule/code.h"
#include "vitro/base/error.h"

namespace vitro::backend {

using loop::Fn;
using sym::Expr;

namespace {

// What a loop changes: its index, those of nested loops, and the variables and buffers written.
struct Changing {
  std::unordered_set<const sym::Node*> indices;
  std::unordered_set<uint64_t> variables, buffers;
};

void collect(const loop::Block& body, Changing& out) {
  for (const loop::Statement& s : body) {
    if (const auto* d = std::get_if<loop::Declare>(&s.what)) {
      out.variables.insert(static_cast<uint64_t>(d->variable));
    } else if (const auto* a = std::get_if<loop::Assign>(&s.what)) {
      for (const int v : a->variables) out.variables.insert(static_cast<uint64_t>(v));
    } else if (const auto* t = std::get_if<loop::Total>(&s.what)) {
      out.variables.insert(static_cast<uint64_t>(t->variable));
    } else if (const auto* store = std::get_if<loop::Store>(&s.what)) {
      out.buffers.insert(static_cast<uint64_t>(store->buffer));
    } else if (const auto* sort = std::get_if<loop::Sort>(&s.what)) {
      out.buffers.insert(static_cast<uint64_t>(sort->values));
      out.buffers.insert(static_cast<uint64_t>(sort->indices));
    } else if (const auto* l = std::get_if<loop::Loop>(&s.what)) {
      out.indices.insert(l->index.node());
      collect(l->body, out);
    }
  }
}

// Whether the body reduces elements and has no matrix products.
bool reduces(const loop::Block& body) {
  bool found = false;
  for (const loop::Statement& s : body) {
    if (const auto* l = std::get_if<loop::Loop>(&s.what)) {
      if (!reduces(l->body)) return false;
      found = true;
    }
    found = found || std::holds_alternative<loop::Assign>(s.what);
    if (std::holds_alternative<loop::Multiply>(s.what)) return false;
  }
  return found;
}

bool reduces_quickly(const loop::Block& body) {
  return std::all_of(body.begin(), body.end(), [](const loop::Statement& s) {
    const auto* assign = std::get_if<loop::Assign>(&s.what);
    return assign && std::all_of(assign->values.begin(), assign->values.end(), [](loop::Value v) {
             return is_worth_unrolling(loop::cost_of(v));
           });
  });
}

// Whether the loop only stores values that are cheap to compute, row by row.
bool stores_rows_quickly(const loop::Loop& l, const loop::Kernel& kernel) {
  const bool has_rows = kernel.tasks.size() > (l.begin.is(0) ? 0 : 1);
  if (!has_rows || !has_rest_apart(sym::extent_of(l.index).constant())) return false;
  return std::all_of(l.body.begin(), l.body.end(), [](const loop::Statement& s) {
    const auto* store = std::get_if<loop::Store>(&s.what);
    return store && stores_quickly(loop::cost_of(store->value));
  });
}

// Whether a condition depends on indices only; conditional loads then use its expressions directly.
bool is_bound(const loop::Node* node) {
  if (node->fn == Fn::not_negative) return true;
  return node->fn == Fn::and_ && is_bound(node->operands[0]) && is_bound(node->operands[1]);
}

// Whether a statement iterates over the range of tasks itself.
bool takes_range(const loop::Block& body) {
  return std::any_of(body.begin(), body.end(), [](const loop::Statement& s) {
    return std::holds_alternative<loop::Product>(s.what) ||
           std::holds_alternative<loop::Bands>(s.what) ||
           std::holds_alternative<loop::Pack>(s.what);
  });
}

bool contains_any(Expr e, const Changing& changing) {
  for (const Expr s : sym::symbols_of(e)) {
    if (changing.indices.contains(s.node())) return true;
  }
  return false;
}

}  // namespace

Emitter::Emitter(const loop::Kernel& kernel, std::span<const Expr> symbols, Naming naming)
    : kernel_(kernel), symbols_(symbols), naming_(naming) {
  std::vector<Value> roots;
  loop::each_value(kernel.body, [&](Value v) { roots.push_back(v); });
  for (const loop::IndirectIndex& indirect : kernel.indirect_indices)
    roots.push_back(indirect.value);
  for (const Value v : roots) ++uses_[v.node()];
  for (const Node* node : loop::nodes_below(roots)) {
    for (const Node* operand : node->operands) ++uses_[operand];
  }
}

std::string Emitter::run() {
  push_scope();
  out_.open("extern \"C\" void ", kernel_name, "(const KernelArgs* args, i64 begin, i64 end) {");
  declare_parameters();
  open_tasks();
  block(kernel_.body);
  close_tasks();
  for (const std::string& streams : streams_) {
    if (!streams.empty()) out_.line("end_streams(", streams, ");");
  }
  out_.close();
  return out_.take();
}

// A buffer may have the name of an index, as inputs of a user's program are called k and row.
void Emitter::reserve_indices() {
  std::unordered_set<const sym::Node*> seen;
  std::unordered_set<std::string_view> names;
  loop::each_index(kernel_, [&](Expr e) {
    if (!e.defined() || !seen.insert(e.node()).second) return;
    for (const Expr s : sym::symbols_of(e)) {
      if (sym::kind_of(s) == sym::Kind::index && names.insert(sym::name_of(s)).second)
        names_.take(sym::name_of(s));
    }
  });
}

void Emitter::declare_parameters() {
  for (const Expr s : symbols_) names_.take(sym::name_of(s));
  for (const Expr task : kernel_.tasks) names_.take(sym::name_of(task));
  reserve_indices();
  for (size_t i = 0; i < kernel_.buffers.size(); ++i) {
    const loop::Buffer& b = kernel_.buffers[i];
    buffers_.push_back(named(short_name(b.name) + (b.written ? "_out" : "")));
    const std::string type = cat(b.written ? "" : "const ", type_text(b.dtype), "*");
    out_.line(type, " ", buffers_.back(), " = (", type, ")args->buffers[", i, "];");
    streams_.push_back(b.streams ? named("streams") : "");
    if (b.streams) out_.line("const bool ", streams_.back(), " = args->streams >> ", i, " & 1;");
  }
  declare_sizes();
  for (size_t i = 0; i < kernel_.numbers.size(); ++i) {
    const loop::Number& n = kernel_.numbers[i];
    numbers_.push_back(named(short_name(n.name)));
    const std::string_view type = type_text(n.dtype);
    if (is_bool(n.dtype)) {
      out_.line("const bool ", numbers_.back(), " = args->numbers[", i, "] != 0;");
    } else {
      out_.line("const ", type, " ", numbers_.back(), " = __builtin_bit_cast(", type,
                ", args->numbers[", i, "]);");
    }
  }
  declare_rows();
  declare_trees();
}

void Emitter::declare_rows() {
  Expr offset = 0;
  for (const loop::Row& row : kernel_.rows) {
    rows_.push_back(named(row.name));
    const std::string_view type = type_text(row.dtype);
    if (row.is_local()) {
      out_.line(
          "alignas(64) ", type, " ", rows_.back(), "[",
          scalar_text(sym::floordiv(row.size + (kernel_.lanes - 1), kernel_.lanes) * kernel_.lanes),
          "];");
      continue;
    }
    out_.line(type, "* const ", rows_.back(), " = (", type, "*)(args->scratch + ",
              scalar_text(offset), ");");
    offset = offset + row.bytes();
  }
}

void Emitter::declare_sizes() {
  std::set<std::string_view> used;
  loop::each_index(kernel_, [&](Expr e) {
    if (!e.defined()) return;
    for (const Expr s : sym::symbols_of(e)) {
      if (sym::kind_of(s) == sym::Kind::symbol) used.insert(sym::name_of(s));
    }
  });
  for (size_t i = 0; i < symbols_.size(); ++i) {
    if (!used.contains(sym::name_of(symbols_[i]))) continue;
    out_.line("const i64 ", sym::name_of(symbols_[i]), " = args->sizes[", i, "];");
  }
}

void Emitter::open_tasks() {
  const auto& tasks = kernel_.tasks;
  if (takes_range(kernel_.body)) return out_.open("{");
  if (tasks.size() == 1) {
    const auto name = sym::name_of(tasks[0]);
    out_.open("for (i64 ", name, " = begin; ", name, " < end; ++", name, ") {");
    return;
  }
  // Divisions cost as much as a short row, so only the first task's indices are divided;
  // close_tasks() increments them.
  out_.line("if (begin >= end) return;");
  Expr below = 1;
  for (size_t i = tasks.size(); i-- > 0;) {
    std::string text = "begin";
    if (!below.is(1)) text += " / (" + scalar_text(below) + ")";
    if (i != 0) text = "(" + text + ") % (" + scalar_text(sym::extent_of(tasks[i])) + ")";
    out_.line("i64 ", sym::name_of(tasks[i]), " = ", text, ";");
    below = below * sym::extent_of(tasks[i]);
  }
  out_.open("for (i64 task = begin; task < end; ++task) {");
}

void Emitter::close_tasks() {
  const auto& tasks = kernel_.tasks;
  if (tasks.size() > 1 && !takes_range(kernel_.body)) {
    for (size_t i = tasks.size() - 1; i > 0; --i) {
      const auto name = sym::name_of(tasks[i]);
      out_.line("if (++", name, " < ", scalar_text(sym::extent_of(tasks[i])), ") continue;");
      out_.line(name, " = 0;");
    }
    out_.line("++", sym::name_of(tasks[0]), ";");
  }
  out_.close();
}

void Emitter::block(const loop::Block& statements) {
  for (size_t i = 0; i < statements.size(); ++i) {
    if (const auto* store = std::get_if<loop::Store>(&statements[i].what)) {
      read_before(store->buffer, std::span(statements).subspan(i));
    }
    std::visit([this](const auto& what) { write(what); }, statements[i].what);
  }
}

// Loads the elements of a buffer that `statements` need before the first of them overwrites it.
void Emitter::read_before(int buffer, std::span<const loop::Statement> statements) {
  std::vector<Value> roots;
  for (const loop::Statement& s : statements) {
    if (const auto* store = std::get_if<loop::Store>(&s.what)) {
      roots.push_back(store->value);
    } else if (const auto* assign = std::get_if<loop::Assign>(&s.what)) {
      roots.insert(roots.end(), assign->values.begin(), assign->values.end());
    } else if (const auto* declare = std::get_if<loop::Declare>(&s.what)) {
      roots.push_back(declare->value);
    } else if (const auto* grow = std::get_if<loop::Grow>(&s.what)) {
      roots.push_back(grow->part);
    }
  }
  const auto reads = [&](const Node* n) {
    return reads_memory(*n) && n->payload == static_cast<uint64_t>(buffer);
  };
  for (const Node* node : loop::nodes_below(roots)) {
    if (reads(node) && !lets_.contains(node)) let(node);
    if (!node->index.defined()) continue;
    for (const loop::IndirectIndex& indirect : kernel_.indirect_indices) {
      const auto below = loop::nodes_below({indirect.value});
      const bool hit = std::any_of(below.begin(), below.end(), reads);
      if (hit && sym::contains(node->index, indirect.symbol)) need_indirect(indirect.symbol);
    }
  }
}

void Emitter::pop_scope() {
  for (const Node* node : scopes_.back().lets) lets_.erase(node);
  for (const size_t indirect : scopes_.back().indirect_indices) {
    known_indirect_.erase(kernel_.indirect_indices[indirect].symbol.node());
    varying_indirect_.erase(kernel_.indirect_indices[indirect].symbol.node());
  }
  scopes_.pop_back();
}

void Emitter::write(const loop::Declare& d) {
  const std::string text = value(d.value);
  const std::string name = named(d.name.empty() ? "v" : d.name);
  out_.line(d.changes ? "" : "const ", vector_type_text(d.value.dtype()), " ", name, " = ", text,
            ";");
  variables_[d.variable] = name;
  if (lanes_.index.defined()) declared_in_lanes_.insert(d.variable);
}

void Emitter::write(const loop::Assign& a) {
  std::vector<std::string> texts;
  for (size_t i = 0; i < a.values.size(); ++i) {
    std::string text = value(a.values[i]);
    const bool outside = !declared_in_lanes_.contains(a.variables[i]);
    if (lanes_.index.defined() && !lanes_.count.empty() && outside) {
      text = cat("select(first_lanes(", lanes_.count, "), ", text, ", ",
                 variables_.at(a.variables[i]), ")");
    }
    texts.push_back(std::move(text));
  }
  for (size_t i = 0; i + 1 < a.values.size(); ++i) {
    const std::string next = names_.take("next");
    out_.line("const ", vector_type_text(a.values[i].dtype()), " ", next, " = ", texts[i], ";");
    texts[i] = next;
  }
  for (size_t i = a.values.size(); i-- > 0;) {
    out_.line(variables_.at(a.variables[i]), " = ", texts[i], ";");
  }
  forget(a.variables);
}

// Drops the names of values that depend on variables which were just assigned.
void Emitter::forget(const std::vector<int>& variables) {
  std::vector<const Node*> stale;
  for (const auto& [node, name] : lets_) {
    for (const Node* below : loop::nodes_below({Value(node)})) {
      if (below->fn != Fn::variable) continue;
      const auto which = static_cast<int>(below->payload);
      if (std::find(variables.begin(), variables.end(), which) != variables.end()) {
        stale.push_back(node);
        break;
      }
    }
  }
  for (const Node* node : stale) lets_.erase(node);
}

// The name of the flag that says whether the buffer is streamed; empty: never.
std::string_view Emitter::streams_of(int buffer) const {
  if (buffer >= loop::Kernel::first_row) return {};
  return streams_[static_cast<size_t>(buffer)];
}

void Emitter::write(const loop::Store& s) {
  const std::string text = text_of(s.value.node(), true);
  need_indirect(s.element);
  const std::string& to = buffer_name(s.buffer);
  const LaneAccess access = lane_access_of(s.element);
  switch (access.kind) {
    case LaneAccess::uniform: {
      out_.line(to, "[", scalar_text(s.element), "] = lane0(", text, ");");
      return;
    }
    case LaneAccess::contiguous: {
      const std::string_view streams = streams_of(s.buffer);
      const std::string call = streams.empty() ? "store(" : cat("store_or_stream(", streams, ", ");
      out_.line(call, with_count(cat(to, " + ", scalar_text(s.element), ", ", value(s.value))),
                ");");
      return;
    }
    case LaneAccess::strided: {
      out_.line("store_strided(",
                with_count(cat(to, " + ", scalar_text(s.element), ", ", scalar_text(access.stride),
                               ", ", value(s.value))),
                ");");
      return;
    }
    case LaneAccess::scattered: {
      const std::string at = vector_text(s.element, [this](Expr e) { return lanes_text(e); });
      out_.line("scatter(", with_count(cat(to, ", ", at, ", ", value(s.value))), ");");
      return;
    }
  }
}

std::vector<size_t> Emitter::open_indirect(const loop::Block& body) const {
  std::unordered_set<const sym::Node*> used;
  const auto use = [&](Expr e) {
    if (!e.defined()) return;
    for (const Expr s : sym::symbols_of(e)) used.insert(s.node());
  };
  loop::each_index(body, use);
  std::vector<size_t> open;
  for (size_t p = kernel_.indirect_indices.size();
       p-- > 0;) {  // an indirect index depends on earlier ones only
    const loop::IndirectIndex& indirect = kernel_.indirect_indices[p];
    if (!used.contains(indirect.symbol.node()) || known_indirect_.contains(indirect.symbol.node()))
      continue;
    open.push_back(p);
    use(indirect.bound);
    for (const Node* node : loop::nodes_below({indirect.value})) use(node->index);
  }
  std::reverse(open.begin(), open.end());
  return open;
}

void Emitter::hoist(const loop::Block& body, const std::vector<Expr>& indices, int variable) {
  Changing changing;
  if (variable >= 0) changing.variables.insert(static_cast<uint64_t>(variable));
  for (const Expr index : indices) changing.indices.insert(index.node());
  collect(body, changing);
  std::vector<Value> roots;
  loop::each_value(body, [&](Value v) { roots.push_back(v); });
  std::unordered_set<const Node*> inside;
  // Checks are not hoisted out of a loop that may have no iterations.
  const bool may_be_empty = std::ranges::any_of(
      indices, [](Expr index) { return sym::range_of(sym::extent_of(index)).low < 1; });
  const std::vector<size_t> open = open_indirect(body);
  for (const size_t p : open) {
    const loop::IndirectIndex& indirect = kernel_.indirect_indices[p];
    if (may_be_empty) changing.indices.insert(indirect.symbol.node());
    roots.push_back(indirect.value);
    for (const Node* node : loop::nodes_below({indirect.value})) {
      const bool changes =
          (node->fn == Fn::variable && changing.variables.contains(node->payload)) ||
          (node->index.defined() && contains_any(node->index, changing));
      if (changes) changing.indices.insert(indirect.symbol.node());
    }
  }
  const std::vector<const Node*> all = loop::nodes_below(roots);
  for (const Node* node : all) {
    bool changes = (node->fn == Fn::variable && changing.variables.contains(node->payload)) ||
                   (reads_memory(*node) && changing.buffers.contains(node->payload)) ||
                   (node->index.defined() && contains_any(node->index, changing)) ||
                   (may_be_empty && node->fn == Fn::not_zero);
    for (const Node* operand : node->operands) changes = changes || inside.contains(operand);
    if (changes) inside.insert(node);
  }
  const auto keep = [&](const Node* node) {
    if (is_bound(node) || inside.contains(node) || lets_.contains(node)) return;
    if (info(node->fn).cost == 0) return;
    let(node);
  };
  for (const Node* node : all) {
    if (!inside.contains(node)) continue;
    for (const Node* operand : node->operands) keep(operand);
    if (node->index.defined()) {
      for (const size_t p : open) {
        const Expr symbol = kernel_.indirect_indices[p].symbol;
        const bool stays = !changing.indices.contains(symbol.node());
        if (stays && sym::contains(node->index, symbol)) need_indirect(symbol);
      }
    }
  }
  loop::each_value(body, [&](Value v) { keep(v.node()); });
}

void Emitter::write(const loop::Loop& l) {
  hoist(l.body, {l.index});
  const auto name = sym::name_of(l.index);
  names_.take(name);
  const auto is_full = [this](Expr count) {
    return count.constant() && *count.constant() % kernel_.lanes == 0;
  };
  const bool full = is_full(sym::extent_of(l.index)) || is_full(l.end - l.begin);
  if (const auto inside = inside_of(l)) return write_with_inside(l, *inside);
  if (l.vector && !full && (reduces(l.body) || gathers(l) || stores_rows_quickly(l, kernel_))) {
    return write_with_rest(l);
  }
  out_.open("for (i64 ", name, " = ", scalar_text(l.begin), "; ", name, " < ", scalar_text(l.end),
            "; ", l.vector ? cat(name, " += ", kernel_.lanes) : cat("++", name), ") {");
  if (l.vector && !full) out_.line("const i64 count = ", scalar_text(l.end), " - ", name, ";");
  turn(l, full ? "" : "count");
  out_.close();
}

// Whether the lanes gather through indirect indices, often enough for a separate remainder.
bool Emitter::gathers(const loop::Loop& l) const {
  if (!gathers_have_rest_apart(sym::extent_of(l.index).constant())) return false;
  return std::ranges::any_of(open_indirect(l.body), [&](size_t p) {
    return std::ranges::any_of(
        loop::nodes_below({kernel_.indirect_indices[p].value}), [&](const Node* node) {
          return node->index.defined() && sym::contains(node->index, l.index);
        });
  });
}

// Writes the remainder as a separate iteration, so that the main loop needs no masks in reductions
// and stores.
void Emitter::write_with_rest(const loop::Loop& l) {
  const auto name = sym::name_of(l.index);
  const std::string end = names_.take(cat(name, "_end"));
  out_.open("{");
  out_.line("const i64 ", end, " = ", scalar_text(l.end), ";");
  out_.line("i64 ", name, " = ", scalar_text(l.begin), ";");
  if (reduces_quickly(l.body)) {
    out_.line("#pragma clang loop unroll_count(", unrolled_turns, ")");
  }
  out_.open("for (; ", name, " + ", kernel_.lanes, " <= ", end, "; ", name, " += ", kernel_.lanes,
            ") {");
  turn(l, "");
  out_.close();
  out_.open("if (", name, " < ", end, ") {");
  out_.line("const i64 count = ", end, " - ", name, ";");
  turn(l, "count");
  out_.close();
  out_.close();
}

// Writes iterations that reach no border as a separate loop, which loads and stores full vectors
// without conditions.
void Emitter::write_with_inside(const loop::Loop& l, const Between& inside) {
  const auto name = sym::name_of(l.index);
  const std::string end = names_.take(cat(name, "_end")),
                    first_inside = names_.take(cat(name, "_inside")),
                    end_inside = names_.take(cat(name, "_inside_end"));
  out_.open("{");
  out_.line("const i64 ", end, " = ", scalar_text(l.end), ";");
  if (inside.first.defined())
    out_.line("const i64 ", first_inside, " = ", scalar_text(inside.first), ";");
  std::string last = end;
  if (inside.end.defined()) last = cat("min(", end, ", ", scalar_text(inside.end), ")");
  if (!inside.everywhere.empty()) last = cat(inside.everywhere_text(), " ? ", last, " : 0");
  out_.line("const i64 ", end_inside, " = ", last, ";");
  out_.open("for (i64 ", name, " = ", scalar_text(l.begin), "; ", name, " < ", end, ";) {");
  if (inside.first.defined()) out_.line("if (", name, " >= ", first_inside, ")");
  out_.open("for (; ", name, " + ", kernel_.lanes, " <= ", end_inside, "; ", name,
            " += ", kernel_.lanes, ") {");
  inside_ = true;
  turn(l, "");
  inside_ = false;
  out_.close();
  out_.line("if (", name, " >= ", end, ") break;");
  out_.line("const i64 count = ", end, " - ", name, ";");
  turn(l, "count");
  out_.line(name, " += ", kernel_.lanes, ";");
  out_.close();
  out_.close();
}

void Emitter::turn(const loop::Loop& l, std::string_view count) {
  const Lanes before = lanes_;
  push_scope();
  if (l.vector) lanes_ = {l.index, std::string(count)};
  block(l.body);
  if (l.vector) declared_in_lanes_.clear();
  lanes_ = before;
  pop_scope();
}

void Emitter::write(const loop::Turn& t) {
  const auto at = [this](int buffer, Expr base) {
    return base.is(0) ? buffer_name(buffer) : cat(buffer_name(buffer), " + ", scalar_text(base));
  };
  out_.line("transpose_block(", at(t.from, t.base), ", ", scalar_text(t.row_stride), ", ",
            at(t.to, t.to_base), ", ", scalar_text(t.to_stride), ", ", scalar_text(t.rows), ", ",
            scalar_text(t.columns), ");");
}

void Emitter::write(const loop::Sort& s) {
  const auto at = [this](int buffer, Expr base) {
    return base.is(0) ? buffer_name(buffer) : cat(buffer_name(buffer), " + ", scalar_text(base));
  };
  const std::string type(type_text(buffer_dtype(s.from)));
  const std::string values =
      s.values < 0 ? cat('(', type, "*)nullptr") : at(s.values, s.values_base);
  const std::string indices = s.indices < 0 ? "nullptr" : at(s.indices, s.indices_base);
  out_.line("sort_row<", type, ">(", at(s.from, s.base), ", ", scalar_text(s.size), ", ",
            scalar_text(s.count), ", ", s.descending ? "true" : "false", ", ", values, ", ",
            scalar_text(s.values_stride), ", ", indices, ", ", scalar_text(s.indices_stride), ", ",
            buffer_name(s.scratch), ");");
}

std::string kernel_text(const loop::Kernel& kernel, std::span<const Expr> symbols, Naming naming) {
  return Emitter(kernel, symbols, naming).run();
}

}  // namespace vitro::backend
