// Makes the plan of an executable from lowered kernels: a launch for each, the buffers' lifetimes,
// and what may be kept from call to call.
#include "backend/run/plan.h"

#include <algorithm>
#include <set>
#include <unordered_set>

#include "backend/program/operand.h"
#include "backend/run/horizontal_fusion.h"
#include "loop/interpret.h"
#include "vitro/base/error.h"

namespace vitro::backend {
namespace {

// Hash of the panels' layout; sets `sized` if it depends on the sizes of a call.  Kernels with the
// same layout share the panels of a parameter, even across graphs.
Hash layout_of(const loop::Pack& pack, DType dtype, const std::string& text, bool* sized) {
  Hasher hasher;
  *sized = false;
  for (const Expr e :
       {pack.k, pack.n, pack.batches, pack.base, pack.k_stride, pack.n_stride, pack.taps,
        pack.tap_stride, Expr(pack.winograd), Expr(pack.bf16x6 ? pack.joined : 0)}) {
    *sized = *sized || !e.constant();
    hasher.add(e.constant().value_or(0));
  }
  hasher.add(static_cast<int64_t>(dtype));
  if (*sized) hasher.add(text);
  return hasher.finish();
}

Launch::Product sizes_of_product(const loop::Product& p) {
  const Expr batches = p.batch.constant() ? Expr(1) : sym::extent_of(p.batch);
  Launch::Product out{p.m, p.n, p.k, batches, p.right_dtype, p.reads, p.turns()};
  out.bf16x6 = p.bf16x6;
  if (const loop::Windows::Winograd* w = p.winograd()) {
    if (!p.left.transposed) out.m = w->tiles;
    out.most_rows = p.left.transposed ? w->rows_of_block : w->tiles_of_block;
  }
  if (const loop::Windows::Split* s = p.split()) {
    out.most_rows = s->most_rows;
    out.line = *p.left.windows->dimensions.back().out.constant();
  }
  return out;
}

// Whether the launch of a generated kernel depends on the contents of buffers alone and cannot
// fail.
bool is_same_in_every_call(const Launch& launch, const loop::Kernel& kernel) {
  if (!launch.checks.empty() || !launch.numbers.empty()) return false;
  bool has_symbols = std::ranges::any_of(launch.offsets, [](Expr e) { return !e.constant(); });
  loop::each_index(kernel, [&](Expr e) {
    if (!e.defined()) return;
    has_symbols = has_symbols || std::ranges::any_of(sym::symbols_of(e), [](Expr s) {
                    return sym::kind_of(s) == sym::Kind::symbol;
                  });
  });
  return !has_symbols;
}

std::string detail_of(const loop::Kernel& kernel) {
  std::string out;
  for (const std::string& op : kernel.ops) out += (out.empty() ? "" : " ") + op;
  return out;
}

class PlanBuilder {
 public:
  PlanBuilder(const graph::Graph& graph, const BufferAssignment& assignment,
              std::span<const LoweredKernel> kernels, const Sources& sources, bool compiled)
      : graph_(graph),
        assignment_(assignment),
        kernels_(kernels),
        sources_(sources),
        compiled_(compiled) {}

  ExecutablePlan make() {
    plan_.symbols = graph_.symbols();
    add_buffers();
    for (uint32_t i = 0; i < kernels_.size(); ++i) add_launch(kernels_[i], {i});
    keep_results_of_parameters();
    note_late_failures();
    note_sizes();
    fuse_horizontally(plan_, kernels_);
    for (size_t i = 0; i < graph_.outputs().size(); ++i) add_output(i);
    return std::move(plan_);
  }

 private:
  void add_buffers();
  void add_launch(const LoweredKernel& lowered, LaunchId number);
  void add_user_kernel(const LoweredKernel& lowered, LaunchId number);
  GeneratedKernel code_of(const loop::Kernel& kernel, const SourceKernel& source) const;
  void add_output(size_t number);
  BufferId add_copy(BufferId from);
  void use_buffer(BufferId id, LaunchId in);
  void keep_results_of_parameters();
  void note_sizes();
  void note_late_failures();
  void note_late_failures_of(const LoweredKernel& lowered, const std::set<BufferId>& written);

