// A path of calls that read and write memory becomes a graph of values.
//
//   y = slice(x, 0, 0, 2)        a view: looked up when it is read, in the value of its memory then
//   add_(y, 1)                   value of y = add(slice(x), 1);  value of x = slice_scatter(x,
//   that) z = exp(x)                   exp(the new value of x)
//
// Each memory (a root: a tensor from outside, or the result of an op) has one value at a time, and
// a version that counts its writes; a view's value holds for the version it was read at.
#include <algorithm>
#include <optional>

#include "capture/aliases.h"
#include "capture/codes.h"
#include "capture/held.h"
#include "capture/segment_variant.h"
#include "capture/slot_table.h"
#include "graph/metas.h"
#include "graph/order.h"
#include "vitro/base/cat.h"
#include "vitro/ops/all.h"

namespace vitro::capture {
namespace {

using graph::Arg;
using graph::Graph;
using graph::InputKind;
using graph::Value;

// What was refused, on its way out of the planner.
struct Refused {
  const Code* code;
  std::string why;
};

// The scatter that puts a view's elements back, or null.
const OpDef* scatter_of(const OpDef& view) {
  for (const OpDef* op : ops::all()) {
    if (op->scatter && op->scatter->view == view.view && op->attrs == view.attrs) return op;
  }
  return nullptr;
}

std::vector<sym::Guard> guards_of(const TraceNode& last) {
  std::vector<sym::Guard> out = start_of(last).guards;
  for (const TraceNode* traced : path_to(last))
    out.insert(out.end(), traced->guards.begin(), traced->guards.end());
  return out;
}

bool shows_nothing(const TensorMeta& view) {
  return std::any_of(view.sizes.begin(), view.sizes.end(), [](Size s) { return s.expr().is(0); });
}

bool has_symbols(const TensorMeta& window) {
  const auto symbolic = [](Size s) { return s.is_symbolic(); };
  return std::ranges::any_of(window.sizes, symbolic) ||
         std::ranges::any_of(window.strides, symbolic);
}

bool is_sized_by_data(const TensorMeta& meta) {
  const auto by_data = [](Size s) { return s.is_symbolic() && sym::is_data(s.expr()); };
  return std::ranges::any_of(meta.sizes, by_data) || std::ranges::any_of(meta.strides, by_data) ||
         by_data(meta.offset);
}

// Whether no element of the memory stands in the view twice, whatever the sizes of a call.
bool shows_each_once(const TensorMeta& view) {
  std::vector<std::pair<int64_t, int64_t>> dims;  // stride, size
  for (size_t d = 0; d < view.sizes.size(); ++d) {
    const auto size = view.sizes[d].expr().constant(), stride = view.strides[d].expr().constant();
    if (size && *size == 1) continue;
    if (!size || !stride) return false;
    dims.emplace_back(*stride, *size);
  }
  std::ranges::sort(dims);
  int64_t reach = 0;
  for (const auto& [stride, size] : dims) {
    if (stride <= reach) return false;
    reach += (size - 1) * stride;
  }
  return true;
}

class Planner {
 public:
  Planner(const TraceNode& last, const std::vector<uint64_t>& live, Plan* plan)
      : path_(path_to(last)),
        table_(last, path_),
        aliases_(table_, written_by(path_, table_)),
        live_(live),
        plan_(*plan),
        memory_(table_.size() + aliases_.bases().size()),
        seen_(table_.size()),
        input_of_(memory_.size(), -1),
        numbers_(last.numbers_after),
        held_(guards_of(last)) {
    for (const TraceNode* traced : path_) {
      if (traced->data_size.defined()) bounds_.add(traced->data_size, held_(traced->data_bound));
    }
  }

  void run() {
    if (!aliases_.trouble().empty()) throw Refused{&shared_memory_written, aliases_.trouble()};
    for (const TraceNode* traced : path_) {
      place_ = traced->place;
      if (traced->in_place) {
        write_in_place(*traced);
      } else if (traced->op->kind != OpKind::view) {
        add_results(*traced);
      }
    }
    add_outputs();
    prune();
  }

