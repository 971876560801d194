#include "vitro/analyze/ops.h"

#include <algorithm>
#include <map>

#include "analyze/words.h"
#include "vitro/analyze/classes.h"

namespace vitro::analyze {
namespace {

struct Group {
  NameTimes times;
  std::vector<int64_t> each;
};

bool lies_in_its_like(const Trace& trace, const Timeline& timeline, EventId event) {
  const uint32_t name = trace.name_ids()[event];
  for (EventId around = timeline.parent(event); around != Timeline::nobody;
       around = timeline.parent(around)) {
    if (trace.name_ids()[around] == name &&
        trace.category_ids()[around] == trace.category_ids()[event])
      return true;
  }
  return false;
}

void finish(Group& group) {
  std::ranges::sort(group.each);
  NameTimes& t = group.times;
  t.least = group.each.front();
  t.most = group.each.back();
  t.median = nearest_rank(group.each, 50);
  t.p90 = nearest_rank(group.each, 90);
  t.p99 = nearest_rank(group.each, 99);
  group.each = {};
}

// `nested`: what lies inside an event on its track is work of its own.
template <class Counts>
std::vector<NameTimes> times(const Trace& trace, const Timeline& timeline, bool nested,
                             Counts counts) {
  std::map<std::pair<EventClass, uint32_t>, Group> groups;
  const Classes classes(trace);
  for (uint32_t t = 0; t < timeline.tracks(); ++t) {
    for (const EventId e : timeline.track(t)) {
      const EventClass which = classes[e];
      if (!counts(which)) continue;
      Group& group = groups[{which, trace.name_ids()[e]}];
      const int64_t dur = trace.dur()[e] == none ? 0 : trace.dur()[e];
      if (group.each.empty() || dur > trace.dur()[group.times.longest]) group.times.longest = e;
      ++group.times.calls;
      group.each.push_back(dur);
      group.times.self += nested ? timeline.self(e) : dur;
      if (!nested || !lies_in_its_like(trace, timeline, e)) group.times.total += dur;
    }
  }
  std::vector<NameTimes> out;
  int64_t all = 0;
  for (auto& [key, group] : groups) {
    finish(group);
    group.times.name = trace.names()[key.second];
    group.times.kind = name_of(key.first);
    all += group.times.self;
    out.push_back(std::move(group.times));
  }
  for (NameTimes& each : out)
    each.share = all > 0 ? 100.0 * static_cast<double>(each.self) / static_cast<double>(all) : 0;
  std::ranges::stable_sort(out, {},
                           [](const NameTimes& t) { return std::pair(-t.self, -t.total); });
  return out;
}

AnswerTable table_of(const std::vector<NameTimes>& list, std::string name, std::string title) {
  AnswerTable table{std::move(name),
                    std::move(title),
                    {{"name", "Name"},
                     {"kind", "Kind"},
                     {"calls", "Calls", Unit::count},
                     {"self_ns", "Self", Unit::ns},
                     {"share", "Share", Unit::percent},
                     {"total_ns", "Total", Unit::ns},
                     {"least_ns", "Least", Unit::ns},
                     {"median_ns", "Median", Unit::ns},
                     {"p90_ns", "90 %", Unit::ns},
                     {"p99_ns", "99 %", Unit::ns},
                     {"most_ns", "Most", Unit::ns},
                     {"longest", "Longest", Unit::count}},
                    {},
                    {AnswerPlot::Kind::shares, "name", "self_ns", {}}};
  for (const NameTimes& t : list) {
    table.rows.push_back({t.name, t.kind, static_cast<int64_t>(t.calls), t.self, t.share, t.total,
                          t.least, t.median, t.p90, t.p99, t.most,
                          static_cast<int64_t>(t.longest)});
  }
  return table;
}

}  // namespace

std::vector<NameTimes> ops(const Trace& trace, const Timeline& timeline) {
  return times(trace, timeline, true, [](EventClass which) {
    return which == EventClass::op || which == EventClass::annotation ||
           which == EventClass::python || which == EventClass::runtime;
  });
}

std::vector<NameTimes> kernels(const Trace& trace, const Timeline& timeline) {
  return times(trace, timeline, false, [](EventClass which) {
    return which == EventClass::kernel || which == EventClass::copy || which == EventClass::set;
  });
}

Answer answer_ops(const Trace& trace) {
  return {"ops", {table_of(ops(trace, Timeline(trace)), "ops", "Ops of the host")}, {}};
}

Answer answer_kernels(const Trace& trace) {
  return {"kernels",
          {table_of(kernels(trace, Timeline(trace)), "kernels", "Kernels of the devices")},
          {}};
}

}  // namespace vitro::analyze