  const graph::Graph& graph_;
  const BufferAssignment& assignment_;
  std::span<const LoweredKernel> kernels_;
  const Sources& sources_;
  bool compiled_;
  ExecutablePlan plan_;
};

void PlanBuilder::add_buffers() {
  plan_.input_buffers.resize(graph_.inputs().size());
  for (const BufferInfo& info : assignment_.buffers()) {
    if (info.kind == BufferKind::input) {
      plan_.input_buffers[info.which.n] = BufferId{static_cast<uint32_t>(plan_.buffers.size())};
    }
    plan_.buffers.push_back({info.kind, info.dtype, info.count});
  }
  for (const graph::NodeId input : graph_.inputs()) {
    plan_.input_dtypes.push_back(graph_[input].results[0].dtype);
  }
}

GeneratedKernel PlanBuilder::code_of(const loop::Kernel& kernel, const SourceKernel& source) const {
  if (compiled_) return {source.module, source.symbol};
  const std::string why = loop::why_not_interpreted(kernel);
  VITRO_CHECK(why.empty(), source.name, ": ", why);
  return {0, {}, std::make_shared<const loop::Kernel>(kernel)};
}

void PlanBuilder::add_launch(const LoweredKernel& lowered, LaunchId number) {
  if (lowered.opaque) return add_user_kernel(lowered, number);
  const SourceKernel& source = sources_.kernels[sources_.kernel_of[number.n]];
  Launch launch;
  launch.what = code_of(lowered.kernel, source);
  for (const Expr task : lowered.kernel.tasks) {
    launch.tasks = launch.tasks * sym::extent_of(task);
  }
  launch.bytes = lowered.kernel.bytes;
  launch.flops = lowered.kernel.flops;
  launch.scratch = lowered.kernel.scratch_bytes();
  for (const loop::Statement& s : lowered.kernel.body) {
    launch.multiplies |= std::holds_alternative<loop::Product>(s.what) ||
                         std::holds_alternative<loop::Bands>(s.what) ||
                         std::holds_alternative<loop::Multiply>(s.what);
  }
  launch.checks = lowered.kernel.checks;
  launch.buffers = lowered.buffers;
  for (const BufferId id : lowered.buffers) use_buffer(id, number);
  for (size_t b = 0; b < lowered.offsets.size(); ++b)
    launch.offsets.push_back(lowered.offsets[b] * bytes_of(lowered.kernel.buffers[b].dtype));
  for (size_t b = 0; b < lowered.kernel.buffers.size(); ++b)
    if (lowered.kernel.buffers[b].streams) launch.may_stream |= uint64_t{1} << b;
  const auto& inputs = graph_.inputs();
  for (const graph::NodeId id : lowered.numbers) {
    const auto at = std::find(inputs.begin(), inputs.end(), id);
    launch.numbers.push_back({static_cast<uint32_t>(at - inputs.begin())});
  }
  if (const auto* pack = std::get_if<loop::Pack>(&lowered.kernel.body[0].what)) {
    launch.packs = lowered.buffers[static_cast<size_t>(pack->to)];
    const BufferId from = lowered.buffers[static_cast<size_t>(pack->from)];
    const auto input = std::find(plan_.input_buffers.begin(), plan_.input_buffers.end(), from);
    if (input != plan_.input_buffers.end()) {
      launch.packs_input = InputId{static_cast<uint32_t>(input - plan_.input_buffers.begin())};
      launch.keeps = has_kept_panels(graph_, inputs[launch.packs_input->n]);
    }
    launch.product = {0, pack->n, pack->rows(), pack->batches, plan_.buffers[from.n].dtype};
    launch.layout = layout_of(*pack, plan_.buffers[from.n].dtype, source.text, &launch.sized);
  }
  if (const auto* product = std::get_if<loop::Product>(&lowered.kernel.body[0].what)) {
    launch.product = sizes_of_product(*product);
  }
  if (const auto* bands = std::get_if<loop::Bands>(&lowered.kernel.body[0].what)) {
    launch.bands = {bands->images, bands->stages.back().lines, bands->most_lines,
                    bands->least_lines};
  }
  launch.name = events::intern(source.name);
  launch.detail = events::intern(detail_of(lowered.kernel));
  launch.product_name = events::intern(lowered.kernel.product);
  VITRO_CHECK(launch.buffers.size() <= most_buffers && launch.numbers.size() <= most_numbers,
              source.name, ": a kernel cannot take ", launch.buffers.size(), " buffers and ",
              launch.numbers.size(), " numbers");
  plan_.launches.push_back(std::move(launch));
}

void PlanBuilder::add_user_kernel(const LoweredKernel& lowered, LaunchId number) {
  const graph::Node& node = graph_[lowered.opaque->node];
  UserKernel kernel{node.op, node.attrs, {}, {}};
  const auto& tensors = lowered.opaque->tensors;
  auto next = tensors.begin();
  const auto tensor = [&]() -> UserKernel::Argument {
    const auto& [value, buffer, strides] = *next++;
    const TensorMeta& meta = graph_.meta(value);
    return {Operand::Kind::tensor, buffer, meta.dtype, sizes_of(meta), strides};
  };
  for (const graph::Arg& arg : node.args) {
    const auto* value = std::get_if<graph::Value>(&arg);
    UserKernel::Argument& made = kernel.operands.emplace_back();
    if (const auto* constant = std::get_if<Scalar>(&arg)) {
      made.kind = Operand::Kind::number;
      made.number = *constant;
    } else if (value && graph_[value->node].input == graph::InputKind::number) {
      const auto at = std::ranges::find(graph_.inputs(), value->node) - graph_.inputs().begin();
      made.kind = Operand::Kind::number;
      made.input = InputId{static_cast<uint32_t>(at)};
    } else if (value) {
      made = tensor();
    }
  }
  while (next != tensors.end()) kernel.results.push_back(tensor());
  for (const BufferId id : lowered.buffers) use_buffer(id, number);
  plan_.launches.emplace_back().what = std::move(kernel);
}

// Extends the buffer's lifetime.  Called in launch order, so the first call sets `first`.
void PlanBuilder::use_buffer(BufferId id, LaunchId in) {
  BufferPlan& buffer = plan_.buffers[id.n];
  if (!buffer.first) buffer.first = in;
  buffer.last = in;
}

// Finds the launches that depend on parameters alone. Those with results much larger than what they
// read are not among them: computing these again costs little, and keeping them much memory. Panels
// are, as those of a parameter itself, although few columns are padded to many.
void PlanBuilder::keep_results_of_parameters() {
  std::vector<int> writers(plan_.buffers.size(), 0);
  for (const LoweredKernel& lowered : kernels_) {
    for (size_t b = 0; b < lowered.buffers.size(); ++b)
      writers[lowered.buffers[b].n] += lowered.kernel.buffers[b].written;
  }
  // The parameter in a buffer, or whose panels are there.
  std::vector<std::optional<InputId>> parameters(plan_.buffers.size());
  for (uint32_t i = 0; i < plan_.input_buffers.size(); ++i) {
    if (plan_.input_buffers[i] && has_kept_panels(graph_, graph_.inputs()[i]))
      parameters[plan_.input_buffers[i]->n] = InputId{i};
  }
  std::set<InputId> of;
  for (size_t i = 0; i < kernels_.size(); ++i) {
    Launch& launch = plan_.launches[i];
    if (launch.keeps) parameters[launch.packs->n] = launch.packs_input;
    if (launch.keeps || kernels_[i].opaque || !is_same_in_every_call(launch, kernels_[i].kernel))
      continue;
    int64_t read = 0, written = 0;
    const auto fits = [&](size_t b) {
      const BufferId id = launch.buffers[b];
      const BufferPlan& buffer = plan_.buffers[id.n];
      const std::optional<int64_t> count = buffer.count.constant();
      if (!count) return false;
      const bool writes = kernels_[i].kernel.buffers[b].written;
      (writes ? written : read) += *count * bytes_of(buffer.dtype);
      if (!writes) return buffer.kept || parameters[id.n].has_value();
      return writers[id.n] == 1 &&
             (buffer.kind == BufferKind::temporary || buffer.kind == BufferKind::packed);
    };
    bool all = true;
    for (size_t b = 0; b < launch.buffers.size(); ++b) all = all && fits(b);
    if (!all || written == 0 || (written > 2 * read && !launch.packs)) continue;
    launch.keeps_results = true;
    for (size_t b = 0; b < launch.buffers.size(); ++b) {
      const BufferId id = launch.buffers[b];
      if (kernels_[i].kernel.buffers[b].written) plan_.buffers[id.n].kept = true;
      if (parameters[id.n]) of.insert(*parameters[id.n]);
    }
  }
  plan_.results_of.assign(of.begin(), of.end());
}

// Eager materializes every value and fails if one is too large.  Records all sizes, so that a call
// fails here too instead of running forever.
void PlanBuilder::note_sizes() {
  std::unordered_set<const sym::Node*> seen;
  for (const graph::Node& node : graph_.nodes()) {
    for (const TensorMeta& meta : node.results) {
      const Expr bytes = count_of(sizes_of(meta)) * bytes_of(meta.dtype);
      if (!bytes.constant() && seen.insert(bytes.node()).second) plan_.value_bytes.push_back(bytes);
    }
  }
}

void PlanBuilder::note_late_failures() {
  std::set<BufferId> written;  // inputs
  for (const LoweredKernel& lowered : kernels_) {
    for (size_t b = 0; b < lowered.buffers.size(); ++b) {
      const BufferId id = lowered.buffers[b];
      const bool input = plan_.buffers[id.n].kind == BufferKind::input;
      if (input && lowered.kernel.buffers[b].written) written.insert(id);
    }
    if (!written.empty()) note_late_failures_of(lowered, written);
  }
}

void PlanBuilder::note_late_failures_of(const LoweredKernel& lowered,
                                        const std::set<BufferId>& written) {
  const loop::Kernel& kernel = lowered.kernel;
  size_t found = 0;
  for (const loop::IndirectIndex& index : kernel.indirect_indices) {
    const std::optional<BufferId> id = lowered.given(index);
    if (!id || written.contains(*id)) continue;
    const auto input = std::ranges::find(plan_.input_buffers, id);
    if (input == plan_.input_buffers.end()) continue;
    ++found;
    const LateIndex late{{static_cast<uint32_t>(input - plan_.input_buffers.begin())},
                         index.bound,
                         kernel.checks[static_cast<size_t>(index.check)].wraps};
    if (std::ranges::find(plan_.late_indices, late) == plan_.late_indices.end())
      plan_.late_indices.push_back(late);
  }
  plan_.may_fail_late |= lowered.opaque || found < kernel.checks.size();
}

void PlanBuilder::add_output(size_t number) {
  const graph::Output& output = graph_.outputs()[number];
  if (output.writes >= 0) return;  // written to an input: no tensor to return
  OutputPlan plan;
  const Stored& stored = assignment_.output(number);
  const TensorMeta& meta = graph_.meta(output.value);
  plan.buffer = stored.buffer;
  plan.dtype = meta.dtype;
  plan.sizes = sizes_of(meta);
  plan.strides = stored.strides;
  const auto is_taken = [&](const OutputPlan& other) { return other.buffer == stored.buffer; };
  if (std::any_of(plan_.outputs.begin(), plan_.outputs.end(), is_taken))
    plan.buffer = add_copy(stored.buffer);
  plan_.outputs.push_back(std::move(plan));
}

// Two outputs with the same value must be two tensors, because the program may write to one.
BufferId PlanBuilder::add_copy(BufferId from) {
  const BufferId to{static_cast<uint32_t>(plan_.buffers.size())};
  plan_.buffers.push_back(
      {BufferKind::output, plan_.buffers[from.n].dtype, plan_.buffers[from.n].count});
  plan_.launches.emplace_back().what = BufferCopy{from, to};
  return to;
}

}  // namespace

ExecutablePlan make_plan(const graph::Graph& graph, const BufferAssignment& assignment,
                         std::span<const LoweredKernel> kernels, const Sources& sources,
                         bool compiled) {
  return PlanBuilder(graph, assignment, kernels, sources, compiled).make();
}

}  // namespace vitro::backend