 private:
  struct Memory {
    std::optional<Value> value;
    uint32_t version = 0;
  };
  struct Seen {
    std::optional<Value> value;
    uint32_t version = 0;
  };

  // The memory that a tensor looks at: a slot, or after these a base.
  uint32_t root(uint32_t slot) const {
    const uint32_t root = aliases_.same(table_.root(slot));
    const int base = aliases_.base(root);
    return base < 0 ? root : table_.size() + static_cast<uint32_t>(base);
  }
  bool is_base(uint32_t memory) const { return memory >= table_.size(); }
  // Nodes of one path may have been recorded by calls of other sizes, and before guards held their
  // symbols to something; this call's numbers count, and what the whole path knows.
  Size now(Size s) const {
    if (!s.is_symbolic()) return s;
    return {value_of(s.expr()), held_(s.expr())};
  }
  TensorMeta now(TensorMeta meta) const {
    const SizeMap known = [this](Size s) { return now(s); };
    attribute::map_sizes(meta.sizes, known);
    attribute::map_sizes(meta.strides, known);
    meta.offset = now(meta.offset);
    return meta;
  }
  // A recorded call.  Its shape rule chose among sizes that it asked to be equal; where the path
  // knows more of them than it did, it chooses again.
  graph::NodeId add_recorded(graph::Node node, const std::vector<TensorMeta>& results) {
    if (!held_.empty() && !node.op->compaction) return add(std::move(node)).node;
    node.results = results;
    graph::map_sizes(node, [this](Size s) { return now(s); });
    return graph_.add(std::move(node));
  }

  bool is_live(uint32_t slot) const { return (live_[slot / 64] >> (slot % 64) & 1) != 0; }

  // ---- tensors from outside that share memory
  static std::vector<bool> written_by(const std::vector<const TraceNode*>& path,
                                      const SlotTable& table) {
    std::vector<bool> written(table.size(), false);
    for (const TraceNode* traced : path) {
      if (traced->in_place) written[table.root(traced->operands[0].slot)] = true;
    }
    return written;
  }

  // Attributes of the window that a tensor whose memory is a base, or a view of one, is of it.
  Attrs window(uint32_t slot) const {
    const TensorMeta meta = now(*table_[slot].meta);
    const int64_t begin = aliases_.offset(aliases_.same(table_.root(slot)));
    const ops::AsStridedAttrs attrs{meta.sizes, meta.strides, meta.offset + begin};
    return Attrs(ops::view_of<ops::AsStrided>(attrs));
  }

  // ---- reading
  Value read(uint32_t slot) {
    Memory& memory = memory_[root(slot)];
    Seen& seen = seen_[slot];
    if (seen.value && seen.version == memory.version) return *seen.value;
    const SlotTable::Entry& e = table_[slot];
    const Value value = is_base(root(slot))   ? window_of(slot)
                        : e.parent != no_slot ? view_of(e)
                                              : whole(root(slot));
    seen = {value, memory.version};
    return value;
  }

  Value whole(uint32_t root) {
    if (!memory_[root].value) memory_[root].value = add_input(root);
    return *memory_[root].value;
  }

  Value window_of(uint32_t slot) {
    return add(ops::def<ops::AsStrided>(), {whole(root(slot))}, window(slot));
  }

  Value view_of(const SlotTable::Entry& e) {
    const Value of = read(e.parent);
    graph::Node node;
    node.op = e.made_by->op;
    node.args = {of};
    node.attrs = e.made_by->attrs_owned;
    node.place = e.made_by->place;
    if (!graph::fits(graph_.meta(of), now(*table_[e.parent].meta))) return add(std::move(node));
    return {add_recorded(std::move(node), e.made_by->results_owned), 0};
  }

