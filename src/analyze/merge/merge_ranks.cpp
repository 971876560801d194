// Merges the traces of all ranks into one: aligns clocks and renumbers processes and links; used
// by `vitro trace merge --ranks`.
#include "vitro/analyze/merge.h"

#include <algorithm>
#include <cctype>
#include <numeric>
#include <set>

#include "analyze/model/classes.h"
#include "analyze/read/token.h"
#include "analyze/store/rewrite.h"
#include "analyze/store/written_event.h"
#include "kineto/names.h"
#include "vitro/base/cat.h"
#include "vitro/base/lower_case.h"
#include "vitro/report/json.h"
#include "vitro/report/output.h"

namespace vitro::analyze {
namespace {

constexpr int64_t pids_of_a_rank = 10'000'000, ids_of_a_rank = int64_t{1} << 33;

std::string json_of(std::string_view text) {
  report::TextOutput out;
  report::Json(out).value(text);
  out.finish();
  return out.text();
}

bool ties(std::string_view argument) {
  constexpr std::string_view names[] = {"correlation", kineto::argument::external_id, "external id",
                                        "wait_on_cuda_event_record_corr_id"};
  return std::ranges::find(names, argument) != std::end(names);
}

// Rewrites the events of one rank for the common trace.
class RankWriter {
 public:
  RankWriter(const Trace& trace, const MergedRanks::Rank& rank, int64_t base, bool first,
             report::Output& out)
      : trace_(trace),
        rank_(rank.rank),
        shift_(trace.base() + rank.clock_offset - base),
        wrote_(!first),
        out_(out) {}

  void label_processes() {
    std::set<std::string> done;
    for (const TrackInfo& track : trace_.tracks()) {
      if (!done.insert(track.pid).second) continue;
      const std::string labels = cat("rank ", rank_, track.labels.empty() ? "" : " ", track.labels);
      put(cat(R"({"ph":"M","name":"process_labels","pid":)", pid(track.pid),
              R"(,"tid":0,"ts":0,"args":{"labels":)", json_of(labels), "}}"));
    }
  }

  // False if it is not valid JSON.
  bool event(EventId e, std::string_view text) {
    const char phase = trace_.phases()[e];
    if (phase == 'M' && trace_.name(e) == "process_labels") return true;
    const auto other = rewritten(text,
                                 [&](std::string_view key, std::string_view value,
                                     bool in_args) -> std::optional<std::string> {
                                   if (in_args) return ties(key) ? moved(value) : std::nullopt;
                                   if (key == "pid")
                                     return pid(trace_.tracks()[trace_.track_ids()[e]].pid);
                                   if (key == "id" && is_arrow(phase)) return moved(value);
                                   if (key == "ts" && phase != 'M')
                                     return microseconds(trace_.ts()[e] + shift_);
                                   return std::nullopt;
                                 });
    if (other) put(*other);
    return other.has_value();
  }

 private:
  std::string pid(const std::string& own) const {
    const auto number = number_in<int64_t>(own);
    if (!number || *number < 0 || *number >= pids_of_a_rank)
      return json_of(cat("rank ", rank_, " ", own));
    return cat((rank_ + 1) * pids_of_a_rank + *number);
  }

  // A number made unique to this rank; a text keeps its quotes.
  std::optional<std::string> moved(std::string_view value) const {
    const auto number = number_in<int64_t>(value);
    if (number)
      return *number < 0 ? std::nullopt : std::optional(cat(*number + rank_ * ids_of_a_rank));
    if (value.size() < 2 || value.front() != '"') return std::nullopt;
    return cat("\"rank ", rank_, " ", value.substr(1));
  }

  void put(std::string_view event) {
    out_.write(cat(wrote_ ? ",\n" : "", event));
    wrote_ = true;
  }

