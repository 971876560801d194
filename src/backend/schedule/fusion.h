// How large a kernel may be, and which values are recomputed instead of stored. Costs are per
// element, in plain vector operations.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "backend/schedule/machine_model.h"
#include "vitro/base/verdict.h"

namespace vitro::backend {

struct FuseOptions {
  bool fuse = true;               // false: one kernel for each compute node
  size_t max_compute_nodes = 96;  // of a group
  // Limit for those that write parts of one tensor: each has its own loop, and compile time grows
  // faster than their number. Kernels with the same number of parts can share their text.
  size_t max_parts = 32;
};

// Whether a group may have this many compute nodes, `parts` of which write parts of a tensor.
Verdict should_grow(const FuseOptions& options, size_t compute_nodes, size_t parts);

// Whether each of several readers recomputes a node with this many reads.
bool is_cheap_for_each_reader(int reads, int cost);
// Whether a kernel that puts elements at indices one at a time also computes them.
bool is_cheap_alone(int cost);
// Whether each row recomputes a value that is broadcast along an outer dimension.
bool is_cheap_for_each_row(int cost);
// Whether a sweep stores to memory what a later sweep needs again; `bytes` if known.
bool is_worth_leaving(const MachineModel& machine, int cost, std::optional<int64_t> bytes);
// Whether a sweep keeps in a scratch row what a later sweep of the same task needs again; `rows`:
// the number of rows so far.
bool is_worth_a_row(int cost, size_t rows);
// Limits of a scratch row of one reduction, and of columns that are reduced together, so that they
// stay in a core's cache.
int64_t most_bytes_of_row(const MachineModel& machine);
int64_t most_bytes_of_strip(const MachineModel& machine);
// Whether a sweep computes long enough per element to hide the latency of memory.
bool hides_fetches(const MachineModel& machine, int cost);

// Whether a loop has so many stores that those without common reads get their own loops: each
// iteration then touches fewer streams of memory.
bool are_many_stores(size_t stores);
// Whether two stores that need a value of this cost stay in one loop.
bool is_worth_sharing(int cost);

// Whether launches that do not depend on each other run as one: those that move few bytes, which
// would be over before all threads have begun, and those that leave nothing in the caches for a
// later launch, which finds there only what the same thread stored. `bytes` if known.
bool should_join_launches(std::optional<int64_t> bytes, bool leaves_something);

}  // namespace vitro::backend
