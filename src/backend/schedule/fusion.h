// How large a kernel may be, and which values are computed again instead of kept.  Costs are those
// of an element, in plain vector operations.
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
  // Of them, those that write parts of one tensor: each has a loop, and the time to compile a
  // kernel grows faster than their number.  More kernels of as many parts share a text.
  size_t max_parts = 32;
};

// Whether a group may have so many compute nodes, of which so many write parts of a tensor.
Verdict should_grow(const FuseOptions& options, size_t compute_nodes, size_t parts);

// A node with several readers, which reads so much: whether each of them computes it.
bool is_cheap_for_each_reader(int reads, int cost);
// A value that is broadcast along an outer dimension: whether each row computes it.
bool is_cheap_for_each_row(int cost);
// Whether a sweep leaves in memory what a later one needs again; `bytes` where known.
bool is_worth_leaving(const MachineModel& machine, int cost, std::optional<int64_t> bytes);
// Whether a sweep leaves in a scratch row what a later one of the same task needs again; `rows`:
// how many there are.
bool is_worth_a_row(int cost, size_t rows);
// Of a scratch row of one reduction, and of columns that are reduced together, which are to stay in
// a core's cache.
int64_t most_bytes_of_row(const MachineModel& machine);
int64_t most_bytes_of_strip(const MachineModel& machine);
// Whether a sweep takes so long for an element that memory is fetched in the meantime.
bool hides_fetches(const MachineModel& machine, int cost);

// Whether stores of one loop are so many that those which read nothing together have loops of their
// own: an iteration then touches few places of memory.
bool are_many_stores(size_t stores);
// Whether two of them that need such a value stay together.
bool is_worth_sharing(int cost);

}  // namespace vitro::backend
