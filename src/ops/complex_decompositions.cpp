// The rules of decompositions of complex matrices: the same op on pairs, whose kernel calls LAPACK
// for complex numbers.
#include <algorithm>
#include <array>

#include "ops/complex_calls.h"
#include "ops/matrices.h"
#include "vitro/base/error.h"
#include "vitro/ops/concat.h"
#include "vitro/ops/create.h"
#include "vitro/ops/decomposition.h"
#include "vitro/ops/gather.h"
#include "vitro/ops/product.h"
#include "vitro/ops/view.h"
#include "vitro/ops/window.h"

namespace vitro::ops {
namespace {

// First by the rule of the op on complex matrices, whose errors have their sizes.
template <class Op>
void on_pairs(ComplexCall& call) {
  const std::vector<TensorMeta> metas = infer(call.op(), call.call().operands, call.attrs());
  std::vector<Operand> operands;
  for (size_t i = 0; i < call.count(); ++i) {
    const Tensor& x = call.tensor(i);
    operands.emplace_back(x.is_complex() ? x.pairs() : x);
  }
  vitro::call(OpCall{&def<Op>(), operands, call.attrs(), false, call.call().where}, call.results());
  for (size_t k = 0; k < metas.size(); ++k) {
    if (is_complex(metas[k].dtype)) call.set(Tensor::as_complex(call.results()[k]), k);
  }
}

// P and the unit diagonal of L are real.
void lu_unpack_rule(ComplexCall& call) {
  (void)infer(call.op(), call.call().operands, call.attrs());
  const auto& attrs = call.attrs<LuUnpackAttrs>();
  const Parts lu = call.parts(0);
  const auto [p, l, u] = lu_unpack(lu.re, call.tensor(1), attrs.unpack_data, attrs.unpack_pivots);
  call.set(joined({p, {}}), 0);
  if (!attrs.unpack_data) return call.set(joined({l, {}}), 1), call.set(joined({u, {}}), 2);
  const Size m = lu.im.size(-2), n = lu.im.size(-1), k = min(m, n);
  call.set(joined({l, tril(narrow(lu.im, -1, 0, k), -1)}), 1);
  call.set(joined({u, triu(narrow(lu.im, -2, 0, k))}), 2);
}

// That of the real matrix [re, -im; im, re], which multiplies pairs as the complex one does
// numbers.
void matrix_exp_rule(ComplexCall& call) {
  (void)infer(call.op(), call.call().operands, call.attrs());
  const Parts a = call.parts(0);
  const Size n = a.re.size(-1);
  const Tensor upper = vitro::cat({a.re, -a.im}, -1), lower = vitro::cat({a.im, a.re}, -1);
  const Tensor columns = narrow(linalg_matrix_exp(vitro::cat({upper, lower}, -2)), -1, 0, n);
  call.set(Parts{narrow(columns, -2, 0, n), narrow(columns, -2, n, n)});
}

constexpr std::array rules = std::to_array<NamedRule>({
    {"_linalg_eigh", &on_pairs<EighOfPairs>},
    {"_linalg_svd", &on_pairs<SvdOfPairs>},
    {"geqrf", &on_pairs<GeqrfOfPairs>},
    {"linalg_cholesky_ex", &on_pairs<CholeskyOfPairs>},
    {"linalg_ldl_factor_ex", &on_pairs<LdlFactorOfPairs>},
    {"linalg_ldl_solve", &on_pairs<LdlSolveOfPairs>},
    {"linalg_lu_factor_ex", &on_pairs<LuFactorOfPairs>},
    {"linalg_lu_solve", &on_pairs<LuSolveOfPairs>},
    {"linalg_matrix_exp", &matrix_exp_rule},
    {"linalg_qr", &on_pairs<QrOfPairs>},
    {"linalg_solve_triangular", &on_pairs<SolveTriangularOfPairs>},
    {"lu_unpack", &lu_unpack_rule},
});
static_assert(std::ranges::is_sorted(rules, {}, &NamedRule::op));

}  // namespace

std::span<const NamedRule> complex_decomposition_rules() {
  return rules;
}

}  // namespace vitro::ops