  const Trace& trace_;
  int64_t rank_, shift_;
  bool wrote_;  // an event has been written: the next needs a comma
  report::Output& out_;
};

Result<MergedRanks> known_ranks(const std::vector<std::string>& files, const LoadOptions& options) {
  const Ranks all = ranks(files, options);
  if (!all.unread.empty()) return Failure{all.unread.front().text};
  if (all.ranks.size() < 2)
    return Failure{"merge: got the trace of one rank, needs those of at least two"};
  MergedRanks out;
  for (const RankTimes& each : all.ranks) {
    if (!out.ranks.empty() && out.ranks.back().rank == each.rank)
      return Failure{cat("merge: ", out.ranks.back().file, " and ", each.file, " are both of rank ",
                         each.rank)};
    out.ranks.push_back({each.rank, each.file, 0, 0, each.clock_offset, each.aligned});
  }
  return out;
}

Result<Done> write_rank(const Trace& trace, MergedRanks::Rank& rank, int64_t base, bool first,
                        report::Output& out) {
  RankWriter writer(trace, rank, base, first, out);
  writer.label_processes();
  std::vector<EventId> events(trace.size());
  std::iota(events.begin(), events.end(), EventId{0});
  return trace.read_events(events, [&](EventId e, std::string_view text) {
    const bool whole = writer.event(e, text);
    ++(whole ? rank.events : rank.broken);
  });
}

// Whether a text contains the word "rank" with this number: "rank 3", "Rank3", "rank_3:".
bool says_rank(std::string_view text, int64_t rank) {
  const std::string small = lower_case(text);
  for (size_t at = small.find("rank"); at != std::string::npos; at = small.find("rank", at + 1)) {
    size_t digits = at + 4;
    while (digits < small.size() &&
           std::string_view(" _-:#=").find(small[digits]) != std::string_view::npos)
      ++digits;
    const size_t end = std::min(small.find_first_not_of("0123456789", digits), small.size());
    if (number_in<int64_t>(std::string_view(small).substr(digits, end - digits)) == rank)
      return true;
  }
  return false;
}

}  // namespace

Result<MergedRanks> merge_ranks(const std::vector<std::string>& files, const std::string& out,
                                const LoadOptions& options) {
  auto merged = known_ranks(files, options);
  if (!merged) return merged.failure();
  const auto file = report::create_file(out);
  int64_t base = 0;
  for (MergedRanks::Rank& rank : merged->ranks) {
    const bool first = &rank == &merged->ranks.front();
    const auto trace = Trace::open(rank.file, options);
    if (!trace) return trace.failure();
    if (first) {
      base = trace->base();
      file->write(cat("{\n\"schemaVersion\": 1,\n\"baseTimeNanoseconds\": ", base,
                      ",\n\"displayTimeUnit\": \"ms\",\n\"traceEvents\": [\n"));
    }
    const auto written = write_rank(*trace, rank, base, first, *file);
    if (!written) return written.failure();
  }
  file->write("\n]}\n");
  file->finish();
  return std::move(*merged);
}

Answer answer_merged(const MergedRanks& merged) {
  AnswerTable table{"merged",
                    "Ranks merged into one trace",
                    {{"rank", "Rank", Unit::count},
                     {"file", "File"},
                     {"events", "Events", Unit::count},
                     {"broken", "Left out", Unit::count},
                     {"clock_offset_ns", "Added to times", Unit::ns},
                     {"aligned", "Aligned"}},
                    {}};
  for (const MergedRanks::Rank& r : merged.ranks) {
    table.rows.push_back({r.rank, r.file, static_cast<int64_t>(r.events),
                          static_cast<int64_t>(r.broken), r.clock_offset,
                          std::string(r.aligned ? "yes" : "no")});
  }
  return {"merge", {std::move(table)}, {}};
}

std::vector<std::string> processes_of_rank(const Trace& trace, int64_t rank) {
  std::set<std::string> of_rank, all;
  for (const TrackInfo& track : trace.tracks()) {
    all.insert(track.pid);
    for (const std::string* text : {&track.pid, &track.process, &track.labels})
      if (says_rank(*text, rank)) of_rank.insert(track.pid);
  }
  if (!of_rank.empty()) return {of_rank.begin(), of_rank.end()};
  if (stated_rank(trace) != rank) return {};
  return {all.begin(), all.end()};
}

}  // namespace vitro::analyze