  Value add_base(uint32_t memory) {
    const Aliases::Base& base = aliases_.bases()[memory - table_.size()];
    input_of_[memory] = static_cast<int>(inputs_.size());
    inputs_.push_back({base.first, no_slot, base.elements});
    const TensorMeta meta{
        base.dtype, table_[base.first].input->meta.device, {base.elements}, {1}, 0};
    return {graph_.add_input("base", now(meta), InputKind::argument), 0};
  }

  Value add_input(uint32_t slot) {
    if (is_base(slot)) return add_base(slot);
    const ExternalInput& input = *table_[slot].input;
    const bool argument = slot < start_of(*path_.front()).slots_after;
    const std::string name = input.is_parameter ? "param" : argument ? cat("arg", slot) : "tensor";
    input_of_[slot] = static_cast<int>(inputs_.size());
    inputs_.push_back({slot, no_slot});
    return {graph_.add_input(name, now(input.meta),
                             input.is_parameter ? InputKind::parameter : InputKind::argument),
            0};
  }

  Value number(const NodeOperand& operand) {
    std::optional<Value>& known = numbers_[operand.slot];
    if (known) return *known;
    inputs_.push_back({no_slot, operand.slot});
    TensorMeta meta;
    meta.dtype = operand.number.dtype();
    known = Value{graph_.add_input("number", meta, InputKind::number, place_), 0};
    return *known;
  }

  std::vector<Arg> args(const TraceNode& traced) {
    std::vector<Arg> out;
    for (const NodeOperand& o : traced.operands_owned) {
      switch (o.kind) {
        case NodeOperand::Kind::none:
          out.emplace_back();
          break;
        case NodeOperand::Kind::slot:
        case NodeOperand::Kind::external:
          out.emplace_back(read(o.slot));
          break;
        case NodeOperand::Kind::number:
        case NodeOperand::Kind::counted:
          out.emplace_back(o.number);
          break;
        case NodeOperand::Kind::varying:
          out.emplace_back(number(o));
          break;
      }
    }
    return out;
  }

  // ---- writing
  Value add(graph::Node node) {
    graph::map_sizes(node, [this](Size s) { return now(s); });
    node.results = graph::infer(graph_, *node.op, node.args, node.attrs.view());
    return {graph_.add(std::move(node)), 0};
  }
  Value add(const OpDef& op, std::vector<Arg> args, Attrs attrs) {
    graph::Node node;
    node.op = &op;
    node.args = std::move(args);
    node.attrs = std::move(attrs);
    node.place = place_;
    return add(std::move(node));
  }

  graph::NodeId add_node(const TraceNode& traced) {
    graph::Node node;
    node.op = traced.op;
    node.args = args(traced);
    node.attrs = traced.attrs_owned;
    node.place = traced.place;
    return add_recorded(std::move(node), traced.results_owned);
  }

  void add_results(const TraceNode& traced) {
    const graph::NodeId id = add_node(traced);
    for (uint32_t k = 0; k < traced.result_count; ++k)
      memory_[traced.first_slot + k].value = Value{id, k};
  }

  void write_in_place(const TraceNode& traced) {
    const uint32_t target = traced.operands[0].slot;
    const TensorMeta meta = now(*table_[target].meta);
    needs_each_once(target);
    Value value{add_node(traced), 0};
    const TensorMeta& got = graph_.meta(value);
    if (got.dtype != meta.dtype || !attribute::same(got.sizes, meta.sizes))
      value = fitted(read(target), value);
    write(target, value);
  }

