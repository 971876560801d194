// Shape rules of sort and topk, and functions built on them: argsort, kthvalue, medians, mode.
#include "vitro/ops/sort.h"

#include "core/numbers.h"
#include "vitro/base/called_as.h"
#include "vitro/base/error.h"
#include "vitro/ops/all.h"

namespace vitro {
namespace ops {
namespace {

const TensorMeta& sorted(const ShapeCall& call, int64_t dim) {
  VITRO_CHECK(call.operands[0].meta, call.op, ": takes a tensor");
  const TensorMeta& in = *call.operands[0].meta;
  (void)wrap_dim(call.op, dim, in.rank());
  return in;
}

}  // namespace

void Sort::shape(ShapeCall& call) {
  const TensorMeta& in = sorted(call, call.attrs.as<Attrs>().dim);
  const Sizes strides = strides_like(in);
  call.results.push_back({in.dtype, in.device, in.sizes, strides, 0});
  call.results.push_back({DType::i64, in.device, in.sizes, strides, 0});
}
SortSpec Sort::spec(AttrsView attrs, int rank) {
  const auto& a = attrs.as<Attrs>();
  return {wrap_dim(name, a.dim, rank), a.descending};
}

void Topk::shape(ShapeCall& call) {
  const auto& a = call.attrs.as<Attrs>();
  const TensorMeta& in = sorted(call, a.dim);
  Sizes sizes = in.sizes;
  if (sizes.empty()) {
    VITRO_CHECK(equal(a.k, 1), call.op, ": k must be 1 for a tensor without dimensions, got ", a.k);
  } else {
    Size& size = sizes[static_cast<size_t>(wrap_dim(call.op, a.dim, in.rank()))];
    VITRO_CHECK(!less(a.k, 0) && !less(size, a.k), call.op, ": k is ", a.k, "; needs 0 to ", size,
                ", the size of dimension ", a.dim);
    size = a.k;
  }
  call.results.push_back(dense(in.dtype, in.device, sizes));
  call.results.push_back(dense(DType::i64, in.device, sizes));
}
SortSpec Topk::spec(AttrsView attrs, int rank) {
  const auto& a = attrs.as<Attrs>();
  return {wrap_dim(name, a.dim, rank), a.largest};
}

namespace {

std::pair<Tensor, Tensor> two(std::array<Tensor, 2> results) {
  return {std::move(results[0]), std::move(results[1])};
}

// One element per row: removes `dim`, of size 1, unless keepdim.
std::pair<Tensor, Tensor> one_each(Tensor values, Tensor indices, int64_t dim, bool keepdim) {
  if (keepdim || values.rank() == 0) return {std::move(values), std::move(indices)};
  return {squeeze(values, dim), squeeze(indices, dim)};
}

// Selects elements of sorted rows by `wanted`, which has the sizes of the rows, but 1 along `dim`.
std::pair<Tensor, Tensor> gathered(const std::pair<Tensor, Tensor>& sorted, int64_t dim,
                                   const Tensor& wanted, bool keepdim) {
  return one_each(gather(sorted.first, dim, wanted), gather(sorted.second, dim, wanted), dim,
                  keepdim);
}

Size length(std::string_view name, const Tensor& x, int64_t dim) {
  const Size n = x.rank() == 0 ? Size(1) : x.size(dim);
  VITRO_CHECK(!equal(n, 0), name, ": dimension ", dim, " has no elements; needs at least one");
  return n;
}

// NaNs are sorted last: the median is the first NaN, or that of the numbers for nanmedian.
std::pair<Tensor, Tensor> middle(std::string_view name, const At& at, int64_t dim, bool keepdim,
                                 bool of_numbers) {
  const Tensor& x = at.operand.tensor();
  dim = wrap_dim(name, dim, x.rank());
  const Size n = length(name, x, dim);
  if (!is_floating(x.dtype())) return kthvalue(at, (n + 1) / 2, dim, keepdim);
  const auto sorted = sort({x, at.where}, dim);
  const Tensor nans = sum({isnan({x, at.where}), at.where}, {dim}, true);
  const Tensor wanted =
      of_numbers ? trunc_divide(n - 1 - nans, 2) : vitro::where(nans > 0, n - nans, (n - 1) / 2);
  return gathered(sorted, dim, wanted, keepdim);
}

Tensor middle_of_all(const Tensor& x, std::pair<Tensor, Tensor> (*along)(At, int64_t, bool)) {
  if (equal(x.numel(), 0))
    return full({}, std::numeric_limits<double>::quiet_NaN(), x.dtype(), x.device());
  return along(reshape(x, {-1}), 0, false).first;
}

}  // namespace

void MedianOfAll::shape(ShapeCall& call) {
  VITRO_CHECK(call.operands[0].meta, call.op, ": takes a tensor");
  const TensorMeta& x = *call.operands[0].meta;
  const bool is_empty = equal(product(x.sizes), 0);  // the program depends on it
  VITRO_CHECK(is_floating(x.dtype) || !is_empty, call.op, ": got no elements; needs at least one");
  call.results.push_back(dense(x.dtype, x.device, {}));
}
void Median::expand(std::span<const Operand> operands, AttrsView, std::span<Tensor> results) {
  results[0] = middle_of_all(operands[0].tensor(), &vitro::median);
}
void Nanmedian::expand(std::span<const Operand> operands, AttrsView, std::span<Tensor> results) {
  results[0] = middle_of_all(operands[0].tensor(), &vitro::nanmedian);
}

}  // namespace ops

std::pair<Tensor, Tensor> sort(ops::At x, int64_t dim, bool descending) {
  return ops::two(ops::call_many<ops::Sort, 2>(x.where, {x.operand}, {dim, descending}));
}
std::pair<Tensor, Tensor> topk(ops::At x, Size k, int64_t dim, bool largest) {
  return ops::two(ops::call_many<ops::Topk, 2>(x.where, {x.operand}, {k, dim, largest}));
}

Tensor argsort(ops::At x, int64_t dim, bool descending) {
  const CalledAs name("argsort", x.where);
  return sort(x, dim, descending).second;
}
Tensor msort(ops::At x) {
  const CalledAs name("msort", x.where);
  return sort(x, 0).first;
}

std::pair<Tensor, Tensor> kthvalue(ops::At x, Size k, int64_t dim, bool keepdim) {
  const CalledAs name("kthvalue", x.where);
  const Tensor& in = x.operand.tensor();
  dim = ops::wrap_dim("kthvalue", dim, in.rank());
  const Size n = ops::length("kthvalue", in, dim);
  VITRO_CHECK(!less(k, 1) && !less(n, k), "kthvalue: k is ", number_of(k), "; needs 1 to ",
              number_of(n), ", the size of dimension ", dim);
  const auto [values, indices] = topk(x, k, dim, false);
  if (in.rank() == 0) return {values, indices};
  return ops::one_each(contiguous({narrow(values, dim, k - 1, 1), x.where}),
                       contiguous({narrow(indices, dim, k - 1, 1), x.where}), dim, keepdim);
}

// The longest run of equal elements, the first if several are as long; returns its last element.
std::pair<Tensor, Tensor> mode(ops::At x, int64_t dim, bool keepdim) {
  const CalledAs name("mode", x.where);
  const Tensor& in = x.operand.tensor();
  dim = ops::wrap_dim("mode", dim, in.rank());
  const Size n = ops::length("mode", in, dim);
  const auto sorted = sort(x, dim);
  if (in.rank() == 0) return sorted;
  Sizes along(static_cast<size_t>(in.rank()), Size(1));
  along[static_cast<size_t>(dim)] = n;
  const Tensor steps = arange(n, DType::i64, in.device()), place = reshape(steps, along);
  const Tensor before = index_select(sorted.first, dim, maximum(steps - 1, 0));
  const Tensor begin = cummax(vitro::where(sorted.first != before, place, 0), dim).first;
  return ops::gathered(sorted, dim, argmax(place - begin, dim, true), keepdim);
}

std::pair<Tensor, Tensor> median(ops::At x, int64_t dim, bool keepdim) {
  const CalledAs name("median", x.where);
  return ops::middle("median", x, dim, keepdim, false);
}
std::pair<Tensor, Tensor> nanmedian(ops::At x, int64_t dim, bool keepdim) {
  const CalledAs name("nanmedian", x.where);
  return ops::middle("nanmedian", x, dim, keepdim, true);
}
Tensor median(ops::At x) {
  return ops::call<ops::Median>(x.where, {x.operand});
}
Tensor nanmedian(ops::At x) {
  return ops::call<ops::Nanmedian>(x.where, {x.operand});
}

}  // namespace vitro
