// Owns the nodes and variants of a function, has variants compiled, and collects reports.  Each
// compiled function has one through its CallPool; calls on all threads read and extend it.
#include "capture/trace_tree.h"

#include <algorithm>
#include <chrono>

#include "base/background.h"
#include "base/program_place.h"
#include "capture/codes.h"
#include "capture/frozen.h"
#include "capture/guard_reports.h"
#include "capture/names.h"
#include "graph/metas.h"
#include "vitro/base/clock.h"
#include "vitro/base/counted.h"
#include "vitro/base/error.h"
#include "vitro/base/module_path.h"
#include "vitro/events/rare.h"
#include "vitro/events/session.h"

namespace vitro::capture {
namespace {

int64_t ns_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::nanoseconds(std::chrono::steady_clock::now() - begin).count();
}

uint32_t next_number() {
  static std::atomic<uint32_t> last{0};
  return last.fetch_add(1);
}

// The guards of a segment, in the symbols of calls instead of the graph's.
std::vector<sym::Guard> guards_of(const CompiledSegment& segment, const Plan& plan) {
  std::vector<std::pair<sym::Expr, sym::Expr>> names;
  for (size_t i = 0; i < plan.symbols.size(); ++i)
    names.emplace_back(plan.graph.symbols()[i], plan.symbols[i]);
  std::vector<sym::Guard> out(segment.guards().begin(), segment.guards().end());
  for (sym::Guard& guard : out) {
    guard.a = sym::substitute(guard.a, names);
    guard.b = sym::substitute(guard.b, names);
  }
  return out;
}

std::string exact_location(std::source_location where) {
  return cat(where.file_name(), ':', where.line(), ':', where.column());
}

void say_once(const std::string& name, const Code& code, const std::string& reason) {
  if (name.starts_with(eager_prefix)) return;
  events::keep(events::Message{"capture", events::Level::warning,
                               cat(name, " runs eagerly in part (", code.id, "): ", reason)});
}

}  // namespace

Option<int64_t> recompile_limit{
    "VITRO_RECOMPILE_LIMIT", 8,
    "paths recorded from one location of a compiled function before it runs eagerly", 0};
Option<int64_t> segment_limit{"VITRO_SEGMENT_LIMIT", 20000,
                              "ops of a compiled function in one segment before it is cut", 1};
Option<int64_t> record_limit{"VITRO_RECORD_LIMIT", 200000,
                             "ops recorded for one compiled function before others run eagerly", 1};

Option<int64_t> compile_limit{"VITRO_COMPILE_LIMIT", 128,
                              "segments compiled for one function before new ones run eagerly", 0};
Option<int64_t> compile_seconds{
    "VITRO_COMPILE_SECONDS", 60,
    "seconds spent on compiling one function before new segments run eagerly", 0};

std::string location_text(std::source_location where) {
  where = program_place(where);
  return where.line() == 0 ? std::string() : cat(where.file_name(), ':', where.line());
}

std::string location_text(const graph::SourceLocation& location) {
  return location.line == 0 ? std::string() : cat(location.file, ':', location.line);
}

std::string at_location(std::string_view text) {
  return text.empty() ? std::string() : cat(" at ", text);
}

TraceTree::TraceTree(CompileOptions options)
    : options_(std::move(options)),
      compiler_(compiler_named(options_.backend)),
      number_(next_number()) {
  if (auto exact = options_.exact ? compiler_->exact() : nullptr) compiler_ = std::move(exact);
}

TraceTree::~TraceTree() = default;

std::string TraceTree::region_name(const SegmentVariant* variant) const {
  return cat("Torch-Compiled Region: ", number_,
             variant ? cat('/', variant->number) : std::string());
}

bool TraceTree::has_room_for_frozen() {
  int64_t count = 0;
  for (const FrozenProgram* p = frozen(); p; p = p->next) ++count;
  if (count < recompile_limit.get()) return true;
  note(What::fell_back, too_many_ways,
       cat(count, " frozen programs (", recompile_limit.variable(),
           "); with other arguments the function's own code runs"),
       {});
  return false;
}

