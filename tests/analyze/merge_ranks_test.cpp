#include "vitro/analyze/merge.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "analyze/questions/check.h"
#include "analyze/questions/gaps.h"
#include "analyze/questions/launches/launches.h"
#include "analyze/trace_files.h"
#include "vitro/analyze/events.h"
#include "vitro/analyze/questions.h"

namespace vitro::analyze {
namespace {

const LoadOptions alone{.keep = false, .threads = 1, .progress = false};
const std::vector<std::string> sampled{real_trace("sampled_rank_1.json.gz"),
                                       real_trace("sampled_rank_0.json.gz")};

// A rank in the merged trace is the same as alone: its gaps depend only on its own launches.
void expect_same_gaps(const StreamGaps& got, const StreamGaps& want) {
  EXPECT_EQ(got.kernels, want.kernels);
  EXPECT_EQ(got.busy, want.busy);
  EXPECT_EQ(std::vector({got.host, got.kernel, got.other}),
            std::vector({want.host, want.kernel, want.other}));
}

TEST(MergeRanks, keeps_each_rank_as_it_is_by_one_clock) {
  const TraceFolder folder;
  const std::string out = folder.path() + "/all.json.gz";
  const auto merged = merge_ranks(sampled, out, alone);
  ASSERT_TRUE(merged) << merged.why();
  ASSERT_EQ(merged->ranks.size(), 2U);
  EXPECT_EQ(merged->ranks[1].clock_offset, 55'000);  // as reported by `ranks`
  const auto all = open_alone(out);
  ASSERT_TRUE(all) << all.why();
  EXPECT_TRUE(all->notes().empty());
  const Gaps together = gaps(TraceIndex(*all));
  ASSERT_EQ(together.devices.size(), 2U);
  for (int rank = 0; rank < 2; ++rank) {
    const auto one = open_alone(sampled[static_cast<size_t>(1 - rank)]);
    ASSERT_TRUE(one) << one.why();
    EXPECT_EQ(merged->ranks[static_cast<size_t>(rank)].events, one->size());
    const std::string pid = rank == 0 ? "10000000" : "20000001";
    const auto device = std::ranges::find_if(
        together.devices, [&](const StreamGaps& d) { return all->tracks()[d.track].pid == pid; });
    ASSERT_NE(device, together.devices.end()) << pid;
    expect_same_gaps(*device, gaps(TraceIndex(*one)).devices.front());
  }
}

TEST(MergeRanks, a_rank_is_cut_out_of_the_trace_of_all) {
  const TraceFolder folder;
  const std::string all_file = folder.path() + "/all.json", one_file = folder.path() + "/one.json";
  ASSERT_TRUE(merge_ranks(sampled, all_file, alone));
  const auto all = open_alone(all_file);
  ASSERT_TRUE(all) << all.why();
  const std::vector<std::string> pids = processes_of_rank(*all, 1);
  EXPECT_FALSE(pids.empty());
  EXPECT_TRUE(processes_of_rank(*all, 7).empty());
  auto out = report::create_file(one_file);
  ASSERT_TRUE(cut(*all, {.processes = pids}, *out));
  out->finish();
  const auto one = open_alone(one_file), alone_trace = open_alone(sampled[0]);
  ASSERT_TRUE(one && alone_trace);
  ASSERT_EQ(gaps(TraceIndex(*one)).devices.size(), 1U);
  expect_same_gaps(gaps(TraceIndex(*one)).devices.front(),
                   gaps(TraceIndex(*alone_trace)).devices.front());
}

TEST(MergeRanks, processes_say_their_rank_or_the_file_does) {
  const auto trace = trace_of(R"({"distributedInfo":{"rank":4},"traceEvents":[
    {"ph":"X","cat":"kernel","name":"k","pid":3,"tid":7,"ts":1,"dur":1}]})");
  ASSERT_TRUE(trace) << trace.why();
  EXPECT_EQ(processes_of_rank(*trace, 4), std::vector<std::string>{"3"});
  EXPECT_TRUE(processes_of_rank(*trace, 0).empty());
  const auto named = trace_of(R"([
    {"ph":"M","name":"process_name","pid":3,"args":{"name":"[Rank12] python"}},
    {"ph":"M","name":"process_labels","pid":5,"args":{"labels":"rank_1: GPU 0"}},
    {"ph":"X","cat":"kernel","name":"k","pid":3,"tid":7,"ts":1,"dur":1},
    {"ph":"X","cat":"kernel","name":"k","pid":5,"tid":7,"ts":1,"dur":1}])");
  ASSERT_TRUE(named) << named.why();
  EXPECT_EQ(processes_of_rank(*named, 12), std::vector<std::string>{"3"});
  EXPECT_EQ(processes_of_rank(*named, 1), std::vector<std::string>{"5"});
  EXPECT_TRUE(processes_of_rank(*named, 2).empty());
}

TEST(MergeRanks, needs_two_ranks_that_can_be_read) {
  const TraceFolder folder;
  const std::string out = folder.path() + "/all.json";
  EXPECT_NE(merge_ranks({sampled[0]}, out, alone).why().find("at least two"), std::string::npos);
  EXPECT_NE(merge_ranks({sampled[0], sampled[0]}, out, alone).why().find("both of rank 1"),
            std::string::npos);
  EXPECT_FALSE(merge_ranks({sampled[0], folder.file("x.json", "")}, out, alone));
  EXPECT_FALSE(std::filesystem::exists(out));
}

}  // namespace
}  // namespace vitro::analyze
