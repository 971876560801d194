// Analyzes compilation: regions and their breaks, phases, compilations inside the measured steps;
// regions.cpp and compile_phases.cpp supply the parts.  Answers `vitro trace compile`.
#include "analyze/questions/compile/compile.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "analyze/findings/findings.h"
#include "analyze/model/arguments.h"
#include "analyze/model/compile_phases.h"
#include "analyze/model/device_work.h"
#include "analyze/model/index.h"
#include "analyze/model/intervals.h"
#include "analyze/model/producer.h"
#include "analyze/model/words.h"
#include "analyze/questions/compile/regions.h"
#include "base/sort_list.h"
#include "vitro/base/cat.h"
#include "vitro/base/counted.h"

namespace vitro::analyze {
namespace {

constexpr size_t most_events = 10;

// "3/2": code 3 had been compiled twice before.
bool says_again(std::string_view compile_id) {
  const size_t slash = compile_id.rfind('/');
  return slash != std::string_view::npos && compile_id.substr(slash + 1) != "0" &&
         compile_id.find_first_not_of("0123456789/") == std::string_view::npos;
}

// Groups outermost phases into compilations.
class Runs {
 public:
  explicit Runs(const TraceIndex& index)
      : trace_(index.trace()),
        joins_(is_from_vitro(trace_)),
        has_steps_(!index->steps().empty()),
        window_(index->window()) {}

  // By begin.
  void add(const CompilePhase& phase) {
    const Window when{trace_.ts()[phase.event], end_of(trace_, phase.event)};
    Compilation::Run& run = run_of(phase, when);
    run.time += std::max<int64_t>(when.end - std::max(when.begin, until_of(run)), 0);
    run.threads_time += when.length();
    run.measured |= has_steps_ && when.begin < window_.end && when.end > window_.begin;
    run.phases.push_back(when);
    run.found &= phase.name == "find_plan";
  }
  std::vector<Compilation::Run> take() { return std::move(runs_); }

 private:
  static int64_t until_of(const Compilation::Run& run) {
    int64_t until = run.begin;
    for (const Window& each : run.phases) until = std::max(until, each.end);
    return until;
  }

  // When the phase that began a graph's compilation recurs, the graph is being compiled again.
  Compilation::Run& run_of(const CompilePhase& phase, const Window& when) {
    const std::string& process = trace_.tracks()[trace_.track_ids()[phase.event]].pid;
    size_t* known = nullptr;
    if (joins_ && !phase.compile_id.empty()) {
      known = &latest_.try_emplace({process, phase.compile_id}, runs_.size()).first->second;
      if (*known < runs_.size() && trace_.name(runs_[*known].event) != phase.name)
        return runs_[*known];
      *known = runs_.size();
    }
    Compilation::Run run{phase.event, phase.compile_id, when.begin};
    run.again = !joins_ && says_again(phase.compile_id);
    run.found = joins_;
    return runs_.emplace_back(std::move(run));
  }

