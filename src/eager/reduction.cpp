// Reductions.  The order of additions is that of vitro/ops/reduce.h; how the work is cut among
// threads does not change it.
#include <algorithm>
#include <vector>

#include "eager/copy.h"
#include "eager/kernel_table.h"
#include "eager/loop.h"
#include "eager/places.h"
#include "eager/run.h"
#include "eager/stage.h"
#include "vitro/base/error.h"
#include "vitro/ops/reduce.h"
#include "vitro/runtime/parallel.h"

namespace vitro::eager {
namespace {

constexpr int64_t chunk = ops::reduction_chunk, lanes = ops::reduction_lanes;

// One dimension, or neighbours that count as one: addresses of its elements.
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
  // The one stride of all elements, or none.
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

// A buffer of states, aligned for vectors.
class States {
 public:
  explicit States(int64_t bytes) : memory_(static_cast<size_t>(bytes / 64 + 1)) {}
  void* at(int64_t offset) { return reinterpret_cast<std::byte*>(memory_.data()) + offset; }

 private:
  struct alignas(64) Line {
    std::byte bytes[64];
  };
  std::vector<Line> memory_;
};

class Reduction {
 public:
  Reduction(const OpCall& call, const Tensor& out);
  void run();

 private:
  void take(const Tensor& x, const ReducedDims& dims);
  void sort_dims(const ReducedDims& dims);
  void run_rows();
  void run_one_row();
  void run_columns();
  void row_state(const std::byte* from, void* state) const;
  void chunk_state(const std::byte* from, int64_t begin, int64_t end, int64_t index,
                   void* state) const;
  void column_states(const std::byte* from, int64_t columns, void* states, void* of_chunk) const;
  void put(const void* states, int64_t first, int64_t count) const;

  const ReductionKernel* kernel_;
  Tensor in_, out_;
  DType state_, made_;
  int64_t bytes_;  // of an element of the operand
  const std::byte* data_;
  bool rows_;               // the last dimension is reduced
  Group kept_, outer_, n_;  // reduced: outer_ x n_
  Group columns_;           // kept dimensions behind the last reduced one
  int64_t elements_;        // reduced to one
};

Reduction::Reduction(const OpCall& call, const Tensor& out) : out_(out) {
  const Tensor& x = call.operands[0].tensor();
  const int rank = static_cast<int>(x.rank());
  const ReducedDims dims = call.op->reduction->dims(call.attrs, rank);
  const Compute compute = compute_for(call.op->reduction->state(x.dtype(), out.dtype()));
  kernel_ = &kernel_table().reduction[place_of(*call.op)][static_cast<int>(compute)];
  VITRO_ASSERT(kernel_->row, call.op->name, " has no kernel for ", x.dtype());
  state_ = storage_of(compute);
  made_ = storage_of(kernel_->result);
  rows_ = dims.dims.empty() || dims.dims.back() == rank - 1;
  take(x, dims);
  const bool walks = rows_ || (x.dtype() == state_ && n_.stride() && columns_.stride() == bytes_);
  if (!walks) take(dense_copy(x, state_), dims);
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
}

// Elements begin to end of a group at `from` into a fresh or used state.
void Reduction::chunk_state(const std::byte* from, int64_t begin, int64_t end, int64_t index,
                            void* state) const {
  const auto stride = n_.stride();
  if (in_.dtype() == state_ && stride && (*stride == bytes_ || end - begin == 1))
    return kernel_->row(from + n_.offset(begin), end - begin, index, state);
  Buffer raw, cast_to;
  for (int64_t i = begin; i < end; i += block) {  // a block is a whole number of lane sets
    const int64_t some = std::min(block, end - i);
    if (stride) {
      gather_run(from + n_.offset(i), *stride, raw.bytes, bytes_, some);
    } else {
      for (int64_t j = 0; j < some; ++j)
        gather_run(from + n_.offset(i + j), 0, raw.bytes + j * bytes_, bytes_, 1);
    }
    cast(in_.dtype(), raw.bytes, state_, cast_to.bytes, some);
    kernel_->row(cast_to.bytes, some, index + i - begin, state);
  }
}

// The state of one result, in lane 0.
void Reduction::row_state(const std::byte* from, void* state) const {
  const int64_t n = n_.count(), rows = outer_.count();
  kernel_->init(state, 1);
  if (n <= chunk) {
    for (int64_t r = 0; r < rows && n > 0; ++r)
      chunk_state(from + outer_.offset(r), 0, n, r * n, state);
    return kernel_->merge_lanes(state);
  }
  alignas(64) std::byte more[most_state_bytes];
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t begin = 0; begin < n; begin += chunk) {
      const bool first = r == 0 && begin == 0;
      void* to = first ? state : more;
      if (!first) kernel_->init(more, 1);
      chunk_state(from + outer_.offset(r), begin, std::min(n, begin + chunk), r * n + begin, to);
      kernel_->merge_lanes(to);
      if (!first) kernel_->merge(state, more, 1);
    }
  }
}

