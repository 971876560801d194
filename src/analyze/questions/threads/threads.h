// Whether host threads are busy and balanced, and what they wait for.
//   const Threads t = threads(index);
//   for (const Threads::Wait& wait : t.waits) …
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "vitro/analyze/answer.h"
#include "vitro/analyze/events.h"

namespace vitro::analyze {

class TraceIndex;

// Everything within the measured window, in nanoseconds.  Each moment of a thread belongs to its
// innermost event: a wait if its name says so (synchronising calls, copies from and to unpinned
// memory, locks, sleeps, everything inside the iterator of a data loader), else work; a bare step
// is neither.
struct Threads {
  struct Thread {
    uint32_t track = 0;
    // Has the steps; if none has, launches; if none does, waits for a data loader; if none does, is
    // the busiest.
    bool leads = false;
    int64_t busy = 0, waiting = 0, idle = 0;  // sum to the window; idle: nothing recorded
    uint64_t gaps = 0;                        // idle stretches between two events
    int64_t longest_gap = 0;
    EventId behind_gap = 0;            // the event that ended the longest
    std::vector<EventId> behind_gaps;  // the longest first, at most ten
    std::vector<Window> idle_when;     // the gaps
  };
  // Waits of one name on one thread within events of one name.
  struct Wait {
    uint32_t track = 0;
    std::string name, kind;  // kind: device, data, lock, threads, sleep
    std::string within;      // the op, range or function around it; empty: none
    std::string caller;      // of the longest wait for a device: a function of Python; empty: none
    uint64_t calls = 0;
    int64_t total = 0, longest_time = 0;
    // The idle time of all devices during the waits; and from the begin of each wait until a device
    // works again, each moment once: work launched after the wait could have run there.  A wait in
    // which no device worked had nothing to wait for and counts only itself.  Without devices all
    // three are the time from the begin to the end of each wait, nested waits included.
    int64_t devices_idle = 0, until_work = 0;
    // The part of devices_idle after the last work that ended within each wait: the awaited work
    // was done by then.
    int64_t idle_behind = 0;
    std::vector<EventId> longest;         // first, at most ten
    std::vector<Window> until_work_when;  // the pieces of until_work
  };
  // Work that one thread handed out to others, as recorded by Vitro's pool (arrows `launch` to the
  // shares of its threads).
  struct Pool {
    uint32_t track = 0;                  // of the launching thread
    uint64_t launches = 0, threads = 0;  // threads: that took shares, including itself
    int64_t launched = 0;  // time in launches; all of it counts as work of the launching thread
    int64_t shares = 0;    // time in shares of the others
    int64_t lost = 0;      // time that launches would save if their work were spread evenly
    std::vector<EventId> worst;  // launches, at most ten
    std::vector<Window> when;    // the launches
  };
  Window window;
  std::vector<Thread> threads;  // by track: those with events, or with steps
  std::vector<Wait> waits;      // the longest total first
  std::vector<Pool> pools;
};

Threads threads(const TraceIndex& index);
Answer answer_threads(const TraceIndex& index);

}  // namespace vitro::analyze
