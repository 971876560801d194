// The driver of reductions.  The order of additions is defined in vitro/ops/reduce.h and does not
// depend on how the work is split among threads.
#include <algorithm>
#include <bit>
#include <memory>
#include <optional>
#include <vector>

#include "eager/copy.h"
#include "eager/kernel_table.h"
#include "eager/loop.h"
#include "eager/on_demand.h"
#include "eager/places.h"
#include "eager/run.h"
#include "eager/stage.h"
#include "vitro/base/error.h"
#include "vitro/ops/reduce.h"
#include "vitro/runtime/parallel.h"

namespace vitro::eager {
namespace {

constexpr int64_t lanes = ops::reduction_lanes, steps = ops::reduction_steps;
constexpr uint64_t piece_bytes = 256 << 10;  // bytes of a piece of a long reduction
// Widths of a tile: of transposed columns, one line of each; of cast columns, one line per row.
constexpr int64_t turned_columns = lanes, cast_columns = 4 * lanes,
                  tile_elements = 2 * eager::block;
static_assert(tile_elements / cast_columns >= steps, "a tile holds a block");

// Adjacent dimensions that are iterated as one.
struct Group {
  Ints sizes, strides;  // bytes
  int64_t count() const { return count_of(sizes); }
  int64_t offset(int64_t i) const {
    if (i == 0) return 0;
    int64_t at = 0;
    for (size_t d = sizes.size(); d-- > 0;) {
      at += i % sizes[d] * strides[d];
      i /= sizes[d];
    }
    return at;
  }
  void add(int64_t size, int64_t stride) {
    sizes.push_back(size);
    strides.push_back(stride);
  }
  // The stride if all elements are equally spaced, else nullopt.
  std::optional<int64_t> stride() const {
    std::optional<int64_t> found;
    int64_t expected = 0;
    for (size_t d = sizes.size(); d-- > 0;) {
      if (sizes[d] == 1) continue;
      if (!found) {
        found = strides[d];
      } else if (strides[d] != expected) {
        return std::nullopt;
      }
      expected = strides[d] * sizes[d];
    }
    return found.value_or(0);
  }
};

// The state of `width` interleaved reductions of sixteen lanes: the parts of the blocks so far.
class Fold {
 public:
  Fold(const ReductionKernel& kernel, int64_t width, int64_t most_blocks)
      : kernel_(kernel), width_(width) {
    const auto levels =
        kernel.rounds ? std::bit_width(static_cast<uint64_t>(most_blocks)) + 1U : 1U;
    memory_.reset(new Line[levels * static_cast<size_t>(width * kernel.state_bytes) / 128 + 1]);
  }
  void start() {
    blocks_ = 0;
    if (!kernel_.rounds) kernel_.init(parts(), width_);
  }
  void row(const void* x, int64_t n, int64_t index) {
    kernel_.row(x, n, index, parts(), blocks_);
    blocks_ += (n + lanes * steps - 1) / (lanes * steps);
  }
  void columns(const void* x, int64_t row_stride, int64_t rows, int64_t columns, int64_t index) {
    kernel_.columns(x, row_stride, rows, columns, index, 1, parts(), width_, blocks_);
    blocks_ += (rows + steps - 1) / steps;
  }
  // Reductions over rows whose elements are `row_bytes` apart while the rows are adjacent in
  // memory: each of the sixteen lanes takes every sixteenth element, for all rows at once as
  // columns.
  void turned_rows(const std::byte* x, int64_t row_bytes, int64_t element_bytes, int64_t n,
                   int64_t columns, int64_t index) {
    const int64_t sets = width_ / lanes, row_stride = row_bytes / element_bytes * lanes;
    for (int64_t i = 0; i < n; i += lanes * steps, ++blocks_) {
      const int64_t some = std::min(lanes * steps, n - i);
      for (int64_t l = 0; l < lanes; ++l) {
        kernel_.columns(x + (i + l) * row_bytes, row_stride, (some - l + lanes - 1) / lanes,
                        columns, index + i + l, lanes, state(l * sets), width_, blocks_);
      }
    }
  }
  // For turned rows: merges the states of all lanes into those of lane 0.
  void merge_lanes() {
    for (int64_t half = width_ / 2; half >= width_ / lanes; half /= 2)
      kernel_.merge(parts(), state(half), half);
  }
  // Adds the states of later elements as one block.
  void add(const void* states) { kernel_.add(states, parts(), width_, blocks_++); }
  // Combines all blocks into one state for each set of lanes.
  void* total() {
    kernel_.total(parts(), width_, blocks_);
    return parts();
  }
  const void* states() { return parts(); }
  // Space for a tile of the operand, in its own dtype and in the compute type.
  Buffer* tile() {
    if (!tile_) tile_.reset(new Buffer[4]);
    return tile_.get();
  }

