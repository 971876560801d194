// Sums over all slices of a name, and the table of them.
//   std::cout << profiler.key_averages({.group_by_input_shape = true})
//                    .table({.sort_by = "cpu_time_total", .row_limit = 10});
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "vitro/profiler/peaks.h"
#include "vitro/profiler/profile.h"

namespace vitro {

struct Average {
  std::string name;
  SliceKind kind = SliceKind::op;
  uint64_t count = 0;
  int64_t self_ns = 0;                      // without the slices inside
  int64_t total_ns = 0;                     // a slice inside another of its name counts once
  int64_t self_bytes = 0, total_bytes = 0;  // allocated less freed
  uint64_t kernel_bytes = 0;                // of kernels: read and written
  // Operations: of kernels those that the machine does, an exp() as many as compute it; of ops,
  // with with_flops, those of the mathematics, an exp() is one.
  uint64_t flops = 0;
  double least_ns = 0;                  // of kernels: what the machine's peak would take
  std::string input_shapes = {};        // "[[4, 4], []]", if grouped by them
  std::vector<std::string> stack = {};  // "model.cpp(31): forward", if grouped by it
  std::string thread = {};              // "1234 (worker)", if grouped by them
  std::string compiled_function = {};   // of regions: as `explain` calls it, "mlp/1"
};

// What makes two slices of a name differ.
struct GroupBy {
  bool group_by_input_shape = false;  // the sizes that they were given; needs record_shapes
  size_t group_by_stack_n = 0;        // so many frames of the program around them; needs with_stack
  bool group_by_thread = false;       // the thread that they ran on
};

struct TableOptions {
  std::string sort_by = "self_cpu_time_total";  // a name of sort_keys(), largest first; empty: in
                                                // order of first appearance
  std::string header = {};                      // a line above
  size_t row_limit = 100;
  size_t max_name_column_width = 55;
  size_t max_shapes_column_width = 80;
  size_t max_src_column_width = 75;
  bool top_level_events_only = false;  // only slices that lie in no other
  bool colours = false;
};

// What tables can be sorted by, in PyTorch's words.
std::vector<std::string_view> sort_keys();

struct AverageOptions {
  GroupBy group = {};
  bool memory = false;              // it was recorded
  std::optional<Peaks> peaks = {};  // of this machine, if they were measured
  std::string note = {};            // a line that follows the table
};

class Averages {
 public:
  explicit Averages(const Profile& profile, AverageOptions options = {});

  // One entry for each kind and name (and group), in order of first appearance.
  const std::vector<Average>& entries() const& { return entries_; }
  std::vector<Average> entries() && { return std::move(entries_); }
  // The first of that name; null where there is none.
  const Average* find(std::string_view name) const&;
  const Average* find(std::string_view name) && = delete;  // it would point into what has gone

  // The columns of PyTorch's key_averages().table(): times always; memory, shapes and FLOPs if they
  // were recorded; and if there are kernels their rates, with the share of the machine's peak if
  // that was measured.  The last lines tell the time of all threads together, what was compiled
  // meanwhile, and what was dropped.  Error where `sort_by` is no key.
  std::string table(const TableOptions& options = {}) const;

  // The same numbers, not rounded: times in nanoseconds, sizes in bytes.  All entries.
  std::string csv() const;
  std::string json() const;

 private:
  std::vector<const Average*> chosen(const TableOptions& options) const;
  std::string footer(const TableOptions& options, size_t rows) const;
  void add_compilations(const Profile& profile);

  std::vector<Average> entries_, top_level_;
  AverageOptions options_;
  int64_t busy_ns_ = 0;  // of all threads: the self times together
  uint64_t compilations_ = 0;
  int64_t compiling_ns_ = 0;          // while any thread is in a compile phase
  int64_t compiling_threads_ns_ = 0;  // of all threads together
  uint64_t dropped_ = 0;
};

}  // namespace vitro
