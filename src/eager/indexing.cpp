// Gather, concat and scatter: drivers that check indices and copy rows, parts or elements.
#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstring>
#include <vector>

#include "eager/copy.h"
#include "eager/loop.h"
#include "eager/on_demand.h"
#include "eager/run.h"
#include "eager/stage.h"
#include "vitro/base/error.h"
#include "vitro/core/reach.h"
#include "vitro/ops/shapes.h"
#include "vitro/runtime/parallel.h"

namespace vitro::eager {
namespace {

// Throws an error for the first index outside [0, size); `indices` is contiguous.
[[noreturn]] void refuse(const OpCall& call, const Tensor& indices, int64_t size) {
  const auto* at = static_cast<const int64_t*>(indices.const_data());
  int64_t i = 0;
  while (at[i] >= 0 && at[i] < size) ++i;
  throw_error(cat(call.op->name, ": index ", at[i], " at position ", i,
                  " is out of range for size ", size));
}

void check_indices(const OpCall& call, const Tensor& indices, int64_t size) {
  const auto* at = static_cast<const int64_t*>(indices.const_data());
  std::atomic<bool> all_well = true;
  parallel_for(count_of(indices.impl()->sizes), grain_for({.bytes = 8}),
               [&](int64_t begin, int64_t end) {
                 if (!kernel_table().within(at + begin, end - begin, size)) all_well = false;
               });
  if (!all_well) refuse(call, indices, size);
}

// to[i] = from[index[i]], for words of `bytes` bytes.
void gather_elements(const std::byte* from, const int64_t* index, std::byte* to, int64_t bytes,
                     int64_t n) {
  kernel_table().gather[std::countr_zero(static_cast<uint64_t>(bytes))](from, index, to, n);
}

// Gathers rows of one element: writes the elements [begin, end) of the result.
void gather_words(const std::byte* from, int64_t size, const int64_t* index, int64_t n,
                  std::byte* to, int64_t bytes, int64_t begin, int64_t end) {
  while (begin < end) {
    const int64_t outer = begin / n, first = begin % n, count = std::min(n - first, end - begin);
    gather_elements(from + outer * size * bytes, index + first, to + begin * bytes, bytes, count);
    begin += count;
  }
}

// The indices' dimensions replace the table's axis, so whole rows are copied.
void gather_rows(const Tensor& table, size_t axis, const Tensor& indices, const Tensor& out) {
  const Tensor rows = dense_copy(table);
  const Ints& sizes = rows.impl()->sizes;
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
                 if (inner == bytes_of(rows.dtype()))
                   return gather_words(from, size, index, n, to, inner, begin, end);
                 for (int64_t i = begin; i < end; ++i) {
                   const int64_t row = i / n * size + index[i % n];
                   std::memcpy(to + i * inner, from + row * inner, static_cast<size_t>(inner));
                 }
               });
}

