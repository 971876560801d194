// Numbers the groups of calls, by shape, module or stack; ops.cpp sums their times.
#include "analyze/questions/ops/groups.h"

#include <algorithm>

#include "analyze/model/arguments.h"
#include "analyze/model/index.h"
#include "analyze/model/words.h"
#include "kineto/names.h"

namespace vitro::analyze {
namespace {

// What a Python event adds to the group of the events inside it; empty: nothing.
std::string_view part_of(std::string_view name, GroupBy by) {
  if (by == GroupBy::stack) return name;
  return is_module(name) ? name.substr(module_prefix.size()) : "";
}

bool has_python(const TraceIndex& index, GroupBy by) {
  const Trace& trace = index.trace();
  const Classes& classes = index->classes();
  for (const EventId e : trace.events()) {
    if (classes[e] == EventClass::python && !part_of(trace.name(e), by).empty()) return true;
  }
  return false;
}

}  // namespace

Result<Groups> Groups::of(const TraceIndex& index, GroupBy by) {
  Groups out;
  if (by == GroupBy::name) return out;
  out.of_event_.resize(index.trace().size());
  if (by != GroupBy::shape && has_python(index, by)) {
    out.read_python(index, by);
    return out;
  }
  const auto done = out.read_texts(index, by == GroupBy::shape    ? kineto::argument::input_dims
                                          : by == GroupBy::module ? "Module Hierarchy"
                                                                  : "Call stack");
  if (!done) return done.failure();
  out.inherit(index);
  return out;
}

std::string Groups::text(uint32_t group) const {
  std::string out;
  for (; group != 0; group = nodes_[group].outer) {
    out = std::string(nodes_[group].text) + (out.empty() ? "" : ";") + out;
  }
  return out;
}

uint32_t Groups::number(uint32_t outer, std::string_view text) {
  const auto [at, fresh] =
      numbers_.try_emplace({outer, std::string(text)}, static_cast<uint32_t>(nodes_.size()));
  if (fresh) nodes_.push_back({outer, at->first.second});
  return at->second;
}

// Profilers end calls that they lose sight of (of generators) with the recording: others that such
// a call crosses still count.
void Groups::read_python(const TraceIndex& index, GroupBy by) {
  const Trace& trace = index.trace();
  const Classes& classes = index->classes();
  const Timeline& timeline = index->timeline();
  std::vector<EventId> open;
  for (uint32_t t = 0; t < timeline.tracks(); ++t) {
    open.clear();
    for (const EventId e : paced(timeline.track(t))) {
      while (!open.empty() && end_of(trace, open.back()) <= trace.ts()[e]) open.pop_back();
      const uint32_t outer = open.empty() ? 0 : of_event_[open.back()];
      const std::string_view part =
          classes[e] == EventClass::python ? part_of(trace.name(e), by) : "";
      of_event_[e] = part.empty() ? outer : number(outer, part);
      if (!part.empty()) open.push_back(e);
    }
  }
}

Result<Done> Groups::read_texts(const TraceIndex& index, std::string_view argument) {
  const Trace& trace = index.trace();
  const Classes& classes = index->classes();
  std::vector<EventId> ops;
  for (const EventId e : trace.events()) {
    if (classes[e] == EventClass::op || classes[e] == EventClass::annotation) ops.push_back(e);
  }
  Arguments args;
  return trace.read_events(ops, [&](EventId e, std::string_view json) {
    args.read(json);
    if (const auto text = args.text(argument)) of_event_[e] = number(0, *text);
  });
}

// Runtime calls get the group of the op around them.
void Groups::inherit(const TraceIndex& index) {
  const Classes& classes = index->classes();
  const Timeline& timeline = index->timeline();
  for (uint32_t t = 0; t < timeline.tracks(); ++t) {
    for (const EventId e : paced(timeline.track(t))) {
      const EventId around = timeline.parent(e);
      if (classes[e] == EventClass::runtime && around != Timeline::nobody)
        of_event_[e] = of_event_[around];
    }
  }
}

}  // namespace vitro::analyze