  const Trace& trace_;
  bool joins_, has_steps_;
  Window window_;
  std::map<std::pair<std::string, std::string>, size_t> latest_;  // by process and graph
  std::vector<Compilation::Run> runs_;
};

void add_phases(const TraceIndex& index, Compilation& out) {
  const Trace& trace = index.trace();
  std::map<std::string_view, Compilation::Phase> by_name;
  std::vector<const CompilePhase*> outermost;
  const auto& phases = index->compile_phases();
  if (!phases) out.lost = phases.why();
  static const std::vector<CompilePhase> none;
  for (const CompilePhase& p : phases ? *phases : none) {
    const int64_t begin = trace.ts()[p.event], length = end_of(trace, p.event) - begin;
    Compilation::Phase& phase = by_name[p.name];
    if (phase.calls++ == 0 || length > end_of(trace, phase.longest) - trace.ts()[phase.longest])
      phase.longest = p.event;
    phase.total += length;
    phase.self += p.self;
    if (p.outermost) outermost.push_back(&p);
  }
  for (auto& [name, phase] : by_name) {
    phase.name = name;
    out.phases.push_back(std::move(phase));
  }
  sort_list(out.phases, std::ranges::greater(), &Compilation::Phase::self);
  sort_list(outermost, {}, [&](const auto* p) { return trace.ts()[p->event]; });
  Runs runs(index);
  for (const CompilePhase* phase : outermost) runs.add(*phase);
  out.runs = runs.take();
}

// The function that the longest event of each region names, in Vitro's traces.
void add_functions(const Trace& trace, Compilation& out) {
  if (!is_from_vitro(trace)) return;
  std::map<EventId, Compilation::Region*> of_event;
  for (Compilation::Region& region : out.regions) of_event[region.longest] = &region;
  std::vector<EventId> events;
  for (const auto& [event, region] : of_event) events.push_back(event);
  if (events.empty()) return;
  Arguments args;
  const auto done = trace.read_events(events, [&](EventId e, std::string_view json) {
    if (args.read(json)) of_event[e]->function = args.text("compiled function").value_or("");
  });
  if (!done) out.lost = done.why();
}

std::string name_of(const Compilation::Region& r) {
  const std::string& what = r.function.empty() ? r.code : r.function;
  return what.empty() ? r.name : cat(r.name, " (", what, ")");
}

bool is_incident(std::string_view name) {
  return name == "break" || name == "guard_failure" || name == "recompile" || name == "fallback";
}

void add_incidents(const TraceIndex& index, Compilation& out) {
  const Trace& trace = index.trace();
  std::vector<bool> wanted;
  for (const std::string& name : trace.names()) wanted.push_back(is_incident(name));
  const Classes& classes = index->classes();
  std::vector<EventId> events;
  for (const EventId e : trace.events()) {
    if (wanted[trace.name_ids()[e]] && classes[e] == EventClass::instant) events.push_back(e);
  }
  if (events.empty()) return;
  std::map<std::tuple<std::string, std::string, std::string, std::string>, Compilation::Incident>
      by_text;
  Arguments args;
  const auto said = [&](std::string_view name) { return args.text(name).value_or(""); };
  const auto done = trace.read_events(events, [&](EventId e, std::string_view json) {
    if (!args.read(json)) return;
    const std::string kind(trace.name(e));
    Compilation::Incident& incident = by_text[{kind, said("code"), said("place"), said("reason")}];
    if (incident.count++ == 0)
      incident = {kind, said("code"), said("reason"), said("place"), 1, {}};
    if (incident.first.size() < most_events) incident.first.push_back(e);
  });
  if (!done) out.lost = done.why();
  for (auto& [text, incident] : by_text) out.incidents.push_back(std::move(incident));
  sort_list(out.incidents, std::ranges::greater(), &Compilation::Incident::count);
}

void conclude_breaks(const Compilation& c, Findings& findings) {
  for (const Compilation::Region& r : c.regions) {
    if (r.breaks == 0) continue;
    std::string why = r.resumes.empty() ? "" : cat("; after the first it goes on at ", r.resumes);
    for (const Compilation::Incident& i : c.incidents) {
      if (why.empty() && i.kind == "break")
        why = cat("; the most frequent break is ", i.code, " at ", i.place, ": ", i.reason);
    }
    const uint64_t calls = r.calls - r.inside;
    findings.add({cat("compile.breaks.", r.name),
                  cat(name_of(r), " breaks ", counted(r.breaks, "time"), " in ",
                      counted(calls, "call"), " of ", time_text(r.total), "; ", time_text(r.glue),
                      " of that are guards and code between graphs", why),
                  "remove what breaks the graph (prints, .item(), data-dependent branches, "
                  "unsupported calls): torch._dynamo.explain or vitro::explain names the lines"},
                 r.guards, r.glue, {r.longest}, Pieces(r.broken));
  }
}

// Compilations in the measured window.
struct Measured {
  int64_t time = 0, threads_time = 0;  // while any thread compiles, and summed over threads
  uint64_t count = 0, again = 0, found = 0;
  std::vector<std::pair<int64_t, EventId>> each;  // time, negated, and begin
  Pieces when;

