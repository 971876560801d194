// The recorder of frequent events: per-thread buffers of chunks, start and stop of sessions, and
// the tap.  append() and append_tail() are the slow paths of record() and record_tail().
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <mutex>
#include <tuple>
#include <utility>

#include "base/sort_list.h"
#include "events/sink.h"
#include "vitro/base/error.h"
#include "vitro/events/record.h"
#include "vitro/events/session.h"

namespace vitro::events {

constinit std::atomic<uint32_t> detail::session{0};

namespace {

// The events of one thread.  Only the owner writes to the current chunk, without a lock; `lock`
// guards switching to the next chunk, the name and the collection.
struct Buffer {
  Chunk* chunk = nullptr;  // the last of `chunks`
  uint32_t room = 0;       // bytes left in `chunk`
  uint32_t session = 0;    // the session of `chunks`
  std::atomic<uint64_t> dropped{0};

  std::mutex lock;
  std::vector<std::unique_ptr<Chunk>> chunks;
  int64_t tid = 0;
  std::string name;
  bool thread_ended = false;
};

struct Sink {
  std::mutex sessions;       // held by start and stop
  uint32_t last_number = 0;  // of the last session, shifted above the option bits
  SessionOptions options;
  uint64_t begin = 0;
  std::atomic<Tap> tap{nullptr};

  std::mutex lock;          // guards `collecting` and `buffers`
  uint32_t collecting = 0;  // the session whose events have not been collected yet, or 0
  std::vector<std::unique_ptr<Buffer>> buffers;

