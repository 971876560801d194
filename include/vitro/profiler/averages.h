// Sums over all slices of each name, and their table.
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
  int64_t self_ns = 0;                      // without nested slices
  int64_t total_ns = 0;                     // nested slices of the same name count once
  int64_t self_bytes = 0, total_bytes = 0;  // allocated minus freed
  uint64_t kernel_bytes = 0;                // for kernels: read and written
  // Operations: for kernels those that the machine executes, so an exp() counts as many; for ops,
  // with with_flops, mathematical ones, so an exp() counts as one.
  uint64_t flops = 0;
  double least_ns = 0;                  // for kernels: the time at the machine's peak
  std::string input_shapes = {};        // "[[4, 4], []]", if grouped by shapes
  std::vector<std::string> stack = {};  // "model.cpp(31): forward", if grouped by stack
  std::string thread = {};              // "1234 (worker)", if grouped by thread
  std::string compiled_function = {};   // for regions: the name in `explain`, "mlp/1"
  // For kernels that compute a convolution or matrix product: its kind and sizes, such as
  // "conv3x3 64→128 /2, Winograd F4".
  std::string product = {};
};

// What separates slices of the same name.
struct GroupBy {
  bool group_by_input_shape = false;  // by the sizes of their inputs; needs record_shapes
  size_t group_by_stack_n = 0;        // by this many frames of the program; needs with_stack
  bool group_by_thread = false;       // by thread
};

struct TableOptions {
  std::string sort_by = "self_cpu_time_total";  // a name of sort_keys(), largest first; empty: in
                                                // order of first appearance
  std::string header = {};                      // a line above the table
  size_t row_limit = 100;
  size_t max_name_column_width = 55;
  size_t max_shapes_column_width = 80;
  size_t max_src_column_width = 75;
  bool top_level_events_only = false;  // only slices not nested in another
  bool colours = false;
};

// The keys by which tables can be sorted, with PyTorch's names.
std::vector<std::string_view> sort_keys();

struct AverageOptions {
  GroupBy group = {};
  bool memory = false;              // memory was recorded
  std::optional<Peaks> peaks = {};  // of this machine, if measured
  std::string note = {};            // a line after the table
};

class Averages {
 public:
  explicit Averages(const Profile& profile, AverageOptions options = {});

  // One entry per kind, name and product (and group), in order of first appearance.
  const std::vector<Average>& entries() const& { return entries_; }
  std::vector<Average> entries() && { return std::move(entries_); }
  // The first of that name; null if there is none.
  const Average* find(std::string_view name) const&;
  const Average* find(std::string_view name) && = delete;  // would dangle

  // The columns of PyTorch's key_averages().table(): always times; memory, shapes and FLOPs if
  // recorded; and rates if there are kernels, with the share of the machine's peak if measured. The
  // last lines report the total time of all threads, what was compiled meanwhile, and what was
  // dropped.  Throws Error if `sort_by` is not a key.
  std::string table(const TableOptions& options = {}) const;

  // The same numbers, unrounded: times in nanoseconds, sizes in bytes.  All entries.
  std::string csv() const;
  std::string json() const;

 private:
  std::vector<const Average*> chosen(const TableOptions& options) const;
  std::string footer(const TableOptions& options, size_t rows) const;
  void add_compilations(const Profile& profile);

  std::vector<Average> entries_, top_level_;
  AverageOptions options_;
  int64_t busy_ns_ = 0;  // sum of self times over all threads
  uint64_t compilations_ = 0;
  int64_t compiling_ns_ = 0;          // while any thread is in a compile phase
  int64_t compiling_threads_ns_ = 0;  // summed over threads
  uint64_t dropped_ = 0;
};

}  // namespace vitro