void TraceTree::add(std::unique_ptr<FrozenProgram> program) {
  std::lock_guard hold(lock_);
  for (const FrozenProgram* p = frozen(); p; p = p->next) {
    if (p->same_as(*program)) return;
  }
  program->next = frozen_.load(std::memory_order_relaxed);
  frozen_.store(program.get(), std::memory_order_release);
  programs_.push_back(std::move(program));
}

TraceNode& TraceTree::start_after(std::source_location where) {
  const Site site{where.file_name(), where.line(), where.column()};
  std::lock_guard hold(lock_);
  TraceNode*& start = starts_[site];
  if (!start) {
    start = &nodes_.emplace_back();
    const std::source_location from = program_place(where);
    start->location = {from.file_name(), from.line(), 0};
  }
  return *start;
}

TraceNode* TraceTree::new_node() {
  std::lock_guard hold(lock_);
  if (!spare_.empty()) {
    TraceNode* node = spare_.back();
    spare_.pop_back();
    return node;
  }
  if (nodes_.size() >= static_cast<size_t>(record_limit.get())) return nullptr;
  return &nodes_.emplace_back();
}

void TraceTree::take_back(TraceNode* node) {
  std::destroy_at(node);
  std::construct_at(node);
  std::lock_guard hold(lock_);
  spare_.push_back(node);
}

TraceNode* TraceTree::link(std::atomic<TraceNode*>& link, TraceNode* node) {
  TraceNode* there = nullptr;
  link.compare_exchange_strong(there, node, std::memory_order_acq_rel);
  return there;
}

SegmentVariant* TraceTree::variant(TraceNode& last, const std::vector<uint64_t>& live,
                                   const std::vector<uint64_t>& saved, const Symbols& symbols,
                                   bool* made, uint64_t call, std::span<const sym::Guard> asked) {
  const auto suits = [&](const SegmentVariant& e) {
    return e.live == live && e.saved == saved && e.suits(symbols);
  };
  int64_t count = 0;
  for (SegmentVariant* e = last.variants.load(std::memory_order_acquire); e; e = e->next, ++count) {
    if (suits(*e)) return e;
  }
  if (count >= recompile_limit.get()) {
    note(What::fell_back, too_many_ways,
         cat(count, " variants of the segment that ends here, for different results or sizes (",
             recompile_limit.variable(), ")"),
         location_text(last.location));
    return nullptr;
  }
  std::lock_guard hold(lock_);
  SegmentVariant* newest = last.variants.load(std::memory_order_acquire);
  for (SegmentVariant* e = newest; e; e = e->next) {  // another thread may have added it
    if (suits(*e)) return e;
  }
  SegmentVariant* variant = &variants_.emplace_back();
  variant->number = static_cast<uint32_t>(variants_.size() - 1);
  variant->live = live;
  variant->saved = saved;
  variant->made_by = call;
  variant->asked.assign(asked.begin(), asked.end());
  variant->last = &last;
  variant->name = cat(options_.name, '/', variant->number);
  variant->label = events::intern(variant->name);
  variant->next = newest;
  last.variants.store(variant, std::memory_order_release);
  *made = true;
  return variant;
}

void TraceTree::part_of_building(SegmentVariant& variant, FunctionRef<void()> part) {
  const auto begin = std::chrono::steady_clock::now();
  const sym::DataBounds nobody_runs_anything_now;
  try {
    part();
  } catch (...) {
    variant.why_not = what_was_thrown();
    variant.why_code = &not_compiled;
  }
  variant.compile_ns += ns_since(begin);
}

bool TraceTree::make_plan_of(SegmentVariant& variant, const ValueOf& value_of) const {
  const Verdict said = make_plan(*variant.last, variant.live, variant.saved, options_.memory_budget,
                                 value_of, &variant.plan);
  if (!said) {
    variant.why_not = said.why;
    variant.why_code = said.code;
  }
  return said && !variant.plan.empty();
}

