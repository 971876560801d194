// Copies, casts and fills of strided tensors.
#include "eager/copy.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "eager/loop.h"
#include "eager/on_demand.h"
#include "eager/stage.h"
#include "eager/stream.h"
#include "vitro/ops/create.h"
#include "vitro/runtime/parallel.h"

namespace vitro::eager {
namespace {

constexpr int64_t grain = 32 * 1024;

struct Pair {
  DType from, to;
  int64_t from_bytes, to_bytes;
  bool streams = false;

  Pair(DType from_type, DType to_type)
      : from(from_type), to(to_type), from_bytes(bytes_of(from)), to_bytes(bytes_of(to)) {}

  void run(const StridedLoop::Runs& runs) const {
    const int64_t* stride = runs.stride;
    if (streams && stride[0] == to_bytes) return run_streams(runs);
    const bool plain = from == to && stride[0] == to_bytes && stride[1] == from_bytes;
    const auto bytes = static_cast<size_t>(runs.n * to_bytes);
    std::byte *to_at = runs.at[0], *from_at = runs.at[1];
    constexpr size_t short_run = 2048;  // a memmove per run is up to twice as slow below this
    if (plain && bytes <= short_run) {
      const auto copy = kernel_table().copy_rows[std::countr_zero(static_cast<uint64_t>(to_bytes))];
      return copy(from_at, runs.step[1], to_at, runs.step[0], runs.n, runs.count);
    }
    for (int64_t i = 0; i < runs.count; ++i, to_at += runs.step[0], from_at += runs.step[1])
      plain ? void(std::memmove(to_at, from_at, bytes)) : run_one(to_at, from_at, stride, runs.n);
  }

  void run_streams(const StridedLoop::Runs& runs) const {
    const int64_t from_stride = runs.stride[1];
    for (int64_t i = 0; i < runs.count; ++i) {
      std::byte *to_at = runs.at[0] + i * runs.step[0], *from_at = runs.at[1] + i * runs.step[1];
      if (from == to && from_stride == to_bytes) {
        kernel_table().stream(from_at, to_at, runs.n * to_bytes);
        continue;
      }
      const int64_t stride[] = {to_bytes, from_stride};
      stream_run(to_at, to_bytes, runs.n, [&](std::byte* made, int64_t begin, int64_t count) {
        run_one(made, from_at + begin * from_stride, stride, count);
      });
    }
  }

  void run_one(std::byte* to_at, std::byte* from_at, const int64_t* stride, int64_t n) const {
    if (stride[1] == 0) return repeat_run(to_at, stride[0], from_at, n);
    if (stride[0] == to_bytes && stride[1] == from_bytes) return cast(from, from_at, to, to_at, n);
    if (from == to && stride[0] == to_bytes)
      return gather_run(from_at, stride[1], to_at, to_bytes, n);
    if (from == to && stride[1] == from_bytes)
      return scatter_run(from_at, to_at, stride[0], to_bytes, n);
    staged(to_at, stride[0], from_at, stride[1], n);
  }

  void repeat_run(std::byte* to_at, int64_t stride, const std::byte* from_at, int64_t n) const {
    std::byte one[8];
    cast(from, from_at, to, one, 1);
    if (stride == to_bytes) return repeat(one, to_at, to_bytes, n);
    for (int64_t i = 0; i < n; ++i) cast(to, one, to, to_at + i * stride, 1);
  }

