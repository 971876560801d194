// Combines the events with which something begins and ends (phases B and E; b and e) into one that
// lasts (phase X), as Chrome's format defines them.
//   EventPairs pairs;
//   pairs.add(rows, first, complete);   // batch by batch
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "analyze/read/event_parser.h"

namespace vitro::analyze {

// Of a track, B and E nest: an end belongs to the last begin, or to the last of its name.  b and e
// belong together by category, id and name, on whichever track.  The begin becomes the event that
// lasts; the end stays.
class EventPairs {
 public:
  // For rows of the trace in file order, numbered by the trace; `first`: the number of the first.
  // Calls complete(event, dur, is_async) for begins in earlier batches.
  using Complete = std::function<void(uint64_t event, int64_t dur, bool is_async)>;
  void add(Rows& rows, uint64_t first, const Complete& complete);

  // How many had no partner.
  uint64_t begins_left() const;
  uint64_t ends_left() const { return ends_left_; }

 private:
  struct Begin {
    uint64_t event;
    int64_t ts;
    uint32_t name;
  };
  // Begins without an end.  The time of each operation does not depend on how many are open.
  class Open {
   public:
    void push(const Begin& begin);
    // Removes and returns the last begin of the name, or the last of all if none has the name.
    // Removes nothing if there is none, or if it is later than `ts`.
    std::optional<Begin> end(uint32_t name, int64_t ts);
    size_t size() const { return size_; }

   private:
    static constexpr uint64_t ended = std::numeric_limits<uint64_t>::max();
    std::vector<Begin> begins_;  // an `event` of `ended`: was removed; the last one never is
    std::unordered_map<uint32_t, std::vector<size_t>> of_name_;  // indices in begins_, ascending
    size_t size_ = 0;
  };
  using Id = std::tuple<uint16_t, int64_t, uint32_t>;  // category, id, name

  Open& open_of(const Rows& rows, size_t row);

  std::map<uint32_t, Open> by_track_;
  std::map<Id, Open> by_id_;
  uint64_t ends_left_ = 0;
};

// Whether the events of this phase have an id and may overlap on their track.
inline bool is_async(char phase) {
  return phase == 'b' || phase == 'e' || phase == 'n';
}

}  // namespace vitro::analyze
