// Collects the findings of all analyses, leaves out what others explain better, and says what
// limits each device.
#include "analyze/model/index.h"
#include "vitro/analyze/questions.h"

#include <algorithm>
#include <map>
#include <ranges>
#include <unordered_set>

#include "analyze/findings/findings.h"
#include "analyze/model/attribution.h"
#include "analyze/model/device_work.h"
#include "analyze/model/intervals.h"
#include "analyze/model/self_spans.h"
#include "analyze/model/words.h"
#include "base/sort_list.h"
#include "vitro/base/cat.h"
#include "vitro/base/error.h"
#include "vitro/report/progress.h"

namespace vitro::analyze {

namespace {

// An error of the analysis becomes a table of the answer.
Answer ask(const Analysis& analysis, const TraceIndex& index) {
  try {
    return analysis.ask(index, Parameters(analysis));
  } catch (const Error& e) {
    AnswerTable table{"not_answered", "Not answered", {{"why", "Why"}}, {{std::string(e.what())}}};
    return {std::string(analysis.name), {std::move(table)}, {}};
  }
}

}  // namespace

std::vector<Answer> ask_all(const TraceIndex& index) {
  const std::span<const Analysis> all = analyses();
  report::Progress progress("asking");
  std::vector<Answer> answers;
  for (const Analysis& analysis : all) {
    progress.step(cat("asking ", analysis.name));
    answers.push_back(ask(analysis, index));
  }
  return answers;
}

namespace {

Intervals when_of(const Finding& f) {
  Intervals out;
  for (const Window& each : f.when) out.add(each.begin, each.end);
  return out;
}

// Findings may cover the same time: what each adds to those before it, and whose time it shares.
void tell_apart(Answer& all) {
  Intervals counted;
  std::vector<Intervals> before;
  int64_t together = 0;
  for (size_t i = 0; i < all.findings.size(); ++i) {
    Finding& f = all.findings[i];
    Intervals when = when_of(f);
    for (size_t j = 0; j < i; ++j) {
      const int64_t shared = common(when, before[j]).length();
      if (shared <= f.shared_ns || 2 * shared < when.length()) continue;
      f.shared_ns = shared;
      f.shares_with = all.findings[j].key;
    }
    together += std::min(f.high_ns, without(when, counted).length());
    counted = united(counted, when);
    before.push_back(std::move(when));
  }
  if (all.findings.empty() || all.findings.front().high_ns == 0) return;
  const Finding& first = all.findings.front();
  all.together_percent =
      first.high_percent * static_cast<double>(together) / static_cast<double>(first.high_ns);
}

// The critical path shows the same time as the analyses of single causes, less specifically: what
// these explain for the most part is not repeated.  A cause that may save nothing explains no path
// that saves something in any case.
void drop_explained(std::vector<Finding>& findings) {
  const auto of_path = [](const Finding& f) { return f.key.starts_with("critical_path."); };
  Intervals by_any, by_sure;
  for (const Finding& f : findings) {
    if (of_path(f)) continue;
    by_any = united(by_any, when_of(f));
    if (f.low_ns > 0) by_sure = united(by_sure, when_of(f));
  }
  std::erase_if(findings, [&](const Finding& f) {
    const Intervals when = when_of(f);
    const Intervals& explained = f.low_ns > 0 ? by_sure : by_any;
    return of_path(f) && !when.empty() && 2 * common(when, explained).length() >= when.length();
  });
}

// How much of this time lies in some steps beyond their share of it, if it is spread evenly.
int64_t beyond_share(const Intervals& time, const Intervals& steps, double window) {
  const double in = static_cast<double>(common(time, steps).length());
  const double of_steps = static_cast<double>(steps.length());
  const double others = static_cast<double>(time.length()) - in;
  if (window <= of_steps) return 0;
  return static_cast<int64_t>(in - others * of_steps / (window - of_steps));
}

// That steps are long is explained by what is sure to be lost in them and not in others; that work
// is shorter than its launch is a part of what the host had not launched.
void drop_general(std::vector<Finding>& findings) {
  Intervals sure;
  std::unordered_set<std::string> keys;
  for (const Finding& f : findings) keys.insert(f.key);
  for (const Finding& f : findings)
    if (f.low_ns > 0 && !f.key.starts_with("steps.") && !f.key.starts_with("critical_path."))
      sure = united(sure, when_of(f));
  std::erase_if(findings, [&](const Finding& f) {
    if (f.key.starts_with("launches.brief."))
      return keys.contains(cat("gaps.host.", f.key.substr(15)));
    if (!f.key.starts_with("steps.") || f.high_percent <= 0) return false;
    const double window = static_cast<double>(f.high_ns) / f.high_percent * 100;
    return 2 * beyond_share(sure, when_of(f), window) >= f.high_ns;
  });
}

}  // namespace

Answer doctor(const std::vector<Answer>& answers) {
  Answer out{"doctor", {}, {}};
  for (const Answer& answer : answers)
    out.findings.insert(out.findings.end(), answer.findings.begin(), answer.findings.end());
  sort_findings(out.findings);
  std::unordered_set<std::string> said;
  std::erase_if(out.findings, [&](const Finding& f) { return !said.insert(f.key).second; });
  drop_general(out.findings);
  drop_explained(out.findings);
  tell_apart(out);
  return out;
}

namespace {

constexpr size_t most_named = 3, most_at_once = 128;

// The names with the largest times: "gemm (45 %), …".
std::string largest(const Trace& trace, const std::map<uint32_t, int64_t>& times, int64_t whole) {
  std::vector<std::pair<int64_t, uint32_t>> each;
  for (const auto& [name, time] : times) each.emplace_back(-time, name);
  std::ranges::sort(each);
  std::string text;
  for (const auto& [time, name] : each | std::views::take(most_named)) {
    if (!text.empty() && -200 * time < whole) break;  // rounded: 0 %
    text += cat(text.empty() ? "" : ", ", short_name(trace.names()[name]), " (",
                percent_text(-time, whole), ")");
  }
  return text;
}

// The names with which a device computes for most of the window: "gemm (45 %), …".  Kernels that
// run at the same time share it equally.
std::string busiest(const TraceIndex& index, const Device& device, const Window& window) {
  const Trace& trace = index.trace();
  std::map<uint32_t, int64_t> times;
  std::vector<std::pair<int64_t, uint32_t>> running;  // until when, the next first; its name
  int64_t at = window.begin;
  const auto run_to = [&](int64_t moment) {
    while (at < moment && !running.empty()) {
      const int64_t to = std::clamp(running.front().first, at, moment);
      for (const auto& [end, name] : running)
        times[name] += (to - at) / static_cast<int64_t>(running.size());
      at = to;
      if (running.front().first <= at) running.erase(running.begin());
    }
    at = std::max(at, moment);
  };
  for (const EventId e : paced(device.work)) {
    if (index->kinds()[e] != WorkKind::compute) continue;
    run_to(std::min(trace.ts()[e], window.end));
    const std::pair<int64_t, uint32_t> next(end_of(trace, e), trace.name_ids()[e]);
    if (running.size() == most_at_once) running.erase(running.begin());
    running.insert(std::ranges::upper_bound(running, next), next);
  }
  run_to(window.end);
  return largest(trace, times, window.length());
}

// What a device does in the measured window besides computing: "waiting for data (40 %), …".
std::string causes(const DeviceIdle& device, int64_t communicates, int64_t copies) {
  std::vector<std::pair<int64_t, std::string_view>> each{
      {-communicates, "communicating while it computes nothing"},
      {-copies, "copying while it does nothing else"}};
  for (size_t c = 0; c < idle_causes; ++c) {
    const auto cause = static_cast<IdleCause>(c);
    each.emplace_back(-device.of(cause), name_of(cause));
  }
  sort_list(each, {}, &std::pair<int64_t, std::string_view>::first);
  std::string text;
  for (const auto& [time, cause] : each | std::views::take(most_named)) {
    if (time < 0)
      text += cat(text.empty() ? "" : ", ", cause, " (",
                  percent_text(-time, device.window.length()), ")");
  }
  return text;
}

}  // namespace

namespace {

// Of a trace without devices: what takes the time of the thread whose ops take most.
std::vector<std::string> host_verdict(const TraceIndex& index) {
  const Trace& trace = index.trace();
  const Window& window = index->window();
  std::map<uint32_t, int64_t> most;  // of the busiest thread, by name
  int64_t busy = 0;
  uint32_t thread = 0;
  for (uint32_t track = 0; track < index->host().tracks(); ++track) {
    std::map<uint32_t, int64_t> times;
    int64_t all = 0;
    each_self(trace, index->host().track(track), [&](EventId e, int64_t begin, int64_t end) {
      const int64_t time = std::min(end, window.end) - std::max(begin, window.begin);
      if (index->classes()[e] != EventClass::op || time <= 0) return;
      times[trace.name_ids()[e]] += time;
      all += time;
    });
    if (all > busy) busy = all, thread = track, most = std::move(times);
  }
  if (busy == 0) return {};
  return {cat("no device works in this file; ", thread_name(trace.tracks()[thread]),
              " is in ops for ", percent_text(busy, window.length()),
              " of the measured time, most of it in ", largest(trace, most, window.length()))};
}

}  // namespace

std::vector<std::string> verdicts(const TraceIndex& index) {
  if (index->devices().empty()) return host_verdict(index);
  const Trace& trace = index.trace();
  const std::vector<Device>& devices = index->devices();
  const std::vector<DeviceIdle>& all = index->idle();
  std::vector<std::string> out;
  for (size_t d = 0; d < all.size(); ++d) {
    const Window& window = all[d].window;
    const WorkTimes times = times_of(trace, index->kinds(), devices[d].work);
    const auto in_window = [&](const Intervals& i) {
      return i.length_in(window.begin, window.end);
    };
    const int64_t computes = in_window(times.compute);
    const int64_t used = in_window(united(times.compute, times.communication));
    const int64_t copies = in_window(times.busy) - used;
    const std::string name = device_name(trace.tracks()[all[d].track]);
    const std::string busy = cat(percent_text(computes, window.length()), " of the measured time");
    out.push_back(10 * computes >= 9 * window.length()
                      ? cat(name, " computes for ", busy,
                            ": it is device-bound; make these kernels faster: ",
                            busiest(index, devices[d], window))
                      : cat(name, " computes for ", busy,
                            "; the rest: ", causes(all[d], used - computes, copies)));
  }
  return out;
}

Answer doctor(const TraceIndex& index) {
  Answer out = doctor(ask_all(index));
  out.verdicts = verdicts(index);
  return out;
}

}  // namespace vitro::analyze
