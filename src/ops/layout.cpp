// Functions that arrange the dimensions of tensors, split and join them.
#include "vitro/ops/layout.h"

#include <algorithm>
#include <cmath>

#include "core/numbers.h"
#include "ops/value.h"
#include "vitro/base/called_as.h"
#include "vitro/base/error.h"
#include "vitro/ops/concat.h"
#include "vitro/ops/create.h"
#include "vitro/ops/derived.h"
#include "vitro/ops/gather.h"
#include "vitro/ops/linear_algebra.h"
#include "vitro/ops/rearrange.h"
#include "vitro/ops/reduce.h"
#include "vitro/ops/scan.h"
#include "vitro/ops/scatter.h"
#include "vitro/ops/view.h"

namespace vitro {

Tensor broadcast_to(ops::At x, SizesArg size) {
  const CalledAs name("broadcast_to", x.where);
  return expand(x, std::move(size));
}
Tensor expand_as(ops::At x, const Tensor& other) {
  const CalledAs name("expand_as", x.where);
  return expand(x, other.sizes());
}
Tensor view_as(ops::At x, const Tensor& other) {
  const CalledAs name("view_as", x.where);
  return view(x, other.sizes());
}

std::vector<Tensor> broadcast_tensors(ops::TensorsArg tensors, std::source_location from) {
  const CalledAs name("broadcast_tensors", from);
  Sizes sizes;
  for (const Tensor& one : tensors) sizes = ops::broadcast("broadcast_tensors", sizes, one.sizes());
  std::vector<Tensor> out;
  for (const Tensor& one : tensors) out.push_back(expand({one, from}, sizes));
  return out;
}

Tensor sum_to_size(ops::At x, SizesArg size) {
  const CalledAs name("sum_to_size", x.where);
  const Tensor& t = x.operand.tensor();
  const size_t rank = t.sizes().size();
  const bool fits = size.size() <= rank &&
                    ops::equal_sizes(ops::broadcast("sum_to_size", t.sizes(), size), t.sizes());
  VITRO_CHECK(fits, "sum_to_size: sizes ", numbers_of(size), " do not expand to ",
              numbers_of(t.sizes()));
  if (size.empty()) return sum(x);
  const size_t missing = rank - size.size();
  DimsArg dims;
  for (size_t d = 0; d < rank; ++d) {
    const bool repeated = d >= missing && equal(size[d - missing], 1) && !equal(t.sizes()[d], 1);
    if (d < missing || repeated) dims.push_back(static_cast<int64_t>(d));
  }
  return dims.empty() ? t : view(sum(x, dims, true), size);
}

Tensor mT(ops::At x) {
  const CalledAs name("mT", x.where);
  const int64_t rank = x.operand.tensor().rank();
  VITRO_CHECK(rank != 1, "mT: needs a matrix or a batch of matrices, got sizes ",
              numbers_of(x.operand.tensor().sizes()));
  return rank == 0 ? x.operand.tensor() : transpose(x, -2, -1);
}

Tensor movedim(ops::At x, DimsArg source, DimsArg destination) {
  const CalledAs name("movedim", x.where);
  const Tensor& t = x.operand.tensor();
  const int64_t rank = std::max<int64_t>(t.rank(), 1);  // a number has one dimension to name
  VITRO_CHECK(source.size() == destination.size(),
              "movedim: needs as many places as dimensions, got ", Dims(source), " and ",
              Dims(destination));
  Dims order(static_cast<size_t>(rank), -1), rest;
  for (size_t i = 0; i < source.size(); ++i) {
    const auto to = static_cast<size_t>(ops::wrap_dim("movedim", destination[i], rank));
    const int64_t from = ops::wrap_dim("movedim", source[i], rank);
    VITRO_CHECK(order[to] < 0 && std::ranges::find(order, from) == order.end(),
                "movedim: a dimension occurs twice in ", Dims(source), " or ", Dims(destination));
    order[to] = from;
  }
  for (int64_t d = 0; d < rank; ++d) {
    if (std::ranges::find(order, d) == order.end()) rest.push_back(d);
  }
  size_t next = 0;
  for (int64_t& d : order) {
    if (d < 0) d = rest[next++];
  }
  return t.rank() == 0 ? t : permute(x, order);
}

Tensor unflatten(ops::At x, int64_t dim, SizesArg sizes) {
  const CalledAs name("unflatten", x.where);
  const Tensor& t = x.operand.tensor();
  VITRO_CHECK(t.rank() > 0, "unflatten: takes a tensor with dimensions");
  VITRO_CHECK(!sizes.empty(), "unflatten: needs at least one size");
  dim = ops::wrap_dim("unflatten", dim, t.rank());
  TensorMeta part = t.rule_meta();
  part.sizes = {t.size(dim)};
  Sizes out;
  for (int64_t d = 0; d < t.rank(); ++d) {
    if (d != dim) {
      out.push_back(t.size(d));
    } else {
      for (const Size s : ops::resolved_size("unflatten", part, sizes)) out.push_back(s);
    }
  }
  return view(x, out);
}

Tensor ravel(ops::At x) {
  const CalledAs name("ravel", x.where);
  return reshape(contiguous(x), {-1});
}

Tensor atleast_1d(ops::At x) {
  const CalledAs name("atleast_1d", x.where);
  return x.operand.tensor().rank() < 1 ? reshape(x, {1}) : x.operand.tensor();
}
Tensor atleast_2d(ops::At x) {
  const CalledAs name("atleast_2d", x.where);
  const Tensor& t = x.operand.tensor();
  return t.rank() == 0 ? reshape(x, {1, 1}) : t.rank() == 1 ? unsqueeze(x, 0) : t;
}
Tensor atleast_3d(ops::At x) {
  const CalledAs name("atleast_3d", x.where);
  const Tensor& t = x.operand.tensor();
  return t.rank() >= 3 ? t : unsqueeze({atleast_2d(x), x.where}, t.rank() == 0 ? 0 : 2);
}

Tensor tile(ops::At x, SizesArg dims) {
  const CalledAs name("tile", x.where);
  while (dims.size() < x.operand.tensor().sizes().size()) dims.insert(0, Size(1));
  return repeat(x, dims);
}

namespace {

// The dimension along which hsplit, vsplit and dsplit split; `least` is the lowest rank.
int64_t split_dim(std::string_view op, const Tensor& x, int64_t dim, int64_t least) {
  VITRO_CHECK(x.rank() >= least, op, ": needs a tensor of rank ", least, " or more, got sizes ",
              numbers_of(x.sizes()));
  return x.rank() == 1 ? 0 : dim;
}

std::vector<Tensor> split_evenly(std::string_view op, const ops::At& x, int64_t sections,
                                 int64_t dim) {
  const Size size = x.operand.tensor().size(dim);
  VITRO_CHECK(sections > 0 && equal(size % sections, 0), op, ": dimension ", dim, " of size ",
              number_of(size), " cannot be split in ", sections, " equal sections");
  return tensor_split(x, sections, dim);
}

}  // namespace

std::vector<Tensor> hsplit(ops::At x, int64_t sections) {
  const CalledAs name("hsplit", x.where);
  return split_evenly("hsplit", x, sections, split_dim("hsplit", x.operand.tensor(), 1, 1));
}
std::vector<Tensor> hsplit_at(ops::At x, const Dims& indices) {
  const CalledAs name("hsplit", x.where);
  return tensor_split_at(x, indices, split_dim("hsplit", x.operand.tensor(), 1, 1));
}
std::vector<Tensor> vsplit(ops::At x, int64_t sections) {
  const CalledAs name("vsplit", x.where);
  return split_evenly("vsplit", x, sections, split_dim("vsplit", x.operand.tensor(), 0, 2));
}
std::vector<Tensor> vsplit_at(ops::At x, const Dims& indices) {
  const CalledAs name("vsplit", x.where);
  return tensor_split_at(x, indices, split_dim("vsplit", x.operand.tensor(), 0, 2));
}
std::vector<Tensor> dsplit(ops::At x, int64_t sections) {
  const CalledAs name("dsplit", x.where);
  return split_evenly("dsplit", x, sections, split_dim("dsplit", x.operand.tensor(), 2, 3));
}
std::vector<Tensor> dsplit_at(ops::At x, const Dims& indices) {
  const CalledAs name("dsplit", x.where);
  return tensor_split_at(x, indices, split_dim("dsplit", x.operand.tensor(), 2, 3));
}

Tensor column_stack(ops::TensorsArg tensors, std::source_location from) {
  const CalledAs name("column_stack", from);
  std::vector<Tensor> columns;
  for (const Tensor& one : tensors)
    columns.push_back(one.rank() <= 1 ? reshape({one, from}, {one.numel(), 1}) : one);
  return cat(columns, 1, from);
}

// Each matrix is padded to the width of all.
Tensor block_diag(ops::TensorsArg tensors, std::source_location from) {
  const CalledAs name("block_diag", from);
  if (tensors.empty()) return zeros({1, 0}, default_float, {}, from);
  Size width = 0;
  DType dtype = tensors[0].dtype();
  for (const Tensor& one : tensors) {
    VITRO_CHECK(one.rank() <= 2, "block_diag: takes tensors of rank 2 or less, got sizes ",
                numbers_of(one.sizes()));
    width = width + (one.rank() == 0 ? Size(1) : one.size(-1));
    dtype = promote(dtype, one.dtype());
  }
  std::vector<Tensor> rows;
  Size before = 0;
  for (const Tensor& one : tensors) {
    const Tensor matrix = to({atleast_2d({one, from}), from}, dtype);
    const Size height = matrix.size(0), end = before + matrix.size(1);
    const auto none = [&](Size columns) {
      return zeros({height, columns}, dtype, one.device(), from);
    };
    rows.push_back(cat({none(before), matrix, none(width - end)}, 1, from));
    before = end;
  }
  return cat(rows, 0, from);
}

Tensor diagflat(ops::At x, int64_t offset) {
  const CalledAs name("diagflat", x.where);
  return diag({reshape(x, {-1}), x.where}, offset);
}

namespace {

// Each dimension rolled by half of its size, forth or back.
Tensor shifted(const ops::At& x, DimsArg dims, bool back) {
  const Tensor& t = x.operand.tensor();
  if (dims.empty()) {
    for (int64_t d = 0; d < t.rank(); ++d) dims.push_back(d);
  }
  if (dims.empty()) return clone(x);
  SizesArg by;
  for (const int64_t d : dims) by.push_back(back ? (t.size(d) + 1) / 2 : t.size(d) / 2);
  return roll(x, by, dims);
}

}  // namespace

Tensor fft_fftshift(ops::At x, DimsArg dim) {
  const CalledAs name("fft_fftshift", x.where);
  return shifted(x, std::move(dim), false);
}
Tensor fft_ifftshift(ops::At x, DimsArg dim) {
  const CalledAs name("fft_ifftshift", x.where);
  return shifted(x, std::move(dim), true);
}

namespace {

// The number of combinations of r of n elements; error if it is enormous.
int64_t combination_count(int64_t n, int64_t r) {
  Size count = 1;
  for (int64_t i = 0; i < r; ++i) count = count * (n - i) / (i + 1);
  return count.value();
}

// All lists of r numbers below n are numbered; the digits of a number are the list.
Tensor digit(const Tensor& number, int64_t n, int64_t r, int64_t at) {
  int64_t unit = 1;
  for (int64_t i = at + 1; i < r; ++i) unit *= n;
  return ops::remainder(ops::floor_divide(number, unit), n);
}

}  // namespace

// The ascending lists among all lists: each goes to its number among those, the others behind all.
Tensor combinations(ops::At x, int64_t r, bool with_replacement) {
  const CalledAs name("combinations", x.where);
  const Tensor& t = x.operand.tensor();
  VITRO_CHECK(t.rank() == 1, "combinations: needs a tensor of rank 1, got sizes ",
              numbers_of(t.sizes()));
  VITRO_CHECK(r >= 0, "combinations: r must not be negative, got ", r);
  const int64_t n = t.numel().value();
  VITRO_CHECK(std::pow(static_cast<double>(n), static_cast<double>(r)) <= 0x1p31,
              "combinations: ", r, " of ", n, " elements are too many");
  const int64_t count =
      r == 0 || n == 0 ? 0 : combination_count(with_replacement ? n + r - 1 : n, r);
  if (count == 0) return zeros(r == 0 ? Sizes{Size(0)} : Sizes{Size(0), r}, t.dtype(), t.device());
  int64_t all = 1;
  for (int64_t i = 0; i < r; ++i) all *= n;
  const ops::Value lists = arange(all, DType::i64, t.device());
  ops::Value chosen = lists >= 0;
  for (int64_t i = 0; i + 1 < r; ++i) {
    const ops::Value one = digit(lists, n, r, i), next = digit(lists, n, r, i + 1);
    chosen = chosen & (with_replacement ? one <= next : one < next);
  }
  const ops::Value number = ops::Value(cumsum(chosen, 0)) - 1;
  const ops::Value places = ops::where(chosen, number, full({}, count, DType::i64, t.device()));
  const Tensor none = zeros({count + 1}, DType::i64, t.device());
  const Tensor found = narrow(scatter(none, 0, places, lists), 0, 0, count);
  std::vector<Tensor> columns;
  for (int64_t i = 0; i < r; ++i) columns.push_back(digit(found, n, r, i));
  return reshape(index_select(x, 0, reshape(stack(columns, 1), {-1})), {count, r});
}

}  // namespace vitro
