// Products of vectors and matrices, diagonals and triangles.
#include "vitro/ops/linear_algebra.h"

#include <algorithm>
#include <vector>

#include "core/numbers.h"
#include "ops/autocast.h"
#include "ops/value.h"
#include "ops/wide.h"
#include "vitro/base/called_as.h"
#include "vitro/base/error.h"
#include "vitro/ops/choose.h"
#include "vitro/ops/complex.h"
#include "vitro/ops/concat.h"
#include "vitro/ops/create.h"
#include "vitro/ops/product.h"
#include "vitro/ops/reduce.h"
#include "vitro/ops/scan.h"
#include "vitro/ops/scatter.h"
#include "vitro/ops/view.h"
#include "vitro/ops/window.h"

namespace vitro {
namespace {

using namespace ops;

void check_rank(std::string_view op, const Tensor& x, int64_t rank) {
  VITRO_CHECK(x.rank() == rank, op, ": needs a tensor of rank ", rank, ", got sizes ",
              numbers_of(x.sizes()));
}

}  // namespace

Tensor outer(ops::At x, const Tensor& vec2) {
  const CalledAs name("outer", x.where);
  check_rank("outer", x.operand.tensor(), 1);
  check_rank("outer", vec2, 1);
  return unsqueeze(x, 1) * vec2;
}

Tensor inner(ops::At x, const Tensor& other) {
  const CalledAs name("inner", x.where);
  const Tensor& t = x.operand.tensor();
  if (t.rank() == 0 || other.rank() == 0) return t * other;
  VITRO_CHECK(equal(t.size(-1), other.size(-1)), "inner: the last dimensions have sizes ",
              number_of(t.size(-1)), " and ", number_of(other.size(-1)), ", which must be equal");
  if (autocasts() && t.rank() == 1 && other.rank() == 1) return dot(x, other);
  return tensordot(x, other, {-1}, {-1});
}

Tensor dot(ops::At x, const Tensor& tensor) {
  if (autocasts()) return autocasted("dot", &dot, x, tensor);
  const CalledAs name("dot", x.where);
  check_rank("dot", x.operand.tensor(), 1);
  check_rank("dot", tensor, 1);
  return matmul(x, tensor);
}

Tensor vdot(ops::At x, const Tensor& other) {
  const CalledAs name("vdot", x.where);
  return dot({conj(x), x.where}, other);
}

Tensor mv(ops::At x, const Tensor& vec) {
  if (autocasts()) return autocasted("mv", &mv, x, vec);
  const CalledAs name("mv", x.where);
  check_rank("mv", x.operand.tensor(), 2);
  check_rank("mv", vec, 1);
  return matmul(x, vec);
}

namespace {

// The dimensions of one side of tensordot: those that are summed, and the others.
struct Sides {
  Dims summed, others;
  Sizes sizes;  // of the others
  Size count = 1, inner = 1;

