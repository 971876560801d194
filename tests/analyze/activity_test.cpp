#include "analyze/page/activity.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "analyze/questions/gaps.h"
#include "analyze/trace_files.h"
#include "vitro/analyze/questions.h"

namespace vitro::analyze {
namespace {

int64_t time_of(const TrackActivity& track, Doing doing) {
  return track.times[static_cast<size_t>(doing)];
}

// Waits on a stream are idle in both.
TEST(Activity, of_streams_is_what_gaps_say_is_busy) {
  for (const char* file : {"mtia_inference", "nccl_two_ranks", "v100_train_rank0"}) {
    const auto trace = open_alone(real_trace(std::string(file) + ".json.gz"));
    ASSERT_TRUE(trace) << trace.why();
    const Activity all = activity_of(TraceIndex(*trace), 100);
    size_t compared = 0;
    for (const StreamGaps& stream : gaps(TraceIndex(*trace)).streams) {
      const auto track = std::ranges::find(all.tracks, stream.track, &TrackActivity::track);
      ASSERT_NE(track, all.tracks.end()) << file;
      EXPECT_EQ(time_of(*track, Doing::kernels) + time_of(*track, Doing::communication) +
                    time_of(*track, Doing::copies),
                stream.busy)
          << file << " " << trace->tracks()[stream.track].tid;
      ++compared;
    }
    EXPECT_GE(compared, 2U);
  }
}

TEST(Activity, of_columns_sums_to_that_of_the_row) {
  const auto trace = open_alone(real_trace("nccl_two_ranks.json.gz"));
  ASSERT_TRUE(trace) << trace.why();
  for (const TrackActivity& track : activity_of(TraceIndex(*trace), 77).tracks) {
    Times sum{};
    for (const Times& column : track.columns)
      for (size_t i = 0; i < doing_count; ++i) sum[i] += column[i];
    EXPECT_EQ(sum, track.times);
  }
}

}  // namespace
}  // namespace vitro::analyze
