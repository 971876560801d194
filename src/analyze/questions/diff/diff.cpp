// Compares two traces name by name, with a significance test over steps or calls; diff_answer.cpp
// presents the result.
#include "vitro/analyze/compare.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "analyze/model/arguments.h"
#include "analyze/model/index.h"
#include "analyze/model/links.h"
#include "analyze/model/timeline.h"
#include "analyze/questions/diff/statistics.h"
#include "base/sort_list.h"
#include "kineto/names.h"
#include "vitro/analyze/events.h"
#include "vitro/base/cat.h"

namespace vitro::analyze {
namespace {

constexpr size_t most_events = 10;

struct Key {
  EventClass kind;
  std::string name, shape;
  auto operator<=>(const Key&) const = default;
};

struct Times {
  uint64_t calls = 0;
  std::vector<double> of_steps;
  Sample of_calls;
  std::vector<std::pair<int64_t, EventId>> longest;  // negative durations, ascending

  void add(size_t step, int64_t time, EventId event) {
    ++calls;
    of_steps[step] += static_cast<double>(time);
    of_calls.add(static_cast<double>(time));
    const std::pair entry(-time, event);
    if (longest.size() == most_events && !(entry < longest.back())) return;
    if (longest.size() == most_events) longest.pop_back();
    longest.insert(std::ranges::upper_bound(longest, entry), entry);
  }
};

bool compares(EventClass which) {
  switch (which) {
    case EventClass::op:
    case EventClass::annotation:
    case EventClass::python:
    case EventClass::runtime:
    case EventClass::kernel:
    case EventClass::copy:
    case EventClass::set:
      return true;
    default:
      return false;
  }
}

// One trace, name by name.
class Side {
 public:
  Side(const Trace& trace, bool shapes)
      : trace_(trace),
        shapes_(shapes),
        index_(trace),
        classes_(index_->classes()),
        launched_(index_->launched()),
        timeline_(index_->timeline()),
        steps_(index_->steps()) {}

  Result<Done> read() {
    std::vector<EventId> events;
    for (const EventId e : trace_.events()) {
      if (counts(e)) events.push_back(e);
    }
    if (!shapes_) {
      for (const EventId e : paced(events)) add(e, {});
      return Done{};
    }
    return trace_.read_events(events, [&](EventId e, std::string_view text) {
      const Arguments arguments(text);
      const bool device = classes_.is_device_work(e);
      add(e, arguments.text(device ? "grid" : kineto::argument::input_dims).value_or(""));
    });
  }

  size_t steps() const { return std::max<size_t>(steps_.size(), 1); }
  bool has_steps() const { return !steps_.empty(); }
  const std::map<Key, Times>& times() const { return times_; }

  Sample step_times() const {
    Sample out;
    for (const Step& s : steps_) out.add(static_cast<double>(s.end - s.begin));
    if (steps_.empty()) out.add(static_cast<double>(index_->window().length()));
    return out;
  }

 private:
  bool counts(EventId e) const {
    return trace_.phases()[e] == 'X' && compares(classes_[e]) &&
           !trace_.name(e).starts_with(kineto::step_prefix) && step_of(e) < steps();
  }

  // The step that began last before; steps() where it is in none.
  size_t step_of(EventId e) const {
    if (steps_.empty()) return 0;
    const int64_t at = classes_.is_device_work(e) ? launched_.of(e) : trace_.ts()[e];
    const auto next = std::ranges::upper_bound(steps_, at, {}, &Step::begin);
    if (next == steps_.begin() || at >= std::prev(next)->end) return steps();
    return static_cast<size_t>(std::prev(next) - steps_.begin());
  }

  void add(EventId e, std::string shape) {
    const bool device = classes_.is_device_work(e);
    Times& times = times_[{classes_[e], std::string(trace_.name(e)), std::move(shape)}];
    times.of_steps.resize(steps());
    times.add(step_of(e), device ? std::max<int64_t>(trace_.dur()[e], 0) : timeline_.self(e), e);
  }

