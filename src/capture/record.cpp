#include "capture/record.h"

#include <algorithm>
#include <chrono>

#include "capture/aliases.h"
#include "capture/codes.h"
#include "capture/frozen.h"
#include "capture/guard_reports.h"
#include "graph/metas.h"
#include "vitro/base/clock.h"
#include "vitro/base/counted.h"
#include "vitro/base/error.h"
#include "vitro/core/module_path.h"
#include "vitro/events/rare.h"

namespace vitro::capture {
namespace {

uint32_t next_number() {
  static std::atomic<uint32_t> last{0};
  return last.fetch_add(1);
}

// The guards of a segment, of the symbols of the calls instead of the graph's.
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

std::string exact_place(std::source_location where) {
  return cat(where.file_name(), ':', where.line(), ':', where.column());
}

void say_once(const std::string& name, const Code& code, const std::string& reason) {
  events::keep(events::Message{"capture", events::Level::warning,
                               cat(name, " runs eagerly in part (", code.id, "): ", reason)});
}

}  // namespace

Option<int64_t> recompile_limit{
    "VITRO_RECOMPILE_LIMIT", 8,
    "ways that one place of a compiled function may go before it runs eagerly", 0};
Option<int64_t> segment_limit{"VITRO_SEGMENT_LIMIT", 20000,
                              "ops of a compiled function in one segment before it is cut", 1};
Option<int64_t> record_limit{"VITRO_RECORD_LIMIT", 200000,
                             "ops recorded for one compiled function before others run eagerly", 1};

Option<int64_t> compile_limit{"VITRO_COMPILE_LIMIT", 128,
                              "segments compiled for one function before new ones run eagerly", 0};
Option<int64_t> compile_seconds{
    "VITRO_COMPILE_SECONDS", 60,
    "seconds spent on compiling one function before new segments run eagerly", 0};

std::string place_text(std::source_location where) {
  return where.line() == 0 ? std::string() : cat(where.file_name(), ':', where.line());
}

std::string place_text(const graph::Place& place) {
  return place.line == 0 ? std::string() : cat(place.file, ':', place.line);
}

Record::Record(CompileOptions options)
    : options_(std::move(options)),
      runner_(runner_named(options_.backend)),
      number_(next_number()) {
  if (auto exact = options_.exact ? runner_->exact() : nullptr) runner_ = std::move(exact);
}

Record::~Record() = default;

std::string Record::region_name(const Exit* exit) const {
  return cat("Torch-Compiled Region: ", number_, exit ? cat('/', exit->number) : std::string());
}

bool Record::has_room_for_frozen() {
  int64_t count = 0;
  for (const FrozenProgram* p = frozen(); p; p = p->next) ++count;
  if (count < recompile_limit.get()) return true;
  note(What::fell_back, too_many_ways,
       cat(count, " frozen programs (", recompile_limit.variable(),
           "); with other arguments the function's own code runs"),
       {});
  return false;
}

void Record::add(std::unique_ptr<FrozenProgram> program) {
  std::lock_guard hold(lock_);
  for (const FrozenProgram* p = frozen(); p; p = p->next) {
    if (p->same_as(*program)) return;
  }
  program->next = frozen_.load(std::memory_order_relaxed);
  frozen_.store(program.get(), std::memory_order_release);
  programs_.push_back(std::move(program));
}

Step& Record::start_behind(std::source_location where) {
  const Site site{where.file_name(), where.line(), where.column()};
  std::lock_guard hold(lock_);
  Step*& start = starts_[site];
  if (!start) {
    start = &steps_.emplace_back();
    start->place = {where.file_name(), where.line(), 0};
  }
  return *start;
}

Step* Record::new_step() {
  std::lock_guard hold(lock_);
  if (!spare_.empty()) {
    Step* step = spare_.back();
    spare_.pop_back();
    return step;
  }
  if (steps_.size() >= static_cast<size_t>(record_limit.get())) return nullptr;
  return &steps_.emplace_back();
}

void Record::take_back(Step* step) {
  std::destroy_at(step);
  std::construct_at(step);
  std::lock_guard hold(lock_);
  spare_.push_back(step);
}

Step* Record::link(std::atomic<Step*>& link, Step* step) {
  Step* there = nullptr;
  link.compare_exchange_strong(there, step, std::memory_order_acq_rel);
  return there;
}

bool Covering::holds(const Symbols& symbols) const {
  return may_cover_itself(symbols.values(window->sizes), symbols.values(window->strides)) == answer;
}

const sym::Guard* Exit::broken_guard(const Symbols& symbols) const {
  const auto broken = std::ranges::find_if_not(
      guards, [&](const sym::Guard& guard) { return symbols.holds(guard); });
  return broken == guards.end() ? nullptr : &*broken;
}

const Covering* Exit::broken_covering(const Symbols& symbols) const {
  const auto broken = std::ranges::find_if_not(
      plan.coverings, [&](const Covering& covering) { return covering.holds(symbols); });
  return broken == plan.coverings.end() ? nullptr : &*broken;
}

Exit* Record::exit(Step& last, const std::vector<uint64_t>& live, const Symbols& symbols,
                   bool* made, uint64_t call, std::vector<sym::Guard> asked) {
  const auto suits = [&](const Exit& e) { return e.live == live && e.suits(symbols); };
  int64_t count = 0;
  for (Exit* e = last.exits.load(std::memory_order_acquire); e; e = e->next, ++count) {
    if (suits(*e)) return e;
  }
  if (count >= recompile_limit.get()) {
    note(What::fell_back, too_many_ways,
         cat(count, " graphs end here, for other results that are still wanted or other sizes (",
             recompile_limit.variable(), ")"),
         place_text(last.place));
    return nullptr;
  }
  std::lock_guard hold(lock_);
  Exit* newest = last.exits.load(std::memory_order_acquire);
  for (Exit* e = newest; e; e = e->next) {  // one that another thread made meanwhile
    if (suits(*e)) return e;
  }
  Exit* exit = &exits_.emplace_back();
  exit->number = static_cast<uint32_t>(exits_.size() - 1);
  exit->live = live;
  exit->made_by = call;
  exit->asked = std::move(asked);
  exit->last = &last;
  exit->name = cat(options_.name, '/', exit->number);
  exit->label = events::intern(exit->name);
  exit->next = newest;
  last.exits.store(exit, std::memory_order_release);
  *made = true;
  return exit;
}

void Record::make(Exit& exit) {
  const Verdict said = make_plan(*exit.last, exit.live, &exit.plan);
  if (!said) {
    exit.why_not = said.why;
    exit.why_code = said.code;
  } else if (!exit.plan.empty()) {
    exit.segment = compiled(exit, &exit.why_not, &exit.why_code);
    if (exit.segment) exit.guards = guards_of(*exit.segment, exit.plan);
  }
}

void Record::build(Exit& exit) {
  const auto begin = std::chrono::steady_clock::now();
  const sym::DataBounds nobody_runs_anything_now;
  try {
    make(exit);
  } catch (...) {
    exit.why_not = what_was_thrown();
    exit.why_code = &not_compiled;
  }
  exit.compile_ns = std::chrono::nanoseconds(std::chrono::steady_clock::now() - begin).count();
  const bool ready = exit.why_code == nullptr;
  const Exit::State compiled = exit.has_questions() ? Exit::State::guarded : Exit::State::ready;
  exit.state.store(ready ? compiled : Exit::State::interpreted, std::memory_order_release);
  if (ready) return;
  note(What::fell_back, *exit.why_code, exit.why_not, place_text(exit.last->place));
  if (exit.why_code == &not_compiled || exit.why_code == &budget_is_spent)
    say_once(options_.name, *exit.why_code, exit.why_not);
}

void Record::run_failed_of(Exit& exit, const std::string& why) {
  note(What::fell_back, run_failed, cat(exit.name, ": ", why), place_text(exit.last->place));
  if (!exit.failure_said.exchange(true)) say_once(options_.name, run_failed, why);
}

void Record::give_up(Exit& exit, const Code& code, const std::string& why) {
  {
    std::lock_guard hold(lock_);
    if (!exit.is_compiled()) return;
    exit.why_not = why;
    exit.why_code = &code;
    exit.state.store(Exit::State::interpreted, std::memory_order_release);
  }
  note(What::fell_back, code, cat(exit.name, ": ", why), place_text(exit.last->place));
  say_once(options_.name, code, why);
}

std::string Record::budget_spent() const {
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

// Equal graphs are compiled once.  Two threads may both compile one; the first stays.
std::shared_ptr<CompiledSegment> Record::compiled(const Exit& exit, std::string* why,
                                                  const Code** code) {
  const graph::Graph& graph = exit.plan.graph;
  const Hash key = graph.hash();
  {
    std::lock_guard hold(lock_);
    if (auto known = known_segment(key, graph)) return known;
    *why = budget_spent();
    if (!why->empty()) return *code = &budget_is_spent, nullptr;
  }
  const auto begin = std::chrono::steady_clock::now();
  std::shared_ptr<CompiledSegment> made;
  try {
    made = runner_->compile(graph, exit.name, why);
  } catch (...) {
    *why = what_was_thrown();
  }
  if (!made && why->empty()) *why = "the backend gave no reason";
  std::lock_guard hold(lock_);
  ++compiled_count_;
  compile_ns_ += std::chrono::nanoseconds(std::chrono::steady_clock::now() - begin).count();
  if (!made) return *code = &not_compiled, nullptr;
  if (auto known = known_segment(key, graph)) return known;
  return segments_.emplace(key, std::move(made))->second;
}

// One whose guards hold for the sizes that the graph was captured with.
std::shared_ptr<CompiledSegment> Record::known_segment(const Hash& key,
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

const Step* Record::latest(const Occurrence& at) const {
  std::lock_guard hold(lock_);
  const auto found = latest_.find(at);
  return found == latest_.end() ? nullptr : found->second;
}

void Record::note_latest(const Occurrence& at, const Step& step) {
  std::lock_guard hold(lock_);
  latest_[at] = &step;
}

bool Record::is_cut(std::source_location where) const {
  for (const Cut* cut = cuts_.load(std::memory_order_acquire); cut; cut = cut->next) {
    if (same_place(cut->where, where)) return true;
  }
  return false;
}

void Record::part(std::source_location where) {
  constexpr int most = 3;
  std::lock_guard hold(lock_);
  if (++partings_[exact_place(where)] != most) return;
  all_cuts_.push_back({where, cuts_.load(std::memory_order_relaxed)});
  cuts_.store(&all_cuts_.back(), std::memory_order_release);
}

void Record::note(What what, const Code& code, std::string reason, std::string place) {
  // Limits turn a function slow without an error: the first time is said aloud.
  bool says = what == What::fell_back && (&code == &too_many_ways || &code == &too_much_recorded);
  {
    std::lock_guard hold(lock_);
    std::vector<Finding>& list = findings_[static_cast<size_t>(what)];
    for (Finding& f : list) {
      says = says && f.code != &code;
      if (f.code != &code || f.place != place || (what != What::broke && f.reason != reason))
        continue;
      ++f.count;
      return;
    }
    if (list.size() >= 256) return;
    list.push_back({&code, reason, place, 1});
  }
  if (says) say_once(options_.name, code, reason);
  const std::string id(code.id);
  switch (what) {
    case What::broke:
      return events::keep(events::Break{id, std::move(reason), std::move(place)});
    case What::recompiled:
      events::keep(events::GuardFailure{id, reason, place});
      return events::keep(events::Recompile{id, std::move(reason), std::move(place)});
    case What::fell_back:
      return events::keep(events::Fallback{id, std::move(reason), std::move(place)});
  }
}

// Steps that are linked; others may still be in the making.
std::vector<const Step*> Record::linked_steps() const {
  std::vector<const Step*> out, todo{entry_.load(std::memory_order_acquire)};
  for (const auto& [site, start] : starts_) todo.push_back(start);
  while (!todo.empty()) {
    const Step* step = todo.back();
    todo.pop_back();
    for (; step; step = step->next.load(std::memory_order_acquire)) {
      out.push_back(step);
      todo.push_back(step->fork.load(std::memory_order_acquire));
    }
  }
  return out;
}

SegmentReport Record::report(const Exit& e) const {
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
  return segment;
}

CompiledReport Record::report() const {
  CompiledReport out;
  std::lock_guard hold(lock_);
  out.name = options_.name;
  out.backend = options_.backend;
  const std::vector<const Step*> steps = linked_steps();
  out.ops_recorded = static_cast<uint64_t>(std::count_if(
      steps.begin(), steps.end(), [](const Step* s) { return s->op != nullptr && !s->expands; }));
  std::vector<const Exit*> built;
  for (const Exit& e : exits_) {
    if (e.state.load(std::memory_order_acquire) != Exit::State::building) built.push_back(&e);
  }
  for (const Exit* e : built) out.segments.push_back(report(*e));
  out.breaks = findings_[0];
  out.recompiles = findings_[1];
  out.fallbacks = findings_[2];
  out.guards = guard_texts(steps, built);
  return out;
}

}  // namespace vitro::capture
