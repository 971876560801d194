// Selects events by name, category, thread, duration and time, and presents them as a table; used
// by `vitro trace find`.
#include "vitro/analyze/events.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <regex>

#include "analyze/read/scan.h"
#include "base/sort_list.h"
#include "vitro/base/cat.h"
#include "vitro/base/error.h"

namespace vitro::analyze {
namespace {

// Whether each name, category or track matches; events look theirs up by number.
std::vector<bool> fitting_names(const Trace& trace, const std::string& wanted) {
  std::vector<bool> fits(trace.names().size(), true);
  if (wanted.empty()) return fits;
  try {
    const std::regex expression(wanted, std::regex::ECMAScript | std::regex::optimize);
    for (size_t i = 0; i < fits.size(); ++i)
      fits[i] = std::regex_search(trace.names()[i], expression);
  } catch (const std::regex_error& why) {
    VITRO_CHECK(false, "find: \"", wanted, "\" is not a regular expression: ", why.what());
  }
  return fits;
}

bool is_of(const TrackInfo& track, const std::vector<std::string>& processes) {
  return processes.empty() || std::ranges::any_of(processes, [&](const std::string& wanted) {
           return track.pid == wanted || track.process == wanted || track.labels == wanted;
         });
}

std::vector<bool> fitting_tracks(const Trace& trace, const Query& query) {
  std::vector<bool> fits;
  for (const TrackInfo& track : trace.tracks()) {
    const bool right_thread = query.thread.empty() || track.tid == query.thread ||
                              track.thread.find(query.thread) != std::string::npos;
    fits.push_back(right_thread && is_of(track, query.processes));
  }
  return fits;
}

class Fits {
 public:
  Fits(const Trace& trace, const Query& query)
      : trace_(trace),
        query_(query),
        names_(fitting_names(trace, query.name)),
        tracks_(fitting_tracks(trace, query)) {
    for (const std::string& category : trace.categories())
      categories_.push_back(query.category.empty() || category == query.category);
  }

  bool operator()(EventId e) const {
    return names_[trace_.name_ids()[e]] && tracks_[trace_.track_ids()[e]] &&
           categories_[trace_.category_ids()[e]] && lasts_right(trace_.dur()[e]) && is_then(e);
  }

 private:
  bool lasts_right(int64_t dur) const {
    if (query_.min_dur != none && (dur == none || dur < query_.min_dur)) return false;
    return query_.max_dur == none || (dur != none && dur <= query_.max_dur);
  }
  bool is_then(EventId e) const {
    const int64_t begin = trace_.ts()[e], end = begin + std::max<int64_t>(trace_.dur()[e], 0);
    const bool dated = trace_.phases()[e] != 'M';
    return (query_.from == none || (dated && end >= query_.from)) &&
           (query_.to == none || (dated && begin <= query_.to));
  }

  const Trace& trace_;
  const Query& query_;
  std::vector<bool> names_, tracks_, categories_;
};

// The value of an event's member "args" as written; `{}` if there is none.
std::string arguments_of(std::string_view event) {
  constexpr std::string_view key = "\"args\"";
  for (size_t at = event.find(key); at != std::string_view::npos; at = event.find(key, at + 1)) {
    const size_t colon = event.find_first_not_of(" \t\r\n", at + key.size());
    if (colon == std::string_view::npos || event[colon] != ':') continue;
    const size_t value = event.find_first_not_of(" \t\r\n", colon + 1);
    if (value == std::string_view::npos || event[value] != '{') continue;
    return std::string(event.substr(value, value_length(event.substr(value))));
  }
  return "{}";
}

AnswerTable table_of_found(bool arguments) {
  AnswerTable table{"events",
                    "Events",
                    {{"id", "Id", Unit::count},
                     {"at_ns", "At", Unit::ns},
                     {"ts_ns", "Time stamp, ns", Unit::count},
                     {"dur_ns", "Lasts", Unit::ns},
                     {"phase", "Phase"},
                     {"category", "Category"},
                     {"pid", "Pid"},
                     {"tid", "Tid"},
                     {"thread", "Thread"},
                     {"name", "Name"}},
                    {}};
  if (arguments) table.columns.push_back({"args", "Arguments"});
  return table;
}

}  // namespace

std::vector<EventId> find(const Trace& trace, const Query& query) {
  const Fits fits(trace, query);
  std::vector<EventId> found;
  if (query.ids.empty()) {
    for (const EventId e : trace.events())
      if (fits(e)) found.push_back(e);
    return found;
  }
  for (const EventId e : query.ids)
    if (e < trace.size() && fits(e)) found.push_back(e);
  std::ranges::sort(found);
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

Result<Answer> answer_found(const Trace& trace, std::vector<EventId> events,
                            const FoundOptions& options) {
  std::vector<std::string> arguments;
  if (options.arguments) {
    const auto done = trace.read_events(
        events, [&](EventId, std::string_view json) { arguments.push_back(arguments_of(json)); });
    if (!done) return done.failure();
  }
  AnswerTable table = table_of_found(options.arguments);
  const int64_t begin = begin_of(trace);
  for (size_t i = 0; i < events.size(); ++i) {
    const EventId e = events[i];
    const TrackInfo& track = trace.tracks()[trace.track_ids()[e]];
    const int64_t dur = trace.dur()[e];
    table.rows.push_back({int64_t{e}, trace.ts()[e] - begin, trace.ts()[e],
                          dur == none ? AnswerCell() : AnswerCell(dur),
                          std::string(1, trace.phases()[e]), std::string(trace.category(e)),
                          track.pid, track.tid, track.thread, std::string(trace.name(e))});
    if (options.arguments) table.rows.back().emplace_back(std::move(arguments[i]));
  }
  if (options.longest_first) {
    constexpr size_t dur = 3;  // its column; events without a duration come last
    sort_list(table.rows, std::ranges::greater(), [](const auto& row) {
      const auto* lasts = std::get_if<int64_t>(&row[dur]);
      return lasts ? *lasts : none;
    });
  }
  return Answer{"find", {std::move(table)}, {}};
}

int64_t begin_of(const Trace& trace) {
  int64_t begin = INT64_MAX;
  for (const EventId e : trace.events())
    if (trace.phases()[e] != 'M') begin = std::min(begin, trace.ts()[e]);
  return begin == INT64_MAX ? 0 : begin;
}

Result<int64_t> read_time(std::string_view text) {
  constexpr std::pair<std::string_view, double> units[] = {
      {"", 1e3}, {"us", 1e3}, {"ns", 1}, {"ms", 1e6}, {"s", 1e9}};
  double number = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string_view unit = text.substr(static_cast<size_t>(rest - text.data()));
  for (const auto& [name, ns] : units) {
    if (error == std::errc() && unit == name && std::fabs(number * ns) < 9e18)
      return static_cast<int64_t>(std::llround(number * ns));
  }
  return Failure{
      cat("'", text, "' is not a time: needs a number followed by ns, us, ms or s (default us)")};
}

}  // namespace vitro::analyze
