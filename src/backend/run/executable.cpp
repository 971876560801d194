// Builds the launches of an executable from lowered kernels, and computes grids and memory plan for
// the sizes of a call.
#include "backend/run/executable.h"

#include <algorithm>
#include <set>
#include <unordered_set>

#include "backend/program/operand.h"
#include "backend/run/arena_plan.h"
#include "backend/run/dimensions.h"
#include "backend/schedule/products.h"
#include "kernels/bands.h"
#include "loop/interpret.h"
#include "vitro/base/error.h"
#include "vitro/core/reach.h"

namespace vitro::backend {
namespace {

constexpr size_t most_known = 16;  // maximum number of cached plans

Ints numbers_of(const Index& index, const Number& number) {
  Ints out;
  for (const Expr e : index) out.push_back(number(e));
  return out;
}

// The number of blocks of a product or panels of a pack, which the device decides.
int64_t tasks_of(const Launch& launch, const Number& number, const runtime::DeviceRuntime& device,
                 int64_t workers) {
  const Launch::Product& p = *launch.product;
  runtime::ProductShape shape{p.right, p.reads != loop::RightOperand::rows, p.turns};
  shape.n = number(p.n), shape.batches = number(p.batches);
  if (launch.packs) return device.pack_tasks(shape);
  shape.m = number(p.m), shape.k = number(p.k);
  shape.most_rows = p.most_rows;
  shape.bf16x6 = p.bf16x6, shape.line = p.line;
  return device.product_tasks(shape, workers);
}

kernels::BandCut bands_of(const Launch& launch, const Number& number, int64_t workers) {
  const Launch::Bands& b = *launch.bands;
  return kernels::cut_bands(number(b.images), b.lines, b.most, b.least, workers);
}

// The hash for these values of symbols.
Hash with_numbers(Hash hash, std::span<const int64_t> values) {
  if (values.empty()) return hash;
  Hasher hasher;
  hasher.add(hash);
  for (const int64_t value : values) hasher.add(value);
  return hasher.finish();
}

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

// A bit for each buffer whose stores bypass the caches in a launch that moves `moved` bytes.
uint64_t streams_of(const Launch& launch, std::span<const int64_t> bytes, int64_t moved,
                    const runtime::DeviceRuntime& device) {
  uint64_t streams = 0;
  if (launch.may_stream == 0) return streams;
  const size_t most = std::min(launch.buffers.size(), loop::Kernel::most_streams);
  for (size_t b = 0; b < most; ++b) {
    const bool may = launch.may_stream >> b & 1;
    if (may && device.should_stream(bytes[launch.buffers[b].n], moved)) streams |= uint64_t{1} << b;
  }
  return streams;
}

Launch::Product sizes_of_product(const loop::Product& p) {
  const Expr batches = p.batch.constant() ? Expr(1) : sym::extent_of(p.batch);
  Launch::Product out{p.m, p.n, p.k, batches, p.right_dtype, p.reads, p.turns()};
  out.bf16x6 = p.bf16x6;
  if (const loop::Windows::Winograd* w = p.winograd()) {
    out.m = w->tiles;
    out.most_rows = w->tiles_of_block;
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

}  // namespace

Executable::~Executable() {
  const std::unique_ptr<std::byte[]> end(spare_.load());
}

Executable::Executable(runtime::DeviceRuntime& device, const graph::Graph& graph,
                       const BufferAssignment& assignment, std::span<const LoweredKernel> kernels,
                       const Sources& sources,
                       std::vector<std::shared_ptr<const jit::KernelModule>> modules)
    : device_(device),
      memory_(device.memory()),
      symbols_(graph.symbols()),
      modules_(std::move(modules)) {
  input_buffers_.resize(graph.inputs().size());
  for (const BufferInfo& info : assignment.buffers()) {
    if (info.kind == BufferKind::input) {
      input_buffers_[info.which.n] = BufferId{static_cast<uint32_t>(buffers_.size())};
    }
    buffers_.push_back({info.kind, info.dtype, info.count});
  }
  for (const graph::NodeId input : graph.inputs()) {
    input_dtypes_.push_back(graph[input].results[0].dtype);
  }
  for (uint32_t i = 0; i < kernels.size(); ++i) add_launch(graph, kernels[i], sources, {i});
  keep_results_of_parameters(graph, kernels);
  note_late_failures(kernels);
  note_sizes(graph);
  for (size_t i = 0; i < graph.outputs().size(); ++i) add_output(graph, assignment, i);
  if (symbols_.empty()) fixed_ = compute_dimensions({});
}

GeneratedKernel Executable::code_of(const loop::Kernel& kernel, const SourceKernel& source) const {
  if (modules_.empty()) {
    const std::string why = loop::why_not_interpreted(kernel);
    VITRO_CHECK(why.empty(), source.name, ": ", why);
    return {{}, std::make_shared<const loop::Kernel>(kernel)};
  }
  const runtime::Kernel code = modules_[source.module]->kernel(source.symbol);
  VITRO_ASSERT(code.code, "the module has no kernel ", source.symbol);
  return {code, nullptr};
}

void Executable::add_launch(const graph::Graph& graph, const LoweredKernel& lowered,
                            const Sources& sources, LaunchId number) {
  if (lowered.opaque) return add_user_kernel(graph, lowered, number);
  const SourceKernel& source = sources.kernels[sources.kernel_of[number.n]];
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
  const auto& inputs = graph.inputs();
  for (const graph::NodeId id : lowered.numbers) {
    const auto at = std::find(inputs.begin(), inputs.end(), id);
    launch.numbers.push_back({static_cast<uint32_t>(at - inputs.begin())});
  }
  if (const auto* pack = std::get_if<loop::Pack>(&lowered.kernel.body[0].what)) {
    launch.packs = lowered.buffers[static_cast<size_t>(pack->to)];
    const BufferId from = lowered.buffers[static_cast<size_t>(pack->from)];
    const auto input = std::find(input_buffers_.begin(), input_buffers_.end(), from);
    if (input != input_buffers_.end()) {
      launch.packs_input = InputId{static_cast<uint32_t>(input - input_buffers_.begin())};
      launch.keeps = has_kept_panels(graph, inputs[launch.packs_input->n]);
    }
    kept_launches_ += launch.keeps;
    launch.product = {0, pack->n, pack->rows(), pack->batches, buffers_[from.n].dtype};
    launch.layout = layout_of(*pack, buffers_[from.n].dtype, source.text, &launch.sized);
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
  VITRO_CHECK(launch.buffers.size() <= max_buffers && launch.numbers.size() <= max_numbers,
              source.name, ": a kernel cannot take ", launch.buffers.size(), " buffers and ",
              launch.numbers.size(), " numbers");
  launches_.push_back(std::move(launch));
}

void Executable::add_user_kernel(const graph::Graph& graph, const LoweredKernel& lowered,
                                 LaunchId number) {
  const graph::Node& node = graph[lowered.opaque->node];
  UserKernel kernel{node.op, node.attrs, {}, {}};
  const auto& tensors = lowered.opaque->tensors;
  auto next = tensors.begin();
  const auto tensor = [&]() -> UserKernel::Argument {
    const auto& [value, buffer, strides] = *next++;
    const TensorMeta& meta = graph.meta(value);
    return {Operand::Kind::tensor, buffer, meta.dtype, sizes_of(meta), strides};
  };
  for (const graph::Arg& arg : node.args) {
    const auto* value = std::get_if<graph::Value>(&arg);
    UserKernel::Argument& made = kernel.operands.emplace_back();
    if (const auto* constant = std::get_if<Scalar>(&arg)) {
      made.kind = Operand::Kind::number;
      made.number = *constant;
    } else if (value && graph[value->node].input == graph::InputKind::number) {
      const auto at = std::ranges::find(graph.inputs(), value->node) - graph.inputs().begin();
      made.kind = Operand::Kind::number;
      made.input = InputId{static_cast<uint32_t>(at)};
    } else if (value) {
      made = tensor();
    }
  }
  while (next != tensors.end()) kernel.results.push_back(tensor());
  for (const BufferId id : lowered.buffers) use_buffer(id, number);
  launches_.emplace_back().what = std::move(kernel);
}

// Extends the buffer's lifetime.  Called in launch order, so the first call sets `first`.
void Executable::use_buffer(BufferId id, LaunchId in) {
  BufferPlan& buffer = buffers_[id.n];
  if (!buffer.first) buffer.first = in;
  buffer.last = in;
}

// Finds the launches that depend on parameters alone. Those with results much larger than what they
// read are not among them: computing these again costs little, and keeping them much memory.
void Executable::keep_results_of_parameters(const graph::Graph& graph,
                                            std::span<const LoweredKernel> kernels) {
  std::vector<int> writers(buffers_.size(), 0);
  for (const LoweredKernel& lowered : kernels) {
    for (size_t b = 0; b < lowered.buffers.size(); ++b)
      writers[lowered.buffers[b].n] += lowered.kernel.buffers[b].written;
  }
  // The parameter in a buffer, or whose panels are there.
  std::vector<std::optional<InputId>> parameters(buffers_.size());
  for (uint32_t i = 0; i < input_buffers_.size(); ++i) {
    if (input_buffers_[i] && has_kept_panels(graph, graph.inputs()[i]))
      parameters[input_buffers_[i]->n] = InputId{i};
  }
  std::set<InputId> of;
  for (size_t i = 0; i < kernels.size(); ++i) {
    Launch& launch = launches_[i];
    if (launch.keeps) parameters[launch.packs->n] = launch.packs_input;
    if (launch.keeps || kernels[i].opaque || !is_same_in_every_call(launch, kernels[i].kernel))
      continue;
    int64_t read = 0, written = 0;
    const auto fits = [&](size_t b) {
      const BufferId id = launch.buffers[b];
      const BufferPlan& buffer = buffers_[id.n];
      const std::optional<int64_t> count = buffer.count.constant();
      if (!count) return false;
      const bool writes = kernels[i].kernel.buffers[b].written;
      (writes ? written : read) += *count * bytes_of(buffer.dtype);
      if (!writes) return buffer.kept || parameters[id.n].has_value();
      return writers[id.n] == 1 &&
             (buffer.kind == BufferKind::temporary || buffer.kind == BufferKind::packed);
    };
    bool all = true;
    for (size_t b = 0; b < launch.buffers.size(); ++b) all = all && fits(b);
    if (!all || written == 0 || written > 2 * read) continue;
    launch.keeps_results = true;
    for (size_t b = 0; b < launch.buffers.size(); ++b) {
      const BufferId id = launch.buffers[b];
      if (kernels[i].kernel.buffers[b].written) buffers_[id.n].kept = true;
      if (parameters[id.n]) of.insert(*parameters[id.n]);
    }
  }
  results_of_.assign(of.begin(), of.end());
}

// Eager materializes every value and fails if one is too large.  Records all sizes, so that a call
// fails here too instead of running forever.
void Executable::note_sizes(const graph::Graph& graph) {
  std::unordered_set<const sym::Node*> seen;
  for (const graph::Node& node : graph.nodes()) {
    for (const TensorMeta& meta : node.results) {
      const Expr bytes = count_of(sizes_of(meta)) * bytes_of(meta.dtype);
      if (!bytes.constant() && seen.insert(bytes.node()).second) value_bytes_.push_back(bytes);
    }
  }
}

void Executable::note_late_failures(std::span<const LoweredKernel> kernels) {
  bool writes = false;
  for (const LoweredKernel& lowered : kernels) {
    for (size_t b = 0; b < lowered.buffers.size(); ++b) {
      const bool input = buffers_[lowered.buffers[b].n].kind == BufferKind::input;
      writes = writes || (input && lowered.kernel.buffers[b].written);
    }
    const bool may_fail = lowered.opaque || !lowered.kernel.checks.empty();
    may_fail_late_ = may_fail_late_ || (writes && may_fail);
  }
}

void Executable::add_output(const graph::Graph& graph, const BufferAssignment& assignment,
                            size_t number) {
  const graph::Output& output = graph.outputs()[number];
  if (output.writes >= 0) return;  // written to an input: no tensor to return
  OutputPlan plan;
  const Stored& stored = assignment.output(number);
  const TensorMeta& meta = graph.meta(output.value);
  plan.buffer = stored.buffer;
  plan.dtype = meta.dtype;
  plan.sizes = sizes_of(meta);
  plan.strides = stored.strides;
  const auto is_taken = [&](const OutputPlan& other) { return other.buffer == stored.buffer; };
  if (std::any_of(outputs_.begin(), outputs_.end(), is_taken))
    plan.buffer = add_copy(stored.buffer);
  outputs_.push_back(std::move(plan));
}

// Two outputs with the same value must be two tensors, because the program may write to one.
BufferId Executable::add_copy(BufferId from) {
  const BufferId to{static_cast<uint32_t>(buffers_.size())};
  buffers_.push_back({BufferKind::output, buffers_[from.n].dtype, buffers_[from.n].count});
  launches_.emplace_back().what = BufferCopy{from, to};
  return to;
}

Executable::Dimensions::Run Executable::Dimensions::run_of(const Launch& launch,
                                                           const Number& number,
                                                           const runtime::DeviceRuntime& device,
                                                           int64_t workers) {
  Run run;
  run.grid.tasks = number(launch.tasks);
  if (launch.product) run.grid.tasks = tasks_of(launch, number, device, workers);
  if (launch.bands) run.grid.tasks = bands_of(launch, number, workers).count;
  run.bytes = number(launch.bytes);
  run.flops = number(launch.flops);
  run.grid.scratch = number(launch.scratch);
  run.grid.workers = workers;
  for (const Expr offset : launch.offsets) run.offsets.push_back(number(offset));
  const double tasks = static_cast<double>(std::max<int64_t>(run.grid.tasks, 1));
  const double flops = static_cast<double>(run.flops) / (launch.multiplies ? flops_at_once : 1);
  run.grid.grain =
      device.grain({.bytes = static_cast<double>(run.bytes) / tasks, .flops = flops / tasks});
  // A thread that computes bands one after another computes no line twice.
  if (launch.bands) run.grid.grain = std::max(run.grid.grain, run.grid.tasks / (2 * workers));
  if (const auto* user = std::get_if<UserKernel>(&launch.what)) {
    const auto add = [&](const UserKernel::Argument& a) {
      if (a.kind != Operand::Kind::tensor) return;
      run.tensors.push_back({numbers_of(a.sizes, number), numbers_of(a.strides, number)});
    };
    std::ranges::for_each(user->operands, add);
    std::ranges::for_each(user->results, add);
    run.attrs =
        user->attrs.map_sizes([&](Size s) { return s.is_symbolic() ? Size(number(s.expr())) : s; });
  }
  run.layout = launch.layout;
  return run;
}

std::shared_ptr<const Executable::Dimensions> Executable::compute_dimensions(
    std::span<const int64_t> symbols) const {
  auto made = std::make_shared<Dimensions>();
  Dimensions& d = *made;
  d.symbols.assign(symbols.begin(), symbols.end());
  const int64_t workers = d.workers = device_.workers();
  const auto value_of = [&](Expr symbol) {
    const auto at = std::find(symbols_.begin(), symbols_.end(), symbol);
    VITRO_ASSERT(at != symbols_.end(), "no value for ", symbol);
    return symbols[static_cast<size_t>(at - symbols_.begin())];
  };
  const Number number = [&](Expr e) { return sym::evaluate(e, value_of); };
  for (const Expr bytes : value_bytes_) (void)number(bytes);  // Error on overflow of 64 bits
  for (const Launch& launch : launches_) {
    d.runs.push_back(Dimensions::run_of(launch, number, device_, workers));
    if (launch.sized) d.runs.back().layout = with_numbers(launch.layout, symbols);
  }
  std::vector<Lifetime> lifetimes;
  std::vector<BufferId> which;
  std::vector<int64_t> kept_at(buffers_.size(), 0);
  for (uint32_t i = 0; i < buffers_.size(); ++i) {
    const BufferPlan& b = buffers_[i];
    const int64_t count = number(b.count);
    d.bytes.push_back(bytes_for("compiled", {&count, 1}, b.dtype));
    if (b.kept) {
      kept_at[i] = d.kept_results;
      d.kept_results = add_bytes(d.kept_results, (d.bytes.back() + 63) / 64 * 64);
    }
    if (!b.last || b.kept) continue;
    if (b.kind == BufferKind::temporary || (b.kind == BufferKind::packed && !keeps({i}))) {
      lifetimes.push_back({d.bytes.back(), *b.first, *b.last});
      which.push_back({i});
      d.temporaries = add_bytes(d.temporaries, d.bytes.back());
    }
  }
  for (size_t i = 0; i < launches_.size(); ++i)
    d.runs[i].streams = streams_of(launches_[i], d.bytes, d.runs[i].bytes, device_);
  const ArenaPlan plan = plan_arena(lifetimes);
  d.arena = plan.bytes;
  d.offsets = std::move(kept_at);
  for (size_t i = 0; i < which.size(); ++i) d.offsets[which[i].n] = plan.offsets[i];
  for (const OutputPlan& output : outputs_) {
    d.outputs.push_back({numbers_of(output.sizes, number), numbers_of(output.strides, number)});
  }
  return made;
}

bool Executable::keeps(BufferId buffer) const {
  return std::any_of(launches_.begin(), launches_.end(),
                     [&](const Launch& launch) { return launch.keeps && launch.packs == buffer; });
}

std::shared_ptr<const Executable::Dimensions> Executable::dimensions(
    std::span<const int64_t> symbols) {
  const int64_t workers = device_.workers();
  std::lock_guard hold(lock_);
  for (const auto& known : known_) {
    if (known->workers == workers && std::ranges::equal(symbols, known->symbols)) return known;
  }
  if (known_.size() == most_known) known_.erase(known_.begin());
  known_.push_back(compute_dimensions(symbols));
  return known_.back();
}

Executable::Memory Executable::memory(std::span<const int64_t> symbols) {
  const auto d = fixed_ ? fixed_ : dimensions(symbols);
  return {d->arena, d->temporaries};
}

}  // namespace vitro::backend
