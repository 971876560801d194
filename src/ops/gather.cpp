// Shape rules of gathers, and their public functions: `index` accepts integer indices, masks and
// omitted dimensions together.
#include "vitro/ops/gather.h"

#include <algorithm>
#include <vector>

#include "core/numbers.h"
#include "sym/data_size.h"
#include "vitro/base/called_as.h"
#include "vitro/base/error.h"
#include "vitro/ops/compaction.h"
#include "vitro/ops/create.h"
#include "vitro/ops/view.h"

namespace vitro::ops {
namespace {

const TensorMeta& indices_of(const ShapeCall& call) {
  VITRO_CHECK(call.operands[0].meta && call.operands[1].meta, call.op, ": takes two tensors");
  const TensorMeta& indices = *call.operands[1].meta;
  VITRO_CHECK(call.op != "embedding" || !is_floating(indices.dtype) ||
                  is_floating(call.operands[0].meta->dtype),
              "embedding: indices must be i32 or i64, got ", indices.dtype,
              "; the table is the first argument, the indices are the second");
  check_integers(call.op, indices.dtype);
  return indices;
}

}  // namespace

void check_integers(std::string_view op, DType indices) {
  VITRO_CHECK(indices == DType::i64 || indices == DType::i32, op,
              ": indices must be i32 or i64, got ", indices);
}

namespace {

bool may_be_empty(Size size) {
  return is_by_data(size) || known_equal(size, 0);
}

}  // namespace

void check_has_indexed(std::string_view op, const Sizes& x, const IndexedAxes& axes,
                       const Sizes& indices) {
  for (const IndexedAxis& one : axes) {
    if (x.empty() || !known_equal(x[static_cast<size_t>(one.axis)], 0)) continue;
    VITRO_CHECK(std::ranges::any_of(indices, may_be_empty), op, ": dimension ", one.axis,
                " is empty, so the indices of sizes ", numbers_of(indices), " are out of range");
  }
}

Sizes indices_together(std::string_view op, const IndexedAxes& axes,
                       std::span<const Argument> operands) {
  Sizes together;
  for (const IndexedAxis& one : axes)
    together = broadcast(op, together, operands[static_cast<size_t>(one.indices)].meta->sizes);
  return together;
}

void Embedding::shape(ShapeCall& call) {
  const TensorMeta &indices = indices_of(call), &weight = *call.operands[0].meta;
  VITRO_CHECK(weight.rank() == 2, "embedding: weight must have rank 2, got sizes ", weight.sizes);
  check_has_indexed(call.op, weight.sizes, {{0, 1}}, indices.sizes);
  Sizes sizes = indices.sizes;
  sizes.push_back(weight.sizes[1]);
  call.results.push_back(dense(weight.dtype, weight.device, sizes));
}

void IndexSelect::shape(ShapeCall& call) {
  const TensorMeta &indices = indices_of(call), &x = *call.operands[0].meta;
  const auto dim = static_cast<size_t>(wrap_dim(call.op, call.attrs.as<Attrs>().dim, x.rank()));
  VITRO_CHECK(indices.rank() <= 1, "index_select: indices must have rank 1, got sizes ",
              indices.sizes, "; flatten them");
  const Size count = indices.rank() == 0 ? Size(1) : indices.sizes[0];
  VITRO_CHECK(x.rank() > 0 || equal(count, 1),
              "index_select: a tensor without dimensions has one element, got ", count, " indices");
  check_has_indexed(call.op, x.sizes, {{static_cast<int64_t>(dim), 1}}, indices.sizes);
  Sizes sizes = x.sizes;
  if (x.rank() > 0) sizes[dim] = count;
  call.results.push_back(dense(x.dtype, x.device, sizes));
}

void Gather::shape(ShapeCall& call) {
  const TensorMeta &indices = indices_of(call), &x = *call.operands[0].meta;
  const auto dim = static_cast<size_t>(wrap_dim(call.op, call.attrs.as<Attrs>().dim, x.rank()));
  VITRO_CHECK(indices.rank() == x.rank(), "gather: ranks differ: x has sizes ", x.sizes,
              ", indices have ", indices.sizes);
  for (size_t d = 0; d < x.sizes.size(); ++d) {
    VITRO_CHECK(d == dim || !less(x.sizes[d], indices.sizes[d]), "gather: indices of sizes ",
                indices.sizes, " exceed sizes ", x.sizes, " in dimension ", d);
  }
  check_has_indexed(call.op, x.sizes, {{static_cast<int64_t>(dim), 1}}, indices.sizes);
  call.results.push_back(dense(x.dtype, x.device, indices.sizes));
}

IndexedTogether indexed_by_list(std::span<const int> ranks) {
  IndexedTogether out;
  for (size_t i = 1; i < ranks.size(); ++i) {
    if (ranks[i] >= 0) out.axes.push_back({static_cast<int64_t>(i) - 1, static_cast<int>(i)});
  }
  if (out.axes.empty()) return out;
  const int64_t begin = out.axes[0].axis, end = out.axes.back().axis + 1;
  out.first = end - begin == static_cast<int64_t>(out.axes.size()) ? begin : 0;
  return out;
}

Sizes indexed_sizes(std::string_view op, const Sizes& x, const IndexedAxes& axes, int64_t first,
                    std::span<const Argument> operands) {
  const Sizes together = indices_together(op, axes, operands);
  Sizes out;
  const auto put_together = [&] {
    for (const Size size : together) out.push_back(size);
  };
  for (size_t d = 0, taken = 0, others = 0; d < x.size(); ++d) {
    if (taken < axes.size() && axes[taken].axis == static_cast<int64_t>(d)) {
      ++taken;
      continue;
    }
    if (others++ == static_cast<size_t>(first)) put_together();
    out.push_back(x[d]);
  }
  if (x.size() - axes.size() == static_cast<size_t>(first)) put_together();
  return out;
}

void check_index_list(std::string_view op, const TensorMeta& x,
                      std::span<const Argument> operands) {
  bool any = false;
  VITRO_CHECK(operands.size() <= x.sizes.size() + 1, op, ": ", operands.size() - 1,
              " indices for a tensor of rank ", x.rank(), "; leave some out");
  for (size_t i = 1; i < operands.size(); ++i) {
    const TensorMeta* indices = operands[i].meta;
    if (!operands[i]) continue;
    VITRO_CHECK(indices, op, ": an index is a tensor or None, got a number");
    VITRO_CHECK(!is_bool(indices->dtype), op,
                ": a mask is not an operand of the op; call the function, or pass its nonzero()");
    VITRO_CHECK(indices->dtype == DType::i64 || indices->dtype == DType::i32, op,
                ": indices must be i32, i64 or bool, got ", indices->dtype);
    any = true;
  }
  VITRO_CHECK(any, op, ": needs at least one index");
}

void Index::shape(ShapeCall& call) {
  VITRO_CHECK(call.operands[0].meta, call.op, ": takes tensors");
  const TensorMeta& x = *call.operands[0].meta;
  check_index_list(call.op, x, call.operands);
  const IndexedTogether indexed = indexed_by_list(ranks_of(call.operands));
  check_has_indexed(call.op, x.sizes, indexed.axes,
                    indices_together(call.op, indexed.axes, call.operands));
  call.results.push_back(
      dense(x.dtype, x.device,
            indexed_sizes(call.op, x.sizes, indexed.axes, indexed.first, call.operands)));
}

GatherSpec Index::spec(AttrsView, std::span<const int> ranks) {
  IndexedTogether indexed = indexed_by_list(ranks);
  return {0, std::move(indexed.axes), false, indexed.first, true};
}

namespace {

// Appends the positions where the mask is true, as one index for each dimension that it covers.
void add_places(std::string_view op, const At& x, size_t dim, const Tensor& mask,
                std::vector<Tensor>& out) {
  const Sizes sizes = x.operand.tensor().sizes(), masked = mask.sizes();
  VITRO_CHECK(!masked.empty(), op, ": a mask needs a dimension; unsqueeze it and x");
  bool fits = dim + masked.size() <= sizes.size();
  for (size_t d = 0; fits && d < masked.size(); ++d) fits = equal(sizes[dim + d], masked[d]);
  VITRO_CHECK(fits, op, ": the sizes of the mask, ", numbers_of(masked),
              ", do not match the sizes ", numbers_of(sizes), " from dimension ", dim);
  const Tensor places = nonzero({mask, x.where});
  for (size_t d = 0; d < masked.size(); ++d)
    out.push_back(select({places, x.where}, 1, static_cast<int64_t>(d)));
}

}  // namespace

std::vector<Tensor> without_masks(std::string_view op, const At& x,
                                  std::span<const Tensor> indices) {
  std::vector<Tensor> out;
  for (const Tensor& one : indices) {
    if (one.defined() && is_bool(one.dtype())) {
      add_places(op, x, out.size(), one, out);
    } else {
      out.push_back(one);
    }
  }
  const auto rank = static_cast<size_t>(x.operand.tensor().rank());
  VITRO_CHECK(out.size() <= std::max<size_t>(rank, 1), op, ": ", out.size(),
              " indices for a tensor of rank ", rank, "; leave some out");
  while (!out.empty() && !out.back().defined()) out.pop_back();
  return out;
}

}  // namespace vitro::ops

