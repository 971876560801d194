// Reads a file of export_memory_timeline and replays it by category; answers `vitro trace memory`
// for such files.
#include "analyze/questions/memory/memory_timeline.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "analyze/findings/findings.h"
#include "analyze/model/words.h"
#include "analyze/questions/memory/levels.h"
#include "analyze/questions/memory/memory_answer.h"
#include "analyze/questions/memory/memory_findings.h"
#include "analyze/read/memory_rows.h"
#include "analyze/read/number_lists.h"
#include "base/sort_list.h"
#include "vitro/base/cat.h"

namespace vitro::analyze {
namespace {

constexpr size_t most_moments = 200;

int64_t sum_of(const BytesByCategory& held) {
  return std::accumulate(held.begin(), held.end(), int64_t{0});
}

// Replays the rows of a file from first to last.
class Player {
 public:
  explicit Player(MemoryRows rows) : rows_(std::move(rows)) {
    for (size_t c = 0; c < timeline_categories; ++c)
      categories_[c].category = static_cast<TimelineCategory>(c);
    out_.sums = rows_.sums;
    out_.notes = std::move(rows_.notes);
    out_.all.name = "the device";
  }

  MemoryTimeline play() {
    if (rows_.list.empty()) return std::move(out_);
    set_begin();
    std::vector<Level> levels;
    for (const MemoryRow& row : rows_.list) {
      take(row);
      levels.push_back({row.at, out_.all.last});
    }
    out_.all.usual = usual_level(levels);
    draw_timeline();
    finish_categories();
    return std::move(out_);
  }

 private:
  // Memory that existed before gets the time of the first change.
  void set_begin() {
    const auto first = std::ranges::find_if(
        rows_.list, [](const MemoryRow& row) { return row.at != timeline_before; });
    out_.begin = first == rows_.list.end() ? 0 : first->at;
    for (auto row = rows_.list.begin(); row != first; ++row) row->at = out_.begin;
    out_.end = rows_.list.back().at;
    out_.all.peak_at = out_.begin;
  }

  void take(const MemoryRow& row) {
    MemoryTimeline::Category& of = categories_[static_cast<size_t>(row.category)];
    const int64_t amount = std::abs(row.bytes);
    seen_[static_cast<size_t>(row.category)] = true;
    switch (row.action) {
      case TimelineAction::preexisting:
        of.first += row.bytes;
        out_.all.first += row.bytes;
        break;
      case TimelineAction::created:
        ++of.allocations;
        of.allocated += amount;
        break;
      case TimelineAction::new_version:
        of.moved += row.bytes;
        break;
      case TimelineAction::destroyed:
        ++of.frees;
        of.freed += amount;
        break;
    }
    of.last += row.bytes;
    out_.all.last += row.bytes;
    if (of.last > of.peak) {
      of.peak = of.last;
      of.peak_at = row.at;
    }
    if (out_.all.last > out_.all.peak) set_peak(row);
  }

  void set_peak(const MemoryRow& row) {
    out_.all.peak = out_.all.last;
    out_.all.peak_at = row.at;
    out_.all.peak_event = row.number;
    for (MemoryTimeline::Category& each : categories_) each.at_peak = each.last;
  }

  void draw_timeline() {
    const int64_t part = (out_.end - out_.begin) / static_cast<int64_t>(most_moments) + 1;
    BytesByCategory held{};
    size_t next = 0;
    for (int64_t at = out_.begin; at <= out_.end; at += part) {
      MemoryTimeline::Moment moment{at, sum_of(held), held};
      for (int64_t total = moment.most; next < rows_.list.size(); ++next) {
        const MemoryRow& row = rows_.list[next];
        if (row.at >= at + part) break;
        held[static_cast<size_t>(row.category)] += row.bytes;
        total += row.bytes;
        if (total > moment.most) moment = {at, total, held};
      }
      out_.timeline.push_back(moment);
      out_.all.timeline.push_back({at, moment.most});
    }
  }

  void finish_categories() {
    Memory::Device& all = out_.all;
    for (size_t c = 0; c < timeline_categories; ++c) {
      MemoryTimeline::Category& of = categories_[c];
      if (!seen_[c]) continue;
      if (rows_.sums) of.allocations = of.frees = 0;
      all.allocations += of.allocations;
      all.frees += of.frees;
      all.allocated += of.allocated;
      all.freed += of.freed;
      if (of.at_peak > 0)
        all.at_peak.push_back(
            {std::string(name_of(of.category)), "", 0, of.at_peak, all.peak_event});
      out_.categories.push_back(of);
    }
    sort_list(all.at_peak, std::ranges::greater(), &Memory::Group::bytes);
  }

