// Tests bandwidths of collectives against the definitions of nccl-tests.
#include "analyze/questions/bandwidth.h"

#include <gtest/gtest.h>

#include "analyze/trace_files.h"
#include "vitro/analyze/questions.h"
#include "vitro/base/cat.h"

namespace vitro::analyze {
namespace {

// 1 ms on 4 ranks.
std::vector<Transfers> one(std::string_view collective, std::string_view type, int in, int out) {
  const TraceFolder folder;
  const auto trace = open_alone(folder.file(
      "trace.json",
      cat(R"([{"ph":"X","cat":"kernel","name":"ncclDevKernel_X","pid":0,"tid":7,"ts":0,"dur":1000,)",
          R"("args":{"Collective name":")", collective, R"(","dtype":")", type,
          R"(","Group size":4,"In msg nelems":)", in, R"(,"Out msg nelems":)", out, "}}]")));
  EXPECT_TRUE(trace) << trace.why();
  return transfers(TraceIndex(*trace));
}

TEST(Bandwidth, is_that_of_the_slowest_link) {
  const auto bus = [](const std::vector<Transfers>& list) { return list.at(0).bus(1'000'000); };
  // 1000 elements are 4 kB, in 1 ms 0.004 GB/s.
  EXPECT_DOUBLE_EQ(bus(one("allreduce", "Float", 1000, 1000)), 0.004 * 2 * 3 / 4);
  EXPECT_DOUBLE_EQ(bus(one("_allgather_base", "BFloat16", 1000, 4000)), 0.008 * 3 / 4);
  EXPECT_DOUBLE_EQ(bus(one("_reduce_scatter_base", "Half", 4000, 1000)), 0.008 * 3 / 4);
  EXPECT_DOUBLE_EQ(bus(one("all_to_allv", "Byte", 4000, 4000)), 0.004 * 3 / 4);
  EXPECT_DOUBLE_EQ(bus(one("broadcast", "Double", 1000, 1000)), 0.008);
  EXPECT_TRUE(one("allreduce", "SomethingNew", 1000, 1000).empty());
}

// Found in the file's text by a few lines of Python: bytes, and the median and the least of three
// durations; GB/s between two ranks are bytes / median for both collectives.
TEST(Bandwidth, of_a_real_trace_is_known) {
  struct Known {
    const char* collective;
    int64_t bytes, median, least;
    double bus;
  };
  constexpr Known known[] = {{"allreduce", 8196000, 3306963, 2520607, 2.478406925024562},
                             {"allreduce", 9724160, 2028293, 1689577, 4.7942580287956424},
                             {"allreduce", 26255360, 2621533, 2368513, 10.01526969143627},
                             {"allreduce", 26550272, 2417184, 2160803, 10.9839681215828},
                             {"allreduce", 31502336, 2673916, 2424415, 11.78134840436274},
                             {"broadcast", 212480, 30848, 29184, 6.8879668049792535},
                             {"broadcast", 424, 7775, 7648, 424.0 / 7775}};
  const auto trace = open_alone(real_trace("nccl_two_ranks.json.gz"));
  ASSERT_TRUE(trace) << trace.why();
  const TraceIndex index(*trace);
  const std::vector<Transfers> all = transfers(index);
  ASSERT_EQ(all.size(), std::size(known));
  for (size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(all[i].collective, known[i].collective);
    EXPECT_EQ(all[i].ranks, 2);
    EXPECT_EQ(all[i].calls, 3U);
    EXPECT_EQ(all[i].bytes, known[i].bytes);
    EXPECT_EQ(all[i].median, known[i].median);
    EXPECT_EQ(all[i].least, known[i].least);
    EXPECT_EQ(trace->dur()[all[i].fastest], known[i].least);
    EXPECT_DOUBLE_EQ(all[i].bus(all[i].median), known[i].bus);
  }
  EXPECT_EQ(bandwidth_table(all).rows.size(), all.size());
}

}  // namespace
}  // namespace vitro::analyze
