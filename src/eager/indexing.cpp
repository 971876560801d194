// Gather, concat and scatter.
#include <algorithm>
#include <atomic>
#include <cstring>
#include <vector>

#include "eager/copy.h"
#include "eager/loop.h"
#include "eager/run.h"
#include "eager/stage.h"
#include "vitro/base/error.h"
#include "vitro/ops/shapes.h"
#include "vitro/runtime/parallel.h"

namespace vitro::eager {
namespace {

// Indices as dense i64, all in [0, size).
Tensor checked_indices(const OpCall& call, const Tensor& indices, int64_t size) {
  const Tensor dense = dense_copy(indices, DType::i64);
  const auto* at = static_cast<const int64_t*>(dense.const_data());
  const int64_t n = count_of(dense.impl()->sizes);
  std::atomic<bool> all_well = true;
  parallel_for(n, grain_for({.bytes = 8}), [&](int64_t begin, int64_t end) {
    bool bad = false;
    for (int64_t i = begin; i < end; ++i) {
      bad |= static_cast<uint64_t>(at[i]) >= static_cast<uint64_t>(size);
    }
    if (bad) all_well = false;
  });
  for (int64_t i = 0; i < n && !all_well; ++i) {
    VITRO_CHECK(at[i] >= 0 && at[i] < size, call.op->name, ": index ", at[i], " at position ", i,
                " is out of range for size ", size);
  }
  return dense;
}

// Rows of one element: elements begin to end of the result.
template <class Word>
void gather_words(const Word* from, int64_t size, const int64_t* index, int64_t n, Word* to,
                  int64_t begin, int64_t end) {
  while (begin < end) {
    const int64_t outer = begin / n, first = begin % n, last = std::min(n, first + end - begin);
    for (int64_t i = first; i < last; ++i) to[outer * n + i] = from[outer * size + index[i]];
    begin += last - first;
  }
}

// The indices' dimensions stand in place of the table's axis: rows are copied whole.
void gather_rows(const Tensor& table, const GatherSpec& spec, const Tensor& indices,
                 const Tensor& out) {
  const Tensor rows = dense_copy(table);
  const Ints& sizes = rows.impl()->sizes;
  const auto axis = static_cast<size_t>(spec.axis);
  int64_t outer = 1, inner = bytes_of(rows.dtype());
  for (size_t d = 0; d < axis; ++d) outer *= sizes[d];
  for (size_t d = axis + 1; d < sizes.size(); ++d) inner *= sizes[d];
  const int64_t n = count_of(indices.impl()->sizes), size = sizes.empty() ? 1 : sizes[axis];
  const auto* index = static_cast<const int64_t*>(indices.const_data());
  const auto* from = static_cast<const std::byte*>(rows.const_data());
  auto* to = static_cast<std::byte*>(out.impl()->storage.data());
  if (inner == 0) return;
  parallel_for(outer * n, grain_for({.bytes = 2.0 * static_cast<double>(inner)}),
               [&](int64_t begin, int64_t end) {
                 if (inner == bytes_of(rows.dtype())) {
                   return with_word(inner, [&]<class Word>() {
                     gather_words(reinterpret_cast<const Word*>(from), size, index, n,
                                  reinterpret_cast<Word*>(to), begin, end);
                   });
                 }
                 for (int64_t i = begin; i < end; ++i) {
                   const int64_t row = i / n * size + index[i % n];
                   std::memcpy(to + i * inner, from + row * inner, static_cast<size_t>(inner));
                 }
               });
}

// One index per element.
void gather_elements(const Tensor& table, const GatherSpec& spec, const Tensor& indices,
                     const Tensor& out) {
  const Ints& sizes = out.impl()->sizes;
  const int64_t bytes = bytes_of(out.dtype());
  Strided from = strided(table, table.impl()->sizes);
  const int64_t along = sizes.empty() ? 0 : from.strides[static_cast<size_t>(spec.axis)];
  if (!sizes.empty()) from.strides[static_cast<size_t>(spec.axis)] = 0;
  const Strided operands[] = {strided(out, sizes), from, strided(indices, sizes)};
  const Loop loop(sizes, operands);
  parallel_for(loop.count(), 4096, [&](int64_t begin, int64_t end) {
    loop.run(begin, end, [&](std::byte* const* at, const int64_t* stride, int64_t n, int64_t) {
      with_word(bytes, [&]<class Word>() {
        for (int64_t i = 0; i < n; ++i) {
          int64_t index;
          std::memcpy(&index, at[2] + i * stride[2], sizeof index);
          std::memcpy(at[0] + i * stride[0], at[1] + i * stride[1] + index * along, sizeof(Word));
        }
      });
    });
  });
}

}  // namespace

void run_gather(const OpCall& call, const Tensor& out) {
  const Tensor& first = call.operands[0].tensor();
  GatherSpec spec = call.op->gather->spec(call.attrs, static_cast<int>(first.rank()));
  const Tensor& table = call.operands[static_cast<size_t>(spec.table)].tensor();
  const Ints& sizes = table.impl()->sizes;
  const Tensor indices =
      checked_indices(call, call.operands[static_cast<size_t>(spec.indices)].tensor(),
                      sizes.empty() ? 1 : sizes[static_cast<size_t>(spec.axis)]);
  if (out.numel().hint() == 0) return;
  spec.same_rank ? gather_elements(table, spec, indices, out)
                 : gather_rows(table, spec, indices, out);
}

void run_concat(const OpCall& call, const Tensor& out) {
  const auto axis =
      static_cast<size_t>(call.op->concat->axis(call.attrs, static_cast<int>(out.rank())));
  const TensorImpl& whole = *out.impl();
  int64_t first = 0;
  for (const Operand& operand : call.operands) {
    const Tensor& part = operand.tensor();
    if (part.rank() != out.rank()) continue;  // the empty tensor that is skipped
    const Ints& sizes = part.impl()->sizes;
    if (count_of(sizes) != 0) {
      copy_elements(part, Tensor::over(whole.storage, whole.dtype, sizes, whole.strides,
                                       whole.offset + first * whole.strides[axis]));
    }
    first += sizes[axis];
  }
}

void run_scatter(const OpCall& call, const TensorMeta& result, const Tensor& out) {
  const Tensor &x = call.operands[0].tensor(), &src = call.operands[1].tensor();
  copy_elements(x, out);
  const ScatterInfo& info = *call.op->scatter;
  TensorMeta whole = result, part;
  part.dtype = src.dtype();
  part.sizes = src.sizes();
  const Attrs attrs = info.view_attrs(call.attrs);
  ops::strides_from_map(whole, part, attrs.view(), *info.view);
  part.offset = part.offset + out.impl()->offset;
  copy_elements(src, Tensor::over(out.impl()->storage, out.dtype(), src.impl()->sizes,
                                  plain(part.strides), part.offset.hint()));
}

}  // namespace vitro::eager