 private:
  struct alignas(128) Line {
    std::byte bytes[128];
  };
  void* parts() { return memory_.get(); }
  void* state(int64_t number) { return memory_.get()->bytes + number * kernel_.state_bytes; }

  const ReductionKernel& kernel_;
  int64_t width_, blocks_ = 0;
  std::unique_ptr<Line[]> memory_;
  std::unique_ptr<Buffer[]> tile_;
};

class Reduction {
 public:
  Reduction(const ReductionKernel& kernel, const OpCall& call, const Tensor& out);
  void run();

 private:
  void take(const Tensor& x, const ReducedDims& dims);
  void sort_dims(const ReducedDims& dims);
  void split_columns();
  bool lies_across() const;
  bool lie_in_rows() const;
  bool takes_tiles() const;
  bool run_plain_rows();
  void run_tasks();
  void run_pieces(int64_t piece);
  void cut();
  int64_t width() const { return turned_ ? strip_ : rows_ ? 1 : strip_ / lanes; }
  void turn();
  void fold(int64_t task, int64_t begin, int64_t end, Fold& into) const;
  void fold_row(const std::byte* from, int64_t begin, int64_t n, int64_t index, Fold& into) const;
  void fold_tiles(const std::byte* from, int64_t rows, int64_t columns, int64_t index,
                  Fold& into) const;
  void finish(int64_t task, Fold& from) const;
  void put(const void* states, int64_t first, int64_t count) const;

