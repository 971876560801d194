// Sums of compiler phases, from a profile or from the phases kept by the process, as tables; see
// compile_times.h.
#include "vitro/profiler/compile_times.h"

#include <algorithm>
#include <map>
#include <set>

#include "vitro/base/cat.h"
#include "vitro/base/clock.h"
#include "vitro/events/rare.h"
#include "vitro/events/session.h"
#include "vitro/profiler/profile.h"
#include "vitro/report/table.h"
#include "vitro/report/units.h"

namespace vitro {
namespace {

std::vector<CompileTime> sums(const Profile& profile) {
  std::map<std::pair<events::NameId, events::NameId>, size_t> places;
  std::vector<CompileTime> entries;
  std::vector<const Track*> first;  // on which the entry was first seen
  const auto entry_of = [&](const Track& track, const Slice& slice) -> CompileTime& {
    const auto [found, fresh] = places.try_emplace({slice.detail, slice.name_id}, entries.size());
    if (fresh) {
      entries.push_back({std::string(events::text(slice.detail)), std::string(slice.name())});
      first.push_back(&track);
    }
    CompileTime& entry = entries[found->second];
    entry.on_several_threads |= first[found->second] != &track;
    return entry;
  };
  for (const Track& track : profile.tracks) {
    for (const Slice& slice : track.slices) {
      CompileTime& entry = entry_of(track, slice);
      ++entry.count;
      entry.self_ns += slice.duration();
      entry.total_ns += slice.duration();
      if (slice.parent != Slice::none)
        entry_of(track, track.slices[slice.parent]).self_ns -= slice.duration();
    }
  }
  return entries;
}

// A field of a CSV line, quoted if necessary.
std::string field(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

// Names the phases whose times are summed over threads.
std::string threads_note(const std::vector<CompileTime>& entries) {
  std::set<std::string> phases;
  for (const CompileTime& entry : entries) {
    if (entry.on_several_threads) phases.insert(entry.phase);
  }
  if (phases.empty()) return {};
  std::string names;
  for (const std::string& phase : phases)
    if (!phase.empty()) names += cat(names.empty() ? "" : ", ", phase);
  return cat("(times of several threads are summed", names.empty() ? "" : " in ", names, ")\n");
}

}  // namespace

std::string CompileTimes::table(bool colours) const {
  const bool subjects = entries_.empty() || std::ranges::any_of(entries_, [](const auto& entry) {
                          return !entry.subject.empty();
                        });
  const bool phases = entries_.empty() || std::ranges::any_of(entries_, [](const auto& entry) {
                        return !entry.phase.empty();
                      });
  std::vector<report::Column> heads;
  if (subjects) heads.push_back({"Compiled", report::Align::left, 40});
  if (phases) heads.push_back({"Phase", report::Align::left, 40});
  heads.insert(heads.end(), {{"Count"}, {"Self"}, {"Total"}});
  report::Table table(std::move(heads));
  for (const CompileTime& entry : entries_) {
    std::vector<report::Cell> row;
    if (subjects) row.emplace_back(entry.subject);
    if (phases) row.emplace_back(entry.phase);
    row.insert(row.end(), {cat(entry.count), report::time_text(static_cast<double>(entry.self_ns)),
                           report::time_text(static_cast<double>(entry.total_ns))});
    table.row(std::move(row));
  }
  const char* lost = whole_ ? "" : "(earlier phases are no longer kept and not included)\n";
  return table.text(colours) + threads_note(entries_) + lost;
}

CompileTimes CompileTimes::summed(std::string CompileTime::* over) const {
  std::vector<CompileTime> sums;
  for (CompileTime entry : entries_) {
    (entry.*over).clear();
    const auto like = std::ranges::find_if(sums, [&](const CompileTime& sum) {
      return sum.subject == entry.subject && sum.phase == entry.phase;
    });
    if (like == sums.end()) {
      sums.push_back(std::move(entry));
      continue;
    }
    like->on_several_threads |= entry.on_several_threads;
    like->count += entry.count;
    like->self_ns += entry.self_ns;
    like->total_ns += entry.total_ns;
  }
  return CompileTimes(std::move(sums), whole_);
}

CompileTimes CompileTimes::by_phase() const {
  return summed(&CompileTime::subject);
}

CompileTimes CompileTimes::by_subject() const {
  CompileTimes sums = summed(&CompileTime::phase);
  for (CompileTime& entry : sums.entries_) entry.total_ns = entry.self_ns;
  return sums;
}

std::string CompileTimes::csv() const {
  std::string lines = "subject,phase,count,self_s,total_s\n";
  for (const CompileTime& entry : entries_) {
    lines += cat(field(entry.subject), ",", field(entry.phase), ",", entry.count, ",",
                 static_cast<double>(entry.self_ns) / 1e9, ",",
                 static_cast<double>(entry.total_ns) / 1e9, "\n");
  }
  return lines;
}

namespace {

CompileTimes of_the_process() {
  std::vector<CompileTime> entries;
  for (events::PhaseSum& sum : events::phase_sums()) {
    entries.push_back({.subject = std::move(sum.subject),
                       .phase = std::move(sum.phase),
                       .count = sum.count,
                       .self_ns = static_cast<int64_t>(ticks_to_ns(sum.self_ticks)),
                       .total_ns = static_cast<int64_t>(ticks_to_ns(sum.total_ticks)),
                       .on_several_threads = sum.on_several_threads});
  }
  return CompileTimes(std::move(entries));
}

}  // namespace

CompileTimes compile_times(uint64_t since) {
  if (since == 0) return of_the_process();
  events::Recording recording;
  recording.end = ticks();
  std::vector<events::Rare> kept = events::rare_since(since);
  const bool whole = kept.empty() || kept.front().number == since;
  for (events::Rare& event : kept) {
    if (std::holds_alternative<events::Phase>(event.what))
      recording.rare.push_back(std::move(event));
  }
  return CompileTimes(sums(make_profile(std::move(recording))), whole);
}

}  // namespace vitro