  // Without steps the whole trace counts as measured.
  Measured(const TraceIndex& index, const Compilation& c) {
    const bool steps = !index->steps().empty();
    const Window window = index->window();
    std::vector<Window> pieces;
    for (const Compilation::Run& run : c.runs) {
      if (steps && !run.measured) continue;
      ++(run.found ? found : count);
      again += run.again;
      each.emplace_back(-run.time, run.event);
      pieces.insert(pieces.end(), run.phases.begin(), run.phases.end());
    }
    std::ranges::sort(pieces, {}, &Window::begin);
    Intervals compiling;
    for (const Window& piece : pieces) {
      const int64_t begin = std::max(piece.begin, window.begin);
      const int64_t end = std::min(piece.end, window.end);
      if (end <= begin) continue;
      threads_time += end - begin;
      compiling.add(begin, end);
    }
    time = compiling.length();
    when.add(compiling);
  }
};

void conclude_compiling(const TraceIndex& index, const Compilation& c, Findings& findings) {
  const bool steps = !index->steps().empty();
  auto [time, threads_time, count, again, found, each, when] = Measured(index, c);
  if (count + found == 0) return;
  std::ranges::sort(each);
  std::vector<EventId> events;
  for (const auto& [length, e] : each) events.push_back(e);
  const std::string_view longest = c.phases.front().name;
  const std::string threads =
      threads_time == time ? "" : cat(" (", time_text(threads_time), " summed over threads)");
  const std::string kept =
      found == 0 ? "" : cat(", ", counted(found, "graph"), " found in the cache");
  findings.add(
      {"compile.measured",
       cat("compiling took ", time_text(time), threads, " of the measured ",
           time_text(index->window().length()), ": ", counted(count, "compilation"), ", ", again,
           " of code compiled before", kept, "; the largest part in ", longest),
       again > 0 ? "find why it is compiled again (TORCH_LOGS=recompiles): mark changing "
                   "sizes dynamic, pass numbers as tensors; warm up with all shapes"
                 : "warm up before the measured steps, so that everything is compiled by then"},
      steps ? time : 0, time, std::move(events), std::move(when));
}

void conclude_overhead(const TraceIndex& index, const Compilation& c, Findings& findings) {
  int64_t all = 0;
  uint64_t calls = 0;
  int64_t broken = 0;  // overhead caused by graph breaks
  for (const Compilation::Region& r : c.regions) {
    calls += r.calls;
    broken += r.guards;
  }
  Pieces when;
  for (const Compilation::Overhead& o : c.overheads) {
    all += o.total;
    when.add(o.when);
  }
  if (c.overheads.empty() || calls == 0) return;
  const Compilation::Overhead& most = c.overheads.front();
  findings.add({"compile.overhead",
                cat("guards and wrappers of ", counted(calls, "compiled call"), " take ",
                    time_text(all), " of the measured ", time_text(index->window().length()), ", ",
                    time_text(most.total), " of that in ", most.name),
                "compile larger regions, so that fewer calls are guarded, and guard less (fewer "
                "global and attribute reads in compiled code)"},
               broken, all, most.longest, std::move(when));
}

AnswerTable region_table(const Compilation& c) {
  AnswerTable table{"regions",
                    "Calls of compiled code",
                    {{"name", "Region"},
                     {"calls", "Calls", Unit::count},
                     {"inside", "Nested", Unit::count},
                     {"breaks", "Breaks", Unit::count},
                     {"total_ns", "Total", Unit::ns},
                     {"glue_ns", "Between graphs", Unit::ns},
                     {"longest", "Event", Unit::count}},
                    {}};
  for (const Compilation::Region& r : c.regions) {
    table.rows.push_back({name_of(r), static_cast<int64_t>(r.calls), static_cast<int64_t>(r.inside),
                          static_cast<int64_t>(r.breaks), r.total, r.glue,
                          static_cast<int64_t>(r.longest)});
  }
  return table;
}

AnswerTable function_table(const Compilation& c) {
  AnswerTable table{"functions",
                    "Compiled functions as autograd sees them",
                    {{"name", "Name"},
                     {"calls", "Calls", Unit::count},
                     {"total_ns", "Total", Unit::ns},
                     {"pairs", "Joined", Unit::count}},
                    {}};
  const Compilation::Functions& f = c.functions;
  if (f.forward + f.backward == 0) return table;
  const auto pairs = static_cast<int64_t>(f.pairs);
  table.rows.push_back(
      {"CompiledFunction", static_cast<int64_t>(f.forward), f.forward_time, pairs});
  table.rows.push_back(
      {"CompiledFunctionBackward", static_cast<int64_t>(f.backward), f.backward_time, pairs});
  return table;
}

AnswerTable overhead_table(const Compilation& c) {
  AnswerTable table{"overheads",
                    "Overheads of every compiled call",
                    {{"name", "Name"},
                     {"calls", "Calls", Unit::count},
                     {"total_ns", "Total", Unit::ns},
                     {"longest", "Event", Unit::count}},
                    {}};
  for (const Compilation::Overhead& o : c.overheads) {
    table.rows.push_back(
        {o.name, static_cast<int64_t>(o.calls), o.total, static_cast<int64_t>(o.longest.front())});
  }
  return table;
}

AnswerTable phase_table(const Compilation& c) {
  AnswerTable table{"phases",
                    "Phases of the compiler",
                    {{"name", "Phase"},
                     {"calls", "Calls", Unit::count},
                     {"self_ns", "Self", Unit::ns},
                     {"total_ns", "Total", Unit::ns},
                     {"longest", "Event", Unit::count}},
                    {}};
  for (const Compilation::Phase& p : c.phases) {
    table.rows.push_back(
        {p.name, static_cast<int64_t>(p.calls), p.self, p.total, static_cast<int64_t>(p.longest)});
  }
  table.plot = {AnswerPlot::Kind::shares, "name", "self_ns", {}};
  return table;
}

AnswerTable run_table(const TraceIndex& index, const Compilation& c) {
  const Trace& trace = index.trace();
  AnswerTable table{"compilations",
                    "Compilations",
                    {{"phase", "Begins with"},
                     {"what", "What"},
                     {"at_ns", "At", Unit::ns},
                     {"time_ns", "Time", Unit::ns},
                     {"threads_ns", "All threads", Unit::ns},
                     {"measured", "Measured"},
                     {"again", "Again"},
                     {"found", "From cache"},
                     {"event", "Event", Unit::count}},
                    {}};
  const int64_t first = index->windows().front().window.begin;
  for (const Compilation::Run& run : c.runs) {
    table.rows.push_back({std::string(trace.name(run.event)), run.what, run.begin - first, run.time,
                          run.threads_time, std::string(run.measured ? "yes" : ""),
                          std::string(run.again ? "yes" : ""), std::string(run.found ? "yes" : ""),
                          static_cast<int64_t>(run.event)});
  }
  return table;
}

AnswerTable incident_table(const Compilation& c) {
  AnswerTable table{"incidents",
                    "Breaks, failed guards, recompilations, fallbacks",
                    {{"kind", "Kind"},
                     {"code", "Code"},
                     {"place", "Place"},
                     {"reason", "Reason", Unit::text, true},
                     {"count", "Times", Unit::count},
                     {"first", "Event", Unit::count}},
                    {}};
  for (const Compilation::Incident& i : c.incidents) {
    table.rows.push_back({i.kind, i.code, i.place, i.reason, static_cast<int64_t>(i.count),
                          static_cast<int64_t>(i.first.front())});
  }
  return table;
}

}  // namespace

Compilation compilation(const TraceIndex& index) {
  Compilation out;
  read_regions(index, out);
  add_functions(index.trace(), out);
  add_phases(index, out);
  add_incidents(index, out);
  return out;
}

Answer answer_compile(const TraceIndex& index) {
  const Compilation c = compilation(index);
  Findings findings(index);
  findings.only_while(index->idle_time());
  conclude_breaks(c, findings);
  conclude_compiling(index, c, findings);
  conclude_overhead(index, c, findings);
  Answer answer{"compile",
                {region_table(c), function_table(c), overhead_table(c), phase_table(c),
                 run_table(index, c), incident_table(c)},
                findings.take()};
  if (!c.lost.empty())
    answer.tables.push_back({"lost", "What could not be read", {{"what", "What"}}, {{c.lost}}});
  return answer;
}

}  // namespace vitro::analyze