void TraceTree::finish(SegmentVariant& variant) {
  const bool ready = variant.why_code == nullptr;
  const SegmentVariant::State compiled =
      variant.has_questions() ? SegmentVariant::State::guarded : SegmentVariant::State::ready;
  variant.state.store(ready ? compiled : SegmentVariant::State::interpreted,
                      std::memory_order_release);
  if (ready) return;
  note(What::fell_back, *variant.why_code, variant.why_not, location_text(variant.last->location));
  if (variant.why_code == &not_compiled || variant.why_code == &budget_is_spent)
    say_once(options_.name, *variant.why_code, variant.why_not);
}

void TraceTree::build(SegmentVariant& variant, const ValueOf& value_of) {
  part_of_building(variant, [&] {
    if (make_plan_of(variant, value_of)) compile(variant);
  });
  finish(variant);
}

void TraceTree::build_later(std::shared_ptr<TraceTree> tree, SegmentVariant& variant,
                            const ValueOf& value_of) {
  bool is_left = false;
  tree->part_of_building(
      variant, [&] { is_left = tree->make_plan_of(variant, value_of) && !tree->load(variant); });
  if (!is_left) return tree->finish(variant);
  // Counts until the task is done, or dropped.
  const auto counted = [](TraceTree* of, int by) {
    const std::lock_guard hold(of->lock_);
    of->builds_later_ += by;
    of->built_.notify_all();
  };
  counted(tree.get(), 1);
  const std::shared_ptr<TraceTree> until(tree.get(),
                                         [counted, tree](TraceTree* of) { counted(of, -1); });
  const auto task = [until, &variant] {
    const NoGrad inside;
    until->part_of_building(variant, [&] { until->compile(variant); });
    until->finish(variant);
  };
  if (!background::run(task)) task();
}

void TraceTree::wait() const {
  if (!background::runs_elsewhere()) return;
  std::unique_lock hold(lock_);
  built_.wait(hold, [&] { return builds_later_ == 0; });
}

void TraceTree::run_failed_of(SegmentVariant& variant, const std::string& why) {
  note(What::fell_back, run_failed, cat(variant.name, ": ", why),
       location_text(variant.last->location));
  if (!variant.failure_said.exchange(true)) say_once(options_.name, run_failed, why);
}

void TraceTree::give_up(SegmentVariant& variant, const Code& code, const std::string& why) {
  {
    std::lock_guard hold(lock_);
    if (!variant.is_compiled()) return;
    variant.why_not = why;
    variant.why_code = &code;
    variant.state.store(SegmentVariant::State::interpreted, std::memory_order_release);
  }
  note(What::fell_back, code, cat(variant.name, ": ", why), location_text(variant.last->location));
  say_once(options_.name, code, why);
}

std::string TraceTree::budget_spent() const {
  constexpr int64_t ns_per_s = 1'000'000'000;
  if (compiled_count_ >= compile_limit.get())
    return cat(counted(static_cast<uint64_t>(compiled_count_), "segment"),
               compiled_count_ == 1 ? " is" : " are", " compiled for the function (",
               compile_limit.variable(), ")");
  if (compile_ns_ >= compile_seconds.get() * ns_per_s)
    return cat("compiling the function has taken ", compile_ns_ / ns_per_s, " s (",
               compile_seconds.variable(), ")");
  return {};
}

