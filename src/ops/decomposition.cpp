// Shape rules of decompositions.
#include "vitro/ops/decomposition.h"

#include <utility>

#include "core/numbers.h"
#include "ops/matrices.h"
#include "vitro/base/error.h"
#include "vitro/ops/complex.h"
#include "vitro/ops/view.h"

namespace vitro::ops {

Value transposed(const Tensor& x) {
  return transpose(x, -2, -1);
}
Value adjoint(const Tensor& x) {
  return conj(transposed(x));
}
void check_matrices(std::string_view op, const Sizes& sizes) {
  VITRO_CHECK(sizes.size() >= 2, op, ": needs a matrix or a batch of matrices, got sizes ",
              numbers_of(sizes));
}
void check_square(std::string_view op, const Sizes& sizes) {
  check_matrices(op, sizes);
  VITRO_CHECK(equal(sizes[sizes.size() - 2], sizes.back()), op,
              ": needs a square matrix or a batch of them, got sizes ", numbers_of(sizes));
}

namespace {

void check_operand(std::string_view op, const TensorMeta& a) {
  check_matrices(op, a.sizes);
  VITRO_CHECK(a.dtype == DType::f32 || a.dtype == DType::f64 || is_complex(a.dtype), op,
              ": takes f32, f64, c64 or c128, got ", a.dtype, "; cast it first");
}
void check_square_operand(std::string_view op, const TensorMeta& a) {
  check_operand(op, a);
  check_square(op, a.sizes);
}

Sizes batch_of(const TensorMeta& a) {
  Sizes out = a.sizes;
  out.pop_back();
  out.pop_back();
  return out;
}
Sizes with(Sizes batch, std::initializer_list<Size> inner) {
  for (const Size& size : inner) batch.push_back(size);
  return batch;
}

// Matrices whose columns are contiguous.
TensorMeta column_major(const TensorMeta& like, const Sizes& batch, Size rows, Size columns) {
  TensorMeta out = dense(like.dtype, like.device, with(batch, {columns, rows}));
  const size_t last = out.sizes.size() - 1;
  std::swap(out.sizes[last], out.sizes[last - 1]);
  std::swap(out.strides[last], out.strides[last - 1]);
  return out;
}
TensorMeta none(const TensorMeta& like) {
  return dense(like.dtype, like.device, {0});
}
TensorMeta integers(const TensorMeta& like, Sizes sizes) {
  return dense(DType::i32, like.device, std::move(sizes));
}

// The sizes of the matrices of an operand.
struct Shape {
  Sizes batch;
  Size m, n, k;  // k: the smaller of both
  explicit Shape(const TensorMeta& a)
      : batch(batch_of(a)), m(a.sizes[a.sizes.size() - 2]), n(a.sizes.back()), k(min(m, n)) {}
};

// Operand B of an equation with the square matrices A.
void check_right_side(ShapeCall& call, const TensorMeta& a, const TensorMeta& b, bool left) {
  check_operand(call.op, b);
  VITRO_CHECK(a.dtype == b.dtype, call.op, ": dtypes of A and B differ: ", a.dtype, " and ",
              b.dtype, "; cast one of them");
  VITRO_CHECK(equal(a.sizes.back(), left ? b.sizes[b.sizes.size() - 2] : b.sizes.back()), call.op,
              ": A and B do not fit in ", left ? "A X = B" : "X A = B", ": sizes ",
              numbers_of(a.sizes), " and ", numbers_of(b.sizes));
  VITRO_CHECK(equal_sizes(batch_of(a), batch_of(b)), call.op,
              ": the batches of A and B differ: sizes ", numbers_of(a.sizes), " and ",
              numbers_of(b.sizes));
}

void check_pivots(ShapeCall& call, const TensorMeta& lu, const TensorMeta& pivots) {
  const Shape s(lu);
  VITRO_CHECK(pivots.dtype == DType::i32, call.op, ": pivots must be i32, got ", pivots.dtype);
  VITRO_CHECK(equal_sizes(pivots.sizes, with(s.batch, {s.k})), call.op, ": pivots of sizes ",
              numbers_of(pivots.sizes), " do not belong to LU of sizes ", numbers_of(lu.sizes));
}

}  // namespace

void LinalgCholeskyEx::shape(ShapeCall& call) {
  const TensorMeta& a = *call.operands[0].meta;
  check_square_operand(call.op, a);
  const Shape s(a);
  call.results.push_back(column_major(a, s.batch, s.n, s.n));
  call.results.push_back(integers(a, s.batch));
}

void LinalgLuFactorEx::shape(ShapeCall& call) {
  const TensorMeta& a = *call.operands[0].meta;
  check_operand(call.op, a);
  VITRO_CHECK(call.attrs.as<Attrs>().pivot, call.op,
              ": pivot=False is not implemented; needs pivot=True");
  const Shape s(a);
  call.results.push_back(column_major(a, s.batch, s.m, s.n));
  call.results.push_back(integers(a, with(s.batch, {s.k})));
  call.results.push_back(integers(a, s.batch));
}

void LuUnpack::shape(ShapeCall& call) {
  VITRO_CHECK(call.operands[1].meta, call.op, ": operand 1 must be a tensor");
  const TensorMeta &lu = *call.operands[0].meta, &pivots = *call.operands[1].meta;
  const auto& attrs = call.attrs.as<Attrs>();
  check_operand(call.op, lu);
  check_pivots(call, lu, pivots);
  const Shape s(lu);
  const auto part = [&](bool wanted, Size rows, Size columns) {
    call.results.push_back(wanted ? dense(lu.dtype, lu.device, with(s.batch, {rows, columns}))
                                  : none(lu));
  };
  part(attrs.unpack_pivots, s.m, s.m);
  part(attrs.unpack_data, s.m, s.k);
  part(attrs.unpack_data, s.k, s.n);
}

void LinalgLuSolve::shape(ShapeCall& call) {
  const TensorMeta &lu = *call.operands[0].meta, &pivots = *call.operands[1].meta,
                   &b = *call.operands[2].meta;
  check_square_operand(call.op, lu);
  check_pivots(call, lu, pivots);
  check_right_side(call, lu, b, call.attrs.as<Attrs>().left);
  const Shape s(b);
  call.results.push_back(call.attrs.as<Attrs>().left ? column_major(b, s.batch, s.m, s.n)
                                                     : dense(b.dtype, b.device, b.sizes));
}

void LinalgSolveTriangular::shape(ShapeCall& call) {
  const TensorMeta &a = *call.operands[0].meta, &b = *call.operands[1].meta;
  check_square_operand(call.op, a);
  check_right_side(call, a, b, call.attrs.as<Attrs>().left);
  const Shape s(b);
  call.results.push_back(column_major(b, s.batch, s.m, s.n));
}

void LinalgQr::shape(ShapeCall& call) {
  const TensorMeta& a = *call.operands[0].meta;
  check_operand(call.op, a);
  const QrMode mode = call.attrs.as<Attrs>().mode;
  const Shape s(a);
  const Size columns = mode == QrMode::complete ? s.m : s.k;
  call.results.push_back(mode == QrMode::r ? none(a) : column_major(a, s.batch, s.m, columns));
  call.results.push_back(column_major(a, s.batch, columns, s.n));
}

void LinalgSvd::shape(ShapeCall& call) {
  const TensorMeta& a = *call.operands[0].meta;
  check_operand(call.op, a);
  const auto& attrs = call.attrs.as<Attrs>();
  const Shape s(a);
  const bool full = attrs.full_matrices, vectors = attrs.compute_uv;
  call.results.push_back(vectors ? column_major(a, s.batch, s.m, full ? s.m : s.k) : none(a));
  call.results.push_back(dense(real_of(a.dtype), a.device, with(s.batch, {s.k})));
  call.results.push_back(vectors ? column_major(a, s.batch, full ? s.n : s.k, s.n) : none(a));
}

void LinalgEigh::shape(ShapeCall& call) {
  const TensorMeta& a = *call.operands[0].meta;
  check_square_operand(call.op, a);
  const Shape s(a);
  call.results.push_back(dense(real_of(a.dtype), a.device, with(s.batch, {s.n})));
  call.results.push_back(call.attrs.as<Attrs>().compute_v ? column_major(a, s.batch, s.n, s.n)
                                                          : none(a));
}

void LinalgLdlFactorEx::shape(ShapeCall& call) {
  const TensorMeta& a = *call.operands[0].meta;
  check_square_operand(call.op, a);
  const Shape s(a);
  call.results.push_back(column_major(a, s.batch, s.n, s.n));
  call.results.push_back(integers(a, with(s.batch, {s.n})));
  call.results.push_back(integers(a, s.batch));
}

void LinalgLdlSolve::shape(ShapeCall& call) {
  const TensorMeta &ld = *call.operands[0].meta, &pivots = *call.operands[1].meta,
                   &b = *call.operands[2].meta;
  check_square_operand(call.op, ld);
  check_pivots(call, ld, pivots);
  check_right_side(call, ld, b, true);
  const Shape s(b);
  call.results.push_back(column_major(b, s.batch, s.m, s.n));
}

void Geqrf::shape(ShapeCall& call) {
  const TensorMeta& a = *call.operands[0].meta;
  check_operand(call.op, a);
  const Shape s(a);
  call.results.push_back(column_major(a, s.batch, s.m, s.n));
  call.results.push_back(dense(a.dtype, a.device, with(s.batch, {s.k})));
}

void LinalgMatrixExp::shape(ShapeCall& call) {
  const TensorMeta& a = *call.operands[0].meta;
  check_square_operand(call.op, a);
  call.results.push_back(dense(a.dtype, a.device, a.sizes));
}

namespace {

// The description of complex numbers for that of their pairs, and back; integers, such as pivots,
// have none. Strides of operands play no part.
TensorMeta complex_meta(const ShapeCall& call, const TensorMeta& pairs) {
  VITRO_CHECK((pairs.dtype == DType::f32 || pairs.dtype == DType::f64) && pairs.rank() > 0 &&
                  equal(pairs.sizes.back(), 2),
              call.op, ": needs pairs of f32 or f64 in the last dimension, got ", pairs.dtype,
              " of sizes ", numbers_of(pairs.sizes));
  TensorMeta out = pairs;
  out.dtype = complex_of(pairs.dtype);
  out.sizes.pop_back();
  out.strides.pop_back();
  return out;
}
TensorMeta meta_of_pairs(TensorMeta complex) {
  complex.dtype = real_of(complex.dtype);
  for (Size& stride : complex.strides) stride = stride * 2;
  complex.sizes.push_back(2);
  complex.strides.push_back(1);
  return complex;
}

}  // namespace

void shape_of_pairs(ShapeCall& call, void (*shape)(ShapeCall&)) {
  std::vector<TensorMeta> metas;
  metas.reserve(call.operands.size());
  std::vector<Argument> operands(call.operands.begin(), call.operands.end());
  for (Argument& one : operands) {
    if (one.meta && is_integer(one.meta->dtype)) continue;
    VITRO_CHECK(one.meta, call.op, ": needs tensors");
    one.meta = &metas.emplace_back(complex_meta(call, *one.meta));
  }
  ShapeCall of_complex{call.op, operands, call.attrs, call.results};
  shape(of_complex);
  for (TensorMeta& one : call.results) {
    if (is_complex(one.dtype)) one = meta_of_pairs(std::move(one));
  }
}

void LinalgEig::shape(ShapeCall& call) {
  const TensorMeta& given = *call.operands[0].meta;
  const auto& attrs = call.attrs.as<Attrs>();
  TensorMeta a = attrs.of_pairs ? complex_meta(call, given) : given;
  check_square_operand(call.op, a);
  a.dtype = complex_of(a.dtype);
  const Shape s(a);
  call.results.push_back(meta_of_pairs(dense(a.dtype, a.device, with(s.batch, {s.n}))));
  call.results.push_back(
      meta_of_pairs(attrs.compute_v ? column_major(a, s.batch, s.n, s.n) : none(a)));
}

}  // namespace vitro::ops
