#include "backend/schedule/fusion.h"

#include "vitro/base/cat.h"

namespace vitro::backend {
namespace {

const Code too_large{"V0411", "the group is large enough",
                     "A kernel of very many ops takes long to compile and runs out of registers.",
                     "", "Nothing."};

}  // namespace

Verdict should_grow(const FuseOptions& options, size_t compute_nodes, size_t parts) {
  if (compute_nodes > options.max_compute_nodes) {
    return Verdict::no(too_large,
                       cat(compute_nodes, " ops, the limit is ", options.max_compute_nodes));
  }
  if (parts > options.max_parts) {
    return Verdict::no(too_large, cat(parts, " parts, the limit is ", options.max_parts));
  }
  return Verdict::yes();
}

bool is_cheap_for_each_reader(int reads, int cost) {
  return reads <= 1 && cost <= 6;
}

bool is_cheap_alone(int cost) {
  return cost <= 6;
}

bool is_cheap_for_each_row(int cost) {
  return cost <= 8;
}

bool is_worth_leaving(const MachineModel& machine, int cost, std::optional<int64_t> bytes) {
  return cost >= machine.operations_of_fetch && bytes && *bytes <= machine.l3_bytes / 16;
}

bool is_worth_a_row(int cost, size_t rows) {
  constexpr size_t most_rows = 4;
  return cost >= 4 && rows < most_rows;
}

int64_t most_bytes_of_row(const MachineModel& machine) {
  return machine.l3_bytes / 8;
}

int64_t most_bytes_of_strip(const MachineModel& machine) {
  return machine.l2_bytes / 4;
}

bool hides_fetches(const MachineModel& machine, int cost) {
  return cost >= machine.operations_of_fetch;
}

bool are_many_stores(size_t stores) {
  return stores >= 5;
}

bool should_join_launches(std::optional<int64_t> bytes, bool leaves_something) {
  constexpr int64_t few_bytes = 256 << 10;
  return !leaves_something || (bytes && *bytes <= few_bytes);
}

bool is_worth_sharing(int cost) {
  return cost >= 4;
}

}  // namespace vitro::backend