  MemoryRows rows_;
  MemoryTimeline::Category categories_[timeline_categories];
  bool seen_[timeline_categories] = {};
  MemoryTimeline out_;
};

// "optimiser_state_bytes"
std::string column_of(TimelineCategory category) {
  std::string name = cat(name_of(category), "_bytes");
  std::ranges::replace(name, ' ', '_');
  return name;
}

AnswerTable category_table(const MemoryTimeline& m) {
  AnswerTable table{"categories",
                    "Memory by purpose",
                    {{"category", "Category"},
                     {"allocations", "Allocations", Unit::count},
                     {"allocated_bytes", "Allocated", Unit::bytes},
                     {"frees", "Frees", Unit::count},
                     {"freed_bytes", "Freed", Unit::bytes},
                     {"moved_bytes", "Moved in", Unit::bytes},
                     {"first_bytes", "Before", Unit::bytes},
                     {"peak_bytes", "Peak", Unit::bytes},
                     {"peak_at_ns", "At", Unit::ns},
                     {"at_peak_bytes", "At the peak of all", Unit::bytes},
                     {"at_peak_percent", "Share", Unit::percent},
                     {"last_bytes", "After", Unit::bytes}},
                    {}};
  for (const MemoryTimeline::Category& each : m.categories) {
    table.rows.push_back({std::string(name_of(each.category)),
                          static_cast<int64_t>(each.allocations), each.allocated,
                          static_cast<int64_t>(each.frees), each.freed, each.moved, each.first,
                          each.peak, each.peak_at - m.begin, each.at_peak,
                          percent(each.at_peak, m.all.peak), each.last});
    if (m.sums) std::fill_n(table.rows.back().begin() + 1, 5, AnswerCell());
  }
  table.plot = {AnswerPlot::Kind::shares, "category", "at_peak_bytes", {}};
  return table;
}

AnswerTable timeline_table(const MemoryTimeline& m) {
  AnswerTable table = memory_over_time_table({m.all}, m.begin);
  std::vector<std::string> names;
  for (const MemoryTimeline::Category& each : m.categories)
    names.push_back(column_of(each.category));
  table.keeps = std::make_shared<const std::vector<std::string>>(std::move(names));
  for (size_t c = 0; c < m.categories.size(); ++c) {
    const MemoryTimeline::Category& each = m.categories[c];
    table.columns.push_back({(*table.keeps)[c], name_of(each.category), Unit::bytes});
    for (size_t i = 0; i < m.timeline.size(); ++i)
      table.rows[i].push_back(m.timeline[i].held[static_cast<size_t>(each.category)]);
  }
  return table;
}

}  // namespace

Result<std::optional<MemoryTimeline>> memory_timeline(const std::string& path) {
  constexpr size_t enough = 256;
  const auto beginning = beginning_of(path, enough);
  if (!beginning) return beginning.failure();
  if (!begins_memory_timeline(*beginning)) return std::optional<MemoryTimeline>();
  auto bytes = open_bytes(path);
  if (!bytes) return bytes.failure();
  auto rows = read_memory_rows(**bytes);
  if (!rows) return Failure{cat(path, ": not a complete memory timeline: ", rows.why())};
  return std::optional(Player(*std::move(rows)).play());
}

Answer answer_memory_timeline(const MemoryTimeline& timeline) {
  AnswerTable devices{memory_device_table({timeline.all}, timeline.begin)};
  if (timeline.sums) std::fill_n(devices.rows.front().begin() + 1, 4, AnswerCell());
  Findings findings(Window{timeline.begin, timeline.end});
  conclude_levels(timeline.all, findings);
  Answer answer{"memory",
                {std::move(devices), category_table(timeline), timeline_table(timeline)},
                findings.take()};
  if (timeline.notes.empty()) return answer;
  AnswerTable lost{"lost", "What could not be read", {{"what", "What"}}, {}};
  for (const Note& note : timeline.notes)
    lost.rows.push_back({cat("at byte ", note.offset, ": ", note.text)});
  answer.tables.push_back(std::move(lost));
  return answer;
}

Result<std::optional<Answer>> answer_memory_file(const std::string& path) {
  const auto timeline = memory_timeline(path);
  if (!timeline) return timeline.failure();
  if (!*timeline) return std::optional<Answer>();
  return std::optional(answer_memory_timeline(**timeline));
}

}  // namespace vitro::analyze
