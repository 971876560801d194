// Invariants of all answers about all real traces: parts sum to the whole, answers agree with one
// another, and the same file gives the same bytes.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <numeric>
#include <set>

#include "analyze/model/attribution.h"
#include "analyze/model/classes.h"
#include "analyze/model/device_work.h"
#include "analyze/model/index.h"
#include "analyze/model/intervals.h"
#include "analyze/model/timeline.h"
#include "analyze/model/words.h"
#include "analyze/questions/compile/compile.h"
#include "analyze/questions/critical_path/critical_path.h"
#include "analyze/questions/gaps.h"
#include "analyze/questions/info.h"
#include "analyze/questions/launches/launches.h"
#include "analyze/questions/memory/memory.h"
#include "analyze/questions/ops/modules.h"
#include "analyze/questions/ops/ops.h"
#include "analyze/questions/overlap.h"
#include "analyze/questions/step_times.h"
#include "analyze/questions/summary.h"
#include "analyze/questions/threads/threads.h"
#include "analyze/trace_files.h"
#include "vitro/analyze/answer.h"
#include "vitro/analyze/compare.h"
#include "vitro/analyze/events.h"
#include "vitro/analyze/questions.h"
#include "vitro/analyze/report.h"
#include "vitro/analyze/trace.h"
#include "vitro/report/json_check.h"

namespace vitro::analyze {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> real_traces() {
  std::vector<std::string> out;
  for (const auto& entry : fs::directory_iterator(real_trace(""))) {
    const std::string name = entry.path().filename().string();
    if (name.ends_with(".json.gz") || name.ends_with(".json")) out.push_back(name);
  }
  std::ranges::sort(out);
  return out;
}

template <class List, class Member>
auto sum_of(const List& list, Member member) {
  std::decay_t<decltype(std::invoke(member, *std::begin(list)))> sum{};
  for (const auto& each : list) sum += std::invoke(member, each);
  return sum;
}

std::string json_of(const Answer& answer) {
  report::TextOutput out;
  to_json(answer, out);
  out.finish();
  return out.text();
}

class RealTrace : public testing::TestWithParam<std::string> {
 protected:
  RealTrace() : opened_(open_alone(real_trace(GetParam()))) {}
  void SetUp() override { ASSERT_TRUE(opened_) << opened_.why(); }

  const Trace& trace() const { return *opened_; }