  // What is written through a window in which memory is met twice depends on the order of writing.
  // The same of memory that is written in part, and so taken apart.
  void needs_each_once(uint32_t slot) {
    const TensorMeta& written = *table_[slot].meta;
    if (covers_itself(written))
      throw Refused{&shared_memory_written,
                    cat("elements of what is written are the same memory: sizes ", written.sizes,
                        ", strides ", written.strides)};
    if (!is_base(root(slot))) (void)covers_itself(*table_[table_.root(slot)].meta);
  }
  // Asked for all calls that the plan is for.
  bool covers_itself(const TensorMeta& window) {
    const bool answer = may_cover_itself(now(window));
    if (!has_symbols(window) || never_covers_itself(window)) return answer;
    if (is_sized_by_data(window))
      throw Refused{&write_not_a_value, "a write through a window that data decide"};
    plan_.coverings.push_back({&window, answer});
    return answer;
  }

  // `value` with the dtype, sizes and strides of `to`.
  Value fitted(Value to, Value value) {
    static const OpDef* const copy = ops::named("copy");
    if (!copy) throw Refused{&write_not_a_value, "no op copies a value into the shape of another"};
    return add(*copy, {to, value}, {});
  }

  void write(uint32_t slot, Value value) {
    const SlotTable::Entry& e = table_[slot];
    Memory& memory = memory_[root(slot)];
    if (is_base(root(slot))) {
      memory.value =
          add(ops::def<ops::AsStridedScatter>(), {whole(root(slot)), value}, window(slot));
      ++memory.version;
    } else if (e.parent == no_slot) {
      memory.value = value = whole_value(root(slot), value);
      ++memory.version;
    } else if (has_way_back(slot)) {
      write(e.parent, parent_value(e, value));
    } else {
      write(root(slot), with_window(slot, value));
    }
    seen_[slot] = {value, memory.version};
  }

  // Later views of the memory rely on its strides.
  Value whole_value(uint32_t root, Value value) {
    if (table_[root].input) return value;
    const Sizes strides = graph_.meta(whole(root)).strides;
    if (attribute::same(graph_.meta(value).strides, strides)) return value;
    const Value out = fitted(whole(root), value);
    if (!attribute::same(graph_.meta(out).strides, strides))
      throw Refused{&write_not_a_value, "a write would change the strides of what is written"};
    return out;
  }

  ViewBack back_of(const SlotTable::Entry& view, const TensorMeta& parent) const {
    const TraceNode& traced = *view.made_by;
    if (!traced.op->view->back) return {};
    const Attrs attrs = traced.attrs_owned.map_sizes([this](Size s) { return now(s); });
    return traced.op->view->back(now(parent), now(*view.meta), attrs.view());
  }

  // Not where a view repeats elements, of which a later one shows each once.
  bool has_way_back(uint32_t written) const {
    for (uint32_t slot = written; table_[slot].parent != no_slot; slot = table_[slot].parent) {
      const SlotTable::Entry& view = table_[slot];
      if (shows_nothing(now(*view.meta))) return true;
      const bool has_one =
          scatter_of(*view.made_by->op) || back_of(view, *table_[view.parent].meta).op;
      if (!has_one || (slot != written && may_repeat(view))) return false;
    }
    return true;
  }
  bool may_repeat(const SlotTable::Entry& view) const {
    return view.made_by->op == &ops::def<ops::AsStrided>() && !shows_each_once(now(*view.meta));
  }

  Value parent_value(const SlotTable::Entry& view, Value value) {
    if (shows_nothing(now(*view.meta))) return read(view.parent);
    const ViewBack back = back_of(view, *table_[view.parent].meta);
    if (back.op) return add(*back.op, {value}, back.attrs);
    const TraceNode& traced = *view.made_by;
    return add(*scatter_of(*traced.op), {read(view.parent), value}, traced.attrs_owned);
  }

