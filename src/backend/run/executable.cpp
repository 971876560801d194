// Computes the grids of launches and the layout of memory for the sizes of a call.
#include "backend/run/executable.h"

#include <algorithm>

#include "backend/run/arena_plan.h"
#include "backend/run/dimensions.h"
#include "backend/run/index_range.h"
#include "backend/schedule/products.h"
#include "kernels/bands.h"
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
  runtime::ProductShape shape{p.right, p.reads == loop::RightOperand::panels, p.turns,
                              p.reads == loop::RightOperand::channels};
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

}  // namespace

Executable::~Executable() {
  const std::unique_ptr<std::byte[]> end(spare_.load());
}

Executable::Executable(runtime::DeviceRuntime& device, ExecutablePlan plan,
                       std::vector<std::shared_ptr<const jit::KernelModule>> modules)
    : device_(device),
      memory_(device.memory()),
      plan_(std::move(plan)),
      modules_(std::move(modules)) {
  for (const Launch& launch : plan_.launches) {
    code_.push_back(code_of(launch));
    kept_launches_ += launch.keeps;
  }
  for (size_t begin = 0, end = 0; begin < plan_.launches.size(); begin = end) {
    end = plan_.end_of_joined(begin);
    size_t bytes = 0;
    for (size_t i = begin; i < end; ++i) {
      const Launch& launch = plan_.launches[i];
      bytes += sizeof(runtime::IndependentLaunch) + launch.buffers.size() * sizeof(void*) +
               launch.numbers.size() * sizeof(uint64_t);
    }
    if (end - begin > 1) joined_bytes_ = std::max(joined_bytes_, bytes);
  }
  if (plan_.symbols.empty()) fixed_ = compute_dimensions({});
}

runtime::Kernel Executable::code_of(const Launch& launch) const {
  const auto* kernel = std::get_if<GeneratedKernel>(&launch.what);
  if (!kernel || kernel->interpreted) return {};
  VITRO_ASSERT(kernel->module < modules_.size(), "there is no module ", kernel->module);
  const runtime::Kernel code = modules_[kernel->module]->kernel(kernel->symbol);
  VITRO_ASSERT(code.code, "the module has no kernel ", kernel->symbol);
  return code;
}

int64_t Executable::number(Expr e, std::span<const int64_t> symbols) const {
  return sym::evaluate(e, [&](Expr symbol) {
    const auto at = std::find(plan_.symbols.begin(), plan_.symbols.end(), symbol);
    VITRO_ASSERT(at != plan_.symbols.end(), "no value for ", symbol);
    return symbols[static_cast<size_t>(at - plan_.symbols.begin())];
  });
}

bool Executable::may_fail_late(std::span<const Operand> inputs,
                               std::span<const int64_t> symbols) const {
  const auto is_invalid = [&](const LateIndex& late) {
    const Tensor& indices = inputs[late.input.n].tensor();
    return !are_in_range(*indices.impl(), number(late.bound, symbols), late.wraps);
  };
  return plan_.may_fail_late || std::ranges::any_of(plan_.late_indices, is_invalid);
}

std::vector<std::string> Executable::module_keys() const {
  std::vector<std::string> out;
  for (const auto& module : modules_) out.push_back(module->key());
  return out;
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
  const Number number = [&](Expr e) { return this->number(e, symbols); };
  for (const Expr bytes : plan_.value_bytes) (void)number(bytes);  // Error on overflow of 64 bits
  for (const Launch& launch : plan_.launches) {
    d.runs.push_back(Dimensions::run_of(launch, number, device_, workers));
    if (launch.sized) d.runs.back().layout = with_numbers(launch.layout, symbols);
  }
  std::vector<Lifetime> lifetimes;
  std::vector<BufferId> which;
  std::vector<int64_t> kept_at(plan_.buffers.size(), 0);
  for (uint32_t i = 0; i < plan_.buffers.size(); ++i) {
    const BufferPlan& b = plan_.buffers[i];
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
  for (size_t i = 0; i < plan_.launches.size(); ++i)
    d.runs[i].streams = streams_of(plan_.launches[i], d.bytes, d.runs[i].bytes, device_);
  const ArenaPlan plan = plan_arena(lifetimes);
  d.arena = plan.bytes;
  d.offsets = std::move(kept_at);
  for (size_t i = 0; i < which.size(); ++i) d.offsets[which[i].n] = plan.offsets[i];
  for (const OutputPlan& output : plan_.outputs) {
    d.outputs.push_back({numbers_of(output.sizes, number), numbers_of(output.strides, number)});
  }
  return made;
}

bool Executable::keeps(BufferId buffer) const {
  return std::any_of(plan_.launches.begin(), plan_.launches.end(),
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