namespace vitro {

Tensor gather(ops::At x, int64_t dim, const Tensor& index) {
  const CalledAs name("gather", x.where);
  const Tensor& t = x.operand.tensor();
  const auto call = [&](const Tensor& from, const Tensor& at) {
    return ops::call<ops::Gather>(x.where, {from, at}, {dim});
  };
  (void)ops::wrap_dim("gather", dim, t.rank());
  // Without indices ATen takes any dtype and rank, so that their number may have to be read.
  const bool integers = index.dtype() == DType::i64 || index.dtype() == DType::i32,
             small = t.rank() <= 1 && index.rank() <= 1,
             fits = integers && (small || index.rank() == t.rank());
  const bool none = fits ? known_equal(index.numel(), 0) : index.numel() == 0;
  const Tensor places = none ? to({index, x.where}, DType::i64) : index;
  if (t.rank() == 0 && places.rank() == 1) return call(unsqueeze(x, 0), places);
  if (t.rank() == 1 && places.rank() == 0)
    return squeeze({call(t, unsqueeze({places, x.where}, 0)), x.where}, 0);
  if (none && places.rank() != t.rank())
    return zeros(places.sizes(), t.dtype(), t.device(), x.where);
  return call(t, places);
}

Tensor index(ops::At x, std::span<const Tensor> indices) {
  const CalledAs name("index", x.where);
  const auto is_given = [](const Tensor& one) { return one.defined(); };
  const bool one_mask = !indices.empty() && is_given(indices[0]) && is_bool(indices[0].dtype()) &&
                        std::ranges::count_if(indices, is_given) == 1;
  if (one_mask) return index(x, indices[0]);
  std::vector<Operand> operands{x.operand};
  const std::vector<Tensor> whole = ops::without_masks("index", x, indices);
  VITRO_CHECK(!whole.empty(), "index: needs at least one index");
  operands.insert(operands.end(), whole.begin(), whole.end());
  return call_one(ops::def<ops::Index>(), operands, {}, x.where);
}

Tensor index(ops::At x, const Tensor& mask) {
  const CalledAs name("index", x.where);
  const Tensor& t = x.operand.tensor();
  if (!is_bool(mask.dtype())) return index(x, std::span(&mask, 1));
  const Sizes sizes = t.sizes(), picked = mask.sizes();
  bool fits = picked.size() <= sizes.size();
  for (size_t d = 0; fits && d < picked.size(); ++d) fits = equal(sizes[d], picked[d]);
  VITRO_CHECK(fits, "index: the sizes of the mask, ", numbers_of(picked),
              ", do not match the first sizes of ", numbers_of(sizes));
  if (picked.size() == sizes.size()) return masked_select(x, mask);
  Sizes rows{product(picked)};
  for (size_t d = picked.size(); d < sizes.size(); ++d) rows.push_back(sizes[d]);
  const Tensor places = nonzero({reshape({mask, x.where}, rows[0]), x.where});
  const Tensor which = select({places, x.where}, 1, 0);
  return index_select({reshape(x, rows), x.where}, 0, which);
}

Tensor take(ops::At x, const Tensor& index) {
  const CalledAs name("take", x.where);
  ops::check_integers("take", index.dtype());
  return vitro::index({reshape(x, {-1}), x.where}, {index});
}

}  // namespace vitro
