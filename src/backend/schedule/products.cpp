// How products and convolutions read their operands, from sizes and a model of the machine.
#include "backend/schedule/products.h"

#include <algorithm>
#include <cmath>

#include "kernels/product.h"
#include "vitro/base/cat.h"

namespace vitro::backend {
namespace {

constexpr const char* why_parts =
    "six products of bf16 parts on AMX tiles, not exact: errors like those of fma, but other bits "
    "than on machines without tiles";

}  // namespace

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
                         std::optional<int64_t> n, bool kept) {
  const int64_t panel = machine.panel_columns;
  if (!m || !n) return Verdict::no("packed, as its size or the left one's differs between calls");
  if (*m < (kept ? 2 : 1) * panel)
    return Verdict::no(cat("packed, as few rows (", *m, ") are multiplied"));
  if (2 * *m > *n) return Verdict::no("packed, as it is hardly larger than the left operand");
  const int64_t in_last = *m % panel;  // a panel less than half full is slow next to few others
  if (in_last > 0 && 2 * in_last <= panel && *m < 8 * panel) {
    return Verdict::no(cat("packed, as ", *m, " rows leave most of a panel empty"));
  }
  return Verdict::yes("read in place: the far smaller left operand is packed instead");
}

bool should_prefetch(const MachineModel& machine, std::optional<int64_t> count, int64_t bytes) {
  return !count || *count > 2 * machine.l2_bytes / bytes;
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
  return Verdict::yes(why_parts);
}

Verdict should_keep_parts(const MachineModel& machine, std::optional<int64_t> m,
                          std::optional<int64_t> n, std::optional<int64_t> k) {
  // Of fewer rows the product waits for the parts to arrive, of a smaller depth for its blocks to
  // begin and end.
  constexpr int64_t least_rows = 128, least_depth = 64;
  if (m.value_or(0) < least_rows || k.value_or(0) < least_depth) return Verdict::no("");
  return should_multiply_parts(machine, m, n, k);
}

SplitChoice choose_split(const MachineModel& machine, const SplitConvolution& of) {
  if (!machine.bf16_tiles) return {};
  const kernels::Windows& w = of.windows;
  const int64_t line = w.out[2], lines = of.images * w.out[1], rows = lines * line,
                taps = w.taps[1] * w.taps[2], channels = w.channels;
  // Fewer columns repeat the splitting too often; bands of lines are better for few channels.
  constexpr int64_t least_columns = 64, least_channels = 64;
  if (rows == 0 || of.columns < least_columns || taps * channels < least_channels) return {};
  // Blocks of equal size. Parts of the weights that fill less than half of the L2 cache stay there,
  // however many blocks read them; otherwise blocks are as large as leaves room for some of them.
  constexpr int64_t bytes_of_parts = 6;
  const bool stay = 2 * bytes_of_parts * taps * channels * of.columns <= machine.l2_bytes;
  const int64_t most_bytes = stay ? machine.l2_bytes / 4 : machine.l2_bytes / 16 * 9;
  int64_t most_rows = rows;
  const auto bytes = [&] {
    const kernels::SplitScratch scratch(w, most_rows);
    return 4 * (scratch.operand + scratch.sums);
  };
  for (int64_t blocks = 2; bytes() > most_bytes; ++blocks) {
    const int64_t unit = blocks <= lines ? line : 16, units = rows / unit;
    if (units < blocks) return {};
    most_rows = (units + blocks - 1) / blocks * unit;
  }
  // In cycles, as measured: multiply-adds of a cycle by fma and by tiles; splitting a number; what
  // it takes to wait for a weight of four or six bytes.
  constexpr double by_fma = 28, by_tiles = 85, split = 0.5, wait_by_fma = 0.5, wait = 1.2,
                   least_gain = 1.15;
  const auto round_up = [](int64_t size, int64_t to) {
    return static_cast<double>((size + to - 1) / to * to);
  };
  const kernels::SplitScratch scratch(w, most_rows);
  const double blocks = std::ceil(static_cast<double>(rows) / static_cast<double>(most_rows)),
               weights = static_cast<double>(taps * channels) * static_cast<double>(of.columns),
               split_rows = static_cast<double>(scratch.sums / 64) * blocks,
               split_words = static_cast<double>(scratch.operand) * blocks / 1.5;
  const double fma = weights * (static_cast<double>(rows) / by_fma + wait_by_fma),
               tiles = split_rows * static_cast<double>(taps) * round_up(channels, 32) *
                           round_up(of.columns, 32) / by_tiles +
                       split_words * split + weights * wait;
  if (fma < least_gain * tiles) return {};
  return {Verdict::yes(why_parts), most_rows};
}

bool should_repeat_channels(int64_t groups, int64_t columns) {
  return groups > 1 && columns <= 8 && groups * columns >= 16;
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