// Equal graphs are compiled once.  Two threads may compile the same one; the first result is kept.
void TraceTree::compile(SegmentVariant& variant) {
  const graph::Graph& graph = variant.plan.graph;
  const Hash key = graph.hash();
  {
    std::lock_guard hold(lock_);
    variant.segment = known_segment(key, graph);
    if (!variant.segment) variant.why_not = budget_spent();
  }
  if (!variant.why_not.empty()) {
    variant.why_code = &budget_is_spent;
    return;
  }
  if (!variant.segment) {
    const auto begin = std::chrono::steady_clock::now();
    std::shared_ptr<CompiledSegment> made;
    try {
      made = compiler_->compile(graph, variant.name, &variant.why_not);
    } catch (...) {
      variant.why_not = what_was_thrown();
    }
    variant.segment = add_segment(std::move(made), key, graph, ns_since(begin));
  }
  if (variant.segment) {
    variant.why_not.clear();
    variant.guards = guards_of(*variant.segment, variant.plan);
    return;
  }
  if (variant.why_not.empty()) variant.why_not = "the backend gave no reason";
  variant.why_code = &not_compiled;
}

bool TraceTree::load(SegmentVariant& variant) {
  const graph::Graph& graph = variant.plan.graph;
  const Hash key = graph.hash();
  {
    std::lock_guard hold(lock_);
    variant.segment = known_segment(key, graph);
    if (!variant.segment && !budget_spent().empty()) return false;
  }
  if (!variant.segment) {
    const auto begin = std::chrono::steady_clock::now();
    std::shared_ptr<CompiledSegment> made = compiler_->load(graph, variant.name);
    if (!made) return false;
    variant.segment = add_segment(std::move(made), key, graph, ns_since(begin));
  }
  variant.guards = guards_of(*variant.segment, variant.plan);
  return true;
}

// Counts a compilation; returns null if nothing was made.
std::shared_ptr<CompiledSegment> TraceTree::add_segment(std::shared_ptr<CompiledSegment> made,
                                                        const Hash& key, const graph::Graph& graph,
                                                        int64_t ns) {
  std::lock_guard hold(lock_);
  ++compiled_count_;
  compile_ns_ += ns;
  if (!made) return nullptr;
  if (auto known = known_segment(key, graph)) return known;
  return segments_.emplace(key, std::move(made))->second;
}

// A segment whose guards hold for the sizes that the graph was captured with.
std::shared_ptr<CompiledSegment> TraceTree::known_segment(const Hash& key,
                                                          const graph::Graph& graph) const {
  const graph::SymbolValues value_of(graph);
  const auto [begin, end] = segments_.equal_range(key);
  for (auto at = begin; at != end; ++at) {
    const std::span<const sym::Guard> guards = at->second->guards();
    if (std::ranges::all_of(guards, [&](const sym::Guard& g) { return g.holds(value_of); }))
      return at->second;
  }
  return nullptr;
}

const TraceNode* TraceTree::latest(const Occurrence& at) const {
  std::lock_guard hold(lock_);
  const auto found = latest_.find(at);
  return found == latest_.end() ? nullptr : found->second;
}

void TraceTree::note_latest(const Occurrence& at, const TraceNode& node) {
  std::lock_guard hold(lock_);
  latest_[at] = &node;
}

bool TraceTree::is_cut(std::source_location where) const {
  for (const Cut* cut = cuts_.load(std::memory_order_acquire); cut; cut = cut->next) {
    if (same_location(cut->where, where)) return true;
  }
  return false;
}

void TraceTree::part(std::source_location where) {
  constexpr int most = 3;
  std::lock_guard hold(lock_);
  if (++partings_[exact_location(where)] != most) return;
  all_cuts_.push_back({where, cuts_.load(std::memory_order_relaxed)});
  cuts_.store(&all_cuts_.back(), std::memory_order_release);
}

namespace {

// The event of a diagnostic.
events::RareKinds event_of(TraceTree::What what, const Code& code, std::string reason,
                           std::string location) {
  std::string id(code.id);
  switch (what) {
    case TraceTree::What::broke:
      return events::Break{std::move(id), std::move(reason), std::move(location)};
    case TraceTree::What::recompiled:
      return events::Recompile{std::move(id), std::move(reason), std::move(location)};
    case TraceTree::What::fell_back:
      break;
  }
  return events::Fallback{std::move(id), std::move(reason), std::move(location)};
}

}  // namespace

