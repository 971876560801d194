// Walks a path and tracks, for each memory, its current value and a version that counts writes.  A
// view is evaluated when it is read, on the memory's value at that point; a write makes a new value
// of the memory.  make_plan (plan.cpp) calls it and binds results to the memories' final values.
#include "capture/functionalize.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "capture/codes.h"
#include "graph/metas.h"
#include "sym/data_size.h"
#include "vitro/base/cat.h"
#include "vitro/base/module_path.h"
#include "vitro/ops/all.h"

namespace vitro::capture {
namespace {

using graph::Arg;
using graph::InputKind;
using graph::Value;

// The scatter op that inverts a view, or null.
const OpDef* scatter_of(const OpDef& view) {
  for (const OpDef* op : ops::all()) {
    if (op->scatter && op->scatter->view == view.view && op->attrs == view.attrs) return op;
  }
  return nullptr;
}

bool shows_nothing(const TensorMeta& view) {
  return std::any_of(view.sizes.begin(), view.sizes.end(), [](Size s) { return s.expr().is(0); });
}

bool has_symbols(const TensorMeta& window) {
  const auto symbolic = [](Size s) { return s.is_symbolic(); };
  return std::ranges::any_of(window.sizes, symbolic) ||
         std::ranges::any_of(window.strides, symbolic);
}

// Whether no element of the memory occurs twice in the view, for all sizes.
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

// As torch.export calls it: "p_encoder_0_weight" of "encoder.0.weight".
std::string parameter_name(const ExternalInput& input) {
  if (input.parameter_name == 0) return "param";
  std::string name = cat("p_", module_path(input.parameter_name));
  std::ranges::replace_if(name, [](unsigned char c) { return !std::isalnum(c); }, '_');
  return name;
}

class Functionalizer {
 public:
  Functionalizer(const RecordedPath& path, const ValueOf& value_of,
                 std::vector<Covering>* coverings)
      : path_(path),
        value_of_(value_of),
        coverings_(*coverings),
        seen_(path.table.size()),
        numbers_(path.last.numbers_after) {
    out_.memories.resize(path.memory_count());
  }

  Functional run() {
    if (const std::string& trouble = path_.aliases.trouble(); !trouble.empty())
      throw Refused{&shared_memory_written, trouble};
    for (const TraceNode* recorded : path_.nodes) {
      location_ = recorded->location;
      if (recorded->in_place) {
        write_in_place(*recorded);
      } else if (recorded->op->kind != OpKind::view) {
        add_results(*recorded);
      }
    }
    for (uint32_t memory = 0; memory < out_.memories.size(); ++memory) {
      const bool is_external = path_.is_base(memory) || path_.table[memory].input;
      const Functional::Memory& m = out_.memories[memory];
      if (is_external && m.version > 0 && m.input < 0) add_input(memory);
    }
    return std::move(out_);
  }

 private:
  // The value of a tensor, and the version of its memory when it was read.
  struct Seen {
    std::optional<Value> value;
    uint32_t version = 0;
  };

  // Nodes of one path may have been recorded with other sizes, and before later guards fixed their
  // symbols; this uses the call's numbers and all guards of the path.
  Size now(Size s) const {
    if (!s.is_symbolic()) return s;
    return {value_of_(s.expr()), path_.known(s.expr())};
  }
  TensorMeta now(TensorMeta meta) const {
    const SizeMap known = [this](Size s) { return now(s); };
    attribute::map_sizes(meta.sizes, known);
    attribute::map_sizes(meta.strides, known);
    meta.offset = now(meta.offset);
    return meta;
  }
  // Adds a recorded call.  Its shape rule branched on questions about sizes; if the path knows more
  // about them now, the rule is run again.
  graph::NodeId add_recorded(graph::Node node, const std::vector<TensorMeta>& results) {
    if (!path_.known.empty() && !node.op->compaction) return add(std::move(node)).node;
    node.results = results;
    graph::map_sizes(node, [this](Size s) { return now(s); });
    return out_.graph.add(std::move(node));
  }

  // The as_strided attributes of a tensor as a window of its base.
  Attrs window(uint32_t slot) const {
    const TensorMeta meta = now(*path_.table[slot].meta);
    const int64_t begin = path_.aliases.offset(path_.aliases.same(path_.table.root(slot)));
    const ops::AsStridedAttrs attrs{meta.sizes, meta.strides, meta.offset + begin};
    return Attrs(ops::attrs_view<ops::AsStrided>(attrs));
  }

  // ---- reading
  Value read(uint32_t slot) {
    const uint32_t memory = path_.memory_of(slot);
    const uint32_t version = out_.memories[memory].version;
    Seen& seen = seen_[slot];
    if (seen.value && seen.version == version) return *seen.value;
    const SlotTable::Entry& e = path_.table[slot];
    const Value value = path_.is_base(memory) ? window_of(slot)
                        : e.parent != no_slot ? view_of(e)
                                              : value_of_memory(memory);
    seen = {value, version};
    return value;
  }

