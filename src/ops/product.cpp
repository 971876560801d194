// Matrix products: shape rules, the program for integers, and the public functions; matmul chooses
// among mm, bmm and batches of matrices.
#include "vitro/ops/product.h"

#include <array>

#include "ops/wide.h"
#include "vitro/base/error.h"
#include "vitro/ops/binary.h"
#include "vitro/ops/create.h"
#include "vitro/ops/reduce.h"
#include "vitro/ops/view.h"

namespace vitro::ops {
namespace {

void same_numbers(const ShapeCall& call, const TensorMeta& a, const TensorMeta& b) {
  VITRO_CHECK(a.dtype == b.dtype, call.op, ": dtypes differ: ", a.dtype, " and ", b.dtype,
              "; cast one of them");
  VITRO_CHECK(is_floating(a.dtype) || is_integer(a.dtype) || is_complex(a.dtype), call.op,
              ": takes numbers (not bool), got ", a.dtype);
}

void same_inner(const ShapeCall& call, Size columns, Size rows) {
  VITRO_CHECK(equal(columns, rows), call.op, ": inner sizes differ: left has ", columns,
              " columns, right has ", rows, " rows");
}

Sizes product_sizes(const ShapeCall& call, int rank) {
  const TensorMeta &a = *call.operands[0].meta, &b = *call.operands[1].meta;
  VITRO_CHECK(a.rank() == rank && b.rank() == rank, call.op, ": needs two tensors of rank ", rank,
              ", got sizes ", a.sizes, " and ", b.sizes);
  const auto m = static_cast<size_t>(rank - 2), k = static_cast<size_t>(rank - 1);
  same_inner(call, a.sizes[k], b.sizes[m]);
  Sizes sizes{a.sizes[m], b.sizes[k]};
  if (rank == 3) {
    VITRO_CHECK(equal(a.sizes[0], b.sizes[0]), call.op, ": batch sizes differ: ", a.sizes[0],
                " and ", b.sizes[0]);
    sizes.insert(0, a.sizes[0]);
  }
  return sizes;
}

void product_shape(ShapeCall& call, int rank) {
  const TensorMeta &a = *call.operands[0].meta, &b = *call.operands[1].meta;
  const Sizes sizes = product_sizes(call, rank);
  same_numbers(call, a, b);
  call.results.push_back(dense(a.dtype, a.device, sizes));
}

const TensorMeta& tensor_of(const ShapeCall& call, size_t i) {
  VITRO_CHECK(call.operands[i].meta, call.op, ": operand ", i, " must be a tensor");
  return *call.operands[i].meta;
}

bool is_one(const Operand& o) {
  return o.is_number() && o.number().is(1);
}

Operand given(std::span<const Operand> operands, size_t i, const Operand& otherwise) {
  return i < operands.size() && operands[i].kind() != Operand::Kind::none ? operands[i] : otherwise;
}

}  // namespace

void Mm::shape(ShapeCall& call) {
  product_shape(call, 2);
}
void Bmm::shape(ShapeCall& call) {
  product_shape(call, 3);
}

void IntMm::shape(ShapeCall& call) {
  const TensorMeta &a = *call.operands[0].meta, &b = *call.operands[1].meta;
  VITRO_CHECK((a.dtype == DType::i8 || a.dtype == DType::u8) && b.dtype == DType::i8, call.op,
              ": takes i8 or u8 on the left, i8 on the right, got ", a.dtype, " and ", b.dtype,
              "; mm multiplies in the dtype of its operands");
  call.results.push_back(dense(DType::i32, a.device, product_sizes(call, 2)));
}

// Sums over k of a[..., m, k, 1] * b[..., 1, k, n], in any order: integer sums wrap around.
void Contraction::integer_product(std::span<const Operand> operands, AttrsView,
                                  std::span<Tensor> results) {
  const Tensor &a = operands[0].tensor(), &b = operands[1].tensor();
  const Tensor terms = mul(unsqueeze(a, -1), unsqueeze(b, -3));
  results[0] = sum(terms, {-2}, false, a.dtype());
}

void IntMm::integer_product(std::span<const Operand> operands, AttrsView attrs,
                            std::span<Tensor> results) {
  const Tensor a = to(operands[0].tensor(), DType::i32), b = to(operands[1].tensor(), DType::i32);
  Contraction::integer_product(std::array{Operand(a), Operand(b)}, attrs, results);
}

void Addmm::shape(ShapeCall& call) {
  const TensorMeta &x = tensor_of(call, 0), &a = tensor_of(call, 1), &b = tensor_of(call, 2);
  VITRO_CHECK(a.rank() == 2 && b.rank() == 2, "addmm: needs two matrices, got sizes ", a.sizes,
              " and ", b.sizes);
  same_numbers(call, a, b);
  VITRO_CHECK(x.dtype == a.dtype, "addmm: dtypes differ: ", x.dtype, " and ", a.dtype,
              "; cast one of them");
  for (const Argument& factor : call.operands.subspan(3))
    if (factor.number) check_holds(call.op, compute_type(a.dtype), *factor.number);
  same_inner(call, a.sizes[1], b.sizes[0]);
  const Sizes sizes{a.sizes[0], b.sizes[1]}, both = broadcast(call.op, sizes, x.sizes);
  VITRO_CHECK(both.size() == 2 && equal(both[0], sizes[0]) && equal(both[1], sizes[1]),
              "addmm: sizes ", x.sizes, " do not broadcast to ", sizes);
  call.results.push_back(dense(a.dtype, a.device, sizes));
}

void Addmm::expand(std::span<const Operand> operands, AttrsView, std::span<Tensor> results) {
  const Operand one = 1, beta = given(operands, 3, one), alpha = given(operands, 4, one);
  const DType dtype = operands[1].tensor().dtype(), wide = compute_type(dtype);
  Tensor product = mm(to(operands[1].tensor(), wide), to(operands[2].tensor(), wide));
  if (!is_one(alpha)) product = mul(product, alpha);
  if (beta.is_number() && beta.number().is(0)) {
    results[0] = to(product, dtype);
    return;
  }
  const Tensor x = to(operands[0].tensor(), wide);
  results[0] = to(add(product, is_one(beta) ? x : mul(x, beta)), dtype);
}

void Linear::shape(ShapeCall& call) {
  const TensorMeta &x = tensor_of(call, 0), &weight = tensor_of(call, 1);
  VITRO_CHECK(x.rank() >= 1 && weight.rank() == 2,
              "linear: needs x of rank 1 or more and weight of rank 2, got sizes ", x.sizes,
              " and ", weight.sizes);
  same_numbers(call, x, weight);
  VITRO_CHECK(equal(x.sizes.back(), weight.sizes[1]), "linear: x has ", x.sizes.back(),
              " features, weight of sizes ", weight.sizes, " takes ", weight.sizes[1]);
  if (call.operands.size() > 2 && call.operands[2].meta) {
    const TensorMeta& bias = *call.operands[2].meta;
    VITRO_CHECK(bias.rank() == 1 && equal(bias.sizes[0], weight.sizes[0]) && bias.dtype == x.dtype,
                "linear: bias must be ", x.dtype, " of sizes [", weight.sizes[0], "], got ",
                bias.dtype, " of sizes ", bias.sizes);
  }
  Sizes sizes = x.sizes;
  sizes.back() = weight.sizes[0];
  call.results.push_back(dense(x.dtype, x.device, sizes));
}

void Linear::expand(std::span<const Operand> operands, AttrsView, std::span<Tensor> results) {
  const bool has_bias = operands.size() > 2 && operands[2].is_tensor();
  const DType dtype = operands[0].tensor().dtype(), wide = has_bias ? compute_type(dtype) : dtype;
  const Tensor x = to(operands[0].tensor(), wide), weight = to(operands[1].tensor(), wide);
  Sizes sizes = x.sizes();
  const bool flat = sizes.size() == 2;
  Size rows = 1;
  for (size_t d = 0; d + 1 < sizes.size(); ++d) rows = rows * sizes[d];
  Tensor y = mm(flat ? x : reshape(x, {rows, sizes.back()}), t(weight));
  if (has_bias) y = to(add(y, to(operands[2].tensor(), wide)), dtype);
  sizes.back() = weight.size(0);
  results[0] = flat ? y : view(y, sizes);
}

namespace {

// The sizes of a matmul operand as a batch of matrices.
struct Matrices {
  Sizes batch;
  Size rows, columns;
  bool vector;
};

Matrices as_matrices(const Sizes& sizes, bool left) {
  if (sizes.size() == 1) return {{}, left ? Size(1) : sizes[0], left ? sizes[0] : Size(1), true};
  Sizes batch = sizes;
  batch.pop_back();
  batch.pop_back();
  return {batch, sizes[sizes.size() - 2], sizes.back(), false};
}

Sizes matmul_sizes(Sizes batch, const Matrices& a, const Matrices& b) {
  if (!a.vector) batch.push_back(a.rows);
  if (!b.vector) batch.push_back(b.columns);
  return batch;
}

Tensor flat_batch(const Tensor& x, const Sizes& batch, const Matrices& m) {
  Sizes wide = batch;
  wide.push_back(m.rows);
  wide.push_back(m.columns);
  const Tensor matrices = m.vector ? view(x, {m.rows, m.columns}) : x;
  return reshape(expand(matrices, wide), {product(batch), m.rows, m.columns});
}

}  // namespace

void Matmul::shape(ShapeCall& call) {
  const TensorMeta &a = tensor_of(call, 0), &b = tensor_of(call, 1);
  VITRO_CHECK(a.rank() > 0 && b.rank() > 0, "matmul: needs tensors with dimensions, got sizes ",
              a.sizes, " and ", b.sizes, "; use mul for numbers");
  same_numbers(call, a, b);
  const Matrices left = as_matrices(a.sizes, true), right = as_matrices(b.sizes, false);
  same_inner(call, left.columns, right.rows);
  const Sizes batch = broadcast(call.op, left.batch, right.batch);
  call.results.push_back(dense(a.dtype, a.device, matmul_sizes(batch, left, right)));
}

void Matmul::expand(std::span<const Operand> operands, AttrsView, std::span<Tensor> results) {
  const Tensor &a = operands[0].tensor(), &b = operands[1].tensor();
  const Matrices left = as_matrices(a.sizes(), true), right = as_matrices(b.sizes(), false);
  const Sizes batch = broadcast(name, left.batch, right.batch);
  if (right.batch.empty()) {  // a single matrix on the right: one product
    const Tensor rows = reshape(a, {product(left.batch) * left.rows, left.columns});
    const Tensor y = mm(rows, right.vector ? view(b, {right.rows, right.columns}) : b);
    results[0] = reshape(y, matmul_sizes(batch, left, right));
    return;
  }
  const Tensor y = bmm(flat_batch(a, batch, left), flat_batch(b, batch, right));
  results[0] = reshape(y, matmul_sizes(batch, left, right));
}

}  // namespace vitro::ops