 private:
  Result<Trace> opened_;
};

std::string name_of_case(const testing::TestParamInfo<std::string>& info) {
  return info.param.substr(0, info.param.find('.'));
}
INSTANTIATE_TEST_SUITE_P(Each, RealTrace, testing::ValuesIn(real_traces()), name_of_case);

TEST(RealTraces, are_there) {
  EXPECT_GE(real_traces().size(), 18U);
}

TEST_P(RealTrace, has_the_same_answers_every_time) {
  for (const Analysis& analysis : analyses()) {
    SCOPED_TRACE(analysis.name);
    const Answer answer = analysis.ask(TraceIndex(trace()), Parameters(analysis));
    EXPECT_EQ(answer.name, analysis.name);
    for (const AnswerTable& table : answer.tables)
      for (const auto& row : table.rows) EXPECT_EQ(row.size(), table.columns.size()) << table.name;
    const std::string json = json_of(answer);
    EXPECT_TRUE(report::can_be_json(json));
    const auto again = open_alone(real_trace(GetParam()), 3);
    ASSERT_TRUE(again);
    EXPECT_EQ(json_of(analysis.ask(TraceIndex(*again), Parameters(analysis))), json);
  }
  EXPECT_EQ(json_of(doctor(TraceIndex(trace()))), json_of(doctor(TraceIndex(trace()))));
}

TEST_P(RealTrace, has_findings_that_rest_on_its_events_and_never_promise_more_than_there_is) {
  const Window window = measured_window(trace());
  for (const Answer& answer : ask_all(TraceIndex(trace()))) {
    const Finding* before = nullptr;
    for (const Finding& f : answer.findings) {
      SCOPED_TRACE(f.key);
      EXPECT_FALSE(f.events.empty());
      for (const EventId e : f.events) EXPECT_LT(e, trace().size());
      EXPECT_GE(f.high_percent, 0.5);
      EXPECT_LE(f.high_percent, 100);
      EXPECT_LE(f.low_ns, f.high_ns);
      EXPECT_LE(f.low_bytes, f.high_bytes);
      EXPECT_LE(f.high_ns, window.length());
      EXPECT_TRUE(!before || before->likely_ns() >= f.likely_ns());
      before = &f;
      int64_t end = window.begin, about = 0;
      for (const Window& each : f.when) {
        EXPECT_GE(each.begin, end);
        EXPECT_GT(each.length(), 0);
        end = each.end;
        about += each.length();
      }
      EXPECT_LE(end, window.end);
      EXPECT_TRUE(f.is_of_memory() || about >= f.high_ns) << about << " for " << f.high_ns;
    }
  }
  const Answer all = doctor(TraceIndex(trace()));
  EXPECT_LE(all.together_percent, 100);
  EXPECT_LE(all.together_percent, sum_of(all.findings, &Finding::high_percent) + 1e-9);
  std::set<std::string> keys;
  for (const Finding& f : all.findings) EXPECT_TRUE(keys.insert(f.key).second) << f.key;
}

TEST_P(RealTrace, has_kinds_and_tracks_that_sum_to_its_events) {
  const Info i = info(trace());
  EXPECT_EQ(sum_of(i.kinds, &Info::Kind::events), i.events);
  uint64_t metadata = 0;
  for (const Info::Kind& kind : i.kinds) metadata += kind.phase == "M" ? kind.events : 0;
  EXPECT_EQ(sum_of(i.rows, &Info::Row::events) + metadata, i.events);
}

TEST_P(RealTrace, has_times_of_devices_and_threads_that_fill_their_windows) {
  const Summary s = summary(TraceIndex(trace()));
  for (const DeviceTimes& d : s.devices) {
    EXPECT_EQ(d.compute + d.communication + d.memory + d.idle, d.length);
    EXPECT_GE(std::min({d.compute, d.communication, d.memory, d.idle}), 0);
  }
  for (const ThreadTimes& t : s.threads) {
    EXPECT_EQ(t.ops + t.runtime + t.python + t.annotations + t.other + t.idle, t.length);
    EXPECT_GE(t.idle, 0);
  }
}

TEST_P(RealTrace, has_self_times_that_sum_to_what_the_events_of_each_track_cover) {
  const Timeline timeline(trace());
  for (uint32_t t = 0; t < timeline.tracks(); ++t) {
    Intervals covered;
    int64_t self = 0;
    for (const EventId e : timeline.track(t)) {
      const int64_t begin = trace().ts()[e];
      covered.add(begin, begin + std::max<int64_t>(trace().dur()[e], 0));
      self += timeline.self(e);
      EXPECT_GE(timeline.self(e), 0) << trace().name(e);
    }
    EXPECT_EQ(self, covered.length()) << trace().tracks()[t].tid;
  }
}

TEST_P(RealTrace, has_shares_of_names_that_sum_to_100) {
  const Timeline timeline(trace());
  for (const GroupBy by : {GroupBy::name, GroupBy::shape, GroupBy::module, GroupBy::stack}) {
    for (const bool host : {true, false}) {
      const auto list = host ? ops(TraceIndex(trace()), by) : kernels(TraceIndex(trace()), by);
      ASSERT_TRUE(list) << list.why();
      const auto plain = host ? ops(TraceIndex(trace())) : kernels(TraceIndex(trace()));
      EXPECT_EQ(sum_of(*list, &NameTimes::calls), sum_of(plain, &NameTimes::calls));
      EXPECT_EQ(sum_of(*list, &NameTimes::self), sum_of(plain, &NameTimes::self));
      const bool some = sum_of(*list, &NameTimes::self) > 0;
      EXPECT_NEAR(sum_of(*list, &NameTimes::share), some ? 100 : 0, 1e-6);
      for (const NameTimes& t : *list) {
        EXPECT_LE(t.self, t.total) << t.name;
        EXPECT_TRUE(std::ranges::is_sorted(std::vector{t.least, t.median, t.p90, t.p99, t.most}));
      }
    }
  }
}

// Every moment once; and no finding about launches or the host is worth more than that.
TEST_P(RealTrace, has_modules_whose_work_sums_to_that_of_all_kernels) {
  const TraceIndex index(trace());
  const auto list = modules(index);
  ASSERT_TRUE(list) << list.why();
  if (list->empty()) return;
  EXPECT_EQ(sum_of(*list, &ModuleTimes::device_self), sum_of(kernels(index), &NameTimes::total));
  int64_t outermost = 0;
  for (const ModuleTimes& m : *list) outermost += m.depth == 0 ? m.device : 0;
  EXPECT_EQ(outermost, sum_of(*list, &ModuleTimes::device_self));
}

TEST_P(RealTrace, has_sequences_that_are_parts_of_its_work_and_idle_time) {
  const TraceIndex index(trace());
  std::map<std::string, std::array<double, 3>> sums;  // by device: kernels, work, idle
  for (const AnswerTable& table : answer_kernels(index).tables) {
    if (table.name != "sequences") continue;
    for (const auto& row : table.rows) {
      auto& sum = sums[std::get<std::string>(row[0])];
      EXPECT_GE(cell_number(row[2]) * cell_number(row[4]), 8);
      EXPECT_LE(cell_number(row[7]), cell_number(row[5]));
      sum[0] += cell_number(row[2]) * cell_number(row[4]);
      sum[1] += cell_number(row[5]);
      sum[2] += cell_number(row[6]);
    }
  }
  for (const Device& device : index->devices()) {
    const auto& sum = sums[device_name(trace().tracks()[device.track])];
    double work = 0;
    std::set<uint32_t> tracks;
    for (const EventId e : device.work) tracks.insert(trace().track_ids()[e]);
    const auto streams = static_cast<double>(tracks.size());
    for (const EventId e : device.work)
      work += static_cast<double>(std::max<int64_t>(trace().dur()[e], 0));
    const Intervals busy = times_of(trace(), index->kinds(), device.work).busy;
    const int64_t span = busy.empty() ? 0 : busy.back().end - busy.begin()->begin;
    EXPECT_LE(sum[0], static_cast<double>(device.work.size()));
    EXPECT_LE(sum[1], work);
    EXPECT_LE(sum[2], static_cast<double>(span - busy.length()) * streams);
  }
}

TEST_P(RealTrace, has_causes_that_sum_to_the_idle_time_of_each_device) {
  const Window window = measured_window(trace());
  const Classes classes(trace());
  const std::vector<Device> devices = devices_of(trace(), classes);
  const std::vector<DeviceIdle> all = attribute_idle(TraceIndex(trace()));
  ASSERT_EQ(all.size(), devices.size());
  int64_t most = 0;
  for (size_t d = 0; d < all.size(); ++d) {
    const WorkTimes times = times_of(trace(), WorkKinds(trace(), classes), devices[d].work);
    const int64_t idle = window.length() - times.busy.length_in(window.begin, window.end);
    EXPECT_EQ(all[d].idle, idle);
    int64_t sum = 0;
    for (const IdleGroup& group : all[d].groups) {
      EXPECT_GT(group.time, 0);
      EXPECT_LE(group.own, group.time);
      sum += group.time;
    }
    EXPECT_EQ(sum, idle);
    EXPECT_LE(all[d].calls, all[d].of(IdleCause::launch) + all[d].of(IdleCause::brief));
    EXPECT_LE(all[d].excess, all[d].of(IdleCause::brief));
    most = std::max(most, idle);
  }
  if (devices.empty()) return;
  for (const Finding& f : doctor(TraceIndex(trace())).findings) {
    for (const char* about : {"gaps.", "launches.", "threads.wait.", "critical_path.host"})
      if (f.key.starts_with(about)) {
        EXPECT_LE(f.high_ns, most) << f.key;
      }
  }
}

TEST_P(RealTrace, has_gaps_that_sum_to_the_idle_time_of_the_summary) {
  const Summary all = summary(TraceIndex(trace()));
  const Gaps g = gaps(TraceIndex(trace()));
  for (const auto* list : {&g.streams, &g.devices}) {
    for (const StreamGaps& s : *list) {
      EXPECT_EQ(s.busy + s.host + s.kernel + s.other, s.span);
      EXPECT_GE(std::min({s.busy, s.host, s.kernel, s.other}), 0);
      EXPECT_LE(s.host_gaps + s.kernel_gaps + s.other_gaps, s.kernels);
    }
  }
  for (const StreamGaps& device : g.devices) {
    const auto same = std::ranges::find_if(all.devices, [&](const DeviceTimes& d) {
      return trace().tracks()[d.track].pid == trace().tracks()[device.track].pid && d.window == 0;
    });
    ASSERT_NE(same, all.devices.end());
    EXPECT_EQ(device.busy, same->length - same->idle);
  }
}

TEST_P(RealTrace, has_launches_and_queues_that_agree) {
  const Launches l = launches(TraceIndex(trace()));
  for (const Launches::CallStatistics& call : l.calls) {
    EXPECT_LE(call.launches, call.calls) << call.name;
    EXPECT_LE(std::max(call.brief, call.delayed), call.launches) << call.name;
    EXPECT_TRUE(std::ranges::is_sorted(std::vector{call.median, call.p99, call.most, call.total}));
  }
  EXPECT_EQ(sum_of(l.calls, &Launches::CallStatistics::brief),
            sum_of(l.briefs, &Launches::Brief::brief));
  for (const Launches::Queue& q : l.queues) {
    uint64_t most = 0;
    for (const Launches::QueuePart& p : l.queue_parts) {
      if (p.track != q.track) continue;
      most = std::max(most, p.most);
      EXPECT_GE(p.mean, 0);
      EXPECT_LE(p.mean, static_cast<double>(p.most) + 1e-9);
    }
    EXPECT_EQ(most, q.most);
    EXPECT_GE(q.mean, 0);
    EXPECT_LE(q.mean, static_cast<double>(q.most));
    EXPECT_LE(q.full, q.span);
  }
}

TEST_P(RealTrace, has_communication_that_is_hidden_or_exposed_as_in_the_summary) {
  const Overlap o = overlap(TraceIndex(trace()));
  const Summary s = summary(TraceIndex(trace()));
  for (const Overlap::Device& d : o.devices) {
    EXPECT_EQ(d.hidden + d.exposed, d.communication);
    EXPECT_GE(std::min({d.hidden, d.exposed, d.compute_alone}), 0);
    const auto same = std::ranges::find_if(s.devices, [&](const DeviceTimes& times) {
      return times.window == d.window &&
             trace().tracks()[times.track].pid == trace().tracks()[d.track].pid;
    });
    ASSERT_NE(same, s.devices.end());
    EXPECT_EQ(same->communication, d.exposed);
    EXPECT_EQ(same->compute, d.hidden + d.compute_alone);
  }
  for (const Overlap::Kernel& k : o.kernels) EXPECT_LE(k.exposed, k.total) << k.name;
}

TEST_P(RealTrace, has_a_critical_path_that_fills_its_window) {
  const CriticalPath path = critical_path(TraceIndex(trace()));
  int64_t at = path.window.begin;
  std::array<int64_t, path_kinds> totals{};
  for (const PathSegment& s : path.segments) {
    ASSERT_EQ(s.begin, at);
    ASSERT_GT(s.end, s.begin);
    at = s.end;
    totals[static_cast<size_t>(s.kind)] += s.end - s.begin;
    if (s.event == PathSegment::nobody || s.kind == PathKind::launch_delay ||
        s.kind == PathKind::kernel_delay || s.kind == PathKind::device_wait)
      continue;
    EXPECT_GE(s.begin, trace().ts()[s.event]) << trace().name(s.event);
    EXPECT_LE(s.end, trace().ts()[s.event] + trace().dur()[s.event]) << trace().name(s.event);
  }
  EXPECT_EQ(at, path.window.end);
  EXPECT_EQ(totals, path.totals);
  EXPECT_EQ(std::accumulate(totals.begin(), totals.end(), int64_t{0}), path.window.length());
  EXPECT_LE(path.total(PathKind::compute) + path.total(PathKind::communication) +
                path.total(PathKind::copy),
            path.device_busy);
}

TEST_P(RealTrace, has_threads_whose_waits_sum_to_their_waiting) {
  const Threads all = threads(TraceIndex(trace()));
  std::map<uint32_t, int64_t> waits;
  for (const Threads::Wait& w : all.waits) {
    waits[w.track] += w.total;
    EXPECT_LE(w.devices_idle, w.until_work) << w.name;
  }
  const Summary s = summary(TraceIndex(trace()));
  const size_t measured = s.windows.size() > 1 ? 1 : 0;  // "steps" if there are any
  for (const Threads::Thread& t : all.threads) {
    EXPECT_EQ(t.busy + t.waiting + t.idle, all.window.length());
    EXPECT_GE(t.idle, 0);
    EXPECT_LE(t.longest_gap, t.idle);
    EXPECT_EQ(waits[t.track], t.waiting);
    if (t.leads && t.busy + t.waiting == 0) continue;  // it has steps, but no part in the summary
    const auto same = std::ranges::find_if(s.threads, [&](const ThreadTimes& times) {
      return times.window == measured && times.track == t.track;
    });
    ASSERT_NE(same, s.threads.end());
    EXPECT_EQ(same->ops + same->runtime + same->python + same->annotations + same->other,
              t.busy + t.waiting);
  }
}

TEST_P(RealTrace, has_steps_in_which_nothing_is_busy_longer_than_they_last) {
  const StepTimes s = step_times(TraceIndex(trace()));
  for (const StepTimes::Each& each : s.steps) {
    EXPECT_EQ(each.length, each.step.end - each.step.begin);
    EXPECT_LE(std::max(each.device_busy, each.host_busy), each.length);
    EXPECT_GE(each.length, s.least);
    EXPECT_LE(each.length, s.most);
  }
}

TEST_P(RealTrace, has_memory_that_ends_at_the_sum_of_its_changes) {
  const auto m = memory(TraceIndex(trace()));
  ASSERT_TRUE(m) << m.why();
  for (const Memory::Device& d : m->devices) {
    EXPECT_EQ(d.first + d.allocated - d.freed, d.last);
    EXPECT_EQ(d.before_trace + sum_of(d.at_peak, &Memory::Group::bytes), d.peak);
    EXPECT_EQ(std::ranges::max(d.timeline, {}, &Memory::Moment::most).most, d.peak);
    EXPECT_LE(d.usual, d.peak);
  }
}

TEST_P(RealTrace, has_regions_and_phases_within_their_like) {
  const Compilation c = compilation(TraceIndex(trace()));
  for (const Compilation::Region& r : c.regions) {
    EXPECT_LE(r.inside, r.calls) << r.name;
    EXPECT_LE(r.guards, r.glue) << r.name;
    EXPECT_LE(r.glue, r.total) << r.name;
  }
  EXPECT_LE(c.functions.pairs, std::min(c.functions.forward, c.functions.backward));
  for (const Compilation::Phase& p : c.phases) EXPECT_LE(p.self, p.total) << p.name;
  EXPECT_EQ(sum_of(c.phases, &Compilation::Phase::self),
            sum_of(c.runs, &Compilation::Run::threads_time));
  for (const Compilation::Run& run : c.runs) EXPECT_LE(run.time, run.threads_time) << run.what;
}

TEST_P(RealTrace, does_not_differ_from_itself) {
  const auto same = diff(trace(), trace());
  ASSERT_TRUE(same) << same.why();
  EXPECT_TRUE(same->changes.empty());
}

TEST_P(RealTrace, has_flames_of_the_time_that_its_threads_and_devices_worked) {
  const Classes classes(trace());
  int64_t work = 0;
  for (EventId e = 0; e < trace().size(); ++e)
    work += classes.is_device_work(e) ? std::max<int64_t>(trace().dur()[e], 0) : 0;
  EXPECT_EQ(flames_of(TraceIndex(trace()), FlamesOf::device).nodes[0].total, work);
  EXPECT_EQ(sum_of(kernels(TraceIndex(trace())), &NameTimes::total), work);
  const auto host = ops(TraceIndex(trace()));
  EXPECT_EQ(flames_of(TraceIndex(trace()), FlamesOf::host).nodes[0].total,
            sum_of(host, &NameTimes::self));
}

}  // namespace
}  // namespace vitro::analyze