  // The memory with `value` where `slot` lies in it.
  Value with_window(uint32_t slot, Value value) {
    const TensorMeta memory = now(*table_[root(slot)].meta), part = now(*table_[slot].meta);
    if (!attribute::same(memory.strides, contiguous_strides(std::span<const Size>(memory.sizes))))
      throw Refused{&write_not_a_value,
                    "a write through a view that repeats elements, of a tensor "
                    "that does not lie row by row"};
    const auto seen_as = [&](Value v, const Sizes& sizes) {
      const ops::ViewAttrs attrs{sizes};
      return add(ops::def<ops::View>(), {v}, Attrs(ops::view_of<ops::View>(attrs)));
    };
    const ops::AsStridedAttrs window{part.sizes, part.strides, part.offset - memory.offset};
    const Value flat = seen_as(whole(root(slot)), {product(memory.sizes)});
    return seen_as(add(ops::def<ops::AsStridedScatter>(), {flat, value},
                       Attrs(ops::view_of<ops::AsStrided>(window))),
                   memory.sizes);
  }

  // ---- the ends
  void add_outputs() {
    std::vector<int> output_of(table_.size(), -1);
    for (uint32_t slot = 0; slot < table_.size(); ++slot) {
      if (!is_live(slot)) continue;
      const uint32_t from = table_.root(slot);
      const bool outside = table_[from].input != nullptr;
      if (!outside && output_of[from] < 0) {
        output_of[from] = static_cast<int>(plan_.outputs.size());
        plan_.outputs.push_back(table_[from].meta);
        outputs_.push_back({whole(from), -1});
      }
      plan_.results.push_back(keep(slot, from, outside ? -1 : output_of[from]));
    }
    add_data_sizes(output_of);
    for (uint32_t n = 0; n < memory_.size(); ++n) {
      if (memory_[n].version == 0 || !(is_base(n) || table_[n].input)) continue;
      if (input_of_[n] < 0) add_input(n);
      plan_.written.push_back(inputs_[static_cast<size_t>(input_of_[n])].slot);
      outputs_.push_back({*memory_[n].value, input_of_[n]});
    }
  }

  // Each of them may be asked for later: what shows it is an output, also where nobody holds it.
  void add_data_sizes(std::vector<int>& output_of) {
    for (const TraceNode* traced : path_) {
      if (!traced->data_size.defined()) continue;
      int& output = output_of[traced->first_slot];
      if (output < 0) {
        output = static_cast<int>(plan_.outputs.size());
        plan_.outputs.push_back(table_[traced->first_slot].meta);
        outputs_.push_back({whole(traced->first_slot), -1});
      }
      plan_.data.emplace_back(traced, static_cast<size_t>(output));
    }
  }

  ResultBinding keep(uint32_t slot, uint32_t from, int output) const {
    ResultBinding binding;
    binding.slot = slot;
    binding.output = output;
    binding.outside = output < 0 ? from : no_slot;
    binding.whole = slot == from;
    binding.meta = table_[slot].meta;
    binding.symbolic = binding.meta->offset.is_symbolic();
    for (const Size s : binding.meta->sizes) {
      binding.sizes.push_back(s.hint());
      binding.symbolic |= s.is_symbolic();
    }
    for (const Size s : binding.meta->strides) {
      binding.strides.push_back(s.hint());
      binding.symbolic |= s.is_symbolic();
    }
    binding.offset = binding.meta->offset.hint();
    binding.sized_by_data = is_sized_by_data(*binding.meta);
    return binding;
  }

