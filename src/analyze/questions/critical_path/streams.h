// The work on all streams of all devices, with queries about what had ended when.
//   Streams streams(index);
//   EventId before = streams.before(kernel);         // on its stream
//   EventId last = streams.last_ended(stream, at, launched_before);
// Each query is logarithmic in the stream's length if work ends in the order of its launches, as
// streams guarantee.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analyze/model/classes.h"
#include "analyze/model/launch_times.h"
#include "analyze/model/links.h"

namespace vitro::analyze::critical {

class Streams {
 public:
  static constexpr EventId nobody = UINT32_MAX;

  explicit Streams(const TraceIndex& index);

  // Tracks with work.
  std::span<const uint32_t> tracks() const { return tracks_; }
  // Tracks with the same `pid`.
  bool same_device(uint32_t track, uint32_t other) const;

  int64_t begin(EventId work) const { return trace_.ts()[work]; }
  int64_t end(EventId work) const;
  // When its launch began, see LaunchTimes.
  int64_t launched(EventId work) const { return launched_.of(work); }
  bool is_launched_before_all(EventId work) const {
    return launched(work) == LaunchTimes::before_all;
  }
  // Whether it is the first work of its launch: of a graph only the first follows the launch.
  bool begins_launch(EventId work) const { return begins_launch_[work]; }

  // The last work to end on the stream of `work` before it began.
  EventId before(EventId work) const;
  // Among the stream's work launched before `launched_before` and ended by `at`, the last to end.
  EventId last_ended(uint32_t track, int64_t at, int64_t launched_before) const;
  // Among the work launched before, the last to end.
  EventId last_launched(uint32_t track, int64_t launched_before) const;

  // Among work whose launch (or, without one, itself) began in [begin, end), the last to end;
  // nobody if there is none.
  EventId last_of(int64_t begin, int64_t end) const;
  // How long work ran on any stream within [begin, end).
  int64_t busy(int64_t begin, int64_t end) const;

 private:
  struct Launched {
    int64_t at;
    EventId latest;  // the last to end of all launched by then
  };
  struct Stream {
    std::vector<EventId> by_end;
    std::vector<Launched> by_launch;
  };
  void fill(Stream& stream) const;
  void mark_first();
  bool ends_before(EventId a, EventId b) const;
  const Stream* stream(uint32_t track) const;

  const Trace& trace_;
  const Links& links_;
  const LaunchTimes& launched_;
  std::vector<uint32_t> tracks_;
  std::vector<Stream> streams_;      // of tracks_
  std::vector<uint32_t> place_;      // by track: in streams_
  std::vector<bool> begins_launch_;  // by event
};

}  // namespace vitro::analyze::critical
