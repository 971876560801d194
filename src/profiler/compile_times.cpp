#include "vitro/profiler/compile_times.h"

#include <algorithm>
#include <map>

#include "vitro/base/cat.h"
#include "vitro/base/clock.h"
#include "vitro/profiler/profile.h"
#include "vitro/report/table.h"
#include "vitro/report/units.h"

namespace vitro {
namespace {

std::vector<CompileTime> sums(const Profile& profile) {
  std::map<std::pair<events::NameId, events::NameId>, size_t> places;
  std::vector<CompileTime> entries;
  const auto entry_of = [&](const Slice& slice) -> CompileTime& {
    const auto [found, fresh] = places.try_emplace({slice.detail, slice.name_id}, entries.size());
    if (fresh)
      entries.push_back({std::string(events::text(slice.detail)), std::string(slice.name())});
    return entries[found->second];
  };
  for (const Track& track : profile.tracks) {
    for (const Slice& slice : track.slices) {
      CompileTime& entry = entry_of(slice);
      ++entry.count;
      entry.self_ns += slice.duration();
      entry.total_ns += slice.duration();
      if (slice.parent != Slice::none)
        entry_of(track.slices[slice.parent]).self_ns -= slice.duration();
    }
  }
  return entries;
}

// A field of a CSV line: in quotes where it has to be.
std::string field(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

}  // namespace

std::string CompileTimes::table(bool colours) const {
  report::Table table({{"Compiled", report::Align::left, 40},
                       {"Phase", report::Align::left, 40},
                       {"Count"},
                       {"Self"},
                       {"Total"}});
  for (const CompileTime& entry : entries_) {
    table.row({entry.subject, entry.phase, cat(entry.count),
               report::time_text(static_cast<double>(entry.self_ns)),
               report::time_text(static_cast<double>(entry.total_ns))});
  }
  const char* lost = whole_ ? "" : "(earlier phases are no longer known and not in the sums)\n";
  return table.text(colours) + lost;
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
                       .total_ns = static_cast<int64_t>(ticks_to_ns(sum.total_ticks))});
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
