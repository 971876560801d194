// scaled_dot_product_attention: shape rule, and program of two batched products and a softmax.
#include "vitro/ops/attention.h"

#include <cmath>
#include <limits>

#include "core/numbers.h"
#include "vitro/base/called_as.h"
#include "vitro/base/error.h"
#include "vitro/ops/create.h"
#include "vitro/ops/norm.h"
#include "vitro/ops/operators.h"
#include "vitro/ops/random.h"
#include "vitro/ops/reduce.h"
#include "vitro/ops/view.h"

namespace vitro {
namespace ops {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

Sizes without_last_two(Sizes sizes) {
  sizes.pop_back();
  sizes.pop_back();
  return sizes;
}

Sizes with(Sizes sizes, Size a, Size b) {
  sizes.push_back(a);
  sizes.push_back(b);
  return sizes;
}

Tensor as_batch(const Tensor& x, const Sizes& batch) {
  const Size rows = x.size(-2), columns = x.size(-1);
  return reshape(expand(x, with(batch, rows, columns)), {product(batch), rows, columns});
}

// Softmax that gives 0 for a row in which every score is -inf.
Tensor softmax_of_some(const Tensor& scores) {
  const Tensor most = amax(scores, {-1}, true);
  const Tensor e = exp(scores - where(most == -infinity, 0.0, most)), total = sum(e, {-1}, true);
  return e / where(total == 0.0, 1.0, total);
}

// As in PyTorch, a mask of the program is added, so that NaN stays; what is_causal masks is left
// out.
Tensor added_mask(const Tensor& scores, const Tensor& mask) {
  return scores + (is_bool(mask.dtype()) ? where(mask, 0.0, -infinity) : to(mask, scores.dtype()));
}

}  // namespace

void ScaledDotProductAttention::shape(ShapeCall& call) {
  for (size_t i = 0; i < 3; ++i) {
    VITRO_CHECK(call.operands[i].meta && call.operands[i].meta->rank() >= 2, call.op,
                ": needs tensors of rank 2 or more");
  }
  const TensorMeta &q = *call.operands[0].meta, &k = *call.operands[1].meta,
                   &v = *call.operands[2].meta;
  VITRO_CHECK(is_floating(q.dtype) && q.dtype == k.dtype && q.dtype == v.dtype, call.op,
              ": q, k and v must have one floating-point dtype, got ", q.dtype, ", ", k.dtype,
              " and ", v.dtype);
  VITRO_CHECK(equal(q.sizes.back(), k.sizes.back()), call.op, ": q of sizes ", q.sizes,
              " and k of sizes ", k.sizes, " differ in their last size");
  VITRO_CHECK(equal(k.sizes[k.sizes.size() - 2], v.sizes[v.sizes.size() - 2]), call.op,
              ": k of sizes ", k.sizes, " and v of sizes ", v.sizes,
              " hold different numbers of keys");
  Sizes batch = broadcast(call.op, without_last_two(q.sizes), without_last_two(k.sizes));
  batch = broadcast(call.op, batch, without_last_two(v.sizes));
  const Size rows = q.sizes[q.sizes.size() - 2], keys = k.sizes[k.sizes.size() - 2];
  const TensorMeta* mask = call.operands.size() > 3 ? call.operands[3].meta : nullptr;
  if (mask) {
    VITRO_CHECK(is_bool(mask->dtype) || is_floating(mask->dtype), call.op,
                ": the mask must be bool or floating-point, got ", mask->dtype);
    const Sizes scores = with(batch, rows, keys);
    VITRO_CHECK(equal_sizes(broadcast(call.op, scores, mask->sizes), scores), call.op,
                ": a mask of sizes ", mask->sizes, " does not broadcast to ", scores);
  }
  TensorMeta result = dense(q.dtype, q.device, with(batch, rows, v.sizes.back()));
  if (equal_sizes(result.sizes, q.sizes)) result.strides = strides_like(q);
  call.results.push_back(std::move(result));
}

namespace {

Tensor attention(std::span<const Operand> operands, const AttentionAttrs& a, double dropout_p) {
  constexpr std::string_view name = ScaledDotProductAttention::name;
  const DType dtype = operands[0].tensor().dtype(), wide = compute_type(dtype);
  const Tensor q = to(operands[0].tensor(), wide), k = to(operands[1].tensor(), wide),
               v = to(operands[2].tensor(), wide);
  Sizes batch = broadcast(name, without_last_two(q.sizes()), without_last_two(k.sizes()));
  batch = broadcast(name, batch, without_last_two(v.sizes()));
  const Size rows = q.size(-2), keys = k.size(-2);
  const double scale =
      a.scale.value_or(1 / std::sqrt(static_cast<double>(static_cast<int64_t>(q.size(-1)))));
  Tensor scores = bmm(as_batch(q, batch), transpose(as_batch(k, batch), 1, 2)) * scale;
  const bool has_mask = operands.size() > 3 && operands[3].is_tensor();
  if (a.is_causal) {
    const Tensor seen = tril(full({rows, keys}, true, {}, q.device()));
    scores = where(seen, scores, -infinity);
  }
  if (has_mask) {
    scores = view(scores, with(batch, rows, keys));
    scores = reshape(added_mask(scores, operands[3].tensor()), {product(batch), rows, keys});
  }
  const bool empty = equal(rows, 0) || equal(keys, 0) || equal(product(batch), 0);
  const Tensor weights = empty ? scores : has_mask ? softmax_of_some(scores) : softmax(scores, -1);
  const Tensor y = bmm(dropout(weights, dropout_p), as_batch(v, batch));
  return to(view(y, with(batch, rows, v.size(-1))), dtype);
}

}  // namespace

void ScaledDotProductAttention::expand(std::span<const Operand> operands, AttrsView attrs,
                                       std::span<Tensor> results) {
  results[0] = attention(operands, attrs.as<Attrs>(), 0);
}

}  // namespace ops

