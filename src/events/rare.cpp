// Rare events: the ring, the exact sums of phase times and the listener.  All state is guarded by
// one lock, except the listener, which is called outside it.
#include "vitro/events/rare.h"

#include <algorithm>
#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "base/sort_list.h"
#include "events/sink.h"
#include "vitro/base/cat.h"
#include "vitro/events/session.h"

namespace vitro::events {
namespace {

constexpr size_t ring_events = 8192, max_text = 4096, max_sums = 16384;
constexpr std::string_view other_subjects = "(others)";

struct Ring {
  std::mutex lock;
  std::deque<std::shared_ptr<const Rare>> events;
  uint64_t next = 0;
  bool in_session = false;
  std::vector<std::shared_ptr<const Rare>> of_session;
  std::unordered_map<std::string, size_t> sum_places;  // by subject and phase
  std::vector<PhaseSum> sums;
  std::atomic<RareListener> listener{nullptr};
};

Ring& ring() {
  static Ring& kept = *std::make_unique<Ring>().release();
  return kept;
}

// Total ticks of the phases that ended inside this thread's innermost open phase.
constinit thread_local uint64_t ticks_inside = 0;

// Returns the sum for a phase; if there are too many sums, the one for its name and other_subjects.
PhaseSum& sum_of(Ring& r, const Phase& e, int64_t tid) {
  std::string subject = e.subject;
  for (;;) {
    const std::string key = subject + '\0' + e.phase;
    const auto found = r.sum_places.find(key);
    if (found != r.sum_places.end()) return r.sums[found->second];
    if (r.sums.size() < max_sums || subject == other_subjects) {
      r.sum_places.emplace(key, r.sums.size());
      return r.sums.emplace_back(
          PhaseSum{.phase = e.phase, .subject = subject, .begin = e.begin, .tid = tid});
    }
    subject = other_subjects;
  }
}

// `event` is the kept event of phase `e`; `inside` is the time of its nested phases in ticks.
void add_to_sums(Ring& r, const Phase& e, const Rare& event, uint64_t inside) {
  PhaseSum& sum = sum_of(r, e, event.tid);
  sum.on_several_threads |= sum.tid != event.tid;
  const uint64_t total = event.ts - std::min(e.begin, event.ts);
  sum.begin = std::min(sum.begin, e.begin);
  ++sum.count;
  sum.total_ticks += total;
  sum.self_ticks += total - std::min(total, inside);
}

void cut(std::string& text) {
  if (text.size() <= max_text) return;
  const size_t more = text.size() - max_text;
  text.resize(max_text);
  text += cat("… (", more, " more bytes)");
}

void cut_texts(Phase& e) {
  cut(e.phase);
  cut(e.subject);
}
void cut_texts(Message& e) {
  cut(e.component);
  cut(e.text);
}
void cut_texts(auto& e) {
  cut(e.code);
  cut(e.reason);
  cut(e.location);
}

std::vector<Rare> copy(const auto& from, uint64_t mark) {
  std::vector<Rare> events;
  for (const auto& event : from) {
    if (event->number >= mark) events.push_back(*event);
  }
  return events;
}

}  // namespace

std::string_view to_text(Level level) {
  switch (level) {
    case Level::debug:
      return "debug";
    case Level::info:
      return "info";
    case Level::warning:
      return "warning";
    case Level::error:
      return "error";
  }
  return "unknown";
}

namespace {

// `inside` is, for phases, the time of nested phases in ticks.  Returns the event's timestamp.
uint64_t keep_event(RareKinds what, uint64_t inside) {
  std::visit([](auto& event) { cut_texts(event); }, what);
  Ring& r = ring();
  auto event = std::make_shared<Rare>();
  event->tid = this_tid();
  event->what = std::move(what);
  {
    std::lock_guard hold(r.lock);
    event->ts = ticks();
    event->number = r.next++;
    if (r.events.size() == ring_events) r.events.pop_front();
    r.events.push_back(event);
    if (r.in_session) r.of_session.push_back(event);
    if (const auto* phase = std::get_if<Phase>(&event->what))
      add_to_sums(r, *phase, *event, inside);
  }
  if (const RareListener listener = r.listener.load(std::memory_order_acquire)) listener(*event);
  return event->ts;
}

}  // namespace

void keep(RareKinds what) {
  keep_event(std::move(what), 0);
}

void repeat(RareKinds what) {
  auto event = std::make_shared<Rare>();
  event->tid = this_tid();
  event->what = std::move(what);
  Ring& r = ring();
  std::lock_guard hold(r.lock);
  event->ts = ticks();
  event->number = r.next;
  if (r.in_session) r.of_session.push_back(std::move(event));
}

uint64_t rare_mark() {
  std::lock_guard hold(ring().lock);
  return ring().next;
}

std::vector<Rare> rare_since(uint64_t mark) {
  std::lock_guard hold(ring().lock);
  return copy(ring().events, mark);
}

std::vector<PhaseSum> phase_sums() {
  std::vector<PhaseSum> sums;
  {
    std::lock_guard hold(ring().lock);
    sums = ring().sums;
  }
  sort_list(sums, {}, &PhaseSum::begin);
  return sums;
}

void listen(RareListener listener) {
  ring().listener.store(listener, std::memory_order_release);
}

void begin_rare_session() {
  std::lock_guard hold(ring().lock);
  ring().in_session = true;
}

std::vector<Rare> end_rare_session() {
  std::vector<std::shared_ptr<const Rare>> events;
  {
    std::lock_guard hold(ring().lock);
    ring().in_session = false;
    events.swap(ring().of_session);
  }
  return copy(events, 0);
}

PhaseScope::PhaseScope(std::string_view phase, std::string_view subject)
    : phase_{std::string(phase), std::string(subject), ticks()},
      inside_before_(std::exchange(ticks_inside, 0)) {}

PhaseScope::~PhaseScope() {
  const uint64_t begin = phase_.begin;
  const uint64_t end = keep_event(std::move(phase_), ticks_inside);
  ticks_inside = inside_before_ + (end - begin);
}

}  // namespace vitro::events