  Sides(const Tensor& x, const Dims& dims) {
    for (const int64_t d : dims) {
      summed.push_back(ops::wrap_dim("tensordot", d, x.rank()));
      inner = inner * x.size(summed.back());
    }
    for (int64_t d = 0; d < x.rank(); ++d) {
      const auto uses = std::count(summed.begin(), summed.end(), d);
      VITRO_CHECK(uses <= 1, "tensordot: a dimension appears twice in ", dims);
      if (uses == 1) continue;
      others.push_back(d);
      sizes.push_back(x.size(d));
      count = count * x.size(d);
    }
  }
};

Dims joined(Dims a, const Dims& b) {
  for (const int64_t d : b) a.push_back(d);
  return a;
}

}  // namespace

Tensor tensordot(ops::At x, const Tensor& other, DimsArg dims_self, DimsArg dims_other) {
  const CalledAs name("tensordot", x.where);
  Tensor t = x.operand.tensor(), u = other;
  VITRO_CHECK(dims_self.size() == dims_other.size(),
              "tensordot: needs as many dimensions of each, "
              "got ",
              Dims(dims_self), " and ", Dims(dims_other));
  // A dimension of size 1 is repeated: the other one is summed.
  for (size_t i = 0; i < dims_self.size(); ++i) {
    const Size m = t.size(dims_self[i]), n = u.size(dims_other[i]);
    // Asked first: the answer may decide a data size, which may be 1.
    if (!known_equal(m, 1) && !known_equal(n, 1) && equal(m, n)) continue;
    if (known_equal(m, 1) && !known_equal(n, 1))
      u = ops::to(ops::sum(u, {dims_other[i]}, true), u.dtype());
    if (known_equal(n, 1) && !known_equal(m, 1))
      t = ops::to(ops::sum(t, {dims_self[i]}, true), t.dtype());
  }
  const Sides a(t, dims_self), b(u, dims_other);
  for (size_t i = 0; i < a.summed.size(); ++i) {
    const Size m = t.size(a.summed[i]), n = u.size(b.summed[i]);
    VITRO_CHECK(equal(m, n), "tensordot: dimensions ", a.summed[i], " and ", b.summed[i],
                " have sizes ", number_of(m), " and ", number_of(n));
  }
  const Value rows = reshape(permute(t, joined(a.others, a.summed)), {a.count, a.inner});
  const Value columns = reshape(permute(u, joined(b.summed, b.others)), {b.inner, b.count});
  Sizes sizes = a.sizes;
  for (const Size s : b.sizes) sizes.push_back(s);
  return reshape(mm(rows, columns), sizes);
}

Tensor kron(ops::At x, const Tensor& other) {
  const CalledAs name("kron", x.where);
  const Tensor& t = x.operand.tensor();
  const auto rank = static_cast<size_t>(std::max(t.rank(), other.rank()));
  const auto size = [&](const Tensor& one, size_t d) {
    const size_t missing = rank - static_cast<size_t>(one.rank());
    return d < missing ? Size(1) : one.size(static_cast<int64_t>(d - missing));
  };
  Sizes of_x, of_other, sizes;
  for (size_t d = 0; d < rank; ++d) {
    of_x.push_back(size(t, d));
    of_x.push_back(1);
    of_other.push_back(1);
    of_other.push_back(size(other, d));
    sizes.push_back(size(t, d) * size(other, d));
  }
  return reshape(reshape(x, of_x) * reshape(other, of_other), sizes);
}

Tensor linalg_cross(ops::At x, const Tensor& other, int64_t dim) {
  const CalledAs name("linalg_cross", x.where);
  const Tensor& t = x.operand.tensor();
  VITRO_CHECK(t.rank() == other.rank(), "linalg_cross: ranks differ: sizes ", numbers_of(t.sizes()),
              " and ", numbers_of(other.sizes()));
  dim = ops::wrap_dim("linalg_cross", dim, t.rank());
  VITRO_CHECK(t.rank() > 0 && equal(t.size(dim), 3) && equal(other.size(dim), 3),
              "linalg_cross: dimension ", dim, " must have size 3, got sizes ",
              numbers_of(t.sizes()), " and ", numbers_of(other.sizes()));
  const DType dtype = promote(t.dtype(), other.dtype());
  const Value a = to(t, compute_type(dtype)), b = to(other, compute_type(dtype));
  std::vector<Tensor> parts;
  for (int64_t i = 0; i < 3; ++i) {
    const int64_t j = (i + 1) % 3, k = (i + 2) % 3;
    parts.push_back(select(a, dim, j) * select(b, dim, k) - select(a, dim, k) * select(b, dim, j));
  }
  return to(stack(parts, dim), dtype);
}

Tensor cross(ops::At x, const Tensor& other, std::optional<int64_t> dim) {
  const CalledAs name("cross", x.where);
  const Tensor& t = x.operand.tensor();
  for (int64_t d = 0; !dim && d < t.rank(); ++d) {
    if (equal(t.size(d), 3)) dim = d;
  }
  VITRO_CHECK(dim, "cross: needs a dimension of size 3, got sizes ", numbers_of(t.sizes()));
  return linalg_cross(x, other, *dim);
}

Tensor addr(ops::At x, const Tensor& vec1, const Tensor& vec2, const Scalar& beta,
            const Scalar& alpha) {
  const CalledAs name("addr", x.where);
  const Tensor& t = x.operand.tensor();
  check_rank("addr", vec1, 1);
  check_rank("addr", vec2, 1);
  const DType dtype = promote(t.dtype(), promote(vec1.dtype(), vec2.dtype()));
  VITRO_CHECK(
      is_floating(dtype) || is_complex(dtype) || !(beta.is_floating() || alpha.is_floating()),
      "addr: beta and alpha must be integers for ", dtype, ", got ", beta, " and ", alpha);
  for (const Scalar* factor : {&beta, &alpha})
    ops::check_holds("addr", compute_type(dtype), *factor);
  const Sizes sizes{vec1.size(0), vec2.size(0)};
  VITRO_CHECK(t.rank() <= 2, "addr: sizes ", numbers_of(t.sizes()), " do not broadcast to ",
              numbers_of(sizes));
  const auto wide = [&](const Tensor& one) { return to(one, compute_type(dtype)); };
  Value out = outer(wide(vec1), wide(vec2));
  if (!alpha.is(1)) out = out * alpha;
  if (!beta.is(0)) {
    const Value added = expand(wide(t), sizes);
    out = out + (beta.is(1) ? added : added * beta);
  }
  return to(out, dtype);
}

namespace {

// The cheapest order of a chain of matrices of `sizes` [i] x [i + 1]: where to split the products
// of the matrices from i to j.
class Order {
 public:
  explicit Order(const Sizes& sizes) : count_(sizes.size() - 1), splits_(count_ * count_) {
    std::vector<Size> costs(count_ * count_, Size(0));
    for (size_t length = 1; length < count_; ++length) {
      for (size_t i = 0; i + length < count_; ++i) {
        const size_t j = i + length;
        for (size_t k = i; k < j; ++k) {
          const Size own = sizes[i] * sizes[k + 1] * sizes[j + 1];
          const Size cost = costs[at(i, k)] + costs[at(k + 1, j)] + own;
          if (k > i && !less(cost, costs[at(i, j)])) continue;
          costs[at(i, j)] = cost;
          splits_[at(i, j)] = k;
        }
      }
    }
  }
  Tensor product(std::span<const Tensor> matrices, size_t i, size_t j) const {
    if (i == j) return matrices[i];
    const size_t k = splits_[at(i, j)];
    const Value left = product(matrices, i, k);
    return mm(left, product(matrices, k + 1, j));
  }