// Gathers by indices of several adjacent axes, or negative ones, as by those of one axis that has
// the elements of all.  False: they are not adjacent, so many that a kernel is worth compiling, or
// out of range, which the kernel reports.
bool gather_by_joined(const OpCall& call, const GatherSpec& spec, const Tensor& out) {
  constexpr int64_t most = 1 << 14;
  const Tensor& table = call.operands[static_cast<size_t>(spec.table)].tensor();
  const Ints& all = table.impl()->sizes;
  const int64_t begin = spec.indexed[0].axis, count = std::ssize(spec.indexed);
  const auto first = static_cast<size_t>(begin), end = static_cast<size_t>(begin + count);
  if (spec.same_rank || spec.first != begin || all.empty()) return false;
  for (int64_t i = 0; i < count; ++i)
    if (spec.indexed[static_cast<size_t>(i)].axis != begin + i) return false;
  const std::span<const int64_t> result(out.impl()->sizes), of_table(all),
      inner = of_table.subspan(end);
  const Ints chosen(result.subspan(first, result.size() - first - inner.size()));
  if (count_of(chosen) > most) return false;
  const Tensor joined = Tensor::empty(chosen, DType::i64, cpu),
               indices = Tensor::empty(chosen, DType::i64, cpu);
  fill_elements(0, joined);
  auto* const at = static_cast<int64_t*>(joined.impl()->storage.data());
  const auto* const given = static_cast<const int64_t*>(indices.const_data());
  Ints sizes(of_table.first(first));
  sizes.push_back(1);
  for (const IndexedAxis& one : spec.indexed) {
    copy_elements(call.operands[static_cast<size_t>(one.indices)].tensor(), indices);
    const int64_t size = all[static_cast<size_t>(one.axis)];
    for (int64_t i = 0; i < count_of(chosen); ++i) {
      const int64_t index = given[i] < 0 && spec.wraps ? given[i] + size : given[i];
      if (index < 0 || index >= size) return false;
      at[i] = at[i] * size + index;
    }
    sizes.back() *= size;
  }
  for (const int64_t size : inner) sizes.push_back(size);
  const Tensor dense = dense_copy(table);
  const TensorImpl& of = *dense.impl();
  gather_rows(Tensor::over(of.storage, of.dtype, sizes, contiguous_strides(call.op->name, sizes),
                           of.offset),
              first, joined, out);
  return true;
}

// Gathers single elements; the table has `size` elements along the indexed axis, `along` bytes
// apart.
struct ElementGather {
  int64_t size, along;

  // to[i] = from[index[i]] along a run.  Returns false if an index is out of range.
  template <class Word>
  bool run(std::byte* const* at, const int64_t* stride, int64_t n) const {
    constexpr int64_t some = 1024;  // indices to check, then reread from the cache
    int64_t dense[some];
    for (int64_t i = 0; i < n; i += some) {
      const int64_t count = std::min(some, n - i);
      const auto* index = reinterpret_cast<const int64_t*>(at[2] + i * stride[2]);
      if (stride[2] != sizeof(int64_t)) {
        gather_run(at[2] + i * stride[2], stride[2], reinterpret_cast<std::byte*>(dense),
                   sizeof(int64_t), count);
        index = dense;
      }
      if (!kernel_table().within(index, count, size)) return false;
      std::byte* to = at[0] + i * stride[0];
      const std::byte* from = at[1] + i * stride[1];
      if (stride[0] == sizeof(Word) && stride[1] == 0 && along == sizeof(Word)) {
        gather_elements(from, index, to, sizeof(Word), count);
      } else {
        for (int64_t j = 0; j < count; ++j, to += stride[0], from += stride[1])
          std::memcpy(to, from + index[j] * along, sizeof(Word));
      }
    }
    return true;
  }
};

// Gathers with one index per element of the result.
void gather_elements(const OpCall& call, const Tensor& table, size_t axis, const Tensor& indices,
                     const Tensor& out) {
  const Ints& sizes = out.impl()->sizes;
  const int64_t bytes = bytes_of(out.dtype());
  Strided from = strided(table, table.impl()->sizes);
  const ElementGather gather{sizes.empty() ? 1 : table.impl()->sizes[axis],
                             sizes.empty() ? 0 : from.strides[axis]};
  if (!sizes.empty()) from.strides[axis] = 0;
  const Strided operands[] = {strided(out, sizes), from, strided(indices, sizes)};
  const StridedLoop loop(sizes, operands);
  std::atomic<bool> all_well = true;
  parallel_for(loop.count(), 4096, [&](int64_t begin, int64_t end) {
    loop.run(begin, end, [&](const StridedLoop::Runs& runs) {
      with_word(bytes, [&]<class Word>() {
        std::array<std::byte*, StridedLoop::most> at = runs.at;
        for (int64_t r = 0; r < runs.count; ++r) {
          if (!gather.run<Word>(at.data(), runs.stride, runs.n)) all_well = false;
          for (size_t o = 0; o < 3; ++o) at[o] += runs.step[o];
        }
      });
    });
  });
  if (!all_well) refuse(call, indices, gather.size);
}

