// Finds captures of device graphs, and matches the work of replays with the calls in them.
#include "analyze/model/captures.h"

#include <algorithm>
#include <string>
#include <vector>

#include "analyze/model/arguments.h"
#include "analyze/model/index.h"
#include "analyze/model/words.h"
#include "vitro/base/cat.h"

namespace vitro::analyze {
namespace {

struct Capture {
  int64_t end = 0;
  uint32_t module = 0;  // module_of() its begin
  std::vector<EventId> calls;
  std::vector<std::string> kernels;  // their names, as far as they are recorded
  std::string origins;               // all that work is grouped by; of alike captures, the same
};

bool is_captured(std::string_view call) {
  return holds(call, {"LaunchKernel", "Memcpy", "Memset"});
}

// The name of the innermost module around an event; UINT32_MAX: of none.
uint32_t module_of(const TraceIndex& index, EventId e) {
  const Trace& trace = index.trace();
  while (e != Timeline::nobody && !is_module(trace.name(e))) e = index->timeline().parent(e);
  return e == Timeline::nobody ? UINT32_MAX : trace.name_ids()[e];
}

// Reads the kernels that calls name, and what is recorded about where they come from.
void read_calls(const TraceIndex& index, Capture& capture) {
  const Trace& trace = index.trace();
  std::vector<EventId> events;
  for (EventId e : capture.calls) {
    for (; e != Timeline::nobody; e = index->timeline().parent(e)) {
      capture.origins += cat(trace.name_ids()[e], ';');
      if (index->classes()[e] != EventClass::python) events.push_back(e);
    }
  }
  std::ranges::sort(events);
  events.erase(std::ranges::unique(events).begin(), events.end());
  std::unordered_map<EventId, std::string> names;
  Arguments args;
  (void)trace.read_events(events, [&](EventId e, std::string_view json) {
    if (!args.read(json)) return;
    names[e] = args.text("kernel").value_or("");
    for (const char* each : {"Input Dims", "Module Hierarchy", "Call stack"})
      capture.origins += args.raw(each);
  });
  for (const EventId e : capture.calls) capture.kernels.push_back(names[e]);
}

std::vector<Capture> read_captures(const TraceIndex& index) {
  const Trace& trace = index.trace();
  std::vector<Capture> out;
  for (const auto& [track, times] : captures_of(trace, index->classes(), index->host())) {
    for (const Interval& each : times) {
      Capture capture;
      capture.end = each.end;
      for (const EventId e : paced(index->host().track(track))) {
        if (trace.ts()[e] < each.begin || trace.ts()[e] >= each.end ||
            index->classes()[e] != EventClass::runtime)
          continue;
        if (trace.ts()[e] == each.begin) capture.module = module_of(index, e);
        if (is_captured(trace.name(e)) && index->links().work_of(e).empty())
          capture.calls.push_back(e);
      }
      read_calls(index, capture);
      out.push_back(std::move(capture));
    }
  }
  return out;
}

// Names may be cut, or written with other arguments of templates: their begins are compared.
bool fits(const Trace& trace, const Capture& capture, const std::vector<EventId>& work) {
  constexpr size_t compared = 24, lost_in = 100;
  const size_t calls = capture.calls.size();
  if (work.empty() || work.size() > calls) return false;
  bool named = true;
  for (size_t i = 0; i < work.size(); ++i) {
    const std::string_view name = capture.kernels[i];
    named &= !name.empty();
    if (!name.empty() && name.substr(0, compared) != trace.name(work[i]).substr(0, compared))
      return false;
  }
  return work.size() == calls || (named && (calls - work.size()) * lost_in <= calls);
}

// The last that fits, unless another one that fits comes from elsewhere; those in the module of the
// launch before others.
const Capture* capture_of(const TraceIndex& index, const std::vector<Capture>& captures,
                          EventId launch, const std::vector<EventId>& work) {
  const Trace& trace = index.trace();
  const uint32_t module = module_of(index, launch);
  const Capture* found = nullptr;
  bool is_inside = false, is_clear = false;
  for (const Capture& each : captures) {
    if (each.end > trace.ts()[launch] || !fits(trace, each, work)) continue;
    const bool inside = module != UINT32_MAX && each.module == module;
    if (is_inside && !inside) continue;
    is_clear = !found || inside != is_inside || (is_clear && each.origins == found->origins);
    if (!found || inside != is_inside || each.end > found->end) found = &each;
    is_inside = inside;
  }
  return is_clear ? found : nullptr;
}

}  // namespace

std::map<uint32_t, Intervals> captures_of(const Trace& trace, const Classes& classes,
                                          const TrackOrder& host) {
  constexpr std::string_view begins = "StreamBeginCapture", ends = "StreamEndCapture";
  std::map<uint32_t, Intervals> out;
  std::vector<bool> any;  // by name
  for (const std::string& name : trace.names()) any.push_back(holds(name, {begins, ends}));
  if (std::ranges::find(any, true) == any.end()) return out;
  for (uint32_t t = 0; t < host.tracks(); ++t) {
    int64_t from = none;
    for (const EventId e : paced(host.track(t))) {
      if (classes[e] != EventClass::runtime || !any[trace.name_ids()[e]]) continue;
      const bool is_end = holds(trace.name(e), {ends});
      if (is_end && from != none) out[t].add(from, end_of(trace, e));
      from = is_end ? none : trace.ts()[e];
    }
  }
  return out;
}

std::unordered_map<EventId, EventId> captured_calls(const TraceIndex& index) {
  const Trace& trace = index.trace();
  std::unordered_map<EventId, EventId> out;
  const std::vector<Capture> captures = read_captures(index);
  if (captures.empty()) return out;
  for (const Launch& launch : index->launches()) {
    if (!holds(trace.name(launch.call), {"GraphLaunch"})) continue;
    std::vector<EventId> work;
    for (const auto& [correlation, e] : index->links().work_of(launch.call)) work.push_back(e);
    std::ranges::sort(work, [&](EventId a, EventId b) {
      return std::pair(trace.ts()[a], a) < std::pair(trace.ts()[b], b);
    });
    const Capture* const found = capture_of(index, captures, launch.call, work);
    for (size_t i = 0; found && i < work.size(); ++i) out.emplace(work[i], found->calls[i]);
  }
  return out;
}

}  // namespace vitro::analyze
