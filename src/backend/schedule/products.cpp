#include "backend/schedule/products.h"

#include <algorithm>

#include "kernels/product.h"
#include "vitro/base/cat.h"

namespace vitro::backend {

Verdict should_read_weights(std::optional<int64_t> m) {
  // With fewer rows the product is bound by memory, and panels load faster; with more, every block
  // of rows reads the weights again.
  constexpr int64_t least_rows = 48, most_rows = 4 * kernels::product_plain_rows;
  if (!m) return Verdict::no("packed once for calls of every size");
  if (*m < least_rows)
    return Verdict::no(cat("packed once, as few rows (", *m, ") are multiplied"));
  if (*m > most_rows) return Verdict::no(cat("packed once, as ", *m, " rows would read it often"));
  return Verdict::yes("read in place, its rows are contiguous");
}

Verdict should_pack_left(const MachineModel& machine, std::optional<int64_t> m,
                         std::optional<int64_t> n) {
  const int64_t panel = machine.panel_columns;
  if (!m || !n) return Verdict::no("packed, as its size or the left one's differs between calls");
  if (*m < 2 * panel) return Verdict::no(cat("packed, as few rows (", *m, ") are multiplied"));
  if (2 * *m > *n) return Verdict::no("packed, as it is hardly larger than the left operand");
  const int64_t in_last = *m % panel;  // a panel less than half full is slow next to few others
  if (in_last > 0 && 2 * in_last <= panel && *m < 8 * panel) {
    return Verdict::no(cat("packed, as ", *m, " rows leave most of a panel empty"));
  }
  return Verdict::yes("read in place: the far smaller left operand is packed instead");
}

Verdict should_multiply_parts(const MachineModel& machine, std::optional<int64_t> m,
                              std::optional<int64_t> n, std::optional<int64_t> k) {
  if (!machine.bf16_tiles || !m || !n || !k) return Verdict::no("");
  // In cycles, as measured: multiply-adds of a cycle by fma and by tiles, which come in pairs, and
  // splitting an element, for each block of columns.
  constexpr double by_fma = 28, by_tiles = 75, split = 0.5, least_gain = 1.25;
  const auto round_up = [](int64_t size, int64_t to) {
    return static_cast<double>((size + to - 1) / to * to);
  };
  const auto rows = static_cast<double>(*m), depth = static_cast<double>(*k);
  const double fma = rows * static_cast<double>(*n) * depth / by_fma,
               tiles = round_up(*m, 32) * round_up(*n, 32) * round_up(*k, 32) / by_tiles +
                       rows * depth * split * round_up(*n, kernels::product_columns<float>) /
                           kernels::product_columns<float>;
  if (fma < least_gain * tiles) return Verdict::no("");
  return Verdict::yes(
      "six products of bf16 parts on AMX tiles, not exact: errors like those of fma, but other "
      "bits than "
      "on machines without tiles");
}

Verdict should_keep_parts(const MachineModel& machine, std::optional<int64_t> m,
                          std::optional<int64_t> n, std::optional<int64_t> k) {
  // Of fewer rows the product waits for the parts to arrive, of a smaller depth for its blocks to
  // begin and end.
  constexpr int64_t least_rows = 512, least_depth = 128;
  if (m.value_or(0) < least_rows || k.value_or(0) < least_depth) return Verdict::no("");
  return should_multiply_parts(machine, m, n, k);
}

bool is_below_block(sym::Expr size) {
  return sym::prove_less(size, 16).value_or(false);
}

sym::Expr rows_of_chain(const MachineModel& machine, sym::Expr rows, sym::Expr batches) {
  constexpr int64_t most = 64, least = 16;
  if (!rows.constant() || !batches.constant()) return most;
  const int64_t m = *rows.constant(), all = m * *batches.constant();
  const int64_t enough = machine.enough_tasks(1);
  const int64_t wanted = std::clamp((all + enough - 1) / enough, least, most);
  const int64_t blocks = (m + wanted - 1) / wanted;
  return (m + blocks - 1) / blocks;
}

}  // namespace vitro::backend
