// The work of all streams of all devices, asked what had ended when.
//   Streams streams(trace, classes, links);
//   EventId before = streams.before(kernel);         // on its stream
//   EventId last = streams.last_ended(stream, at, launched_before);
// Each question costs the logarithm of the stream's length where work ends in the order of its
// launches, as streams promise.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "vitro/analyze/classes.h"
#include "vitro/analyze/links.h"

namespace vitro::analyze::critical {

class Streams {
 public:
  static constexpr EventId nobody = UINT32_MAX;

  Streams(const Trace& trace, const Classes& classes, const Links& links);

  // Tracks with work.
  std::span<const uint32_t> tracks() const { return tracks_; }
  // Whose `pid` is the same.
  bool same_device(uint32_t track, uint32_t other) const;

  int64_t begin(EventId work) const { return trace_.ts()[work]; }
  int64_t end(EventId work) const;
  // When its launch began; its own begin where the file has no launch.
  int64_t launched(EventId work) const;
  // Whether its launch waited for nothing else: the first work of a graph, not the others.
  bool begins_launch(EventId work) const { return begins_launch_[work]; }

  // What ended last on the stream of `work` before it began.
  EventId before(EventId work) const;
  // Of the stream's work launched before `launched_before`, what ended last of that which ended at
  // `at` or earlier.
  EventId last_ended(uint32_t track, int64_t at, int64_t launched_before) const;
  // Of that work, what ends last of all.
  EventId last_launched(uint32_t track, int64_t launched_before) const;

  // Work whose launch (or, without one, itself) began in [begin, end): what ends last, nobody where
  // there is none.
  EventId last_of(int64_t begin, int64_t end) const;
  // Of [begin, end), how long work of any stream ran.
  int64_t busy(int64_t begin, int64_t end) const;

 private:
  struct Launched {
    int64_t at;
    EventId latest;  // of all launched by then, the one that ends last
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
  std::vector<uint32_t> tracks_;
  std::vector<Stream> streams_;      // of tracks_
  std::vector<uint32_t> place_;      // by track: in streams_
  std::vector<bool> begins_launch_;  // by event
};

}  // namespace vitro::analyze::critical
