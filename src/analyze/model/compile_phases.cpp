// Recognises the phases of a compiler among host events, by name (PyTorch) or by argument (Vitro);
// compile.cpp and step_times.cpp use them.
#include "analyze/model/compile_phases.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "analyze/model/arguments.h"
#include "analyze/model/device_work.h"
#include "analyze/model/index.h"
#include "analyze/model/producer.h"
#include "kineto/names.h"

namespace vitro::analyze {
namespace {

constexpr std::string_view timed = " (dynamo_timed)";
constexpr size_t no_phase = SIZE_MAX;

// What an event's name says about compiler phases.
struct NameFact {
  bool is_timed = false;        // "… (dynamo_timed)"
  std::string_view data_of;     // NAME of "NAME_data: …"
  std::string_view compile_id;  // in such a name
};

NameFact fact_of(std::string_view name) {
  NameFact out;
  out.is_timed = name.ends_with(timed);
  constexpr std::string_view data = "_data: ", id = "compile_id=";
  const size_t at = name.find(data);
  if (at == std::string_view::npos) return out;
  out.data_of = name.substr(0, at);
  const size_t from = name.find(id, at);
  if (from == std::string_view::npos) return out;
  const std::string_view rest = name.substr(from + id.size());
  out.compile_id = rest.substr(0, rest.find(','));
  return out;
}

// The compiled function or graph, by event.
using Subjects = std::unordered_map<EventId, std::string>;

// Vitro's phases among the events, recognised by their argument.
Result<Subjects> subjects_of(const Trace& trace, const std::vector<EventId>& events) {
  Subjects out;
  if (events.empty()) return out;
  Arguments args;
  const auto done = trace.read_events(events, [&](EventId e, std::string_view json) {
    if (!args.read(json)) return;
    if (auto what = args.text(kineto::argument::compile_phase_of)) out.emplace(e, *std::move(what));
  });
  if (!done) return done.failure();
  return out;
}

// Ops in older files.
bool may_be_phase(EventClass which) {
  return which == EventClass::phase || which == EventClass::op;
}

// The first event of each name decides whether the name is a phase.
Result<Subjects> vitro_phases(const TraceIndex& index) {
  const Trace& trace = index.trace();
  std::vector<bool> wanted(trace.names().size());
  std::vector<EventId> first, all;
  const Classes& classes = index->classes();
  for (const EventId e : trace.events()) {
    const uint32_t name = trace.name_ids()[e];
    if (wanted[name] || !may_be_phase(classes[e])) continue;
    wanted[name] = true;
    first.push_back(e);
  }
  const auto known = subjects_of(trace, first);
  if (!known) return known.failure();
  wanted.assign(wanted.size(), false);
  for (const auto& [e, what] : *known) wanted[trace.name_ids()[e]] = true;
  for (const EventId e : trace.events())
    if (wanted[trace.name_ids()[e]] && may_be_phase(classes[e])) all.push_back(e);
  return subjects_of(trace, all);
}

class PhaseReader {
 public:
  explicit PhaseReader(const Trace& trace) : trace_(trace) {
    for (const std::string& name : trace.names()) facts_.push_back(fact_of(name));
  }

  void know(Subjects subjects) { subjects_ = std::move(subjects); }

  bool finds_any() const {
    return !subjects_.empty() || std::ranges::any_of(facts_, [](const NameFact& fact) {
      return fact.is_timed || !fact.data_of.empty();
    });
  }

  void read(std::span<const EventId> events) {
    open_.clear();
    for (const EventId e : paced(events)) {
      const int64_t begin = trace_.ts()[e];
      while (!open_.empty() && end_of(trace_, open_.back().event) <= begin) open_.pop_back();
      look_at(e);
    }
  }

  std::vector<CompilePhase> take() { return std::move(out_); }

 private:
  struct Frame {
    EventId event;
    size_t phase;
  };

  void look_at(EventId e) {
    const NameFact& fact = facts_[trace_.name_ids()[e]];
    Frame* around = open_.empty() ? nullptr : &open_.back();
    if (!fact.data_of.empty() && around && trace_.name(around->event) == fact.data_of) {
      if (around->phase == no_phase) around->phase = add(around->event, open_.size() - 1);
      out_[around->phase].compile_id = fact.compile_id;
    }
    size_t phase = no_phase;
    const auto subject = subjects_.find(e);
    if (subject != subjects_.end() || (fact.is_timed && !(around && around->phase != no_phase)))
      phase = add(e, open_.size());
    if (subject != subjects_.end()) out_[phase].compile_id = subject->second;
    open_.push_back({e, phase});
  }

  // `depth`: position of the event in open_.
  size_t add(EventId e, size_t depth) {
    std::string_view name = trace_.name(e);
    if (name.ends_with(timed)) name.remove_suffix(timed.size());
    CompilePhase phase{e, name, {}, end_of(trace_, e) - trace_.ts()[e], true};
    for (size_t i = depth; i-- > 0;) {
      // If two cross, the first may have ended.
      if (open_[i].phase == no_phase || end_of(trace_, open_[i].event) <= trace_.ts()[e]) continue;
      CompilePhase& around = out_[open_[i].phase];
      around.self -= phase.self;
      phase.outermost = false;
      phase.compile_id = around.compile_id;
      break;
    }
    out_.push_back(phase);
    return out_.size() - 1;
  }

  const Trace& trace_;
  std::vector<NameFact> facts_;  // by name
  Subjects subjects_;            // for Vitro's phases
  std::vector<Frame> open_;
  std::vector<CompilePhase> out_;
};

}  // namespace

Result<std::vector<CompilePhase>> compile_phases_of(const TraceIndex& index) {
  const Trace& trace = index.trace();
  const TrackOrder& order = index->host();
  PhaseReader reader(trace);
  if (is_from_vitro(trace)) {
    auto subjects = vitro_phases(index);
    if (!subjects) return subjects.failure();
    reader.know(*std::move(subjects));
  }
  if (!reader.finds_any()) return std::vector<CompilePhase>();
  for (uint32_t t = 0; t < order.tracks(); ++t) reader.read(order.track(t));
  return reader.take();
}

}  // namespace vitro::analyze
