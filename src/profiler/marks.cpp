// Forwards recorded events to the markers of other profilers while an Emission exists; itt.cpp and
// nvtx.cpp implement the markers.
#include "vitro/profiler/marks.h"

#include <array>
#include <memory>
#include <mutex>
#include <utility>

#include "profiler/marker.h"
#include "vitro/base/cat.h"
#include "vitro/events/record.h"

namespace vitro {
namespace {

using detail::Marker;

// The markers that receive events.  `lock` guards the requests.
struct Emissions {
  std::mutex lock;
  std::array<std::atomic<Marker*>, 2> on{};
  uint32_t last = 0;
};

Emissions& emissions() {
  static Emissions& all = *std::make_unique<Emissions>().release();
  return all;
}

// Ranges of an emission open on this thread.
struct Open {
  uint32_t emission = 0;
  int count = 0;
};
std::array<Open, 2>& open_ranges() {
  static thread_local std::array<Open, 2> open;
  return open;
}

void close_all(Marker& marker, Open& open) {
  for (; open.count > 0; --open.count) marker.pop();
}

void begin(const char* name) {
  for (size_t i = 0; i < open_ranges().size(); ++i) {
    Marker* marker = emissions().on[i].load(std::memory_order_acquire);
    if (!marker) continue;
    const uint32_t emission = marker->emission.load(std::memory_order_relaxed);
    Open& open = open_ranges()[i];
    if (open.emission != emission) close_all(*marker, open);  // from an emission that has ended
    open.emission = emission;
    marker->push(name);
    ++open.count;
  }
}

void end() {
  for (size_t i = 0; i < open_ranges().size(); ++i) {
    Marker* marker = emissions().on[i].load(std::memory_order_acquire);
    Open& open = open_ranges()[i];
    if (!marker || open.count == 0 || open.emission != marker->emission.load()) continue;
    marker->pop();
    --open.count;
  }
}

// Marked events: the named kinds that begin and end on one thread.
struct Teller {
  void operator()(const events::OpBegin& e) const { begin(events::text(e.op).data()); }
  void operator()(const events::KernelBegin& e) const {
    if (e.product == events::NameId{}) return begin(events::text(e.kernel).data());
    begin(cat(events::text(e.kernel), " (", events::text(e.product), ")").c_str());
  }
  void operator()(const events::RangeBegin& e) const { begin(events::text(e.range).data()); }
  void operator()(const events::RegionBegin& e) const {
    begin(cat("Torch-Compiled Region: ", e.function, "/", e.segment).c_str());
  }
  void operator()(const events::EagerBegin& e) const { begin(events::text(e.region).data()); }
  void operator()(const events::OpEnd&) const { end(); }
  void operator()(const events::KernelEnd&) const { end(); }
  void operator()(const events::RangeEnd&) const { end(); }
  void operator()(const events::RegionEnd&) const { end(); }
  void operator()(const events::EagerEnd&) const { end(); }
  void operator()(const auto&) const {}
};

void tap(uint8_t kind, const std::byte* event) {
  const Teller teller;
  events::Events::read(kind, event, teller);
}

size_t place_of(const Marker& marker) {
  return &marker == &detail::itt_marker() ? 0 : 1;
}

Marker* if_wanted(Marker& (*marker)(), bool enabled) {
  return enabled && marker().is_available() ? &marker() : nullptr;
}

}  // namespace

Emission::Emission(Marker* marker) : marker_(marker) {
  if (!marker_) return;
  Emissions& all = emissions();
  std::lock_guard hold(all.lock);
  if (marker_->wanted++ != 0) return;
  marker_->emission = ++all.last;
  all.on[place_of(*marker_)] = marker_;
  events::set_tap(tap);
}

Emission::~Emission() {
  if (!marker_) return;
  Emissions& all = emissions();
  std::lock_guard hold(all.lock);
  if (--marker_->wanted != 0) return;
  const size_t place = place_of(*marker_);
  all.on[place] = nullptr;
  if (!all.on[1 - place]) events::set_tap(nullptr);
  close_all(*marker_, open_ranges()[place]);
}

Emission emit_itt(bool enabled) {
  return Emission(if_wanted(detail::itt_marker, enabled));
}
Emission emit_nvtx(bool enabled) {
  return Emission(if_wanted(detail::nvtx_marker, enabled));
}

MarkedRange::MarkedRange(Marker& marker, const std::string& name) : marker_(marker) {
  marker_.push(name.c_str());
}
MarkedRange::~MarkedRange() {
  marker_.pop();
}

namespace itt {
bool is_available() {
  return detail::itt_marker().is_available();
}
void range_push(const std::string& name) {
  detail::itt_marker().push(name.c_str());
}
void range_pop() {
  detail::itt_marker().pop();
}
void mark(const std::string& name) {
  detail::itt_marker().mark(name.c_str());
}
MarkedRange range(const std::string& name) {
  return MarkedRange(detail::itt_marker(), name);
}
}  // namespace itt

namespace nvtx {
bool is_available() {
  return detail::nvtx_marker().is_available();
}
void range_push(const std::string& name) {
  detail::nvtx_marker().push(name.c_str());
}
void range_pop() {
  detail::nvtx_marker().pop();
}
void mark(const std::string& name) {
  detail::nvtx_marker().mark(name.c_str());
}
MarkedRange range(const std::string& name) {
  return MarkedRange(detail::nvtx_marker(), name);
}
}  // namespace nvtx

}  // namespace vitro
