// Counts events by category and phase, lists threads and streams, and reports what was lost;
// answers `vitro trace info`.
#include "analyze/questions/info.h"

#include <algorithm>
#include <map>

#include "base/sort_list.h"
#include "vitro/base/cat.h"

namespace vitro::analyze {
namespace {

void widen(int64_t& begin, int64_t& end, int64_t from, int64_t to) {
  begin = begin == none ? from : std::min(begin, from);
  end = end == none ? to : std::max(end, to);
}

// Rows that have only metadata events are not reported.
bool is_marker(const TrackInfo& track) {
  return track.pid == "Spans" || track.pid == "Traces" || track.pid.empty();
}

void count(const Trace& trace, Info& out) {
  std::vector<std::map<char, Info::Kind>> kinds(trace.categories().size());  // by phase
  out.rows.resize(trace.tracks().size());
  for (size_t t = 0; t < out.rows.size(); ++t) out.rows[t].track = trace.tracks()[t];
  for (const EventId e : trace.events()) {
    const char phase = trace.phases()[e];
    Info::Kind& kind = kinds[trace.category_ids()[e]][phase];
    ++kind.events;
    if (phase == 'M') continue;
    const int64_t dur = trace.dur()[e] == none ? 0 : trace.dur()[e];
    kind.total_ns += dur;
    Info::Row& row = out.rows[trace.track_ids()[e]];
    ++row.events;
    widen(row.begin, row.end, trace.ts()[e], trace.ts()[e] + dur);
  }
  for (const Info::Row& row : out.rows)
    if (row.events > 0 && !is_marker(row.track)) widen(out.begin, out.end, row.begin, row.end);
  for (size_t c = 0; c < kinds.size(); ++c) {
    for (auto& [phase, kind] : kinds[c]) {
      kind.category = trace.categories()[c];
      kind.phase = std::string(1, phase);
      out.kinds.push_back(std::move(kind));
    }
  }
  sort_list(out.kinds, std::ranges::greater(), &Info::Kind::events);
}

}  // namespace

Info info(const Trace& trace) {
  Info out;
  out.file_bytes = trace.file_bytes();
  out.unpacked_bytes = trace.unpacked_bytes();
  out.events = trace.size();
  out.base = trace.base();
  out.notes = trace.notes();
  for (const auto& [name, json] : trace.metadata()) out.metadata.push_back({name, json});
  const auto schema = trace.metadata().find("schemaVersion");
  out.schema = schema != trace.metadata().end() ? cat("Kineto, schema ", schema->second)
               : trace.metadata().empty()       ? "a bare list of events"
                                                : "Chrome's trace events";
  count(trace, out);
  std::erase_if(out.rows, [](const Info::Row& row) { return row.events == 0; });
  sort_list(out.rows, {}, [](const Info::Row& row) { return row.track.sort_index; });
  return out;
}

Answer answer(const Info& info) {
  Answer out{"info", {}, {}};
  AnswerTable file{"file",
                   "File",
                   {{"format", "format"},
                    {"file_bytes", "size", Unit::bytes},
                    {"unpacked_bytes", "unpacked", Unit::bytes},
                    {"events", "events", Unit::count},
                    {"span_ns", "lasts", Unit::ns},
                    {"base_ns", "times count from, ns since 1970", Unit::count}},
                   {}};
  file.rows.push_back({info.schema, static_cast<int64_t>(info.file_bytes),
                       static_cast<int64_t>(info.unpacked_bytes), static_cast<int64_t>(info.events),
                       info.begin == none ? AnswerCell() : info.end - info.begin, info.base});
  file.is_record = true;
  out.tables.push_back(std::move(file));

  AnswerTable kinds{"kinds",
                    "Events",
                    {{"category", "Category"},
                     {"phase", "Phase"},
                     {"events", "Events", Unit::count},
                     {"total_ns", "Total", Unit::ns}},
                    {}};
  for (const Info::Kind& kind : info.kinds) {
    kinds.rows.push_back(
        {kind.category, kind.phase, static_cast<int64_t>(kind.events), kind.total_ns});
  }
  out.tables.push_back(std::move(kinds));

  AnswerTable rows{"tracks",
                   "Threads and streams",
                   {{"process", "Process"},
                    {"labels", "Labels"},
                    {"pid", "Pid"},
                    {"tid", "Tid"},
                    {"thread", "Name"},
                    {"events", "Events", Unit::count},
                    {"span_ns", "Span", Unit::ns}},
                   {}};
  for (const Info::Row& row : info.rows) {
    rows.rows.push_back({row.track.process, row.track.labels, row.track.pid, row.track.tid,
                         row.track.thread, static_cast<int64_t>(row.events), row.end - row.begin});
  }
  out.tables.push_back(std::move(rows));

  AnswerTable members{"metadata", "Metadata", {{"name", "Name"}, {"json", "JSON"}}, {}};
  for (const Info::Member& member : info.metadata)
    members.rows.push_back({member.name, member.json});
  if (!members.rows.empty()) out.tables.push_back(std::move(members));

  AnswerTable notes{"notes",
                    "Lost or repaired while reading",
                    {{"offset", "At byte", Unit::count}, {"text", "What", Unit::text, true}},
                    {}};
  for (const Note& note : info.notes)
    notes.rows.push_back({static_cast<int64_t>(note.offset), note.text});
  if (!notes.rows.empty()) out.tables.push_back(std::move(notes));
  return out;
}

}  // namespace vitro::analyze