// `count` results from consecutive lanes of the states to the results from `first` on.
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

void Reduction::run_rows() {
  const int64_t results = kept_.count(), n = n_.count();
  if (results < num_threads() && n > chunk) return run_one_row();
  const int64_t grain = grain_for({.bytes = static_cast<double>(elements_ * bytes_)});
  parallel_for(results, grain, [&](int64_t begin, int64_t end) {
    alignas(64) std::byte state[most_state_bytes];
    for (int64_t i = begin; i < end; ++i) {
      row_state(data_ + kept_.offset(i), state);
      put(state, i, 1);
    }
  });
}

// Few results: their chunks are spread over threads and merged in order.
void Reduction::run_one_row() {
  const int64_t n = n_.count(), per_row = (n + chunk - 1) / chunk,
                pieces = per_row * outer_.count();
  const int64_t bytes = kernel_->state_bytes;
  States states(pieces * bytes);
  for (int64_t result = 0; result < kept_.count(); ++result) {
    const std::byte* from = data_ + kept_.offset(result);
    parallel_for(pieces, 8, [&](int64_t first, int64_t last) {
      for (int64_t p = first; p < last; ++p) {
        const int64_t row = p / per_row, begin = p % per_row * chunk;
        void* state = states.at(p * bytes);
        kernel_->init(state, 1);
        chunk_state(from + outer_.offset(row), begin, std::min(n, begin + chunk), row * n + begin,
                    state);
        kernel_->merge_lanes(state);
      }
    });
    for (int64_t p = 1; p < pieces; ++p) kernel_->merge(states.at(0), states.at(p * bytes), 1);
    put(states.at(0), result, 1);
  }
}

// States of neighbouring columns at `from`, one lane each.
void Reduction::column_states(const std::byte* from, int64_t columns, void* states,
                              void* of_chunk) const {
  const int64_t n = n_.count(), sets = (columns + lanes - 1) / lanes;
  kernel_->init(states, sets);
  for (int64_t r = 0; r < outer_.count(); ++r) {
    for (int64_t begin = 0; begin < n; begin += chunk) {
      const bool apart = n > chunk && (r > 0 || begin > 0);
      void* to = apart ? of_chunk : states;
      if (apart) kernel_->init(of_chunk, sets);
      const int64_t rows = std::min(chunk, n - begin);
      const std::byte* at = from + outer_.offset(r) + n_.offset(begin);
      kernel_->columns(at, n_.stride().value() / bytes_, rows, columns, r * n + begin, to);
      if (apart) kernel_->merge(states, of_chunk, sets);
    }
  }
}

void Reduction::run_columns() {
  constexpr int64_t width = 256;
  const int64_t columns = columns_.count(), strips = (columns + width - 1) / width;
  const double bytes = static_cast<double>(elements_ * std::min(columns, width) * bytes_);
  parallel_for(kept_.count() * strips, grain_for({.bytes = bytes}),
               [&](int64_t begin, int64_t end) {
                 States states(width / lanes * kernel_->state_bytes),
                     of_chunk(width / lanes * kernel_->state_bytes);
                 for (int64_t i = begin; i < end; ++i) {
                   const int64_t outer = i / strips, first = i % strips * width;
                   const int64_t some = std::min(width, columns - first);
                   column_states(data_ + kept_.offset(outer) + first * bytes_, some, states.at(0),
                                 of_chunk.at(0));
                   put(states.at(0), outer * columns + first, some);
                 }
               });
}

void Reduction::run() {
  if (count_of(out_.impl()->sizes) == 0) return;
  rows_ ? run_rows() : run_columns();
}

}  // namespace

void run_reduction(const OpCall& call, const Tensor& out) {
  Reduction(call, out).run();
}

}  // namespace vitro::eager
