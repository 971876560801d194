// Sums over all slices of a name, and the table of them.
//   std::cout << profiler.averages().table({.sort_by = SortBy::count, .row_limit = 10});
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "vitro/profiler/profile.h"

namespace vitro {

struct Average {
  std::string name;
  SliceKind kind;
  uint64_t count = 0;
  int64_t self_ns = 0;                      // without the slices inside
  int64_t total_ns = 0;                     // a slice inside another of its name counts once
  int64_t self_bytes = 0, total_bytes = 0;  // allocated less freed
  uint64_t kernel_bytes = 0, flops = 0;     // of kernels
};

enum class SortBy : uint8_t { self_time, total_time, count, name, self_memory, flops };

struct TableOptions {
  SortBy sort_by = SortBy::self_time;  // largest first; names in their order
  size_t row_limit = 100;
  size_t max_name_column_width = 55;
  bool top_level_events_only = false;  // only slices that lie in no other
  bool colours = false;
};

class Averages {
 public:
  explicit Averages(const Profile& profile, bool memory = false);

  // One entry for each kind and name, in order of first appearance.
  const std::vector<Average>& entries() const& { return entries_; }
  std::vector<Average> entries() && { return std::move(entries_); }
  // Null where there is none.
  const Average* find(std::string_view name) const&;
  const Average* find(std::string_view name) && = delete;  // it would point into what has gone

  // The columns of PyTorch's key_averages().table(), with memory if it was profiled and with rates
  // if there are kernels. The last lines tell the time of all threads together, what was compiled
  // meanwhile, and what was dropped.
  std::string table(const TableOptions& options = {}) const;
  // A line that follows the table.
  void add_note(std::string line) { note_ = std::move(line); }

 private:
  std::vector<const Average*> chosen(const TableOptions& options) const;
  std::string footer(const TableOptions& options, size_t rows) const;

  std::vector<Average> entries_, top_level_;
  int64_t busy_ns_ = 0;       // of all threads: the self times together
  int64_t compiling_ns_ = 0;  // in compile phases
  uint64_t phases_ = 0, dropped_ = 0;
  bool memory_ = false;
  std::string note_;
};

}  // namespace vitro