  // What the outputs need, with symbols numbered in order of appearance.
  void prune() {
    std::vector<bool> needed(graph_.size(), false);
    for (const graph::Output& o : outputs_) {
      needed[o.value.node.n] = true;
      if (o.writes >= 0) needed[graph_.inputs()[static_cast<size_t>(o.writes)].n] = true;
    }
    for (size_t n = graph_.size(); n-- > 0;) {
      if (!needed[n]) continue;
      for (const Arg& arg : graph_.nodes()[n].args) {
        if (const auto* value = std::get_if<Value>(&arg)) needed[value->node.n] = true;
      }
    }
    std::vector<graph::NodeId> place_in_new(graph_.size());
    std::vector<int> input_in_new(inputs_.size(), -1);
    size_t input = 0;
    for (size_t n = 0; n < graph_.size(); ++n) {
      graph::Node node = graph_.nodes()[n];
      const size_t input_at = node.is_input() ? input++ : 0;
      if (!needed[n]) continue;
      graph::map_sizes(node, [this](Size s) { return renamed(s); });
      if (node.is_input()) {
        input_in_new[input_at] = static_cast<int>(plan_.inputs.size());
        plan_.inputs.push_back(inputs_[input_at]);
        plan_.base_count += inputs_[input_at].base.has_value();
        place_in_new[n] = plan_.graph.add_input(node.name, node.results[0], node.input, node.place);
        continue;
      }
      node.name.clear();
      for (Arg& arg : node.args) {
        if (auto* value = std::get_if<Value>(&arg)) value->node = place_in_new[value->node.n];
      }
      place_in_new[n] = plan_.graph.add(std::move(node));
    }
    for (const graph::Output& o : outputs_) {
      plan_.graph.add_output({place_in_new[o.value.node.n], o.value.output},
                             o.writes < 0 ? -1 : input_in_new[static_cast<size_t>(o.writes)]);
    }
    std::vector<sym::Expr> symbols;
    std::vector<int64_t> hints;
    for (const auto& [old, renamed_to] : renames_) {
      if (sym::is_data(old)) continue;
      plan_.symbols.push_back(old);
      symbols.push_back(renamed_to);
      hints.push_back(value_of(old));
    }
    plan_.graph.set_symbols(std::move(symbols), std::move(hints));
    plan_.graph.name_in(graph::order_of_use(plan_.graph));
  }

  Size renamed(Size s) {
    if (!s.is_symbolic()) return s;
    for (const sym::Expr symbol : sym::symbols_of(s.expr())) {
      const bool known = std::any_of(renames_.begin(), renames_.end(),
                                     [&](const auto& r) { return r.first == symbol; });
      if (known) continue;
      if (sym::is_data(symbol)) {
        renames_.emplace_back(symbol, sym::Expr::data(data_count_++));
        continue;
      }
      const std::string name =
          cat(sym::name_of(symbol).substr(0, 1), renames_.size() - data_count_);
      renames_.emplace_back(symbol, sym::Expr::symbol(name, sym::range_of(symbol)));
    }
    return {s.hint(), sym::substitute(s.expr(), renames_)};
  }

  const std::vector<const TraceNode*> path_;
  const SlotTable table_;
  const Aliases aliases_;
  const std::vector<uint64_t>& live_;
  Plan& plan_;
  Graph graph_;                      // everything, before it is pruned
  std::vector<Plan::Input> inputs_;  // of graph_
  std::vector<graph::Output> outputs_;
  std::vector<Memory> memory_;  // by root slot, then of bases
  std::vector<Seen> seen_;      // by slot
  std::vector<int> input_of_;   // like memory_: place among inputs_
  std::vector<std::optional<Value>> numbers_;
  const Held held_;
  sym::DataBounds bounds_;  // answers while it works
  std::vector<std::pair<sym::Expr, sym::Expr>> renames_;
  uint32_t data_count_ = 0;  // of them are of sizes that data decide
  graph::SourceLocation place_;
};

// What is left of a plan that was refused: for which calls it was.
void keep_questions(Plan* plan) {
  std::vector<Covering> coverings = std::move(plan->coverings);
  *plan = {};
  plan->coverings = std::move(coverings);
}

}  // namespace

Verdict make_plan(const TraceNode& last, const std::vector<uint64_t>& live, Plan* plan) {
  const sym::GuardSink answers_follow_from_the_path;
  try {
    Planner(last, live, plan).run();
  } catch (const Refused& refused) {
    keep_questions(plan);
    return Verdict::no(*refused.code, refused.why);
  } catch (const std::exception& e) {
    keep_questions(plan);
    return Verdict::no(write_not_a_value, e.what());
  }
  return Verdict::yes();
}

}  // namespace vitro::capture
