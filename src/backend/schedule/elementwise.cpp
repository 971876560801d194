#include "backend/schedule/elementwise.h"

#include "vitro/base/cat.h"

namespace vitro::backend {

Verdict should_cut_loop(const MachineModel& machine, sym::Expr other_tasks, sym::Expr extent) {
  const auto others = other_tasks.constant(), length = extent.constant();
  if (others && *others >= machine.enough_tasks(4)) {
    return Verdict::no("the other loops have tasks for all threads");
  }
  if (length && *length <= elements_of_block) return Verdict::no("the innermost loop is short");
  return Verdict::yes("threads share the innermost loop");
}

int64_t width_of_tile(const MachineModel& machine, int64_t bytes) {
  const int64_t most_bytes = machine.l1_bytes / 4 * 3;
  int64_t width = side_of_tile;
  while (width > machine.lanes && width * side_of_tile * bytes > most_bytes) width /= 2;
  return width;
}

int steps_of(int cost) {
  // A function is latency bound: each of its operations depends on the previous one. A plain
  // operation counts at its throughput.
  constexpr int least_function = 8;
  return cost < least_function ? cost : 2 * cost;
}

bool is_deep(const MachineModel& machine, int steps) {
  return steps > machine.overlapped_steps;
}

bool is_worth_a_stage(int steps) {
  return steps >= 24;
}

bool follows_its_operand(int cost) {
  return cost <= 2;
}

bool is_worth_sharing_between_stages(int cost) {
  return cost >= 8;
}

bool is_too_much_again(int64_t once, int64_t all) {
  return all > 2 * once;
}

Verdict should_cut_into_stages(sym::Expr turns, int steps, int loops) {
  constexpr int64_t least_turns = 64;
  if (sym::prove_less(turns, least_turns).value_or(false)) return Verdict::no("the loop is short");
  return Verdict::yes(cat("chain of dependent functions (", 2 * steps, " cycles): ", loops,
                          " loops keep more elements in flight than one"));
}

}  // namespace vitro::backend
