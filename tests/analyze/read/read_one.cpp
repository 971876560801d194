// Checks that reading arbitrary bytes gives a consistent result: windows, events and memory rows;
// shared by the fuzzer and the corpus test.
#include "analyze/read/read_one.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "analyze/read/by_simdjson.h"
#include "analyze/read/event_parser.h"
#include "analyze/read/memory_rows.h"
#include "analyze/read/number_lists.h"
#include "vitro/base/error.h"

namespace vitro::analyze {
namespace {

// A few packed bytes may unpack to many.
class FirstBytes : public Bytes {
 public:
  explicit FirstBytes(std::unique_ptr<Bytes> all) : all_(std::move(all)) {}
  size_t read(char* to, size_t room) override {
    const size_t n = all_->read(to, std::min(room, left_));
    trouble_ = all_->trouble();
    left_ -= n;
    return n;
  }
  uint64_t consumed() const override { return all_->consumed(); }
  uint64_t total() const override { return all_->total(); }

 private:
  std::unique_ptr<Bytes> all_;
  size_t left_ = size_t{4} << 20;
};

// Everything added, concatenated.
struct Said : EventSink {
  std::string all;
  void add(const RawEvent& event) override {
    for (const std::string_view token :
         {event.text, event.name, event.category, event.phase, event.ts, event.dur, event.pid,
          event.tid, event.id, event.correlation, event.external})
      all.append(token).append(1, '\0');
  }
};

// The reader agrees with simdjson's own parsers, and accepts all JSON.
void compare_readers(std::string_view events) {
  std::string list = "[" + std::string(events) + "]";
  const size_t length = list.size();
  list.resize(length + Windows::padding);
  const std::string_view text(list.data(), length);
  Said ours, theirs;
  size_t bad = 0;
  const std::string why = EventReader().read(text, ours, &bad),
                    their_why = read_on_demand(text, theirs);
  VITRO_ASSERT(bad <= length);
  VITRO_ASSERT(why.empty() || !is_list_of_objects(text), why);
  VITRO_ASSERT(!why.empty() || !their_why.empty() || ours.all == theirs.all);
}

struct Known {
  size_t names = 0, categories = 0, tracks = 0;
};

using EventSpan =
    std::pair<uint64_t, uint64_t>;  // of an event in the unpacked file, and its length

void look_at(const Batch& batch, const std::string& events, Known& known) {
  known.names += batch.names.size();
  known.categories += batch.categories.size();
  known.tracks += batch.tracks.size();
  const Rows& rows = batch.rows;
  size_t behind = 0;  // end of the previous event
  for (size_t i = 0; i < rows.size(); ++i) {
    VITRO_ASSERT(rows.offset[i] >= behind && events.at(rows.offset[i]) == '{');
    behind = size_t{rows.offset[i]} + rows.length[i];
    VITRO_ASSERT(behind <= events.size());
    VITRO_ASSERT(rows.name[i] < known.names && rows.track[i] < known.tracks);
    VITRO_ASSERT(rows.category[i] < known.categories);
  }
  for (const TrackFact& fact : batch.facts) VITRO_ASSERT(fact.track < known.tracks);
}

std::unique_ptr<Bytes> first_of(std::string_view bytes) {
  return std::make_unique<FirstBytes>(unpacked(bytes_of(bytes)));
}

bool unpacks(std::string_view bytes) {
  const auto all = first_of(bytes);
  std::string some(4096, '\0');
  while (all->read(some.data(), some.size()) > 0) {
  }
  return all->trouble().empty();
}

// A memory timeline gives rows by time, with valid numbers.
void read_memory(std::string_view bytes) {
  std::string beginning(256, '\0');
  beginning.resize(first_of(bytes)->read(beginning.data(), beginning.size()));
  if (!begins_memory_timeline(beginning)) return;
  const auto rows = read_memory_rows(*first_of(bytes));
  if (!rows) return;
  int64_t before = timeline_before;
  for (const MemoryRow& row : rows->list) {
    VITRO_ASSERT(row.at >= before && std::abs(row.bytes) <= int64_t{1} << 45);
    VITRO_ASSERT(row.action >= TimelineAction::preexisting);
    VITRO_ASSERT(row.action <= TimelineAction::destroyed);
    VITRO_ASSERT(static_cast<size_t>(row.category) < timeline_categories);
    before = row.at;
  }
}

struct Events {
  std::vector<EventSpan> spans;
  bool whole = true;  // nothing was lost, repaired or dropped
};

// Complete events do not depend on where windows end.  (What follows broken quotes does.)
Events read_windows(std::string_view bytes, size_t window_bytes) {
  Windows windows(first_of(bytes), window_bytes);
  EventParser parser;
  Batch batch;
  Known known;
  Events out;
  for (TextWindow window; windows.next(window);) {
    const std::string events(window.events());
    compare_readers(events);
    parser.parse(window, batch);
    look_at(batch, events, known);
    for (size_t i = 0; i < batch.rows.size(); ++i)
      out.spans.emplace_back(window.offset + batch.rows.offset[i], batch.rows.length[i]);
    out.whole &= batch.notes.empty();
  }
  out.whole &= windows.notes().empty();
  return out;
}

}  // namespace

void read_one(std::string_view bytes) {
  read_memory(bytes);
  const Events small = read_windows(bytes, 61), large = read_windows(bytes, 4096);
  if (!unpacks(bytes)) return;  // how far it is read before the error is unspecified
  VITRO_ASSERT(small.whole == large.whole);
  VITRO_ASSERT(!small.whole || small.spans == large.spans);
}

}  // namespace vitro::analyze