namespace {

// Each head as often as needed for `heads` of them.
Tensor with_heads(const Tensor& x, Size heads) {
  if (equal(x.size(-3), heads)) return x;
  const int64_t rank = x.rank();
  Sizes each = x.sizes(), all = each;
  each.insert(static_cast<size_t>(rank - 2), heads / x.size(-3));
  all[static_cast<size_t>(rank - 3)] = heads;
  return reshape(expand(unsqueeze(x, rank - 2), each), all);
}

// Heads of q that share keys are a dimension in which these are broadcast.
Tensor grouped_attention(const ops::At& q, const Tensor& k, const Tensor& v, const Tensor& mask,
                         double dropout_p, bool is_causal, std::optional<double> scale) {
  constexpr std::string_view name = ops::ScaledDotProductAttention::name;
  const Tensor& t = q.operand.tensor();
  VITRO_CHECK(t.rank() >= 3 && k.rank() >= 3 && v.rank() >= 3, name,
              ": enable_gqa needs tensors of rank 3 or more");
  const Size heads = t.size(-3);
  for (const Tensor& one : {k, v}) {
    VITRO_CHECK(!equal(one.size(-3), 0) && equal(heads % one.size(-3), 0), name,
                ": enable_gqa needs a multiple of the heads of k and v in q, got sizes ",
                numbers_of(t.sizes()), ", ", numbers_of(k.sizes()), " and ", numbers_of(v.sizes()));
  }
  const bool has_heads = mask.defined() && mask.rank() >= 3;
  VITRO_CHECK(!has_heads || equal(mask.size(-3), 1) || equal(mask.size(-3), heads), name,
              ": a mask of sizes ", numbers_of(mask.sizes()),
              " is not for the heads of q of sizes ", numbers_of(t.sizes()));
  const Size shared = k.size(-3);
  if (equal(shared, heads) || !equal(shared, v.size(-3)))
    return scaled_dot_product_attention(q, with_heads(k, heads), with_heads(v, heads), mask,
                                        dropout_p, is_causal, scale);
  const auto split = [&](const Tensor& x) {
    Sizes sizes = x.sizes();
    const size_t at = sizes.size() - 3;
    const bool is_broadcast = equal(sizes[at], 1);
    const Size groups = is_broadcast ? Size(1) : shared;
    sizes.insert(at + 1, sizes[at] / groups);
    sizes[at] = groups;
    return reshape(x, sizes);
  };
  const Tensor y =
      scaled_dot_product_attention({split(t), q.where}, unsqueeze(k, -3), unsqueeze(v, -3),
                                   has_heads ? split(mask) : mask, dropout_p, is_causal, scale);
  Sizes sizes = y.sizes();
  const size_t at = sizes.size() - 4;
  sizes[at + 1] = sizes[at] * sizes[at + 1];
  sizes.erase(at);
  return reshape(y, sizes);
}

}  // namespace

Tensor scaled_dot_product_attention(ops::At q, const Tensor& k, const Tensor& v,
                                    const Tensor& attn_mask, double dropout_p, bool is_causal,
                                    std::optional<double> scale, bool enable_gqa) {
  if (enable_gqa) {
    const CalledAs name(ops::ScaledDotProductAttention::name, q.where);
    return grouped_attention(q, k, v, attn_mask, dropout_p, is_causal, scale);
  }
  using Op = ops::ScaledDotProductAttention;
  const Op::Attrs attrs{is_causal, scale};
  if (dropout_p == 0) return ops::call<Op>(q.where, {q.operand, k, v, attn_mask}, attrs);
  const CalledAs name(Op::name, q.where);
  VITRO_CHECK(dropout_p > 0 && dropout_p <= 1, Op::name, ": needs a dropout_p in [0, 1], got ",
              dropout_p);
  const Operand operands[] = {q.operand, k, v, attn_mask};
  (void)infer(ops::def<Op>(), operands, ops::attrs_view<Op>(attrs));  // checks them
  return ops::attention(operands, attrs, dropout_p);
}

}  // namespace vitro