// A concat of contiguous parts: each row of the result has `bytes` from each part, starting at
// `first`.
class Joined {
 public:
  // Returns false if a part is not contiguous or not of the result's dtype, or if the parts are too
  // narrow for this to pay off.
  bool fits(const OpCall& call, const Tensor& out, size_t axis);
  void run(const Tensor& out) const;

 private:
  struct Part {
    const std::byte* data;
    int64_t first, bytes;
  };
  void copy(std::byte* to, int64_t begin, int64_t end) const;

  std::vector<Part> parts_;
  int64_t row_ = 0;  // bytes
};

bool Joined::fits(const OpCall& call, const Tensor& out, size_t axis) {
  constexpr int64_t least = 32;  // average bytes of a part per row
  if (!out.is_contiguous()) return false;
  parts_.reserve(call.operands.size());
  for (const Operand& operand : call.operands) {
    const Tensor& part = operand.tensor();
    const TensorImpl& impl = *part.impl();
    if (impl.sizes.size() != out.impl()->sizes.size() || count_of(impl.sizes) == 0) continue;
    if (impl.dtype != out.dtype() || !part.is_contiguous()) return false;
    const int64_t bytes = bytes_of(impl.dtype) * count_of(std::span(impl.sizes).subspan(axis));
    parts_.push_back({static_cast<const std::byte*>(part.const_data()), row_, bytes});
    row_ += bytes;
  }
  return row_ >= least * static_cast<int64_t>(parts_.size());
}

void Joined::copy(std::byte* to, int64_t begin, int64_t end) const {
  int64_t row = begin / row_, at = begin % row_;
  const auto after = [](int64_t place, const Part& part) { return place < part.first; };
  auto part = std::upper_bound(parts_.begin(), parts_.end(), at, after) - 1;
  while (begin < end) {
    const int64_t skipped = at - part->first, n = std::min(part->bytes - skipped, end - begin);
    std::memcpy(to + begin, part->data + row * part->bytes + skipped, static_cast<size_t>(n));
    begin += n, at += n;
    if (++part == parts_.end()) part = parts_.begin(), at = 0, ++row;
  }
}

void Joined::run(const Tensor& out) const {
  const TensorImpl& whole = *out.impl();
  const int64_t bytes = bytes_of(whole.dtype);
  auto* to = static_cast<std::byte*>(whole.storage.data()) + whole.offset * bytes;
  parallel_for(count_of(whole.sizes) * bytes, grain_for({.bytes = 2}),
               [&](int64_t begin, int64_t end) { copy(to, begin, end); });
}

}  // namespace

void run_gather(const OpCall& call, const Tensor& out) {
  const GatherSpec spec = call.op->gather->spec(call.attrs, ranks_of(call.operands));
  if (spec.wraps || spec.indexed.size() > 1) {
    if (out.numel().hint() != 0 && !gather_by_joined(call, spec, out))
      run_on_demand(call, {&out, 1});
    return;
  }
  const auto [dim, operand] = spec.indexed[0];
  const Tensor& table = call.operands[static_cast<size_t>(spec.table)].tensor();
  const auto axis = static_cast<size_t>(dim);
  const Ints& sizes = table.impl()->sizes;
  const Tensor indices =
      dense_copy(call.operands[static_cast<size_t>(operand)].tensor(), DType::i64);
  if (spec.same_rank) return gather_elements(call, table, axis, indices, out);
  if (out.numel().hint() == 0) return;  // nothing is read, so no index is out of range
  check_indices(call, indices, sizes.empty() ? 1 : sizes[axis]);
  gather_rows(table, axis, indices, out);
}

void run_concat(const OpCall& call, const Tensor& out) {
  const auto axis =
      static_cast<size_t>(call.op->concat->axis(call.attrs, static_cast<int>(out.rank())));
  Joined joined;
  if (joined.fits(call, out, axis)) return joined.run(out);
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
