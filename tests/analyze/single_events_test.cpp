#include "analyze/page/single_events.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "analyze/model/index.h"
#include "analyze/trace_files.h"

namespace vitro::analyze {
namespace {

std::vector<uint32_t> all_tracks(const Trace& trace) {
  std::vector<uint32_t> tracks(trace.tracks().size());
  for (uint32_t t = 0; t < tracks.size(); ++t) tracks[t] = t;
  return tracks;
}

}  // namespace

TEST(SingleEvents, of_a_small_trace_are_all_that_do_something) {
  const auto trace = open_alone(real_trace("nccl_two_ranks.json.gz"));
  ASSERT_TRUE(trace) << trace.why();
  const TraceIndex index(*trace);
  const Doings doings(index);
  const SingleEvents all = single_events(index, all_tracks(*trace), 1'000'000, {});
  size_t wanted = 0;
  for (const EventId e : trace->events())
    wanted += trace->phases()[e] == 'X' && doings[e] != Doing::nothing;
  EXPECT_EQ(all.events.size(), wanted);
  EXPECT_EQ(all.left_out, 0U);
}

TEST(SingleEvents, of_a_large_trace_are_the_longest_and_those_that_are_wanted) {
  const auto trace = open_alone(real_trace("nccl_two_ranks.json.gz"));
  ASSERT_TRUE(trace) << trace.why();
  const TraceIndex index(*trace);
  const Doings doings(index);
  const std::vector<uint32_t> tracks = all_tracks(*trace);
  const std::vector<EventId> every = single_events(index, tracks, 1'000'000, {}).events;
  const EventId shortest =
      *std::ranges::min_element(every, {}, [&](EventId e) { return trace->dur()[e]; });
  const EventId wanted[] = {shortest};
  for (const size_t most : {size_t{10}, size_t{500}, size_t{5000}}) {
    const SingleEvents some = single_events(index, tracks, most, wanted);
    const std::set<EventId> kept(some.events.begin(), some.events.end());
    EXPECT_LE(kept.size(), most + 1);
    EXPECT_GE(kept.size(), most / 2);
    EXPECT_EQ(kept.size() + some.left_out, every.size());
    EXPECT_TRUE(kept.contains(shortest));
    for (const EventId e : every) {
      const int64_t weight = index->classes().is_device_work(e) ? 8 : 1;
      if (e != shortest) {
        EXPECT_EQ(kept.contains(e), weight * trace->dur()[e] >= some.shortest) << e;
      }
    }
  }
}

}  // namespace vitro::analyze