 private:
  size_t at(size_t i, size_t j) const { return i * count_ + j; }
  size_t count_;
  std::vector<size_t> splits_;
};

}  // namespace

Tensor linalg_multi_dot(ops::TensorsArg tensors, std::source_location from) {
  const CalledAs name("linalg_multi_dot", from);
  VITRO_CHECK(tensors.size() >= 2, "linalg_multi_dot: needs at least two tensors, got ",
              tensors.size());
  std::vector<Tensor> matrices(tensors.begin(), tensors.end());
  const bool row = matrices.front().rank() == 1, column = matrices.back().rank() == 1;
  if (row) matrices.front() = unsqueeze(matrices.front(), 0);
  if (column) matrices.back() = unsqueeze(matrices.back(), 1);
  Sizes sizes;
  for (const Tensor& one : matrices) {
    check_rank("linalg_multi_dot", one, 2);
    sizes.push_back(one.size(0));
  }
  sizes.push_back(matrices.back().size(1));
  Value out = Order(sizes).product(matrices, 0, matrices.size() - 1);
  if (column) out = squeeze(out, 1);
  return row ? squeeze(out, 0) : out;
}

Tensor trace(ops::At x) {
  if (autocasts()) return autocasted("trace", &trace, x);
  const CalledAs name("trace", x.where);
  check_rank("trace", x.operand.tensor(), 2);
  return sum(diagonal(x));
}

Tensor diag(ops::At x, int64_t diagonal) {
  const CalledAs name("diag", x.where);
  const int64_t rank = x.operand.tensor().rank();
  VITRO_CHECK(rank == 1 || rank == 2, "diag: takes a vector or a matrix, got sizes ",
              numbers_of(x.operand.tensor().sizes()));
  if (rank == 1) return diag_embed(x, diagonal);
  return clone(vitro::diagonal(x, diagonal), ops::MemoryFormat::contiguous);
}

Tensor diag_embed(ops::At x, int64_t offset, int64_t dim1, int64_t dim2) {
  const CalledAs name("diag_embed", x.where);
  const Tensor& t = x.operand.tensor();
  VITRO_CHECK(t.rank() > 0, "diag_embed: takes a tensor with dimensions");
  const int64_t first = ops::wrap_dim("diag_embed", dim1, t.rank() + 1),
                second = ops::wrap_dim("diag_embed", dim2, t.rank() + 1);
  VITRO_CHECK(first != second, "diag_embed: dim1 and dim2 must differ, got ", dim1, " and ", dim2);
  const Size size = t.size(-1) + (offset < 0 ? Size(0) - offset : Size(offset));
  Sizes sizes = t.sizes();
  sizes.pop_back();
  sizes.insert(static_cast<size_t>(std::min(first, second)), size);
  sizes.insert(static_cast<size_t>(std::max(first, second)), size);
  return diagonal_scatter(zeros(sizes, t.dtype(), t.device()), t, offset, first, second);
}

namespace {

// The number of elements of a row x col matrix where column <= row + offset.
int64_t count_below(int64_t row, int64_t col, int64_t offset) {
  const int64_t end = std::clamp<int64_t>(-offset, 0, row);          // rows before have none
  const int64_t full = std::clamp<int64_t>(col - offset, end, row);  // those from here on have all
  const Size partial = Size(full - end), shortest = end + offset + 1;
  return (partial * shortest + partial * (partial - 1) / 2 + Size(row - full) * col).value();
}

Tensor triangle_indices(std::string_view op, int64_t row, int64_t col, int64_t offset, bool lower,
                        DType dtype, std::optional<Device> device) {
  VITRO_CHECK(row >= 0 && col >= 0, op, ": needs sizes of 0 or more, got ", row, " and ", col);
  VITRO_CHECK(dtype == DType::i64 || dtype == DType::i32, op, ": indices are i64 or i32, got ",
              dtype);
  constexpr int64_t far = int64_t{1} << 40;
  offset = std::clamp(offset, -far, far);
  const int64_t all = (Size(row) * col).value();
  const int64_t below = count_below(row, col, lower ? offset : offset - 1);
  const int64_t count = lower ? below : all - below;
  if (count == 0) return zeros({2, 0}, dtype, device);
  const Value places = arange(all, DType::i64, device);
  const Value right = ops::remainder(places, col) - ops::floor_divide(places, col);
  const Value inside = lower ? right <= offset : right >= offset;
  // Each place goes to its number among those inside; the others go behind all of these.
  const Value target = ops::where(inside, cumsum(inside, 0) - 1, count);
  const Tensor found =
      narrow(scatter(zeros({count + 1}, DType::i64, device), 0, target, places), 0, 0, count);
  return to(stack({ops::floor_divide(found, col), ops::remainder(found, col)}), dtype);
}

}  // namespace

Tensor tril_indices(int64_t row, int64_t col, int64_t offset, DType dtype,
                    std::optional<Device> device, std::source_location from) {
  const CalledAs name("tril_indices", from);
  return triangle_indices("tril_indices", row, col, offset, true, dtype, device);
}

Tensor triu_indices(int64_t row, int64_t col, int64_t offset, DType dtype,
                    std::optional<Device> device, std::source_location from) {
  const CalledAs name("triu_indices", from);
  return triangle_indices("triu_indices", row, col, offset, false, dtype, device);
}

Tensor linalg_vander(ops::At x, std::optional<int64_t> N) {
  const CalledAs name("linalg_vander", x.where);
  const Tensor t = x.operand.tensor().rank() == 0 ? reshape(x, {1}) : x.operand.tensor();
  VITRO_CHECK(!N || *N > 1, "linalg_vander: N must be greater than 1, got ", *N);
  Sizes sizes = t.sizes();
  sizes.push_back((N ? Size(*N) : t.size(-1)) - 1);
  const Value powers = cumprod(expand(unsqueeze(t, -1), sizes), -1);
  sizes.back() = 1;
  return cat({ones(sizes, powers.dtype(), t.device()), powers}, -1);
}

Tensor vander(ops::At x, std::optional<int64_t> N, bool increasing) {
  const CalledAs name("vander", x.where);
  const Tensor& t = x.operand.tensor();
  VITRO_CHECK(t.rank() == 1, "vander: takes a vector, got sizes ", numbers_of(t.sizes()));
  VITRO_CHECK(!N || *N >= 0, "vander: N must not be negative, got ", *N);
  const Size rows = t.size(0), columns = N ? Size(*N) : rows;
  const Value wide = is_integer(t.dtype()) || is_bool(t.dtype()) ? to(x, DType::i64) : Value(t);
  if (equal(columns, 0)) return zeros({rows, 0}, wide.dtype(), t.device());
  const Value powers = cumprod(expand(unsqueeze(wide, 1), {rows, columns - 1}), 1);
  const Value all = cat({ones({rows, 1}, wide.dtype(), t.device()), powers}, 1);
  return increasing ? Tensor(all) : flip(all, {1});
}

}  // namespace vitro
