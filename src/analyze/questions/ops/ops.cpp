// Sums times by name and group, for the host's ops and the devices' kernels; answers `vitro trace
// ops` and `vitro trace kernels`.
#include "analyze/questions/ops/ops.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <span>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "analyze/model/classes.h"
#include "analyze/model/device_work.h"
#include "analyze/model/index.h"
#include "analyze/model/links.h"
#include "analyze/model/producer.h"
#include "analyze/model/words.h"
#include "analyze/questions/ops/groups.h"
#include "analyze/questions/ops/kernel_findings.h"
#include "analyze/questions/ops/products.h"
#include "analyze/questions/ops/sequences.h"
#include "vitro/base/error.h"

namespace vitro::analyze {
namespace {

// By GroupBy.
constexpr std::array<std::string_view, 4> titles{"Name", "Shape", "Module", "Stack"};
constexpr std::array<std::string_view, 4> recorded_with{
    "", "record with record_shapes=True", "record with with_modules=True or with_stack=True",
    "record with with_stack=True"};

struct Key {
  EventClass which;
  uint32_t name, group;
  bool operator==(const Key&) const = default;
};

struct KeyHash {
  size_t operator()(const Key& key) const {
    const uint64_t both = uint64_t{key.name} << 32 | key.group;
    return (both ^ static_cast<uint64_t>(key.which)) * 0x9e3779b97f4a7c15 >> 20;
  }
};

void set_ranks(NameTimes& times, std::span<int64_t> each) {
  std::ranges::sort(each);
  times.least = each.front();
  times.most = each.back();
  times.median = nearest_rank(each, 50);
  times.p90 = nearest_rank(each, 90);
  times.p99 = nearest_rank(each, 99);
}

// Calls by group.  Their durations are kept contiguously, group by group: with tens of millions of
// calls nothing else may be kept.
class Calls {
 public:
  explicit Calls(const TraceIndex& index)
      : index_(index),
        trace_(index.trace()),
        timeline_(index->timeline()),
        group_of_(trace_.size(), uncounted) {}

  // `nested`: events inside another on its track are work of their own.
  void add(EventId e, const Key& key, bool nested) {
    const auto [at, fresh] = numbers_.try_emplace(key, static_cast<uint32_t>(groups_.size()));
    if (fresh) {
      groups_.emplace_back();
      keys_.push_back(key);
    }
    NameTimes& times = groups_[at->second];
    const int64_t dur = length(e);
    if (fresh || dur > length(static_cast<EventId>(times.longest))) times.longest = e;
    ++times.calls;
    times.self += nested ? timeline_.self(e) : dur;
    if (!nested || !lies_in_its_like(e, at->second)) times.total += dur;
    group_of_[e] = at->second;
    ++calls_;
  }

  // Device work belongs to its launch and to everything around the launch.
  void add_devices() {
    const Classes& classes = index_->classes();
    const Links& links = index_->links();
    std::vector<EventId> around;  // the innermost first
    added_.assign(groups_.size(), Links::nobody);
    for (const EventId e : trace_.events()) {
      const EventId launch = classes.is_device_work(e) ? links.launch_of(e) : Links::nobody;
      if (launch == Links::nobody) continue;
      around.clear();
      for (EventId at = launch; at != Timeline::nobody; at = timeline_.parent(at))
        around.push_back(at);
      add_device_self(classes, around, length(e));
      add_device_total(e, around);
    }
  }

  std::vector<NameTimes> take(const Groups& names) {
    set_ranks_of_all();
    int64_t all = 0;
    for (size_t g = 0; g < groups_.size(); ++g) {
      groups_[g].name = trace_.names()[keys_[g].name];
      groups_[g].group = names.text(keys_[g].group);
      groups_[g].kind = name_of(keys_[g].which);
      all += groups_[g].self;
    }
    for (NameTimes& each : groups_) each.share = percent(each.self, all);
    return in_order();
  }

 private:
  static constexpr uint32_t uncounted = UINT32_MAX;

