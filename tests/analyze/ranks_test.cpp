// Tests clock alignment and waits of ranks: two real traces computed by hand, and small ones with
// known clocks.
#include "vitro/analyze/compare.h"

#include <gtest/gtest.h>

#include "analyze/trace_files.h"
#include "vitro/base/cat.h"
#include "vitro/base/error.h"

namespace vitro::analyze {
namespace {

const LoadOptions alone{.keep = false, .threads = 1, .progress = false};

// A trace of a rank whose clock is `late` us ahead, with collectives [begin, end) and a compute
// kernel from 0 to 100.
std::string rank_text(int rank, int late, const std::vector<std::pair<int, int>>& collectives) {
  std::string text = cat(R"({"distributedInfo":{"backend":"nccl","rank":)", rank,
                         R"(,"world_size":3},"traceEvents":[)");
  const auto add = [&](const char* name, int begin, int end) {
    text += cat(R"({"ph":"X","cat":"kernel","name":")", name, R"(","pid":0,"tid":7,"ts":)",
                begin + late, R"(,"dur":)", end - begin,
                R"(,"args":{"Process Group Name":"0","Collective name":"allreduce"}},)");
  };
  add("gemm", 0, 100);
  for (const auto& [begin, end] : collectives) add("ncclDevKernel_AllReduce", begin, end);
  text.back() = ']';
  return text + "}";
}

// Computed by hand from the begins and ends of the five matching collectives in these sampled
// files.
TEST(Ranks, of_two_real_traces_are_known) {
  const Ranks all =
      ranks({real_trace("sampled_rank_1.json.gz"), real_trace("sampled_rank_0.json.gz")}, alone);
  ASSERT_EQ(all.ranks.size(), 2U);
  const RankTimes &first = all.ranks[0], &second = all.ranks[1];
  EXPECT_EQ(first.rank, 0);
  EXPECT_EQ(first.collectives, 10U);
  EXPECT_EQ(first.matched, 5U);
  EXPECT_EQ(second.clock_offset, 55'000);
  EXPECT_EQ(first.wait, (4'914 + 3'357 + 22'383 + 1'347 + 139) * 1'000);
  EXPECT_EQ(first.wait + first.work, (62'783 + 11'727 + 36'158 + 63'644 + 42'496) * 1'000);
  EXPECT_EQ(second.wait, 0);
  EXPECT_EQ(second.last, 5U);
  EXPECT_EQ(second.caused, first.wait);
}

TEST(Ranks, clocks_are_aligned_by_the_ends_of_collectives) {
  const TraceFolder folder;
  folder.file("a.json", rank_text(0, 0, {{100, 300}, {1500, 1700}, {3100, 3400}}));
  folder.file("b.json", rank_text(1, 70'000, {{250, 300}, {1520, 1700}, {3100, 3400}}));
  folder.file("c.json", rank_text(2, -5'000, {{200, 300}, {1600, 1700}, {3250, 3400}}));
  const Ranks all = ranks(trace_files({folder.path()}), alone);
  ASSERT_EQ(all.ranks.size(), 3U);
  EXPECT_EQ(all.ranks[1].clock_offset, -70'000'000);
  EXPECT_EQ(all.ranks[2].clock_offset, 5'000'000);
  EXPECT_EQ(all.ranks[1].clock_spread, 0);
  EXPECT_EQ(all.ranks[0].wait, 150'000 + 100'000 + 150'000);
  EXPECT_EQ(all.ranks[1].wait, 0 + 80'000 + 150'000);
  EXPECT_EQ(all.ranks[2].wait, 50'000 + 0 + 0);
  EXPECT_EQ(all.ranks[1].last, 1U);
  EXPECT_EQ(all.ranks[1].caused, 50'000);
  EXPECT_EQ(all.ranks[2].last, 2U);
  EXPECT_EQ(all.ranks[2].caused, 80'000 + 150'000);
  for (const RankTimes& r : all.ranks) {
    EXPECT_EQ(r.matched, 3U);
    EXPECT_EQ(r.wait + r.work, r.communication);
    EXPECT_EQ(r.compute, 100'000);
    EXPECT_EQ(r.compute + r.exposed + r.idle, r.window.length());
  }
  const Answer answer = answer_ranks(all);
  ASSERT_EQ(answer.findings.size(), 2U);
  EXPECT_EQ(answer.findings[0].key, "ranks.wait");
  EXPECT_EQ(answer.findings[1].key, "ranks.straggler.2");
  EXPECT_EQ(answer.findings[1].high_ns, 230'000);
  // No rank computes during these waits.
  EXPECT_EQ(answer.findings[1].low_ns, 230'000);
  EXPECT_EQ(all.ranks[0].exposed_wait, all.ranks[0].wait);
  EXPECT_EQ(answer.findings[1].events, (std::vector<EventId>{3, 2}));
}

TEST(Ranks, a_rank_without_metadata_has_the_number_of_its_file) {
  const TraceFolder folder;
  const std::string text =
      R"([{"ph":"X","cat":"cpu_op","name":"op","pid":1,"tid":1,"ts":0,"dur":1}])";
  const Ranks all =
      ranks({folder.file("trace_rank_12.json", text), folder.file("broken.json", "")}, alone);
  ASSERT_EQ(all.ranks.size(), 1U);
  EXPECT_EQ(all.ranks[0].rank, 12);
  ASSERT_EQ(all.unread.size(), 1U);
  EXPECT_NE(all.unread[0].text.find("broken.json"), std::string::npos);
  EXPECT_TRUE(answer_ranks(all).findings.empty());
}

TEST(Ranks, a_folder_without_traces_is_an_error) {
  const TraceFolder folder;
  EXPECT_THROW(trace_files({folder.path()}), Error);
}

// The hidden part of a collective may lie in its wait.
TEST(Ranks, waits_hidden_by_computation_are_not_sure_to_cost) {
  const TraceFolder folder;
  folder.file("a.json", rank_text(0, 0, {{60, 300}, {1500, 1700}}));
  folder.file("b.json", rank_text(1, 0, {{150, 300}, {1520, 1700}}));
  const Ranks all = ranks(trace_files({folder.path()}), alone);
  ASSERT_EQ(all.ranks.size(), 2U);
  EXPECT_EQ(all.ranks[0].wait, 90'000 + 20'000);
  EXPECT_EQ(all.ranks[0].exposed_wait, 50'000 + 20'000);
  EXPECT_EQ(all.ranks[1].caused, 110'000);
  EXPECT_EQ(all.ranks[1].exposed_caused, 70'000);
}

}  // namespace
}  // namespace vitro::analyze
