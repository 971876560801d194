// Selects the events of a time range or of processes, with the arrows and names that belong to
// them, and writes them as a trace; used by `vitro trace cut`.
#include "vitro/analyze/events.h"

#include <algorithm>
#include <functional>
#include <set>
#include <unordered_map>

#include "analyze/model/classes.h"
#include "analyze/read/mend.h"
#include "vitro/base/cat.h"
#include "vitro/report/json_check.h"

namespace vitro::analyze {
namespace {

// Arrows by category and number: whether their begin and their end are among these events.
class Arrows {
 public:
  Arrows(const Trace& trace, const std::vector<EventId>& events) : trace_(trace) {
    for (const EventId e : events) {
      if (is_arrow(trace.phases()[e])) ends_[key(e)] |= bit(trace.phases()[e]);
    }
  }

  bool whole(EventId e) const {
    const uint8_t ends = ends_.at(key(e));
    return (ends & bit('s')) != 0 && (ends & bit('f')) != 0;
  }

 private:
  struct Key {
    int64_t link;
    uint16_t category;
    bool operator==(const Key&) const = default;
  };
  struct Hash {
    size_t operator()(const Key& key) const {
      return (static_cast<uint64_t>(key.link) * 0x9e3779b97f4a7c15) ^ key.category;
    }
  };
  Key key(EventId e) const { return {trace_.links()[e], trace_.category_ids()[e]}; }
  static uint8_t bit(char phase) { return phase == 's' ? 1 : phase == 'f' ? 2 : 0; }

  const Trace& trace_;
  std::unordered_map<Key, uint8_t, Hash> ends_;
};

struct Chosen {
  std::vector<EventId> events;
  uint64_t arrow_ends = 0;
};

Chosen choose(const Trace& trace, const CutOptions& options) {
  Query query;
  query.processes = options.processes;
  query.from = options.from;
  query.to = options.to;
  std::vector<EventId> dated;
  std::set<std::string, std::less<>> pids;
  for (const EventId e : find(trace, query)) {
    if (trace.phases()[e] == 'M') continue;
    dated.push_back(e);
  }
  std::vector<bool> used(trace.tracks().size());
  for (const EventId e : dated) used[trace.track_ids()[e]] = true;
  for (size_t t = 0; t < used.size(); ++t)
    if (used[t]) pids.insert(trace.tracks()[t].pid);

  Chosen chosen;
  const Arrows arrows(trace, dated);
  auto next = dated.begin();
  for (const EventId e : trace.events()) {
    const bool is_next = next != dated.end() && *next == e;
    if (is_next) ++next;
    const bool names =
        trace.phases()[e] == 'M' && pids.contains(trace.tracks()[trace.track_ids()[e]].pid);
    if (!is_next && !names) continue;
    if (is_arrow(trace.phases()[e]) && !arrows.whole(e)) {
      ++chosen.arrow_ends;
      continue;
    }
    chosen.events.push_back(e);
  }
  return chosen;
}

}  // namespace

std::vector<EventId> events_of_cut(const Trace& trace, const CutOptions& options) {
  return choose(trace, options).events;
}

Result<Cut> cut(const Trace& trace, const CutOptions& options, report::Output& out) {
  const Chosen chosen = choose(trace, options);
  Cut done;
  done.arrow_ends = chosen.arrow_ends;
  // Invalid JSON is never written: a viewer would reject the whole file.
  const auto as_json = [&](std::string_view text, const std::string& what) {
    const Verdict fine = report::can_be_json(text);
    if (fine) return std::string(text);
    std::string better = mended(text);
    const bool is_better = static_cast<bool>(report::can_be_json(better));
    done.mended.push_back(
        {0, cat(what, is_better ? " was repaired: " : " was dropped: ", fine.why)});
    return is_better ? better : std::string();
  };
  out.write("{\n");
  for (const auto& [name, value] : trace.metadata()) {
    const std::string json = as_json(value, cat("member \"", name, "\""));
    const bool named = static_cast<bool>(report::can_be_json(cat('"', name, '"')));
    if (named && !json.empty()) out.write(cat("\"", name, "\": ", json, ",\n"));
  }
  out.write("\"traceEvents\": [");
  const auto read = trace.read_events(chosen.events, [&](EventId e, std::string_view text) {
    const std::string json = as_json(text, cat("event ", e));
    if (json.empty()) return;
    out.write(cat(done.events++ == 0 ? "\n" : ",\n", json));
  });
  if (!read) return read.failure();
  out.write("\n]}\n");
  return done;
}

}  // namespace vitro::analyze