  int64_t length(EventId e) const { return trace_.dur()[e] == none ? 0 : trace_.dur()[e]; }

  // Needs: the events around it have been added.
  bool lies_in_its_like(EventId e, uint32_t group) const {
    for (EventId around = timeline_.parent(e); around != Timeline::nobody;
         around = timeline_.parent(around)) {
      if (group_of_[around] == group) return true;
    }
    return false;
  }

  NameTimes* times_of(EventId e) {
    return group_of_[e] == uncounted ? nullptr : &groups_[group_of_[e]];
  }

  // The runtime call, and the event around it.
  void add_device_self(const Classes& classes, std::span<const EventId> around, int64_t length) {
    for (const EventId e : around) {
      if (NameTimes* const times = times_of(e)) times->device_self += length;
      if (classes[e] != EventClass::runtime) return;
    }
  }

  // Once to each group, however often that occurs around it.
  void add_device_total(EventId work, std::span<const EventId> around) {
    for (const EventId e : around) {
      if (group_of_[e] == uncounted || added_[group_of_[e]] == work) continue;
      added_[group_of_[e]] = work;
      groups_[group_of_[e]].device_total += length(work);
    }
  }

  void set_ranks_of_all() {
    std::vector<size_t> next(groups_.size());
    for (size_t g = 1; g < next.size(); ++g) next[g] = next[g - 1] + groups_[g - 1].calls;
    std::vector<int64_t> lengths(calls_);
    for (const EventId e : trace_.events())
      if (group_of_[e] != uncounted) lengths[next[group_of_[e]]++] = length(e);
    for (size_t g = 0; g < groups_.size(); ++g) {
      const size_t calls = groups_[g].calls;
      set_ranks(groups_[g], std::span(lengths).subspan(next[g] - calls, calls));
    }
  }

