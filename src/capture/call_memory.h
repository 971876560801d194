// The working memory of a call, lent to one call at a time and kept between calls, so that
// replaying an op does not allocate.
// Threads: one at a time.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "capture/data_symbols.h"
#include "capture/remembered_metas.h"
#include "capture/runner.h"
#include "capture/slots.h"
#include "capture/symbols.h"

namespace vitro::capture {

struct CallMemory {
  explicit CallMemory(std::shared_ptr<TraceTree> of) : tree(std::move(of)) {}
  CallMemory(const CallMemory&) = delete;
  ~CallMemory();
  // Resets it for a new call; the previous call has released its slots.
  void begin_call(uint64_t number) {
    slots.begin_call(number);
    values.symbols.clear();
    values.numbers.clear();
    data.clear();
    remembered.clear();
  }

  const std::shared_ptr<TraceTree> tree;  // the tree it belongs to
  CallValues values;
  DataSymbols data{values.symbols};
  Slots slots;
  RememberedMetas remembered;
  SegmentArguments arguments;
  std::vector<Operand> inputs;  // the function's arguments
};

}  // namespace vitro::capture
