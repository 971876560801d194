// Tests the findings about memory on small traces, each made to show one of them.
#include "analyze/questions/memory/memory_findings.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "analyze/trace_files.h"
#include "vitro/analyze/questions.h"
#include "vitro/base/cat.h"

namespace vitro::analyze {
namespace {

constexpr int64_t mib = int64_t{1} << 20;

// Allocations and frees on GPU 0: time (us), MiB, address, MiB reserved afterwards.
class Writer {
 public:
  Writer& change(int at, int mibs, int address, int reserved) {
    return change_bytes(at, mibs * mib, address, reserved * mib);
  }
  Writer& change_bytes(int at, int64_t bytes, int address, int64_t reserved) {
    total_ += bytes;
    text_ +=
        cat(R"({"ph":"i","cat":"cpu_instant_event","s":"t","name":"[memory]","pid":1,"tid":1,)",
            R"("ts":)", at, R"(,"args":{"Device Type":1,"Device Id":0,"Addr":)", address,
            R"(,"Bytes":)", bytes, R"(,"Total Allocated":)", total_, R"(,"Total Reserved":)",
            reserved, "}},");
    return *this;
  }
  Writer& range(const char* category, const std::string& name, int begin, int end) {
    text_ += cat(R"({"ph":"X","cat":")", category, R"(","name":")", name,
                 R"(","pid":1,"tid":1,"ts":)", begin, R"(,"dur":)", end - begin, R"(,"args":{}},)");
    return *this;
  }
  std::vector<Finding> findings() {
    text_.back() = ']';
    const TraceFolder folder;  // the file is read again
    const auto trace = open_alone(folder.file("trace.json", text_));
    EXPECT_TRUE(trace) << trace.why();
    const auto memory = vitro::analyze::memory(TraceIndex(*trace));
    EXPECT_TRUE(memory);
    return memory_findings(TraceIndex(*trace), *memory);
  }

 private:
  std::string text_ = "[";
  int64_t total_ = 0;
};

const Finding* with_key(const std::vector<Finding>& all, std::string_view key) {
  const auto found = std::ranges::find(all, key, &Finding::key);
  return found == all.end() ? nullptr : &*found;
}

TEST(MemoryFindings, what_is_reserved_and_never_used_is_found) {
  const auto all = Writer()
                       .range("cpu_op", "op", 0, 1000)
                       .change(10, 600, 1, 1000)
                       .change(900, -200, 1, 1000)
                       .findings();
  const Finding* found = with_key(all, "memory.reserved.GPU 0");
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->low_bytes, 400 * mib);
  EXPECT_EQ(found->high_bytes, 400 * mib);
  EXPECT_DOUBLE_EQ(found->high_percent, 40);
  EXPECT_EQ(found->high_ns, 0);
  EXPECT_EQ(found->events, (std::vector<EventId>{1, 1}));
}

TEST(MemoryFindings, a_peak_that_lasts_for_a_moment_is_found) {
  const auto all = Writer()
                       .range("cpu_op", "aten::loss", 0, 1000)
                       .change(0, 500, 1, 0)
                       .change(500, 300, 2, 0)
                       .change(520, -300, 2, 0)
                       .change(1000, -500, 1, 0)
                       .findings();
  const Finding* found = with_key(all, "memory.spike.GPU 0");
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->high_bytes, 300 * mib);
  EXPECT_DOUBLE_EQ(found->high_percent, 37.5);
  EXPECT_NE(found->sentence.find("aten::loss"), std::string::npos) << found->sentence;
  EXPECT_EQ(with_key(all, "memory.reserved.GPU 0"), nullptr);
  EXPECT_EQ(with_key(all, "memory.growth.GPU 0"), nullptr);
}

TEST(MemoryFindings, steps_that_all_leave_memory_behind_are_found) {
  Writer writer;
  writer.change(0, 1000, 1, 0);
  for (int step = 0; step < 4; ++step) {
    writer.range("user_annotation", cat("ProfilerStep#", step), 100 * step, 100 * step + 100)
        .change(100 * step + 10, 50, 10 + step, 0);
  }
  const auto all = writer.findings();
  const Finding* found = with_key(all, "memory.growth.GPU 0");
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->low_bytes, 150 * mib);  // the first step may leave memory on purpose
  EXPECT_EQ(found->high_bytes, 150 * mib);
  EXPECT_FALSE(found->events.empty());
}

TEST(MemoryFindings, about_some_bytes_are_not_worth_a_change) {
  const auto all = Writer()
                       .range("cpu_op", "aten::loss", 0, 1000)
                       .change_bytes(0, 8, 1, 24)
                       .change_bytes(500, 8, 2, 24)
                       .change_bytes(520, -8, 2, 24)
                       .change_bytes(1000, -8, 1, 24)
                       .findings();
  EXPECT_TRUE(all.empty()) << all.front().sentence;
}

TEST(MemoryFindings, of_memory_that_is_used_evenly_there_are_none) {
  const auto all = Writer()
                       .range("cpu_op", "op", 0, 1000)
                       .change(0, 600, 1, 600)
                       .change(990, -600, 1, 600)
                       .findings();
  EXPECT_TRUE(all.empty());
}

// Allocations of 2, 2 and 8 us; the device waits for a launch of this thread in the last.
TEST(MemoryFindings, allocating_costs_at_least_what_made_a_launch_late) {
  const auto trace = trace_of(R"json([
    {"ph":"X","cat":"cpu_op","name":"aten::empty","ts":0,"dur":2,"pid":1,"tid":1},
    {"ph":"X","cat":"cpu_op","name":"aten::empty","ts":4,"dur":2,"pid":1,"tid":1},
    {"ph":"X","cat":"cuda_runtime","name":"l","ts":8,"dur":1,"pid":1,"tid":1,"args":{"correlation":1}},
    {"ph":"X","cat":"kernel","name":"k","ts":10,"dur":13,"pid":0,"tid":7,"args":{"correlation":1}},
    {"ph":"X","cat":"cpu_op","name":"aten::empty","ts":20,"dur":8,"pid":1,"tid":1},
    {"ph":"X","cat":"cuda_runtime","name":"l","ts":30,"dur":1,"pid":1,"tid":1,"args":{"correlation":2}},
    {"ph":"X","cat":"kernel","name":"k","ts":32,"dur":5,"pid":0,"tid":7,"args":{"correlation":2}}])json");
  ASSERT_TRUE(trace) << trace.why();
  const std::vector<Finding> found = memory_findings(TraceIndex(*trace), Memory());
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].sentence,
            "allocating takes 12.000us of 37.000us in 3 calls of one thread, the longest 8.000us");
  EXPECT_EQ(found[0].low_ns, 5'000);   // from 23 to 28
  EXPECT_EQ(found[0].high_ns, 9'000);  // and before the first launch
}

}  // namespace
}  // namespace vitro::analyze
