// Is each thread of the host busy, are threads balanced, what do they wait for?
//   const Threads t = threads(trace);
//   for (const Threads::Wait& wait : t.waits) …
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "vitro/analyze/answer.h"
#include "vitro/analyze/steps.h"

namespace vitro::analyze {

// All in the measured window, in nanoseconds.  Each moment of a thread belongs to its innermost
// event: a wait, where its name says so (calls that synchronise, copies from and to memory that is
// not pinned, locks, sleeps, all inside the iterator of a data loader), else work; a step alone is
// neither.
struct Threads {
  struct Thread {
    uint32_t track = 0;
    bool leads = false;  // it has steps; without steps, it launches; else it is the busiest
    int64_t busy = 0, waiting = 0, idle = 0;  // sum to the window; idle: nothing recorded
    uint64_t gaps = 0;                        // stretches of idle between two events
    int64_t longest_gap = 0;
    EventId behind_gap = 0;            // what ended the longest
    std::vector<EventId> behind_gaps;  // the longest first, at most ten
    std::vector<Window> idle_when;     // the gaps
  };
  // Waits of one name on one thread within events of one name.
  struct Wait {
    uint32_t track = 0;
    std::string name, kind;  // kind: device, data, lock, threads, sleep
    std::string within;      // the op, range or function around it; empty: none
    uint64_t calls = 0;
    int64_t total = 0, longest_time = 0;
    // While all devices idle; from the begin of each wait until a device works again, each moment
    // once: what was launched behind the wait could have been there.  Of a wait in which no device
    // worked, which thus found nothing to wait for, only itself.  Without devices all three
    // are the time from the begin to the end of each, other waits in them included.
    int64_t devices_idle = 0, until_work = 0;
    // Of devices_idle what lies behind the last work that ended within each wait: what was waited
    // for was done by then.
    int64_t idle_behind = 0;
    std::vector<EventId> longest;         // first, at most ten
    std::vector<Window> until_work_when;  // the pieces of until_work
  };
  // What one thread handed out to others, as Vitro's pool records it (arrows `launch` to the shares
  // of its threads).
  struct Pool {
    uint32_t track = 0;                  // that hands out
    uint64_t launches = 0, threads = 0;  // threads: that took shares, itself included
    int64_t launched = 0;  // time in launches; of the launching thread all of it counts as work
    int64_t shares = 0;    // time in shares of the others
    int64_t lost = 0;      // what all launches would take less, were their work spread evenly
    std::vector<EventId> worst;  // launches, at most ten
    std::vector<Window> when;    // the launches
  };
  Window window;
  std::vector<Thread> threads;  // by track: those that did something, or have steps
  std::vector<Wait> waits;      // the longest total first
  std::vector<Pool> pools;
};

Threads threads(const Trace& trace);
Answer answer_threads(const Trace& trace);

}  // namespace vitro::analyze
