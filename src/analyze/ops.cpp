#include "vitro/analyze/ops.h"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>

#include "analyze/groups.h"
#include "analyze/words.h"
#include "vitro/analyze/classes.h"
#include "vitro/analyze/links.h"
#include "vitro/base/error.h"

namespace vitro::analyze {
namespace {

// By GroupBy.
constexpr std::array<std::string_view, 4> ways{"name", "shape", "module", "stack"};
constexpr std::array<std::string_view, 4> titles{"Name", "Shape", "Module", "Stack"};
constexpr std::array<std::string_view, 4> recorded_with{
    "", "record with record_shapes=True", "record with with_modules=True or with_stack=True",
    "record with with_stack=True"};

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

// `nested`: what lies inside an event on its track is work of its own.  `group_of`: the number of
// an event's group.
template <class Counts, class GroupOf>
std::vector<NameTimes> times(const Trace& trace, const Timeline& timeline, bool nested,
                             const Groups& names, Counts counts, GroupOf group_of) {
  std::map<std::tuple<EventClass, uint32_t, uint32_t>, Group> groups;
  const Classes classes(trace);
  for (uint32_t t = 0; t < timeline.tracks(); ++t) {
    for (const EventId e : timeline.track(t)) {
      const EventClass which = classes[e];
      if (!counts(which)) continue;
      Group& group = groups[{which, trace.name_ids()[e], group_of(e)}];
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
    group.times.name = trace.names()[std::get<1>(key)];
    group.times.group = names.text(std::get<2>(key));
    group.times.kind = name_of(std::get<0>(key));
    all += group.times.self;
    out.push_back(std::move(group.times));
  }
  for (NameTimes& each : out) each.share = percent(each.self, all);
  std::ranges::stable_sort(out, {},
                           [](const NameTimes& t) { return std::pair(-t.self, -t.total); });
  return out;
}

AnswerTable table_of(const std::vector<NameTimes>& list, GroupBy by, std::string name,
                     std::string title) {
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
                     {"longest", "Event", Unit::count}},
                    {},
                    {AnswerPlot::Kind::shares, "name", "self_ns", {}}};
  const std::string_view group = ways[static_cast<size_t>(by)];
  const bool grouped = by != GroupBy::name;
  if (grouped)
    table.columns.insert(table.columns.begin() + 1,
                         {std::string(group), std::string(titles[static_cast<size_t>(by)])});
  for (const NameTimes& t : list) {
    auto& row = table.rows.emplace_back();
    row = {t.name,  t.kind,   static_cast<int64_t>(t.calls),
           t.self,  t.share,  t.total,
           t.least, t.median, t.p90,
           t.p99,   t.most,   static_cast<int64_t>(t.longest)};
    if (grouped) row.insert(row.begin() + 1, t.group);
  }
  if (grouped && std::ranges::all_of(list, &std::string::empty, &NameTimes::group))
    table.title +=
        cat(" (the file names no ", group, ": ", recorded_with[static_cast<size_t>(by)], ")");
  return table;
}

// The table, or the reason why there is none.
Answer answer_of(const Result<std::vector<NameTimes>>& list, GroupBy by, const char* name,
                 const char* title) {
  if (list) return {name, {table_of(*list, by, name, title)}, {}};
  return {name, {{"lost", "What could not be read", {{"what", "What"}}, {{list.why()}}}}, {}};
}

}  // namespace

std::vector<NameTimes> ops(const Trace& trace, const Timeline& timeline) {
  return ops(trace, timeline, GroupBy::name).value();
}

std::vector<NameTimes> kernels(const Trace& trace, const Timeline& timeline) {
  return kernels(trace, timeline, GroupBy::name).value();
}

Result<std::vector<NameTimes>> ops(const Trace& trace, const Timeline& timeline, GroupBy by) {
  const auto groups = Groups::of(trace, timeline, by);
  if (!groups) return groups.failure();
  return times(
      trace, timeline, true, *groups,
      [](EventClass which) {
        return which == EventClass::op || which == EventClass::annotation ||
               which == EventClass::python || which == EventClass::runtime;
      },
      [&](EventId e) { return (*groups)[e]; });
}

Result<std::vector<NameTimes>> kernels(const Trace& trace, const Timeline& timeline, GroupBy by) {
  const auto groups = Groups::of(trace, timeline, by);
  if (!groups) return groups.failure();
  const Links links(trace, Classes(trace));
  return times(
      trace, timeline, false, *groups,
      [](EventClass which) {
        return which == EventClass::kernel || which == EventClass::copy || which == EventClass::set;
      },
      [&](EventId e) {
        const EventId launch = links.launch_of(e);
        return launch == Links::nobody ? 0 : (*groups)[launch];
      });
}

Answer answer_ops(const Trace& trace, GroupBy by) {
  return answer_of(ops(trace, Timeline(trace), by), by, "ops", "Ops of the host");
}

Answer answer_kernels(const Trace& trace, GroupBy by) {
  return answer_of(kernels(trace, Timeline(trace), by), by, "kernels", "Kernels of the devices");
}

GroupBy group_by_of(std::string_view text) {
  const auto known = std::ranges::find(ways, text);
  VITRO_CHECK(known != ways.end(), "by: needs name, shape, module or stack, got '", text, "'");
  return static_cast<GroupBy>(known - ways.begin());
}

}  // namespace vitro::analyze