  const Trace& trace_;
  const bool shapes_;
  const TraceIndex index_;
  const Classes& classes_;
  const LaunchTimes& launched_;
  const Timeline& timeline_;
  const std::vector<Step>& steps_;
  std::map<Key, Times> times_;
};

std::vector<EventId> events_of(const Times* times) {
  std::vector<EventId> out;
  if (!times) return out;
  for (const auto& [time, event] : times->longest) out.push_back(event);
  return out;
}

Sample over_steps(const Times* times, size_t steps) {
  Sample out;
  for (size_t s = 0; s < steps; ++s) out.add(times ? times->of_steps[s] : 0);
  return out;
}

// One name of either or both.
NameChange change_of(const Key& key, const Times* before, const Times* after, const Side& a,
                     const Side& b) {
  const Sample mean_a = over_steps(before, a.steps()), mean_b = over_steps(after, b.steps());
  NameChange out;
  out.kind = key.kind;
  out.name = key.name;
  out.shape = key.shape;
  const auto calls = [](const Times* times, const Side& side) {
    return times ? static_cast<double>(times->calls) / static_cast<double>(side.steps()) : 0;
  };
  out.calls_before = calls(before, a);
  out.calls_after = calls(after, b);
  out.before = mean_a.mean();
  out.after = mean_b.mean();
  out.what = !before            ? NameChange::What::added
             : !after           ? NameChange::What::removed
             : out.change() > 0 ? NameChange::What::slower
                                : NameChange::What::faster;
  const bool steps = a.steps() > 1 && b.steps() > 1;
  const Comparison tested = steps             ? compare(mean_a, mean_b)
                            : before && after ? compare(before->of_calls, after->of_calls)
                                              : Comparison{};
  out.rate = tested.p;
  const double width = steps ? tested.half_width : 0;
  out.low = out.change() - width;
  out.high = out.change() + width;
  out.events_before = events_of(before);
  out.events_after = events_of(after);
  return out;
}

void judge(std::vector<NameChange>& changes, double limit) {
  std::vector<double> p;
  for (const NameChange& each : changes) p.push_back(each.rate);
  const std::vector<double> rates = false_discovery_rates(p);
  for (size_t i = 0; i < changes.size(); ++i) {
    changes[i].rate = rates[i];
    changes[i].significant = rates[i] <= limit;
  }
}

}  // namespace

Result<Diff> diff(const Trace& before, const Trace& after, const DiffOptions& options) {
  Side a(before, options.shapes), b(after, options.shapes);
  for (Side* side : {&a, &b}) {
    const auto read = side->read();
    if (!read) return read.failure();
  }
  Diff out;
  out.over_steps = a.steps() > 1 && b.steps() > 1;
  std::map<Key, std::pair<const Times*, const Times*>> both;
  for (const auto& [key, times] : a.times()) both[key].first = &times;
  for (const auto& [key, times] : b.times()) both[key].second = &times;
  for (const auto& [key, times] : both)
    out.changes.push_back(change_of(key, times.first, times.second, a, b));
  judge(out.changes, options.false_discoveries);
  std::erase_if(out.changes, [](const NameChange& c) {
    return c.change() == 0 && c.calls_before == c.calls_after;
  });
  sort_list(out.changes, std::ranges::greater(),
            [](const NameChange& c) { return std::abs(c.change()); });
  const Sample steps_a = a.step_times(), steps_b = b.step_times();
  const Comparison steps = compare(steps_a, steps_b);
  const auto number = [](const Side& side) {
    return side.has_steps() ? static_cast<int64_t>(side.steps()) : 0;
  };
  out.before = {number(a), steps_a.mean()};
  out.after = {number(b), steps_b.mean()};
  out.step_rate = steps.p;
  out.step_low = steps.difference - steps.half_width;
  out.step_high = steps.difference + steps.half_width;
  return out;
}

}  // namespace vitro::analyze