  void staged(std::byte* to_at, int64_t to_stride, const std::byte* from_at, int64_t from_stride,
              int64_t n) const {
    Buffer in, out;
    for (int64_t i = 0; i < n; i += block) {
      const int64_t some = std::min(block, n - i);
      gather_run(from_at + i * from_stride, from_stride, in.bytes, from_bytes, some);
      cast(from, in.bytes, to, out.bytes, some);
      scatter_run(out.bytes, to_at + i * to_stride, to_stride, to_bytes, some);
    }
  }
};

// A dimension cut into pieces of nearly equal length, a multiple of 16.
struct Cut {
  Cut(int64_t length, int64_t most) : all(length) {
    const int64_t needed = (all + most - 1) / most;
    piece = (all + 16 * needed - 1) / (16 * needed) * 16;
    pieces = (all + piece - 1) / piece;
  }
  int64_t count(int64_t first) const { return std::min(piece, all - first); }
  int64_t all, piece, pieces;
};

// Copies between two dimension orders in tiles.
void copy_turned(const StridedLoop& loop, size_t across, int64_t bytes) {
  const auto transpose = kernel_table().transpose[std::countr_zero(static_cast<uint64_t>(bytes))];
  const Cut rows(loop.inner(), 64), columns(loop.size(across), grain / rows.piece);
  const int64_t from_stride = loop.inner_stride(1), to_stride = loop.stride(across, 0);
  const auto one = [&](int64_t plane, int64_t row, int64_t column) {
    const auto at = loop.plane(across, plane);
    transpose(at[1] + row * from_stride + column * bytes, from_stride / bytes,
              at[0] + row * bytes + column * to_stride, to_stride / bytes, rows.count(row),
              columns.count(column));
  };
  const int64_t tiles = rows.pieces * columns.pieces;
  parallel_for(
      loop.planes(across) * tiles, std::max<int64_t>(1, grain / (rows.piece * columns.piece)),
      [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          const int64_t tile = i % tiles;
          one(i / tiles, tile / columns.pieces * rows.piece, tile % columns.pieces * columns.piece);
        }
      });
}

void run_pair(const Pair& pair, const StridedLoop& loop) {
  parallel_for(loop.count(), grain, [&](int64_t begin, int64_t end) {
    loop.run(begin, end, [&](const StridedLoop::Runs& runs) { pair.run(runs); });
    if (pair.streams) kernel_table().end_streams();
  });
}

// Both tensors are on the device whose kernel does the copy.
void copy_on_device(const Tensor& from, const Tensor& to) {
  if (count_of(to.impl()->sizes) == 0) return;
  const ops::DTypeAttrs dtype{to.dtype()};
  const Operand operand(from);
  run_on_demand(
      {&ops::def<ops::ToCopy>(), {&operand, 1}, ops::attrs_view<ops::ToCopy>(dtype), false, {}},
      {&to, 1});
}

}  // namespace

void copy_elements(const Tensor& from, const Tensor& to) {
  if (to.device() != cpu) [[unlikely]]
    return copy_on_device(from, to);
  const Ints& sizes = to.impl()->sizes;
  const Strided operands[] = {strided(to, sizes), strided(from, sizes)};
  const StridedLoop loop(sizes, operands);
  Pair pair(from.dtype(), to.dtype());
  if (loop.count() == 0) return;
  if (pair.from == pair.to) {
    if (const auto across = loop.turned(pair.to_bytes, 2))
      return copy_turned(loop, *across, pair.to_bytes);
  }
  pair.streams = should_stream(to, {&from, 1}, loop.inner());
  run_pair(pair, loop);
}

void fill_elements(const Scalar& number, const Tensor& to) {
  const Ints& sizes = to.impl()->sizes;
  std::byte one[8];
  store_number(number, to.dtype(), to.dtype(), one);
  Strided constant{one, Ints(sizes.size(), 0)};
  const Strided operands[] = {strided(to, sizes), constant};
  run_pair(Pair(to.dtype(), to.dtype()), StridedLoop(sizes, operands));
}

namespace {

Tensor copy_as(const Tensor& t, DType dtype) {
  Tensor made = Tensor::empty(t.impl()->sizes, dtype, t.device());
  copy_elements(t, made);
  return made;
}

}  // namespace

Tensor dense_copy(const Tensor& t, DType dtype) {
  return t.dtype() == dtype && t.is_contiguous() ? t : copy_as(t, dtype);
}

Tensor fresh_copy(const Tensor& t) {
  return copy_as(t, t.dtype());
}

Tensor dense_copy(const Tensor& t) {
  return dense_copy(t, t.dtype());
}

}  // namespace vitro::eager