  Value value_of_memory(uint32_t memory) {
    std::optional<Value>& value = out_.memories[memory].value;
    if (!value) value = add_input(memory);
    return *value;
  }

  Value window_of(uint32_t slot) {
    return add(ops::def<ops::AsStrided>(), {value_of_memory(path_.memory_of(slot))}, window(slot));
  }

  Value view_of(const SlotTable::Entry& e) {
    const Value of = read(e.parent);
    graph::Node node;
    node.op = e.made_by->op;
    node.args = {of};
    node.attrs = e.made_by->attrs_owned;
    node.location = e.made_by->location;
    if (!graph::fits(out_.graph.meta(of), now(*path_.table[e.parent].meta)))
      return add(std::move(node));
    return {add_recorded(std::move(node), e.made_by->results_owned), 0};
  }

  void note_input(uint32_t memory, Plan::Input input) {
    out_.memories[memory].input = static_cast<int>(out_.inputs.size());
    out_.inputs.push_back(std::move(input));
  }

  Value add_base(uint32_t memory) {
    const Aliases::Base& base = path_.base(memory);
    note_input(memory, {base.first, no_slot, base.elements});
    const TensorMeta meta{
        base.dtype, path_.table[base.first].input->meta.device, {base.elements}, {1}, 0};
    return {out_.graph.add_input("base", now(meta), InputKind::argument), 0};
  }

  Value add_input(uint32_t memory) {
    if (path_.is_base(memory)) return add_base(memory);
    const uint32_t slot = memory;
    const ExternalInput& input = *path_.table[slot].input;
    const bool argument = slot < start_of(path_.last).slots_after;
    const std::string name = input.is_parameter ? parameter_name(input)
                             : argument         ? cat("arg", slot)
                                                : "tensor";
    note_input(memory, {slot, no_slot});
    return {out_.graph.add_input(name, now(input.meta),
                                 input.is_parameter ? InputKind::parameter : InputKind::argument),
            0};
  }

  Value number(const NodeOperand& operand) {
    std::optional<Value>& known = numbers_[operand.slot];
    if (known) return *known;
    out_.inputs.push_back({no_slot, operand.slot});
    TensorMeta meta;
    meta.dtype = operand.number.dtype();
    known = Value{out_.graph.add_input("number", meta, InputKind::number, location_), 0};
    return *known;
  }

