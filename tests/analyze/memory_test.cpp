#include "analyze/questions/memory/memory.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "analyze/trace_files.h"
#include "vitro/analyze/questions.h"

namespace vitro::analyze {
namespace {

// `python3 tests/cli/values memory FILE`, and `… live FILE` for what is held at the peak.
TEST(Memory, of_a_real_trace_is_known) {
  const auto trace = open_alone(real_trace("torch_2_13_cpu_resnet18_eager.json.gz"));
  ASSERT_TRUE(trace) << trace.why();
  const auto m = memory(TraceIndex(*trace));
  ASSERT_TRUE(m) << m.why();
  ASSERT_EQ(m->devices.size(), 1U);
  const Memory::Device& d = m->devices[0];
  EXPECT_EQ(d.name, "CPU");
  EXPECT_EQ(std::vector({d.allocations, d.frees}), (std::vector<uint64_t>{1578, 1578}));
  EXPECT_EQ(std::vector({d.allocated, d.freed}), (std::vector<int64_t>{601659840, 601659840}));
  EXPECT_EQ(std::vector({d.first, d.peak, d.last, d.before_trace}),
            (std::vector<int64_t>{0, 22447624, 0, 0}));
  EXPECT_EQ(d.peak_event, 4546U);
  ASSERT_GE(d.at_peak.size(), 3U);
  EXPECT_EQ(d.at_peak[0].within, "autograd::engine::evaluate_function: ConvolutionBackward0");
  EXPECT_EQ(d.at_peak[0].allocations, 3U);
  EXPECT_EQ(d.at_peak[0].bytes, 18890752);
  EXPECT_EQ(d.at_peak[1].within, "aten::conv2d");
  EXPECT_EQ(d.at_peak[1].bytes, 1605632);
  EXPECT_EQ(d.at_peak[2].within, "aten::batch_norm");
  EXPECT_EQ(d.at_peak[2].allocations, 54U);
  EXPECT_TRUE(d.never_freed.empty());
  ASSERT_EQ(d.largest.size(), 20U);
  EXPECT_EQ(d.largest[0].bytes, 9437184);
  EXPECT_EQ(d.largest[0].within, "aten::conv2d");
  EXPECT_EQ(d.after_steps, (std::vector<int64_t>{0, 0, 0}));
  EXPECT_EQ(std::ranges::max_element(d.timeline, {}, &Memory::Moment::most)->most, d.peak);
}

// Two devices; a category of Vitro; memory left at the end, and growth from step to step.
TEST(Memory, reports_what_is_held_by_whom_and_what_stays) {
  const TraceFolder folder;  // the file is read again
  const auto trace = open_alone(folder.file("trace.json", R"json([
    {"ph":"X","cat":"user_annotation","name":"ProfilerStep#1","ts":0,"dur":50,"pid":1,"tid":1},
    {"ph":"X","cat":"user_annotation","name":"ProfilerStep#2","ts":50,"dur":50,"pid":1,"tid":1},
    {"ph":"X","cat":"cpu_op","name":"aten::mm","ts":5,"dur":20,"pid":1,"tid":1},
    {"ph":"X","cat":"cpu_op","name":"aten::empty","ts":6,"dur":2,"pid":1,"tid":1},
    {"ph":"i","cat":"cpu_instant_event","name":"[memory]","ts":7,"pid":1,"tid":1,"args":
      {"Device Type":1,"Device Id":0,"Addr":100,"Bytes":400,"Total Allocated":1400,"Category":"activation"}},
    {"ph":"i","cat":"cpu_instant_event","name":"[memory]","ts":20,"pid":1,"tid":1,"args":
      {"Device Type":1,"Device Id":0,"Addr":200,"Bytes":100,"Total Allocated":1500}},
    {"ph":"i","cat":"cpu_instant_event","name":"[memory]","ts":30,"pid":1,"tid":1,"args":
      {"Device Type":1,"Device Id":0,"Addr":100,"Bytes":-400,"Total Allocated":1100}},
    {"ph":"i","cat":"cpu_instant_event","name":"[memory]","ts":60,"pid":1,"tid":1,"args":
      {"Device Type":1,"Device Id":0,"Addr":300,"Bytes":50,"Total Allocated":1150}},
    {"ph":"i","cat":"cpu_instant_event","name":"[memory]","ts":61,"pid":1,"tid":1,"args":
      {"Device Type":0,"Device Id":-1,"Addr":100,"Bytes":8}},
    {"ph":"i","cat":"cpu_instant_event","name":"[OutOfMemory]","ts":62,"pid":1,"tid":1,"args":
      {"Device Type":1,"Device Id":0,"Bytes":1}},
    {"ph":"i","cat":"cpu_instant_event","name":"[memory]","ts":63,"pid":1,"tid":1}])json"));
  ASSERT_TRUE(trace) << trace.why();
  const auto m = memory(TraceIndex(*trace));
  ASSERT_TRUE(m) << m.why();
  EXPECT_EQ(m->unread, 1U);
  ASSERT_EQ(m->devices.size(), 2U);
  EXPECT_EQ(m->devices[0].name, "CPU");
  EXPECT_EQ(m->devices[0].last, 8);
  const Memory::Device& d = m->devices[1];
  EXPECT_EQ(d.name, "GPU 0");
  EXPECT_EQ(std::vector({d.first, d.peak, d.last, d.before_trace}),
            (std::vector<int64_t>{1000, 1500, 1150, 1000}));
  EXPECT_EQ(d.peak_at, 20'000);
  EXPECT_EQ(d.out_of_memory, 1U);
  ASSERT_EQ(d.at_peak.size(), 2U);
  EXPECT_EQ(d.at_peak[0].category, "activation");
  EXPECT_EQ(d.at_peak[0].within, "aten::mm");
  EXPECT_EQ(d.at_peak[0].bytes, 400);
  ASSERT_EQ(d.never_freed.size(), 2U);
  EXPECT_EQ(d.never_freed[0].bytes, 100);
  EXPECT_EQ(d.never_freed[1].within, "");
  EXPECT_EQ(d.largest[0].freed_at, 30'000);
  EXPECT_EQ(d.largest[1].freed_at, none);
  EXPECT_EQ(d.after_steps, (std::vector<int64_t>{1100, 1150}));
  const Answer answer = answer_memory(TraceIndex(*trace));
  ASSERT_FALSE(answer.findings.empty());
  EXPECT_EQ(answer.findings[0].key, "memory.allocating");
  EXPECT_EQ(answer.findings[0].high_ns, 2'000);
  for (const Finding& f : answer.findings) EXPECT_FALSE(f.is_of_memory()) << f.key;  // some bytes
}

}  // namespace
}  // namespace vitro::analyze