  const ReductionKernel* kernel_;
  Tensor in_, out_;
  DType state_, made_;
  int64_t bytes_;  // of an element of the operand
  const std::byte* data_;
  bool rows_;                       // the last dimension is reduced
  bool turned_ = false;             // rows_, but the kept dimensions are contiguous in memory
  bool tiles_ = false;              // columns are transposed or cast in tiles
  Group kept_, outer_, n_;          // reduced: outer_ x n_
  Group columns_;                   // kept dimensions after the last reduced one
  int64_t elements_;                // elements reduced to one
  int64_t strip_ = 1, strips_ = 1;  // columns per task, and tasks for all columns
  int64_t tasks_;                   // strips for all kept indices
  int64_t block_, per_row_;         // elements per block, blocks per index of outer_
};

// Returns the compute type of the call.
Compute compute_of(const OpCall& call, const Tensor& out) {
  return compute_for(call.op->reduction->state(call.operands[0].tensor().dtype(), out.dtype()));
}

// Returns null if no kernel was compiled ahead.
const ReductionKernel* kernel_for(const OpCall& call, const Tensor& out) {
  const int place = place_of(*call.op);
  if (place < 0) return nullptr;
  const ReductionKernel& kernel =
      kernel_table().reduction[place][static_cast<int>(compute_of(call, out))];
  return kernel.init ? &kernel : nullptr;
}

Reduction::Reduction(const ReductionKernel& kernel, const OpCall& call, const Tensor& out)
    : kernel_(&kernel), out_(out) {
  const Tensor& x = call.operands[0].tensor();
  const int rank = static_cast<int>(x.rank());
  const ReducedDims dims = call.op->reduction->dims(call.attrs, rank);
  state_ = storage_of(compute_of(call, out));
  made_ = storage_of(kernel_->result);
  rows_ = dims.dims.empty() || dims.dims.back() == rank - 1;
  take(x, dims);
  turn();
  if (turned_ ? x.dtype() != state_ : lies_across()) {
    turned_ = false;
    take(dense_copy(x, x.dtype()), dims);
  }
  if (rows_ || (x.dtype() == state_ && n_.stride() && lie_in_rows())) return;
  tiles_ = takes_tiles();
  if (!tiles_) take(dense_copy(x, state_), dims);
}

// Returns whether columns are adjacent in memory.
bool Reduction::lie_in_rows() const {
  return columns_.count() <= 1 || columns_.stride() == bytes_;
}

// Returns whether columns can be read in tiles: they, or the elements of each, are adjacent.
bool Reduction::takes_tiles() const {
  const auto down = n_.stride();
  return down && columns_.stride() && (lie_in_rows() || *down == bytes_);
}

// Sets turned_ if the kept dimensions are contiguous in memory but the reduced one is not.
void Reduction::turn() {
  constexpr int64_t least_columns = 8;  // with fewer, gathering rows is faster
  if (!rows_ || outer_.count() != 1 || n_.count() == 1 || !n_.stride() || n_.stride() == bytes_)
    return;
  Group before = kept_, beside;
  for (int64_t expected = bytes_; !before.sizes.empty(); expected *= beside.sizes[0]) {
    if (before.sizes.back() != 1 && before.strides.back() != expected) break;
    beside.sizes.insert(0, before.sizes.back());
    beside.strides.insert(0, before.strides.back());
    before.sizes.pop_back();
    before.strides.pop_back();
  }
  turned_ = beside.count() >= least_columns;
  if (!turned_) return;
  kept_ = before;
  columns_ = beside;
}

void Reduction::take(const Tensor& x, const ReducedDims& dims) {
  in_ = x;
  bytes_ = bytes_of(in_.dtype());
  data_ = static_cast<const std::byte*>(in_.const_data());
  kept_ = outer_ = n_ = columns_ = {};
  sort_dims(dims);
}

void Reduction::sort_dims(const ReducedDims& dims) {
  const TensorImpl& x = *in_.impl();
  const auto rank = static_cast<int64_t>(x.sizes.size());
  const auto reduced = [&](int64_t d) {
    return std::find(dims.dims.begin(), dims.dims.end(), d) != dims.dims.end();
  };
  int64_t last = rank - 1;  // the last reduced dimension
  while (last >= 0 && !reduced(last)) --last;
  int64_t first = last;  // of the last group
  while (first > 0 && reduced(first - 1)) --first;
  for (int64_t d = 0; d < rank; ++d) {
    const auto at = static_cast<size_t>(d);
    Group& group = d > last ? columns_ : !reduced(d) ? kept_ : d >= first ? n_ : outer_;
    group.add(x.sizes[at], x.strides[at] * bytes_);
  }
  elements_ = outer_.count() * n_.count();
  split_columns();
}

// If the columns are several long runs in memory, treats each run as a kept index of its own.
void Reduction::split_columns() {
  Group before = kept_, run = columns_;
  while (!run.stride()) {
    before.add(run.sizes[0], run.strides[0]);
    run.sizes.erase(0);
    run.strides.erase(0);
  }
  if (run.count() < lanes) return;
  kept_ = before;
  columns_ = run;
}

// Returns whether a kept dimension is contiguous but the reduced elements are far apart: a copy,
// which transposes in tiles, is then faster than gathering.
bool Reduction::lies_across() const {
  const auto along = n_.stride();
  if (!rows_ || !along || *along <= bytes_ || elements_ * kept_.count() < 4096) return false;
  for (size_t d = 0; d < kept_.sizes.size(); ++d) {
    if (kept_.strides[d] == bytes_ && kept_.sizes[d] >= 8) return n_.count() >= 8;
  }
  return false;
}

// Folds n elements of n_ starting at `begin`, which is the start of a block.
void Reduction::fold_row(const std::byte* from, int64_t begin, int64_t n, int64_t index,
                         Fold& into) const {
  const auto stride = n_.stride();
  if (in_.dtype() == state_ && stride && (*stride == bytes_ || n == 1))
    return into.row(from + n_.offset(begin), n, index);
  Buffer raw, cast_to;
  static_assert(eager::block % (lanes * steps) == 0, "staged elements form whole blocks");
  for (int64_t i = 0; i < n; i += eager::block) {
    const int64_t some = std::min(eager::block, n - i);
    if (stride) {
      gather_run(from + n_.offset(begin + i), *stride, raw.bytes, bytes_, some);
    } else {
      for (int64_t j = 0; j < some; ++j)
        gather_run(from + n_.offset(begin + i + j), 0, raw.bytes + j * bytes_, bytes_, 1);
    }
    cast(in_.dtype(), raw.bytes, state_, cast_to.bytes, some);
    into.row(cast_to.bytes, some, index + i);
  }
}

void Reduction::fold_tiles(const std::byte* from, int64_t rows, int64_t columns, int64_t index,
                           Fold& into) const {
  const int64_t rows_once = tile_elements / strip_ / steps * steps;  // a tile is whole blocks
  const int64_t down = n_.stride().value();
  const int64_t along = columns_.stride().value();
  const auto transpose = kernel_table().transpose[std::countr_zero(static_cast<uint64_t>(bytes_))];
  const bool casts = in_.dtype() != state_, in_rows = lie_in_rows();
  std::byte *dense = into.tile()[0].bytes, *raw = casts ? into.tile()[2].bytes : dense;
  for (int64_t i = 0; i < rows; i += rows_once) {
    const int64_t some = std::min(rows_once, rows - i);
    const std::byte* at = from + i * down;
    if (!in_rows) {
      transpose(at, along / bytes_, raw, columns, columns, some);
      if (casts) cast(in_.dtype(), raw, state_, dense, some * columns);
    } else {
      const int64_t row_bytes = columns * bytes_of(state_);
      for (int64_t r = 0; r < some; ++r)
        cast(in_.dtype(), at + r * down, state_, dense + r * row_bytes, columns);
    }
    into.columns(dense, columns, some, columns, index + i);
  }
}

// Folds the blocks [begin, end) of a task.
void Reduction::fold(int64_t task, int64_t begin, int64_t end, Fold& into) const {
  const int64_t n = n_.count(), first = task % strips_ * strip_;
  const std::byte* from = data_ + kept_.offset(task / strips_) + columns_.offset(first);
  const int64_t some_columns = std::min(strip_, columns_.count() - first);
  while (begin < end) {
    const int64_t row = begin / per_row_, at = begin % per_row_ * block_;
    const int64_t blocks = std::min(end - begin, per_row_ - begin % per_row_);
    const int64_t count = std::min(blocks * block_, n - at), index = row * n + at;
    const std::byte* of_row = from + outer_.offset(row);
    if (turned_) {
      into.turned_rows(of_row + n_.offset(at), *n_.stride(), bytes_, count, some_columns, index);
    } else if (rows_) {
      fold_row(of_row, at, count, index, into);
    } else if (tiles_) {
      fold_tiles(of_row + n_.offset(at), count, some_columns, index, into);
    } else {
      into.columns(of_row + n_.offset(at), n_.stride().value() / bytes_, count, some_columns,
                   index);
    }
    begin += blocks;
  }
}

void Reduction::finish(int64_t task, Fold& from) const {
  void* states = from.total();
  if (turned_) {
    from.merge_lanes();
  } else if (rows_) {
    kernel_->merge_lanes(states);
  }
  const int64_t first = task % strips_ * strip_;
  put(states, task / strips_ * columns_.count() + first,
      std::min(strip_, columns_.count() - first));
}

// Writes `count` results, from consecutive lanes of the states, starting at result `first`.
void Reduction::put(const void* states, int64_t first, int64_t count) const {
  std::byte made[64 * 8], cut[64 * 8];
  const int64_t bytes = bytes_of(out_.dtype());
  auto* to =
      static_cast<std::byte*>(out_.impl()->storage.data()) + (out_.impl()->offset + first) * bytes;
  for (int64_t i = 0; i < count; i += 64) {
    const int64_t some = std::min<int64_t>(64, count - i);
    const auto* from = static_cast<const std::byte*>(states) + i / lanes * kernel_->state_bytes;
    kernel_->finish(from, elements_, made, some);
    cast(made_, made, out_.dtype(), cut, some);
    std::copy_n(cut, some * bytes, to + i * bytes);
  }
}

// If the kernel can read the rows in memory directly, computes all results; else returns false.
bool Reduction::run_plain_rows() {
  const auto n_stride = n_.stride(), row_stride = kept_.stride();
  const int64_t n = n_.count();
  if (!rows_ || turned_ || outer_.count() != 1 || n == 0 || in_.dtype() != state_ || !row_stride)
    return false;
  if (n > 1 && n_stride != bytes_) return false;
  const int64_t grain = grain_for({.bytes = static_cast<double>(elements_ * bytes_)});
  const int64_t out_bytes = bytes_of(out_.dtype());
  auto* to = static_cast<std::byte*>(out_.impl()->storage.data()) + out_.impl()->offset * out_bytes;
  parallel_for(kept_.count(), grain, [&](int64_t begin, int64_t end) {
    Buffer made;
    const bool direct = made_ == out_.dtype();
    for (int64_t i = begin; i < end; i += eager::block) {
      const int64_t some = std::min(eager::block, end - i);
      std::byte* into = to + i * out_bytes;
      kernel_->rows(data_ + i * *row_stride, *row_stride / bytes_, some, n,
                    direct ? into : made.bytes);
      if (!direct) cast(made_, made.bytes, out_.dtype(), into, some);
    }
  });
  return true;
}

void Reduction::run_tasks() {
  const double bytes = static_cast<double>(elements_ * strip_ * bytes_);
  const int64_t blocks = outer_.count() * per_row_;
  parallel_for(tasks_, grain_for({.bytes = bytes}), [&](int64_t begin, int64_t end) {
    Fold folded(*kernel_, width(), blocks);
    for (int64_t task = begin; task < end; ++task) {
      folded.start();
      fold(task, 0, blocks, folded);
      finish(task, folded);
    }
  });
}

// For few tasks: threads reduce pieces of a task.  A piece of `piece` blocks, a power of two, is a
// subtree of the sum.
void Reduction::run_pieces(int64_t piece) {
  const int64_t blocks = outer_.count() * per_row_, pieces = (blocks + piece - 1) / piece;
  for (int64_t task = 0; task < tasks_; ++task) {
    std::vector<std::optional<Fold>> parts(static_cast<size_t>(pieces));
    parallel_for(pieces, 1, [&](int64_t begin, int64_t end) {
      for (int64_t p = begin; p < end; ++p) {
        Fold& part = parts[static_cast<size_t>(p)].emplace(*kernel_, width(), piece);
        part.start();
        fold(task, p * piece, std::min(blocks, (p + 1) * piece), part);
        part.total();
      }
    });
    Fold all(*kernel_, width(), pieces);
    all.start();
    for (auto& part : parts) all.add(part->states());
    finish(task, all);
  }
}

void Reduction::cut() {
  constexpr int64_t most_columns = 512;  // per task: long runs, while the parts stay cached
  block_ = rows_ ? lanes * steps : steps;
  per_row_ = (n_.count() + block_ - 1) / block_;
  if (!rows_ || turned_) {
    const int64_t columns = columns_.count();
    const int64_t of_tile = lie_in_rows() ? cast_columns : turned_columns;
    const int64_t most = tiles_ ? of_tile : turned_ ? most_columns / 2 : most_columns;
    strip_ = std::min(most, (columns + lanes - 1) / lanes * lanes);
    strips_ = (columns + strip_ - 1) / strip_;
  }
  tasks_ = kept_.count() * strips_;
}

void Reduction::run() {
  if (count_of(out_.impl()->sizes) == 0) return;
  cut();
  const auto block_bytes = static_cast<uint64_t>(block_ * strip_ * bytes_);
  const auto piece = static_cast<int64_t>(std::bit_ceil(piece_bytes / block_bytes + 1));
  if (tasks_ < num_threads() && outer_.count() * per_row_ >= 2 * piece) return run_pieces(piece);
  if (!run_plain_rows()) run_tasks();
}

}  // namespace

void run_reduction(const OpCall& call, const Tensor& out) {
  const ReductionKernel* kernel = kernel_for(call, out);
  kernel ? Reduction(*kernel, call, out).run() : run_on_demand(call, {&out, 1});
}

}  // namespace vitro::eager