  std::vector<Arg> args(const TraceNode& recorded) {
    std::vector<Arg> out;
    for (const NodeOperand& o : recorded.operands_owned) {
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
    node.results = graph::infer(out_.graph, *node.op, node.args, node.attrs.view());
    return {out_.graph.add(std::move(node)), 0};
  }
  Value add(const OpDef& op, std::vector<Arg> args, Attrs attrs) {
    graph::Node node;
    node.op = &op;
    node.args = std::move(args);
    node.attrs = std::move(attrs);
    node.location = location_;
    return add(std::move(node));
  }

  graph::NodeId add_node(const TraceNode& recorded) {
    graph::Node node;
    node.op = recorded.op;
    node.args = args(recorded);
    node.attrs = recorded.attrs_owned;
    node.location = recorded.location;
    return add_recorded(std::move(node), recorded.results_owned);
  }

  void add_results(const TraceNode& recorded) {
    const graph::NodeId id = add_node(recorded);
    for (uint32_t k = 0; k < recorded.result_count; ++k)
      out_.memories[recorded.first_slot + k].value = Value{id, k};
  }

  void write_in_place(const TraceNode& recorded) {
    const uint32_t target = recorded.operands[0].slot;
    const TensorMeta meta = now(*path_.table[target].meta);
    needs_each_once(target);
    Value value{add_node(recorded), 0};
    const TensorMeta& got = out_.graph.meta(value);
    if (got.dtype != meta.dtype || !attribute::same(got.sizes, meta.sizes))
      value = fitted(read(target), value);
    write(target, value);
  }

  // A write through a window with overlapping elements depends on the order of writing.  The same
  // applies to memory that is partly written, since it is decomposed.
  void needs_each_once(uint32_t slot) {
    const TensorMeta& written = *path_.table[slot].meta;
    if (covers_itself(written))
      throw Refused{&shared_memory_written, cat("elements of the written tensor overlap: sizes ",
                                                written.sizes, ", strides ", written.strides)};
    if (!path_.is_base(path_.memory_of(slot)))
      (void)covers_itself(*path_.table[path_.table.root(slot)].meta);
  }
  // Answered for all calls that the plan is valid for.
  bool covers_itself(const TensorMeta& window) {
    const bool answer = may_cover_itself(now(window));
    if (!has_symbols(window) || never_covers_itself(window)) return answer;
    if (is_sized_by_data(window))
      throw Refused{&write_not_a_value, "a write through a window of data-dependent size"};
    coverings_.push_back({&window, answer});
    return answer;
  }

  // `value` with the dtype, sizes and strides of `to`.
  Value fitted(Value to, Value value) {
    static const OpDef* const copy = ops::named("copy");
    if (!copy) throw Refused{&write_not_a_value, "no op copies a value into the shape of another"};
    return add(*copy, {to, value}, {});
  }

  // Writes a view by writing its parent: through the inverse view or the scatter op, step by step
  // up to the memory, or else directly, as a window of the memory.
  void write(uint32_t slot, Value value) {
    const SlotTable::Entry& e = path_.table[slot];
    const uint32_t at = path_.memory_of(slot);
    Functional::Memory& memory = out_.memories[at];
    if (path_.is_base(at)) {
      memory.value =
          add(ops::def<ops::AsStridedScatter>(), {value_of_memory(at), value}, window(slot));
      ++memory.version;
    } else if (e.parent == no_slot) {
      memory.value = value = with_strides_of_memory(at, value);
      ++memory.version;
    } else if (has_way_back(slot)) {
      write(e.parent, parent_value(e, value));
    } else {
      write(at, with_window(slot, value));
    }
    seen_[slot] = {value, memory.version};
  }

  // Keeps the memory's strides, since later views depend on them.
  Value with_strides_of_memory(uint32_t memory, Value value) {
    if (path_.table[memory].input) return value;
    const Sizes strides = out_.graph.meta(value_of_memory(memory)).strides;
    if (attribute::same(out_.graph.meta(value).strides, strides)) return value;
    const Value out = fitted(value_of_memory(memory), value);
    if (!attribute::same(out_.graph.meta(out).strides, strides))
      throw Refused{&write_not_a_value, "a write would change the strides of the written tensor"};
    return out;
  }

  ViewBack back_of(const SlotTable::Entry& view, const TensorMeta& parent) const {
    const TraceNode& recorded = *view.made_by;
    if (!recorded.op->view->back) return {};
    const Attrs attrs = recorded.attrs_owned.map_sizes([this](Size s) { return now(s); });
    return recorded.op->view->back(now(parent), now(*view.meta), attrs.view());
  }

  // False if a view between the written one and the memory repeats elements, even if the written
  // one has each of them once.
  bool has_way_back(uint32_t written) const {
    for (uint32_t slot = written; path_.table[slot].parent != no_slot;
         slot = path_.table[slot].parent) {
      const SlotTable::Entry& view = path_.table[slot];
      if (shows_nothing(now(*view.meta))) return true;
      const bool has_one =
          scatter_of(*view.made_by->op) || back_of(view, *path_.table[view.parent].meta).op;
      if (!has_one || (slot != written && may_repeat(view))) return false;
    }
    return true;
  }
  bool may_repeat(const SlotTable::Entry& view) const {
    return view.made_by->op == &ops::def<ops::AsStrided>() && !shows_each_once(now(*view.meta));
  }

  Value parent_value(const SlotTable::Entry& view, Value value) {
    if (shows_nothing(now(*view.meta))) return read(view.parent);
    const ViewBack back = back_of(view, *path_.table[view.parent].meta);
    if (back.op) return add(*back.op, {value}, back.attrs);
    const TraceNode& recorded = *view.made_by;
    return add(*scatter_of(*recorded.op), {read(view.parent), value}, recorded.attrs_owned);
  }

  // The memory with `value` in the window of `slot`.
  Value with_window(uint32_t slot, Value value) {
    const uint32_t at = path_.memory_of(slot);
    const TensorMeta memory = now(*path_.table[at].meta), part = now(*path_.table[slot].meta);
    if (!attribute::same(memory.strides, contiguous_strides(std::span<const Size>(memory.sizes))))
      throw Refused{
          &write_not_a_value,
          "a write through a view that repeats elements, of a tensor that is not row-major"};
    const auto seen_as = [&](Value v, const Sizes& sizes) {
      const ops::ViewAttrs attrs{sizes};
      return add(ops::def<ops::View>(), {v}, Attrs(ops::attrs_view<ops::View>(attrs)));
    };
    const ops::AsStridedAttrs window{part.sizes, part.strides, part.offset - memory.offset};
    const Value flat = seen_as(value_of_memory(at), {product(memory.sizes)});
    return seen_as(add(ops::def<ops::AsStridedScatter>(), {flat, value},
                       Attrs(ops::attrs_view<ops::AsStrided>(window))),
                   memory.sizes);
  }

  const RecordedPath& path_;
  const ValueOf& value_of_;
  std::vector<Covering>& coverings_;
  Functional out_;
  std::vector<Seen> seen_;                     // by slot
  std::vector<std::optional<Value>> numbers_;  // by index among the segment's numbers
  graph::SourceLocation location_;             // of the op being added
};

}  // namespace

bool is_sized_by_data(const TensorMeta& meta) {
  return std::ranges::any_of(meta.sizes, is_by_data) ||
         std::ranges::any_of(meta.strides, is_by_data) || is_by_data(meta.offset);
}

Functional functionalize(const RecordedPath& path, const ValueOf& value_of,
                         std::vector<Covering>* coverings) {
  return Functionalizer(path, value_of, coverings).run();
}

}  // namespace vitro::capture
