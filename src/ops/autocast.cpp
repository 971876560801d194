// The lists of ops that cast their operands in the scope of an Autocast, and the casts.
// tests/eager/autocast_test.cpp compares them with torch's.
#include "ops/autocast.h"

#include <algorithm>
#include <optional>
#include <span>
#include <unordered_map>

#include "vitro/base/error.h"
#include "vitro/ops/create.h"

namespace vitro::ops {
namespace {

enum class Policy : uint8_t {
  scope,   // computes in the dtype of the scope
  single,  // in f32
  widest,  // in f32 if an operand is f32, else in the dtype of the scope
  given,   // in the dtypes of its operands; so do all ops that are not in the lists
};

constexpr std::string_view in_scope[] = {
    "addbmm",
    "addmm",
    "baddbmm",
    "bmm",
    "conv1d",
    "conv2d",
    "conv3d",
    "conv_transpose1d",
    "conv_transpose2d",
    "conv_transpose3d",
    "linalg_vecdot",
    "linear",
    "matmul",
    "mm",
    "prelu",
    "rnn_relu",
    "rnn_relu_cell",
    "rnn_tanh",
    "rnn_tanh_cell",
    "scaled_dot_product_attention",
};
constexpr std::string_view in_single[] = {
    "_lu_with_info",
    "adaptive_avg_pool3d",
    "adaptive_max_pool3d",
    "avg_pool3d",
    "binary_cross_entropy",
    "binary_cross_entropy_with_logits",
    "cdist",
    "cholesky",
    "cholesky_inverse",
    "cholesky_solve",
    "cosine_embedding_loss",
    "cross_entropy_loss",
    "ctc_loss",
    "fft_fft",
    "fft_fft2",
    "fft_fftn",
    "fft_hfft",
    "fft_ifft",
    "fft_ifft2",
    "fft_ifftn",
    "fft_ihfft",
    "fft_irfft",
    "fft_irfft2",
    "fft_irfftn",
    "fft_rfft",
    "fft_rfft2",
    "fft_rfftn",
    "fractional_max_pool2d",
    "fractional_max_pool3d",
    "geqrf",
    "grid_sampler",
    "grid_sampler_2d",
    "grid_sampler_3d",
    "hinge_embedding_loss",
    "huber_loss",
    "inverse",
    "kl_div",
    "l1_loss",
    "linalg_cholesky",
    "linalg_cholesky_ex",
    "linalg_cond",
    "linalg_eig",
    "linalg_eigh",
    "linalg_eigvals",
    "linalg_eigvalsh",
    "linalg_householder_product",
    "linalg_inv",
    "linalg_inv_ex",
    "linalg_lstsq",
    "linalg_matrix_rank",
    "linalg_qr",
    "linalg_solve",
    "linalg_svd",
    "linalg_svdvals",
    "linalg_tensorinv",
    "linalg_tensorsolve",
    "lu_solve",
    "margin_ranking_loss",
    "max_pool3d",
    "max_unpool2d",
    "max_unpool3d",
    "mse_loss",
    "multi_margin_loss",
    "multilabel_margin_loss",
    "multilabel_margin_loss_forward",
    "nanquantile",
    "nll_loss",
    "orgqr",
    "ormqr",
    "pinverse",
    "poisson_nll_loss",
    "polar",
    "prod",
    "qr",
    "quantile",
    "reflection_pad1d",
    "reflection_pad2d",
    "replication_pad1d",
    "replication_pad2d",
    "replication_pad3d",
    "smooth_l1_loss",
    "soft_margin_loss",
    "stft",
    "svd",
    "trace",
    "triangular_solve",
    "triplet_margin_loss",
    "view_as_complex",
};
constexpr std::string_view in_widest[] = {"cat", "index_copy", "stack"};
// Functions that are written with ops of the lists, where PyTorch's are not.
constexpr std::string_view as_given[] = {
    "addmv", "dot", "fft_hfft2", "fft_hfftn", "fft_ihfft2", "fft_ihfftn", "mv",
};

using Policies = std::unordered_map<std::string_view, Policy>;
const Policies& policies() {
  static const auto* all = [] {
    auto* made = new Policies;
    const auto add = [&](std::span<const std::string_view> names, Policy policy) {
      for (const std::string_view name : names) made->emplace(name, policy);
    };
    add(in_scope, Policy::scope);
    add(in_single, Policy::single);
    add(in_widest, Policy::widest);
    add(as_given, Policy::given);
    return made;
  }();
  return *all;
}

std::optional<Policy> policy_of(std::string_view name) {
  const auto found = policies().find(name);
  return found == policies().end() ? std::nullopt : std::optional(found->second);
}

bool may_be_cast(const Tensor& t) {
  if (!t.defined()) return false;
  const DType dtype = t.dtype();
  return dtype == DType::f32 || dtype == DType::f16 || dtype == DType::bf16;
}

// The cast of a parameter to the dtype of the scope, which is kept.
Tensor kept_cast(const Tensor& parameter, DType to, std::source_location where) {
  const bool is_recorded = thread_state.modes.grad_enabled;
  const uint32_t writes = writes_to(parameter);
  // Nobody counts what is written through data().
  const Storage& memory = parameter.impl()->storage;
  if (memory && memory.exposed()) return vitro::to({parameter, where}, to);
  KeptCast& kept = kept_casts()[parameter.impl()];
  const bool fits = kept.cast.defined() && kept.cast.dtype() == to && kept.writes == writes &&
                    kept.is_recorded == is_recorded;
  if (!fits) kept = {parameter, vitro::to({parameter, where}, to), writes, is_recorded};
  return kept.cast;
}

Tensor cast(const Tensor& t, DType to, std::source_location where) {
  if (!may_be_cast(t) || t.dtype() == to) return t;
  const bool is_kept = is_autocast_cache_enabled() && to == get_autocast_dtype() &&
                       t.dtype() == DType::f32 && t.requires_grad() && t.is_leaf();
  return is_kept ? kept_cast(t, to, where) : vitro::to({t, where}, to);
}

// That of f32 and the scope which holds what both have.
DType wider(DType known, const Tensor& t) {
  return t.defined() && t.dtype() == DType::f32 ? DType::f32 : known;
}

DType dtype_for(Policy policy, std::span<const Operand> operands) {
  if (policy == Policy::single) return DType::f32;
  DType out = get_autocast_dtype();
  if (policy == Policy::widest) {
    for (const Operand& operand : operands)
      if (operand.is_tensor()) out = wider(out, operand.tensor());
  }
  return out;
}

void call_with_casts(const OpCall& call, std::span<Tensor> results) {
  const WithoutAutocast inside;
  const std::optional<Policy> policy = call.in_place ? std::nullopt : policy_of(call.op->name);
  if (!policy || policy == Policy::given) return vitro::call(call, results);
  const DType to = dtype_for(*policy, call.operands);
  std::vector<Tensor> casts;  // operands refer to them
  casts.reserve(call.operands.size());
  std::vector<Operand> operands(call.operands.begin(), call.operands.end());
  for (Operand& operand : operands) {
    if (operand.is_tensor()) operand = casts.emplace_back(cast(operand.tensor(), to, call.where));
  }
  vitro::call(OpCall{call.op, operands, call.attrs, false, call.where}, results);
}

const struct AtLoad {
  AtLoad() { set_autocast_caller(&call_with_casts); }
} at_load;

}  // namespace

ArgumentCasts::ArgumentCasts(std::string_view function) {
  const std::optional<Policy> policy = policy_of(function);
  VITRO_ASSERT(policy);
  casts_ = policy != Policy::given;
  takes_widest_ = policy == Policy::widest;
  to_ = dtype_for(*policy, {});
}

void ArgumentCasts::look_at_one(const Tensor& argument) {
  to_ = wider(to_, argument);
}

Tensor ArgumentCasts::of(const Tensor& argument, std::source_location where) const {
  return casts_ ? cast(argument, to_, where) : argument;
}

std::vector<Tensor> ArgumentCasts::of(const TensorsArg& arguments) const {
  std::vector<Tensor> out;
  for (const Tensor& one : arguments) out.push_back(of(one));
  return out;
}

}  // namespace vitro::ops
