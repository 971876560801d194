// Reads of the kernel being built: of memory, of values that the same group computes, of numbers
// and indirect indices; and the kernel's buffers, checks and name.
#include "backend/lower/builder.h"

#include <algorithm>

#include "backend/lower/pieces.h"
#include "backend/lower/sweep_order.h"
#include "core/over_positions.h"
#include "vitro/base/error.h"
#include "vitro/base/module_path.h"

namespace vitro::backend {

using loop::Value;

KernelBuilder::KernelBuilder(const Program& program, const BufferAssignment& assignment,
                             const Group& group)
    : program_(program), assignment_(assignment), group_(group) {
  out_.kernel.pool = std::make_shared<loop::Pool>();
  out_.kernel.lanes = program.machine().lanes;
  out_.compute_nodes = group.compute_nodes;
  for (const ComputeNodeId id : group.compute_nodes) {
    const graph::Node& node = program.graph()[program[id].value.node];
    const bool copies =
        program[id].role == ComputeRole::output || program[id].role == ComputeRole::write;
    const bool is_copy = copies || node.is_input();
    out_.kernel.ops.emplace_back(is_copy ? "copy" : node.op->name);
    const std::string_view call = node.location.call;
    out_.kernel.called.emplace_back(is_copy ? "copy" : call.empty() ? node.op->name : call);
    const std::string location = location_of(program[id].value.node);
    auto& locations = out_.kernel.locations;
    if (!location.empty() &&
        std::find(locations.begin(), locations.end(), location) == locations.end()) {
      locations.push_back(location);
    }
  }
}

std::string KernelBuilder::location_of(graph::NodeId id) const {
  const graph::SourceLocation& at = program_.graph()[id].location;
  if (at.file.empty()) return {};
  const size_t slash = at.file.rfind('/');
  std::string out =
      cat(slash == std::string_view::npos ? at.file : at.file.substr(slash + 1), ':', at.line);
  if (at.module != 0) out += cat(' ', module_path(at.module));
  return out;
}

int KernelBuilder::buffer(BufferId id, bool written) {
  auto& list = out_.buffers;
  const auto at = std::find(list.begin(), list.end(), id);
  const auto number = static_cast<size_t>(at - list.begin());
  if (at == list.end()) {
    const BufferInfo& info = assignment_.buffers()[id.n];
    list.push_back(id);
    out_.kernel.buffers.push_back({info.name, info.dtype, false});
  }
  out_.kernel.buffers[number].written |= written;
  return static_cast<int>(number);
}

Value KernelBuilder::number(graph::NodeId input) {
  auto& list = out_.numbers;
  const auto at = std::find(list.begin(), list.end(), input);
  const auto which = static_cast<int>(at - list.begin());
  const graph::Node& node = program_.graph()[input];
  const DType dtype = node.results[0].dtype;
  if (at == list.end()) {
    list.push_back(input);
    out_.kernel.numbers.push_back({node.name, dtype});
  }
  return pool().number(which, dtype);
}

namespace {

// The buffer of which an i64 is an element, perhaps of a narrower type; -1 if it is computed, or an
// element of a scratch row.
int buffer_of(Value v) {
  const loop::Node* node = v.node();
  if (node->fn == loop::Fn::cast && is_integer(node->operands[0]->dtype)) node = node->operands[0];
  if (node->fn != loop::Fn::load) return -1;
  const auto number = static_cast<int>(node->payload);
  return number < loop::Kernel::first_row ? number : -1;
}

}  // namespace

Expr KernelBuilder::indirect_index(graph::NodeId node, Value index, const IndexedDimension& of) {
  const int given = buffer_of(index);
  if (of.wraps) index = where(index < 0, index + pool().index(of.size), index);
  if (where_.defined()) index = where(where_, index, like(index, 0));
  for (const loop::IndirectIndex& indirect : out_.kernel.indirect_indices) {
    if (same(indirect.value, index) && indirect.bound == of.size) return indirect.symbol;
  }
  const Expr symbol =
      Expr::symbol(cat("p", out_.kernel.indirect_indices.size()), {0, sym::unbounded});
  out_.kernel.indirect_indices.push_back(
      {symbol, index, of.size, static_cast<int>(out_.kernel.checks.size()), given});
  out_.kernel.checks.push_back({.op = std::string(program_.graph()[node].op->name),
                                .location = location_of(node),
                                .wraps = of.wraps,
                                .axis = of.axis});
  return symbol;
}

Value KernelBuilder::not_zero(graph::NodeId node, Value divisor) {
  if (divisor->fn == loop::Fn::constant && divisor->payload != 0) return divisor;
  if (where_.defined()) divisor = where(where_, divisor, like(divisor, 1));
  const auto check = out_.kernel.checks.size();
  out_.kernel.checks.push_back({.op = std::string(program_.graph()[node].op->name),
                                .location = location_of(node),
                                .divisor = true});
  return pool().make(loop::Fn::not_zero, divisor.dtype(), {divisor}, check);
}

Value KernelBuilder::read(graph::Value value, const Index& index) {
  const graph::NodeId id = value.node;
  const graph::Node& node = program_.graph()[id];
  if (node.is_input()) {
    if (node.input == graph::InputKind::number) return number(id);
    return load(assignment_.of(id), node.results[0].dtype, index);
  }
  if (program_.is_inlined(id)) {
    if (node.op->kind != OpKind::view) return element_of_node(id, index);
    const std::vector<Read> operand = operands_at(program_.graph(), id, index, Expr());
    return read(operand[0].value, operand[0].index);
  }
  const std::vector<ComputeNodeId>& makers = program_.makers(id);
  const bool here = makers.size() == 1 && group_.has(makers[0]);
  if (here && program_[makers[0]].role == ComputeRole::result) {
    const auto known = defined_.find(id.n);
    if (known != defined_.end()) return known->second;
    VITRO_ASSERT(program_[makers[0]].kind == ComputeKind::elementwise, node.name,
                 " is read before it is computed");
    return element_of_node(id, index);
  }
  return load(assignment_.of(id), node.results[0].dtype, index);
}

Value KernelBuilder::read_where(graph::Value value, const Index& index, Value condition) {
  const Value around = where_;
  where_ = around.defined() ? around && condition : condition;
  if (where_->fn == loop::Fn::constant && where_->payload != 0) where_ = {};
  const Value made = read(value, index);
  where_ = around;
  return made;
}

Value KernelBuilder::load(const Stored& stored, DType dtype, const Index& index) {
  const int from = buffer(stored.buffer);
  if (!where_.defined()) return pool().load(from, dtype, stored.element(index));
  return pool().load_where(from, dtype, stored.element(index), where_);
}

Value KernelBuilder::element_of_node(graph::NodeId id, const Index& index) {
  Key key{id.n, where_.node(), {}};
  for (const Expr e : index) key.index.push_back(e.node());
  const auto known = known_.find(key);
  if (known != known_.end()) return known->second;
  const Value made = element(program_.graph(), id, index, *this, program_.result_of(id));
  if (!reads_memory(*made.node()) && made->fn != loop::Fn::constant) {
    pool().name(made, program_.graph()[id].op->name);
  }
  known_.emplace(std::move(key), made);
  return made;
}

Value KernelBuilder::compute(ComputeNodeId id, const Index& at) {
  const ComputeNode& compute_node = program_[id];
  const graph::Node& node = program_.graph()[compute_node.value.node];
  if (compute_node.role == ComputeRole::output || compute_node.role == ComputeRole::write)
    return read(compute_node.value, at);
  if (compute_node.role != ComputeRole::result) {
    const Index& index =
        compute_node.role == ComputeRole::put ? program_.put_reads(id, at).source.index : at;
    return cast(read(program_.copied_by(id), index), node.results[0].dtype);
  }
  if (compute_node.kind == ComputeKind::reduction || compute_node.kind == ComputeKind::scan ||
      compute_node.kind == ComputeKind::sort) {
    return read(std::get<graph::Value>(node.args[0]), program_.operand_index(id, at));
  }
  if (compute_node.kind == ComputeKind::product) return defined_.at(compute_node.value.node.n);
  return element_of_node(compute_node.value.node, at);
}

loop::Statement KernelBuilder::store(ComputeNodeId id, const Index& at, Value value) {
  const auto scratch = in_scratch_.find(id.n);
  if (scratch != in_scratch_.end()) {
    return {loop::Store{scratch->second.first, scratch->second.second, value}};
  }
  return {
      loop::Store{buffer(assignment_.target_buffer(id), true), assignment_.target(id, at), value}};
}

void KernelBuilder::define(ComputeNodeId id, Value value) {
  defined_[program_[id].value.node.n] = value;
}

void KernelBuilder::store_in_scratch(ComputeNodeId id, int row, Expr element) {
  in_scratch_.emplace(id.n, std::pair(row, element));
}

int KernelBuilder::add_row(std::string name, DType dtype, Expr size) {
  out_.kernel.rows.push_back({std::move(name), dtype, size});
  return loop::Kernel::first_row + static_cast<int>(out_.kernel.rows.size()) - 1;
}

void KernelBuilder::start_over() {
  known_.clear();
  out_.kernel.indirect_indices.clear();
  out_.kernel.checks.clear();
}

LoweredKernel KernelBuilder::take() {
  return std::move(out_);
}

namespace {

bool has(const Program& program, const Group& group, ComputeKind kind) {
  return std::ranges::any_of(group.compute_nodes,
                             [&](ComputeNodeId id) { return program[id].kind == kind; });
}

std::string reason_for(const Program& program, const Group& group) {
  if (group.compute_nodes.size() < 2) return {};
  if (has(program, group, ComputeKind::sort)) return "a row is sorted once for all of its results";
  if (!group.stages.empty()) {
    return "a block of rows stays in the cache from one product to the next";
  }
  if (group.product) {
    return "the epilogue of the product is computed on its sums before they are written";
  }
  if (group.iteration.space.reduces()) {
    return "a reduction and its readers share their rows, which stay in the cache";
  }
  if (group.iteration.space.scanned) return "a scan and its readers share their steps";
  return "every element is read by the iteration that computes it";
}

}  // namespace

std::vector<LoweredKernel> lower(const Program& program, BufferAssignment& assignment,
                                 const Group& group) {
  std::vector<LoweredKernel> out;
  if (program[group.compute_nodes[0]].kind == ComputeKind::opaque) {
    out.push_back(lower_opaque(program, assignment, group));
  } else if (!group.stages.empty()) {
    out.push_back(lower_chain(program, assignment, group));
  } else if (group.product) {
    const ContractionInfo& of =
        *program.graph()[program[*group.product].value.node].op->contraction;
    out = sums_positions(of) ? lower_convolution_weights(program, assignment, group)
          : of.windows       ? lower_convolution(program, assignment, group)
                             : lower_product(program, assignment, group);
  } else if (group.iteration.space.scanned) {
    out.push_back(has(program, group, ComputeKind::put) ? lower_put(program, assignment, group)
                  : has(program, group, ComputeKind::sort)
                      ? lower_sort(program, assignment, group)
                      : lower_scan(program, assignment, group));
  } else if (!group.iteration.space.reduces()) {
    out.push_back(lower_pointwise(program, assignment, group));
  } else {
    const Group swept = swept_in_memory_order(program, assignment, group);
    if (auto pieces = cut_into_pieces(program, assignment, swept)) {
      out = lower_in_pieces(program, assignment, swept, *pieces);
    } else {
      out.push_back(lower_rows(program, assignment, swept));
    }
  }
  for (LoweredKernel& lowered : out) {
    if (!lowered.opaque) estimate(lowered.kernel);
    for (size_t i = 0; i < lowered.buffers.size(); ++i) {
      if (lowered.kernel.buffers[i].written) assignment.forget_panels(lowered.buffers[i]);
    }
  }
  out.back().kernel.reason = reason_for(program, group);
  return out;
}

}  // namespace vitro::backend
