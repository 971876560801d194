// What calls and kernels waited for, taken from synchronisation records if the file has them
// (`cuda_sync`, enable_cuda_sync_events), else inferred from the times.
//   Dependencies dependencies(trace, classes, links, streams);
//   Awaited awaited = dependencies.of_call(call, at);
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "analyze/questions/critical_path/streams.h"

namespace vitro::analyze::critical {

struct Awaited {
  EventId work = Streams::nobody;
  bool inferred = false;
  explicit operator bool() const { return work != Streams::nobody; }
};

class Dependencies {
 public:
  Dependencies(const TraceIndex& index, const Streams& streams);

  // Number of synchronisation records in the file.
  uint64_t records() const { return records_; }

  // The work that a runtime call, still running just before `at`, had waited for: the last to end
  // after the call began.  `nobody` if the call does not wait or had nothing to wait for.
  Awaited of_call(EventId call, int64_t at) const;

  // Whether this call, which launched `work`, returned only when that was done: a copy from or to
  // unpinned memory, or by a call that waits.
  bool blocks(EventId call, EventId work) const;

  // The work on another stream that `work` had to wait for (an event of that stream; of a copy
  // whose call waits for all streams, any of them): the last to end before the work began.
  Awaited of_work(EventId work) const;

  // The work on another stream that ended last while `work`, a device-side wait, was running.
  Awaited of_device_wait(EventId work, int64_t at) const;

 private:
  enum class SyncCall : uint8_t { other, device, stream, event, stream_wait, copy };
  // What the record of a call says.
  struct Record {
    SyncCall call = SyncCall::other;
    uint32_t stream = UINT32_MAX;  // the awaited track; none: the whole device
    int64_t recorded = INT64_MAX;  // work launched before this is awaited
    bool known = false;            // whether the stream is known
  };
  struct StreamWait {
    int64_t at;       // begin of the call
    uint32_t source;  // track
    int64_t recorded;
  };

  static SyncCall call_of(std::string_view name);
  void read_records(const Classes& classes);
  void add_record(EventId record, std::string_view text);
  uint32_t track_of(int64_t device, int64_t stream) const;
  Awaited of_copy(EventId call, EventId work) const;
  EventId last_of_all(int64_t at, int64_t launched_before) const;
  EventId among(const Record& record, int64_t at, int64_t launched_before) const;

  const Trace& trace_;
  const Links& links_;
  const Streams& streams_;
  uint64_t records_ = 0;
  std::vector<SyncCall> calls_;                                  // by name
  std::vector<bool> waits_for_all_;                              // by name: copies
  std::map<int64_t, Record> by_correlation_;                     // of host calls
  std::map<uint32_t, std::vector<StreamWait>> waits_of_stream_;  // by track, ascending
  std::map<uint32_t, std::vector<int64_t>> wait_calls_;          // by thread, ascending
};

}  // namespace vitro::analyze::critical
