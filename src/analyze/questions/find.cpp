// Selects events by name, category, thread, duration and time, and presents them as a table; used
// by `vitro trace find`.
#include "vitro/analyze/events.h"

#include <regex.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <map>
#include <memory>
#include <span>

#include "analyze/read/scan.h"
#include "base/sort_list.h"
#include "vitro/base/cat.h"
#include "vitro/base/error.h"

namespace vitro::analyze {
namespace {

// An expression of POSIX; std::regex takes 70 KB of code.
class Expression {
 public:
  explicit Expression(const std::string& text) {
    const int error = regcomp(&compiled_, posix(text).c_str(), REG_EXTENDED | REG_NOSUB);
    if (error == 0) return;
    char why[128];
    regerror(error, &compiled_, why, sizeof why);
    VITRO_CHECK(false, "find: \"", text, "\" is not a regular expression: ", why);
  }
  Expression(const Expression&) = delete;
  ~Expression() { regfree(&compiled_); }

  bool matches(const std::string& text) const {
    return regexec(&compiled_, text.c_str(), 0, nullptr, 0) == 0;
  }

 private:
  // With what other dialects write: \d, \D, (?:…), and escapes in brackets, where POSIX has none.
  static std::string posix(std::string_view text) {
    const std::string_view whole = text;
    std::string out;
    for (bool in_brackets = false; !text.empty();) {
      const size_t taken = !in_brackets && text.starts_with("(?:") ? 3
                           : text[0] == '\\' && text.size() > 1    ? 2
                                                                   : 1;
      const std::string_view piece = text.substr(0, taken);
      if (in_brackets && taken == 2) {
        out += in_brackets_of(piece[1], whole);
      } else {
        out += piece == "\\d" ? "[0-9]" : piece == "\\D" ? "[^0-9]" : piece == "(?:" ? "(" : piece;
        in_brackets = in_brackets ? piece != "]" : piece == "[";
      }
      text.remove_prefix(taken);
    }
    return out;
  }
  static std::string in_brackets_of(char escaped, std::string_view expression) {
    if (escaped == 'd') return "0-9";
    const bool is_plain = std::ispunct(static_cast<unsigned char>(escaped)) != 0 &&
                          std::string_view("]^-[").find(escaped) == std::string_view::npos;
    VITRO_CHECK(is_plain, "find: \"", expression, "\" has \\", escaped,
                " in brackets; needs the characters themselves, with ] first and - last");
    return {escaped};
  }

  regex_t compiled_;
};

// Whether each name, category or track matches; events look theirs up by number.
std::vector<bool> fitting_names(const Trace& trace, const std::string& wanted) {
  std::vector<bool> fits(trace.names().size(), true);
  if (wanted.empty()) return fits;
  const Expression expression(wanted);
  for (size_t i = 0; i < fits.size(); ++i) fits[i] = expression.matches(trace.names()[i]);
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

constexpr size_t kept_rows = 1000;         // others are made when they are shown
constexpr size_t read_together = 1 << 14;  // arguments that are kept to bring them into order

// Makes rows of events, in their order.
class FoundRows {
 public:
  FoundRows(const Trace& trace, std::vector<EventId> events, const FoundOptions& options)
      : trace_(trace), events_(std::move(events)), options_(options), begin_(begin_of(trace)) {}

  // Those from `first` to `end`, for as long as `use` returns true.
  Result<Done> each(size_t first, size_t end, const AnswerTable::UseRow& use) const {
    const auto all = std::span(events_).first(std::min(end, events_.size())).subspan(first);
    if (options_.arguments && options_.longest_first) return each_sorted(all, use);
    bool goes_on = true;
    if (!options_.arguments) {
      for (size_t i = 0; i < all.size() && goes_on; ++i) goes_on = use(row(all[i]));
      return Done{};
    }
    return trace_.read_events(all, [&](EventId e, std::string_view json) {
      if (goes_on) goes_on = use(row(e, arguments_of(json)));
    });
  }

 private:
  // The file is read from its beginning for each piece.
  Result<Done> each_sorted(std::span<const EventId> all, const AnswerTable::UseRow& use) const {
    for (; !all.empty(); all = all.subspan(std::min(all.size(), read_together))) {
      const auto piece = all.first(std::min(all.size(), read_together));
      std::vector<EventId> in_order(piece.begin(), piece.end());
      std::ranges::sort(in_order);
      std::map<EventId, std::string> arguments;
      const auto done = trace_.read_events(
          in_order, [&](EventId e, std::string_view json) { arguments[e] = arguments_of(json); });
      if (!done) return done;
      for (const EventId e : piece)
        if (!use(row(e, std::move(arguments[e])))) return Done{};
    }
    return Done{};
  }

  std::vector<AnswerCell> row(EventId e, std::string arguments = {}) const {
    const TrackInfo& track = trace_.tracks()[trace_.track_ids()[e]];
    const int64_t at = trace_.ts()[e], dur = trace_.dur()[e];
    std::vector<AnswerCell> out{int64_t{e},
                                at - begin_,
                                at,
                                dur == none ? AnswerCell() : AnswerCell(dur),
                                std::string(1, trace_.phases()[e]),
                                std::string(trace_.category(e)),
                                track.pid,
                                track.tid,
                                track.thread,
                                std::string(trace_.name(e))};
    if (options_.arguments) out.emplace_back(std::move(arguments));
    return out;
  }

  const Trace& trace_;
  const std::vector<EventId> events_;
  const FoundOptions options_;
  const int64_t begin_;
};

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
  if (options.longest_first) {  // events without a duration come last
    sort_list(events, std::ranges::greater(), [&](EventId e) { return trace.dur()[e]; });
  }
  const size_t kept = std::min(events.size(), kept_rows), more = events.size() - kept;
  const auto rows = std::make_shared<FoundRows>(trace, std::move(events), options);
  AnswerTable table = table_of_found(options.arguments);
  const auto done = rows->each(0, kept, [&](std::vector<AnswerCell> row) {
    table.rows.push_back(std::move(row));
    return true;
  });
  if (!done) return done.failure();
  table.more = more;
  table.each_more = [rows, kept](const AnswerTable::UseRow& use) {
    const auto rest = rows->each(kept, SIZE_MAX, use);
    if (!rest) throw Error(rest.why());
  };
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
