// A session records everything that happens in the process between start and stop.
//   events::start();  work();  events::Recording r = events::stop();
//   for (const auto& thread : r.threads) thread.read([]<class E>(const E& event) { … });
// Only one session runs at a time.  It may start and stop while other threads run: each thread's
// recording is an interval of its activity, so the first ends may lack their begins and the last
// begins their ends.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "vitro/events/kinds.h"
#include "vitro/events/rare.h"
#include "vitro/events/session_options.h"

namespace vitro::events {

// Serialized events of one thread, in the order in which it wrote them.  Each is its kind (one
// byte), the event, and for kinds with a tail its length (four bytes) and bytes.
struct Chunk {
  static constexpr uint32_t size = (64 << 10) - 16;
  std::atomic<uint32_t> used{0};  // the writer's release store publishes the bytes before it
  std::byte bytes[size];
};

struct ThreadRecording {
  int64_t tid = 0;
  std::string name;
  std::vector<std::unique_ptr<Chunk>> chunks;

  // Calls visit(event) for each event, in order; `visit` accepts every kind (a template, or
  // overloads).  For kinds with a tail, visit(event, tail) is preferred; the tail's bytes live as
  // long as the chunks.
  template <class Visit>
  void read(Visit&& visit) const;
};

struct Recording {
  SessionOptions options;
  uint64_t begin = 0, end = 0;           // ticks
  uint64_t dropped = 0;                  // events that did not fit the limits
  std::vector<ThreadRecording> threads;  // threads with events, ordered by tid
  std::vector<Rare> rare;                // ordered by time
};

// Starts recording.  Throws if a session already runs.
void start(SessionOptions options = {});

// Stops recording and returns the events.  Throws if no session runs.
Recording stop();

// Distinguishes sessions; 0 while none runs.
uint32_t session_number();
// Gives the running session, if there is one, an event that was kept before it began: it holds
// again.
void repeat(RareKinds what);

template <class Visit>
void ThreadRecording::read(Visit&& visit) const {
  for (const auto& chunk : chunks) {
    const std::byte* end = chunk->bytes + chunk->used.load(std::memory_order_acquire);
    for (const std::byte* at = chunk->bytes; at < end;) {
      at = Events::read(static_cast<uint8_t>(*at), at + 1, visit);
    }
  }
}

}  // namespace vitro::events
