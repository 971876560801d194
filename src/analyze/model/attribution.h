// Why each device was idle: every moment of its idle time, once, with the most specific cause that
// the file shows.  Findings about launches and the host are sums over it, so that they neither
// overlap nor promise more than the device is idle.
//   for (const DeviceIdle& device : index->idle()) device.of(IdleCause::data) …
#pragma once

#include <cstdint>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "vitro/analyze/trace.h"

namespace vitro::analyze {

class TraceIndex;

// A runtime call that takes longer is slow; an idle stretch that is shorter may be latency.
inline constexpr int64_t slow_call_ns = 50'000, short_gap_ns = 30'000;

// From the most to the least specific.  If the launch that ended the idle time began too late to
// arrive before it (Host::latency), what the launching thread did is the cause; where nothing is
// recorded on it, what the thread with the steps did.  Otherwise the work had been launched
// already, and the cause lies on the device.
enum class IdleCause : uint8_t {
  data,         // the thread waits for data
  lock,         // for a lock
  sleep,        // it sleeps
  threads,      // it waits for other threads or processes
  capture,      // it captures a device graph: what it launches does not run yet
  compilation,  // it compiles
  slow_call,    // it is in a runtime call of over slow_call_ns that does not wait
  earlier,      // it waits for the device, for work of which the file has none yet: from before the
                // recording
  device,       // it waits for the device (a blocking copy, a synchronising call), or had done so
                // when the device ran out of work: as far as it could have been ahead without
  update,       // it updates parameters one by one (optimizers.h)
  brief,        // it launches work that takes less time than the call
  launch,       // it launches other work, or work follows the end of its launch
  host,         // it runs other code
  unrecorded,   // nothing is recorded
  latency,      // the work was launched; shorter than short_gap_ns
  dependency,   // the work was launched; longer: it waits for something that the file does not show
  unknown,      // the launch is not in the file
  end           // nothing follows in the measured window
};
inline constexpr size_t idle_causes = 18;
std::string_view name_of(IdleCause cause);

// Idle time with the same cause; of waits and slow calls, within events of one name.
struct IdleGroup {
  IdleCause cause = IdleCause::unrecorded;
  uint32_t track = UINT32_MAX;                    // the thread, of waits and slow calls
  uint32_t name = UINT32_MAX;                     // of these, too
  uint32_t within = UINT32_MAX;                   // the name around it
  int64_t time = 0;                               // in nanoseconds
  int64_t own = 0;                                // the part inside these events themselves
  uint64_t gaps = 0;                              // idle stretches that it is part of
  std::vector<std::pair<int64_t, EventId>> each;  // the longest first: its time, negated
  std::vector<Window> when;
};

struct DeviceIdle {
  uint32_t track = 0;                      // one of its streams
  Window window;                           // measured_window()
  int64_t idle = 0;                        // the sum of the groups
  int64_t excess = 0;                      // of `brief`: what the calls take beyond their work
  int64_t calls = 0;                       // the part of `launch` and `brief` inside calls
  std::vector<IdleGroup> groups;           // the longest first
  std::map<uint32_t, int64_t> host_names;  // the time of `host`, by name

  int64_t of(IdleCause cause) const;
  // Of a wait or a slow call.
  const IdleGroup* group(IdleCause cause, uint32_t name, uint32_t within) const;
};

// Devices with work, in the order of devices_of().
std::vector<DeviceIdle> attribute_idle(const TraceIndex& index);

}  // namespace vitro::analyze
