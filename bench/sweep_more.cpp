// Programs of the sweep: scans, writes at indices, losses, complex numbers, and more reductions.
#include "sweep.h"
#include "vitro/vitro.h"

namespace vitro::bench {
namespace {

Tensor complex_of(In x) {
  return view_as_complex(x[0]);
}

const SweepPrograms scans({
    {"cumsum_rows", "nxn", [](In x) { return cumsum(x[0], 1); }},
    {"cumsum_columns", "nxn", [](In x) { return cumsum(x[0], 0); }},
    {"cumprod_rows", "nxn", [](In x) { return cumprod(x[0], 1); }},
    {"cummax_rows", "nxn", [](In x) { return cummax(x[0], 1).first; }},
    {"logcumsumexp_rows", "nxn", [](In x) { return logcumsumexp(x[0], 1); }},
});

const SweepPrograms more_reductions({
    {"prod_rows", "nxn", [](In x) { return prod(x[0], {1}); }},
    {"std_columns", "nxn", [](In x) { return stddev(x[0], {0}); }},
    {"norm_rows", "nxn", [](In x) { return linalg_vector_norm(x[0], 2, {1}); }},
    {"logsumexp_rows", "nxn", [](In x) { return logsumexp(x[0], {1}); }},
    {"max_rows", "nxn", [](In x) { return max(x[0], 1).first; }},
    {"amax", "nxn", [](In x) { return amax(x[0], {}); }},
    {"all", "nxn:bool", [](In x) { return all(x[0]); }},
    {"sum_i64", "nxn:i64", [](In x) { return sum(x[0], {1}); }},
    {"sum_bool", "nxn:bool", [](In x) { return sum(x[0]); }},
    {"mean_bf16", "nxn:bf16", [](In x) { return mean(x[0], {1}); }},
    {"median", "n*n:f64", [](In x) { return median(x[0]); }},
    {"topk_f64", "nxn:f64", [](In x) { return topk(x[0], 10, 1).first; }},
    {"topk_columns_of_t", "nxn", [](In x) { return topk(t(x[0]), 10, 0).first; }},
    {"argsort_rows", "nxn", [](In x) { return argsort(x[0], 1); }},
    {"kthvalue_rows", "nxn", [](In x) { return kthvalue(x[0], 3, 1).first; }},
});

const SweepPrograms written({
    {"scatter_add_rows", "nxn nxn:i64 nxn", [](In x) { return scatter_add(x[0], 1, x[1], x[2]); }},
    {"scatter_add_columns", "nxn nxn:i64 nxn",
     [](In x) { return scatter_add(x[0], 0, x[1], x[2]); }},
    {"scatter_amax", "nxn nxn:i64 nxn",
     [](In x) { return scatter_reduce(x[0], 0, x[1], x[2], ops::ScatterReduction::amax); }},
    {"scatter_rows", "nxn nxn:i64 nxn", [](In x) { return scatter(x[0], 1, x[1], x[2]); }},
    {"index_add", "nxn n:i64 nxn", [](In x) { return index_add(x[0], 0, x[1], x[2]); }},
    {"index_put", "nxn n:i64 nxn", [](In x) { return index_put(x[0], {x[1]}, x[2]); }},
    {"index_rows", "nxn n:i64", [](In x) { return index(x[0], {x[1]}); }},
    {"index_pairs", "nxn nxn:i64 nxn:i64", [](In x) { return index(x[0], {x[1], x[2]}); }},
    {"masked_select", "nxn nxn:bool", [](In x) { return masked_select(x[0], x[1]); }},
    {"nonzero", "nxn:bool", [](In x) { return nonzero(x[0]); }},
    {"tril", "nxn", [](In x) { return tril(x[0], -1); }},
    {"one_hot", "n:i64", [](In x) { return one_hot(x[0], x[0].size(0).value()); }},
    {"repeat", "nxn", [](In x) { return repeat(x[0], {2, 2}); }},
    {"repeat_interleave", "nxn", [](In x) { return repeat_interleave(x[0], 2, 1); }},
});

const SweepPrograms losses({
    {"cross_entropy", "nxn n:i64", [](In x) { return cross_entropy_loss(x[0], x[1]); }},
    {"mse_loss", "nxn nxn", [](In x) { return mse_loss(x[0], x[1]); }},
    {"smooth_l1_loss", "nxn nxn", [](In x) { return smooth_l1_loss(x[0], x[1]); }},
    {"bce_logits", "nxn nxn:positive",
     [](In x) { return binary_cross_entropy_with_logits(x[0], x[1]); }},
});

const SweepPrograms more_functions({
    {"rsqrt", "nxn:positive", [](In x) { return rsqrt(x[0]); }},
    {"reciprocal", "nxn:positive", [](In x) { return reciprocal(x[0]); }},
    {"square", "nxn", [](In x) { return square(x[0]); }},
    {"pow_half", "nxn:positive", [](In x) { return pow(x[0], 1.7); }},
    {"pow_tensor", "nxn:positive nxn", [](In x) { return pow(x[0], x[1]); }},
    {"floor", "nxn", [](In x) { return floor(x[0]); }},
    {"sign", "nxn", [](In x) { return sign(x[0]); }},
    {"isnan", "nxn", [](In x) { return isnan(x[0]); }},
    {"hardswish", "nxn", [](In x) { return hardswish(x[0]); }},
    {"leaky_relu", "nxn", [](In x) { return leaky_relu(x[0], 0.1); }},
    {"elu", "nxn", [](In x) { return elu(x[0]); }},
    {"softplus", "nxn", [](In x) { return softplus(x[0]); }},
    {"mish", "nxn", [](In x) { return mish(x[0]); }},
    {"prelu", "nxn 1", [](In x) { return prelu(x[0], x[1]); }},
    {"lerp", "nxn nxn nxn", [](In x) { return lerp(x[0], x[1], x[2]); }},
    {"addcmul", "nxn nxn nxn", [](In x) { return addcmul(x[0], x[1], x[2], 0.5); }},
    {"remainder", "nxn nxn:positive", [](In x) { return remainder(x[0], x[1]); }},
    {"floor_divide", "nxn:i64 nxn:i64", [](In x) { return floor_divide(x[0], x[1] + 1); }},
    {"bitwise_and", "nxn:i64 nxn:i64", [](In x) { return bitwise_and(x[0], x[1]); }},
    {"equal_i64", "nxn:i64 nxn:i64", [](In x) { return x[0] == x[1]; }},
    {"atan2", "nxn nxn:positive", [](In x) { return atan2(x[0], x[1]); }},
    {"cos_f64", "nxn:f64", [](In x) { return cos(x[0]); }},
    {"exp_f64", "nxn:f64", [](In x) { return exp(x[0]); }},
    {"tanh_bf16", "nxn:bf16", [](In x) { return tanh(x[0]); }},
    {"mul_u8", "nxn:u8 nxn:u8", [](In x) { return x[0] * x[1]; }},
    {"u8_to_f32", "nxn:u8", [](In x) { return to(x[0], DType::f32); }},
    {"f32_to_u8", "nxn:positive", [](In x) { return to(x[0], DType::u8); }},
    {"i64_to_f32", "nxn:i64", [](In x) { return to(x[0], DType::f32); }},
    {"full_like", "nxn", [](In x) { return full_like(x[0], 3); }},
    {"arange", "n*n", [](In x) { return arange(0, x[0].size(0).value()); }},
});

const SweepPrograms complex_numbers({
    {"complex_add", "nxnx2", [](In x) { return view_as_real(complex_of(x) + complex_of(x)); }},
    {"complex_mul", "nxnx2", [](In x) { return view_as_real(complex_of(x) * complex_of(x)); }},
    {"complex_abs", "nxnx2", [](In x) { return abs(complex_of(x)); }},
    {"complex_exp", "nxnx2", [](In x) { return view_as_real(exp(complex_of(x))); }},
    {"complex_div", "nxnx2:positive",
     [](In x) { return view_as_real(complex_of(x) / complex_of(x)); }},
    {"polar", "nxn nxn", [](In x) { return view_as_real(polar(x[0], x[1])); }},
});

}  // namespace
}  // namespace vitro::bench