void TraceTree::note(What what, const Code& code, std::string reason, std::string location) {
  // Limits make a function slow without an error: warn the first time.
  bool says = what == What::fell_back && (&code == &too_many_ways || &code == &too_much_recorded);
  {
    std::lock_guard hold(lock_);
    const uint32_t session = events::session_number();
    std::vector<Diagnostic>& list = diagnostics_[static_cast<size_t>(what)];
    std::vector<uint32_t>& recorded_in = recorded_in_[static_cast<size_t>(what)];
    for (Diagnostic& f : list) {
      says = says && f.code != &code;
      if (f.code != &code || f.location != location || (what != What::broke && f.reason != reason))
        continue;
      ++f.count;
      uint32_t& last = recorded_in[static_cast<size_t>(&f - list.data())];
      if (session != 0 && last != session)
        events::repeat(event_of(what, code, std::move(reason), std::move(location)));
      last = session;
      return;
    }
    if (list.size() >= 256) return;
    list.push_back({&code, reason, location, 1});
    recorded_in.push_back(session);
  }
  if (says) say_once(options_.name, code, reason);
  if (what == What::recompiled)
    events::keep(events::GuardFailure{std::string(code.id), reason, location});
  events::keep(event_of(what, code, std::move(reason), std::move(location)));
}

// Only linked nodes; others may still be under construction.
std::vector<const TraceNode*> TraceTree::linked_nodes() const {
  std::vector<const TraceNode*> out, todo{entry_.load(std::memory_order_acquire)};
  for (const auto& [site, start] : starts_) todo.push_back(start);
  while (!todo.empty()) {
    const TraceNode* node = todo.back();
    todo.pop_back();
    for (; node; node = node->next.load(std::memory_order_acquire)) {
      out.push_back(node);
      todo.push_back(node->fork.load(std::memory_order_acquire));
    }
  }
  return out;
}

SegmentReport TraceTree::report(const SegmentVariant& e) const {
  SegmentReport segment;
  segment.name = e.name;
  segment.region = region_name(&e);
  segment.graph = e.plan.graph;
  segment.compiled = e.is_compiled();
  segment.why_not = e.why_not;
  segment.kernels = e.segment ? e.segment->kernel_count() : 0;
  if (e.segment && e.segment->report())
    segment.build = std::shared_ptr<const BuildReport>(e.segment, e.segment->report());
  segment.runs = e.runs.load(std::memory_order_relaxed);
  segment.compile_ns = e.compile_ns;
  segment.run_ns = ticks_to_ns(e.run_ticks.load(std::memory_order_relaxed));
  segment.guards = guard_reports(e);
  if (const auto& again = e.plan.again) {
    for (const graph::Output& output : again->graph.outputs()) {
      const TensorMeta& meta = again->graph.meta(output.value);
      segment.computed_again.push_back(
          cat(again->graph[output.value.node].name, ": ", meta.dtype, meta.sizes));
    }
    segment.kept_bytes = again->kept_bytes;
    segment.kept_bytes_without = again->needed_bytes;
  }
  return segment;
}

CompiledReport TraceTree::report() const {
  CompiledReport out;
  std::lock_guard hold(lock_);
  out.name = options_.name;
  out.backend = options_.backend;
  const std::vector<const TraceNode*> nodes = linked_nodes();
  out.ops_recorded =
      static_cast<uint64_t>(std::count_if(nodes.begin(), nodes.end(), [](const TraceNode* s) {
        return s->op != nullptr && !s->expands;
      }));
  std::vector<const SegmentVariant*> built;
  for (const SegmentVariant& e : variants_) {
    if (e.state.load(std::memory_order_acquire) != SegmentVariant::State::building)
      built.push_back(&e);
  }
  for (const SegmentVariant* e : built) out.segments.push_back(report(*e));
  out.breaks = diagnostics_[0];
  out.recompiles = diagnostics_[1];
  out.fallbacks = diagnostics_[2];
  out.guards = guard_texts(nodes, built);
  return out;
}

}  // namespace vitro::capture