  // The largest self time first.
  std::vector<NameTimes> in_order() {
    std::vector<uint32_t> order(groups_.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::sort(order, {}, [&](uint32_t g) {
      const Key& key = keys_[g];
      return std::tuple(-groups_[g].self, -groups_[g].total, key.which, key.name, key.group);
    });
    std::vector<NameTimes> out;
    for (const uint32_t g : order) out.push_back(std::move(groups_[g]));
    return out;
  }

  const TraceIndex& index_;
  const Trace& trace_;
  const Timeline& timeline_;
  std::unordered_map<Key, uint32_t, KeyHash> numbers_;
  std::vector<NameTimes> groups_;  // by number
  std::vector<Key> keys_;
  std::vector<uint32_t> group_of_;  // by event
  std::vector<EventId> added_;      // by number: the work added last
  size_t calls_ = 0;
};

template <class Counts, class GroupOf>
std::vector<NameTimes> times(const TraceIndex& index, bool nested, const Groups& names,
                             Counts counts, GroupOf group_of) {
  const Trace& trace = index.trace();
  const Classes& classes = index->classes();
  const Timeline& timeline = index->timeline();
  Calls calls(index);
  for (uint32_t t = 0; t < timeline.tracks(); ++t) {
    for (const EventId e : paced(timeline.track(t))) {
      const EventClass which = classes[e];
      if (counts(which)) calls.add(e, {which, trace.name_ids()[e], group_of(e)}, nested);
    }
  }
  if (nested) calls.add_devices();
  return calls.take(names);
}

// Waits on a stream are not shown as kernels (device_work.h).
std::string kind_of(const NameTimes& t) {
  const bool waits = t.kind == name_of(EventClass::kernel) &&
                     work_kind(EventClass::kernel, t.name) == WorkKind::wait;
  return waits ? "wait" : t.kind;
}

// After `total_ns`: device work, if there is any.
void add_devices(const std::vector<NameTimes>& list, AnswerTable& table) {
  if (std::ranges::all_of(list, [](const NameTimes& t) { return t.device_total == 0; })) return;
  const auto total = std::ranges::find(table.columns, "total_ns", &AnswerColumn::name);
  const auto place = total - table.columns.begin() + 1;
  table.columns.insert(table.columns.begin() + place, {{"device_self_ns", "Device self", Unit::ns},
                                                       {"device_ns", "Device", Unit::ns}});
  for (size_t i = 0; i < list.size(); ++i) {
    auto& row = table.rows[i];
    row.insert(row.begin() + place, {list[i].device_self, list[i].device_total});
  }
}

AnswerTable table_of(const Trace& trace, const std::vector<NameTimes>& list, GroupBy by,
                     std::string_view name, std::string title) {
  AnswerTable table{name,
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
  const std::string_view group = group_by_words[static_cast<size_t>(by)];
  const bool grouped = by != GroupBy::name;
  if (grouped)
    table.columns.insert(table.columns.begin() + 1, {group, titles[static_cast<size_t>(by)]});
  for (const NameTimes& t : list) {
    auto& row = table.rows.emplace_back();
    row = {t.name,  kind_of(t), static_cast<int64_t>(t.calls),
           t.self,  t.share,    t.total,
           t.least, t.median,   t.p90,
           t.p99,   t.most,     static_cast<int64_t>(t.longest)};
    if (grouped) row.insert(row.begin() + 1, t.group);
  }
  add_devices(list, table);
  if (grouped && std::ranges::all_of(list, &std::string::empty, &NameTimes::group))
    table.title += cat(" (the file does not give a ", group, ": ",
                       in_words_of_producer(trace, recorded_with[static_cast<size_t>(by)]), ")");
  return table;
}

// The table, or the reason why there is not one.
Answer answer_of(const Trace& trace, const Result<std::vector<NameTimes>>& list, GroupBy by,
                 const char* name, const char* title) {
  if (list) return {name, {table_of(trace, *list, by, name, title)}, {}};
  return {name, {{"lost", "What could not be read", {{"what", "What"}}, {{list.why()}}}}, {}};
}

}  // namespace

std::vector<NameTimes> ops(const TraceIndex& index) {
  return ops(index, GroupBy::name).value();
}

std::vector<NameTimes> kernels(const TraceIndex& index) {
  return kernels(index, GroupBy::name).value();
}

Result<std::vector<NameTimes>> ops(const TraceIndex& index, GroupBy by) {
  const auto groups = Groups::of(index, by);
  if (!groups) return groups.failure();
  return times(
      index, true, *groups,
      [](EventClass which) {
        return which == EventClass::op || which == EventClass::annotation ||
               which == EventClass::python || which == EventClass::runtime;
      },
      [&](EventId e) { return (*groups)[e]; });
}

Result<std::vector<NameTimes>> kernels(const TraceIndex& index, GroupBy by) {
  const auto groups = Groups::of(index, by);
  if (!groups) return groups.failure();
  return times(
      index, false, *groups,
      [](EventClass which) {
        return which == EventClass::kernel || which == EventClass::copy || which == EventClass::set;
      },
      [&](EventId e) {
        const EventId launch = index->origin_of(e);
        return launch == Links::nobody ? 0 : (*groups)[launch];
      });
}

Answer answer_ops(const TraceIndex& index, GroupBy by) {
  return answer_of(index.trace(), ops(index, by), by, "ops", "Ops of the host");
}

Answer answer_kernels(const TraceIndex& index, GroupBy by) {
  Answer answer =
      answer_of(index.trace(), kernels(index, by), by, "kernels", "Kernels of the devices");
  answer.findings = kernel_findings(index);
  if (const auto list = products(index); !list.empty())
    answer.tables.push_back(products_table(index.trace(), list));
  add_sequences(index, answer);
  return answer;
}

GroupBy group_by_of(std::string_view text) {
  const auto known = std::ranges::find(group_by_words, text);
  if (known == group_by_words.end()) {
    std::string words;
    for (const std::string_view word : group_by_words)
      words += cat(words.empty() ? "" : ", ", word);
    throw Error(cat("by: needs one of ", words, ", got '", text, "'"));
  }
  return static_cast<GroupBy>(known - group_by_words.begin());
}

}  // namespace vitro::analyze
