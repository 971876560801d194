// Finds captures of device graphs, and matches the work of replays with the calls in them.
#include "analyze/model/captures.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "analyze/model/arguments.h"
#include "analyze/model/index.h"

namespace vitro::analyze {
namespace {

bool holds(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

struct Capture {
  int64_t end = 0;
  std::vector<EventId> calls;
  std::vector<std::string> kernels;  // their names, as far as they are recorded
};

bool is_captured(std::string_view call) {
  return holds(call, "LaunchKernel") || holds(call, "Memcpy") || holds(call, "Memset");
}

std::vector<Capture> read_captures(const TraceIndex& index) {
  const Trace& trace = index.trace();
  std::vector<Capture> out;
  for (const auto& [track, times] : captures_of(trace, index->classes(), index->host())) {
    for (const Interval& each : times) {
      Capture capture{.end = each.end};
      for (const EventId e : paced(index->host().track(track)))
        if (trace.ts()[e] >= each.begin && trace.ts()[e] < each.end &&
            index->classes()[e] == EventClass::runtime && is_captured(trace.name(e)) &&
            index->links().work_of(e).empty())
          capture.calls.push_back(e);
      std::vector<EventId> calls = capture.calls;
      std::ranges::sort(calls);
      std::unordered_map<EventId, std::string> names;
      Arguments args;
      (void)trace.read_events(calls, [&](EventId e, std::string_view json) {
        if (args.read(json)) names[e] = args.text("kernel").value_or("");
      });
      for (const EventId e : capture.calls) capture.kernels.push_back(names[e]);
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

}  // namespace

std::map<uint32_t, Intervals> captures_of(const Trace& trace, const Classes& classes,
                                          const TrackOrder& host) {
  constexpr std::string_view begins = "StreamBeginCapture", ends = "StreamEndCapture";
  std::map<uint32_t, Intervals> out;
  std::vector<bool> any;  // by name
  for (const std::string& name : trace.names())
    any.push_back(holds(name, begins) || holds(name, ends));
  if (std::ranges::find(any, true) == any.end()) return out;
  for (uint32_t t = 0; t < host.tracks(); ++t) {
    int64_t from = none;
    for (const EventId e : paced(host.track(t))) {
      if (classes[e] != EventClass::runtime || !any[trace.name_ids()[e]]) continue;
      const bool is_end = holds(trace.name(e), ends);
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
    if (!holds(trace.name(launch.call), "GraphLaunch")) continue;
    std::vector<EventId> work;
    for (const auto& [correlation, e] : index->links().work_of(launch.call)) work.push_back(e);
    std::ranges::sort(work, [&](EventId a, EventId b) {
      return std::pair(trace.ts()[a], a) < std::pair(trace.ts()[b], b);
    });
    const Capture* only = nullptr;
    size_t fitting = 0;
    for (const Capture& each : captures) {
      if (each.end > trace.ts()[launch.call] || !fits(trace, each, work)) continue;
      only = &each;
      ++fitting;
    }
    for (size_t i = 0; fitting == 1 && i < work.size(); ++i) out.emplace(work[i], only->calls[i]);
  }
  return out;
}

}  // namespace vitro::analyze