  std::atomic<size_t> bytes{0};  // of this session's chunks
  std::atomic<size_t> max_bytes{0};
  std::atomic<uint64_t> dropped{0};  // without a buffer, or because the tail was too long
};

Sink& sink() {
  static Sink& everything = *std::make_unique<Sink>().release();
  return everything;
}

// Read for every event, so the TLS model avoids a call.
constinit thread_local Buffer* mine __attribute__((tls_model("initial-exec"))) = nullptr;
// Set once this thread's locals are being destroyed.
constinit thread_local bool ended __attribute__((tls_model("initial-exec"))) = false;

std::string system_name() {
  char name[64] = "";
  pthread_getname_np(pthread_self(), name, sizeof name);
  return name;
}

// Releases the buffer when the thread ends.  A buffer with events of the running session stays
// until the session is collected.
struct Farewell {
  ~Farewell() {
    Buffer* buffer = std::exchange(mine, nullptr);
    ended = true;
    if (!buffer) return;
    std::lock_guard hold(sink().lock);
    buffer->thread_ended = true;
    if (buffer->session == sink().collecting) return;
    std::erase_if(sink().buffers, [&](const auto& b) { return b.get() == buffer; });
  }
};

Buffer* my_buffer() {
  if (mine || ended) return mine;
  static thread_local Farewell farewell;
  auto buffer = std::make_unique<Buffer>();
  buffer->tid = this_tid();
  buffer->name = system_name();
  mine = buffer.get();
  std::lock_guard hold(sink().lock);
  sink().buffers.push_back(std::move(buffer));
  return mine;
}

bool within_limit() {
  const size_t limit = sink().max_bytes.load(std::memory_order_relaxed);
  return sink().bytes.fetch_add(sizeof(Chunk), std::memory_order_relaxed) + sizeof(Chunk) <=
             limit ||
         limit == 0;
}

// Starts a new chunk, the first one of a session or the next.  Returns false if the limit is
// reached.
bool next_chunk(Buffer& buffer, uint32_t in_session) {
  if (buffer.session == in_session && buffer.dropped.load(std::memory_order_relaxed) != 0)
    return false;
  detail::session.load(std::memory_order_acquire);  // pairs with start(): makes its limit visible
  std::unique_ptr<Chunk> chunk;
  std::lock_guard hold(buffer.lock);
  if (buffer.session != in_session) {
    if (!buffer.chunks.empty()) chunk = std::move(buffer.chunks.back());
    buffer.chunks.clear();
    buffer.session = in_session;
    buffer.dropped.store(0, std::memory_order_relaxed);
  }
  buffer.room = 0;
  if (!within_limit()) return false;
  if (!chunk) chunk = std::unique_ptr<Chunk>(new Chunk);
  chunk->used.store(0, std::memory_order_relaxed);
  buffer.chunk = chunk.get();
  buffer.room = Chunk::size;
  buffer.chunks.push_back(std::move(chunk));
  return true;
}

// Moves the session's chunks out of the buffer.  The thread may still be writing after the last
// `used` that it published, so it keeps the last chunk, which is copied.
ThreadRecording collect(Buffer& buffer, uint32_t session) {
  std::lock_guard hold(buffer.lock);
  ThreadRecording thread{buffer.tid, buffer.name, {}};
  if (buffer.session != session || buffer.chunks.empty()) return thread;
  thread.chunks = std::exchange(buffer.chunks, {});
  std::unique_ptr<Chunk> copy(new Chunk);
  const Chunk& last = *thread.chunks.back();
  const uint32_t used = last.used.load(std::memory_order_acquire);
  std::memcpy(copy->bytes, last.bytes, used);
  copy->used.store(used, std::memory_order_relaxed);
  buffer.chunks.push_back(std::exchange(thread.chunks.back(), std::move(copy)));
  return thread;
}

void collect_all(Recording& recording, uint32_t session) {
  Sink& s = sink();
  std::lock_guard hold(s.lock);
  recording.dropped = s.dropped.load(std::memory_order_relaxed);
  for (const auto& buffer : s.buffers) {
    ThreadRecording thread = collect(*buffer, session);
    if (!thread.chunks.empty()) recording.threads.push_back(std::move(thread));
    recording.dropped += buffer->dropped.exchange(0, std::memory_order_relaxed);
  }
  std::erase_if(s.buffers, [](const auto& buffer) { return buffer->thread_ended; });
  s.collecting = 0;
  sort_list(recording.threads, {}, &ThreadRecording::tid);
}

}  // namespace

int64_t this_tid() {
  static thread_local const int64_t tid = syscall(SYS_gettid);
  return tid;
}

namespace {

// Returns the thread's buffer with room for `size` bytes.  If there is none, or the limit is
// reached, counts the event as dropped and returns null.
inline Buffer* buffer_for(uint32_t size, uint32_t in_session) {
  Buffer* buffer = mine;
  if (!buffer || buffer->session != in_session || buffer->room < size) [[unlikely]] {
    buffer = my_buffer();
    if (!buffer || !next_chunk(*buffer, in_session)) {
      (buffer ? buffer->dropped : sink().dropped).fetch_add(1, std::memory_order_relaxed);
      return nullptr;
    }
  }
  return buffer;
}

inline std::byte* end_of(const Buffer& buffer) {
  return &buffer.chunk->bytes[Chunk::size - buffer.room];
}

// Publishes `size` bytes written at end_of(buffer).
inline void publish(Buffer& buffer, uint32_t size) {
  buffer.room -= size;
  buffer.chunk->used.store(Chunk::size - buffer.room, std::memory_order_release);
}

template <Event E>
inline std::byte* write(std::byte* at, E& event) {
  if constexpr (requires { event.ts; }) event.ts = ticks();
  *at = std::byte{Events::kind<E>()};
  std::memcpy(at + 1, &event, sizeof event);
  return at + 1 + sizeof event;
}

}  // namespace

template <Event E>
[[gnu::noinline]] void detail::append(E event, uint32_t in_session) {
  if (in_session & tapped) [[unlikely]] {
    if (const Tap tap = sink().tap.load(std::memory_order_acquire))
      tap(Events::kind<E>(), reinterpret_cast<const std::byte*>(&event));
    in_session &= ~tapped;
    if (in_session == 0) return;
  }
  constexpr uint32_t size = 1 + sizeof(E);
  Buffer* buffer = buffer_for(size, in_session);
  if (!buffer) return;
  write(end_of(*buffer), event);
  publish(*buffer, size);
}

template <TailEvent E>
[[gnu::noinline]] void detail::append_tail(const E& event, std::span<const std::byte> tail,
                                           uint32_t in_session) {
  const auto length = static_cast<uint32_t>(tail.size());
  in_session &= ~tapped;
  if (in_session == 0) return;
  if (tail.size() > max_tail) {
    sink().dropped.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  const uint32_t size = static_cast<uint32_t>(1 + sizeof(E) + sizeof length) + length;
  Buffer* buffer = buffer_for(size, in_session);
  if (!buffer) return;
  E copy = event;
  std::byte* at = write(end_of(*buffer), copy);
  std::memcpy(at, &length, sizeof length);
  if (length != 0) std::memcpy(at + sizeof length, tail.data(), length);
  publish(*buffer, size);
}

namespace {

template <Event E>
constexpr auto append_of() {
  if constexpr (TailEvent<E>) {
    return &detail::append_tail<E>;
  } else {
    return &detail::append<E>;
  }
}

// Instantiates append() or append_tail() for every kind of the list.
template <class... E>
constexpr auto appends(EventList<E...>) {
  return std::tuple(append_of<E>()...);
}
[[gnu::used]] constexpr auto all_appends = appends(Events{});

}  // namespace

void set_tap(Tap tap) {
  Sink& s = sink();
  std::lock_guard hold(s.sessions);
  s.tap.store(tap, std::memory_order_release);
  if (tap) {
    detail::session.fetch_or(detail::tapped);
  } else {
    detail::session.fetch_and(~detail::tapped);
  }
}

void name_this_thread(std::string_view name) {
  Buffer* buffer = my_buffer();
  if (!buffer) return;
  std::lock_guard hold(buffer->lock);
  buffer->name = name;
}

void start(SessionOptions options) {
  Sink& s = sink();
  std::lock_guard hold(s.sessions);
  VITRO_CHECK(!in_session(),
              "events: a session is already running; stop it before starting another");
  s.max_bytes = options.max_bytes;
  s.bytes = 0;
  s.dropped = 0;
  s.options = options;
  constexpr uint32_t one = 1u << detail::option_bits;
  s.last_number += one;
  if (s.last_number == 0) s.last_number = one;
  const uint32_t session = s.last_number | options.details.bits;
  {
    std::lock_guard buffers(s.lock);
    s.collecting = session;
  }
  begin_rare_session();
  s.begin = ticks();
  const uint32_t tap = s.tap.load() ? detail::tapped : 0;
  detail::session.store(session | tap, std::memory_order_release);
}

uint32_t session_number() {
  return detail::session.load(std::memory_order_relaxed) >> detail::option_bits;
}

Recording stop() {
  Sink& s = sink();
  std::lock_guard hold(s.sessions);
  const uint32_t session = detail::session.fetch_and(detail::tapped) & ~detail::tapped;
  VITRO_CHECK(session != 0, "events: stop() without a running session; call start() first");
  Recording recording;
  recording.options = s.options;
  recording.begin = s.begin;
  recording.end = ticks();
  recording.rare = end_rare_session();
  collect_all(recording, session);
  return recording;
}

}  // namespace vitro::events
