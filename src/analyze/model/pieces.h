// Stretches of time, collected in any order.
#pragma once

#include <cstdint>
#include <vector>

#include "analyze/model/intervals.h"
#include "vitro/analyze/trace.h"

namespace vitro::analyze {

// The time that a finding is about: pieces in any order, which may overlap.  When there are very
// many, neighbours are merged, so that they take a few megabytes at most.
class Pieces {
 public:
  Pieces() = default;
  explicit Pieces(const std::vector<Window>& list) { add(list); }

  void add(int64_t begin, int64_t end);
  void add(const std::vector<Window>& list);
  void add(const Intervals& list);
  // The part within the window.
  std::vector<Window> take(const Window& window);

 private:
  void compact();

  std::vector<Window> list_;
  int64_t near_ = 0;  // pieces closer than this are merged
};

}  // namespace vitro::analyze
