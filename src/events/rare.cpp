#include "vitro/events/rare.h"

#include <atomic>
#include <deque>
#include <memory>
#include <mutex>

#include "events/sink.h"
#include "vitro/base/cat.h"

namespace vitro::events {
namespace {

constexpr size_t ring_events = 8192, max_text = 4096;

struct Ring {
  std::mutex lock;
  std::deque<std::shared_ptr<const Rare>> events;
  uint64_t next = 0;
  bool in_session = false;
  std::vector<std::shared_ptr<const Rare>> of_session;
  std::atomic<RareListener> listener{nullptr};
};

Ring& ring() {
  static Ring& kept = *std::make_unique<Ring>().release();
  return kept;
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
  cut(e.place);
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

void keep(RareKinds what) {
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
  }
  if (const RareListener listener = r.listener.load(std::memory_order_acquire)) listener(*event);
}

uint64_t rare_mark() {
  std::lock_guard hold(ring().lock);
  return ring().next;
}

std::vector<Rare> rare_since(uint64_t mark) {
  std::lock_guard hold(ring().lock);
  return copy(ring().events, mark);
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
    : phase_{std::string(phase), std::string(subject), ticks()} {}

PhaseScope::~PhaseScope() {
  keep(std::move(phase_));
}

}  // namespace vitro::events
