// A session records everything that happens in the process between start and stop.
//   events::start();  work();  events::Recording r = events::stop();
//   for (const auto& thread : r.threads) thread.read([]<class E>(const E& event) { … });
// One at a time.  Start and stop while other threads run are safe: each thread's recording is a
// stretch of what it did, so the first ends may lack their begins and the last begins their ends.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "vitro/events/kinds.h"
#include "vitro/events/rare.h"
#include "vitro/events/session_options.h"

namespace vitro::events {

// Bytes of events in the order in which one thread wrote them: kind (one byte), event, with its
// tail's length (four bytes) and tail if it has one; kind, event…
struct Chunk {
  static constexpr uint32_t size = (64 << 10) - 16;
  std::atomic<uint32_t> used{0};  // the writer's release of all bytes before
  std::byte bytes[size];
};

struct ThreadRecording {
  int64_t tid = 0;
  std::string name;
  std::vector<std::unique_ptr<Chunk>> chunks;

  // Calls visit(event) for each event, in order; visit takes every kind (a template, or overloads).
  // A visit(event, tail) is preferred for kinds with a tail; the bytes live as long as the chunks.
  template <class Visit>
  void read(Visit&& visit) const;
};

struct Recording {
  SessionOptions options;
  uint64_t begin = 0, end = 0;           // ticks
  uint64_t dropped = 0;                  // events that the limit kept out
  std::vector<ThreadRecording> threads;  // those that recorded anything, ordered by tid
  std::vector<Rare> rare;                // in order of time
};

// Starts recording.  Error if a session runs already.
void start(SessionOptions options = {});

// Stops and hands over what was recorded.  Error if no session runs.
Recording stop();

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
