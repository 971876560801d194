// The `[memory]` instants of a trace as numbers.
#pragma once

#include <string>
#include <vector>

#include "analyze/model/timeline.h"

namespace vitro::analyze {

class TraceIndex;

struct MemoryChange {
  int64_t at = 0;
  int64_t bytes = 0;  // negative: freed
  int64_t total = none;
  int64_t reserved = 0;
  int64_t address = none;
  EventId event = 0;
  uint32_t within = UINT32_MAX;  // name of the outermost op around it
  int32_t device = 0;            // type * 256 + number
  uint16_t category = 0;         // in MemoryChanges::categories
};

struct MemoryChanges {
  std::vector<MemoryChange> list;  // by time
  std::vector<std::string> categories{""};
  std::vector<std::pair<int32_t, uint64_t>> out_of_memory;  // times, by device
  uint64_t unread = 0;
};

Result<MemoryChanges> memory_changes(const TraceIndex& index);

// "CPU", "GPU 0": c10::DeviceType as PyTorch counts it.
std::string memory_device(int32_t device);

}  // namespace vitro::analyze
