// Checks one call in three ways (eager, compiled, compiled for symbolic sizes); see check_call.h.
#include "opinfo/check_call.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <numbers>
#include <optional>
#include <string_view>

#include "eager/call.h"
#include "eager/compare.h"
#include "vitro/base/cat.h"
#include "vitro/base/error.h"
#include "vitro/compile/compile.h"
#include "vitro/ops/complex.h"
#include "vitro/ops/create.h"
#include "vitro/ops/gather.h"
#include "vitro/ops/operators.h"
#include "vitro/ops/product.h"
#include "vitro/ops/rearrange.h"
#include "vitro/ops/reduce.h"
#include "vitro/ops/sort.h"
#include "vitro/ops/unary.h"
#include "vitro/ops/view.h"

namespace vitro::test {
namespace {

using Kind = Finding::Kind;

// Why the overload does not implement the value of an argument; empty if it does.
std::string not_implemented(const SampleCall& call) {
  const ops::Overload& overload = *call.overload;
  const auto& arguments = overload.schema.arguments;
  for (const NamedArg& given : call.arguments) {
    for (size_t i = 0; i < arguments.size(); ++i) {
      if (arguments[i].name != given.name) continue;
      const bool unused = overload.function ? i >= overload.function.takes()
                                            : overload.roles[i] == ops::Role::unused;
      if (!unused) continue;
      const Verdict ignored = ops::can_ignore(overload.schema, arguments[i], given.value);
      if (!ignored) return ignored.why;
    }
  }
  return "";
}

struct Outcome {
  std::vector<Tensor> results;
  Tensor first;       // the first tensor among the arguments
  std::string error;  // of a refused call
  std::string fault;  // of anything else that it threw, or of a segment that was not compiled
};

template <class F>
Outcome outcome_of(const std::vector<Tensor>& tensors, F f) {
  Outcome out;
  if (!tensors.empty()) out.first = tensors[0];
  try {
    out.results = f(tensors);
  } catch (const Error& error) {
    out.error = error.message();
  } catch (const std::exception& error) {
    out.fault = cat("throws something other than an Error: ", error.what());
  }
  return out;
}

// A number as a tensor of its own dtype.
std::vector<Tensor> results_of(const SampleCall& call) {
  if (!ops::returns_number(call.overload->schema))
    return ops::call(*call.overload, {}, call.arguments);
  const auto number = std::get<Scalar>(ops::evaluate(*call.overload, {}, call.arguments).at(0));
  return {scalar_tensor(number, number.dtype())};
}

Outcome eagerly(const SampleCall& call) {
  return outcome_of(tensors_of(call), [&](const std::vector<Tensor>&) { return results_of(call); });
}

Outcome compiled(const SampleCall& call, bool dynamic) {
  const auto fast = compile(
      [&](const std::vector<Tensor>& tensors) { return results_of(with_tensors(call, tensors)); },
      {.dynamic = dynamic});
  Outcome out = outcome_of(tensors_of(call), fast);
  for (const Diagnostic& one : fast.report().fallbacks)
    out.fault += cat(one.code ? one.code->id : "", ' ', one.reason, ' ');
  return out;
}

bool shares_memory(const Tensor& result, const Outcome& of) {
  return of.first.defined() && result.numel().value() > 0 && result.storage() == of.first.storage();
}

bool same_bits(const Tensor& x, const Tensor& y) {
  return differs(contiguous(x), contiguous(y)).empty();
}
// Whether each row along dim has each index once.
bool are_permutations(const Tensor& indices, int64_t dim) {
  if (indices.rank() == 0) return indices.item<int64_t>() == 0;
  const Tensor ascending = sort(indices, dim).first;
  const Tensor places = arange(indices.size(dim), DType::i64);
  return all(transpose(ascending, dim, -1) == places).item<bool>();
}

// Whether the indices that an op returns select its elements. Which of equal elements it chooses,
// and in which order a sort that is not stable leaves them, is not specified by torch.
bool selects_its_values(const OpSample& sample, const Outcome& of) {
  constexpr std::array<std::string_view, 5> ops = {"kthvalue", "median", "mode", "nanmedian",
                                                   "topk"};
  const std::string_view op = std::string_view(sample.op).substr(0, sample.op.find('.'));
  const bool sorts = op == "sort" || op == "argsort";
  if (sample.attrs.value("stable", false)) return false;
  if (!sorts && std::ranges::find(ops, op) == ops.end()) return false;
  const int64_t dim = sample.attrs.value("dim", int64_t{-1});
  const Tensor &given = of.results.back(), &x = of.first;
  if (sorts && !are_permutations(given, dim)) return false;
  if (op == "argsort")
    return same_bits(gather(x, dim, given),
                     sort(x, dim, sample.attrs.value("descending", false)).first);
  if (of.results.size() != 2) return false;
  const bool removed = given.rank() < x.rank();
  const Tensor values = gather(x, dim, removed ? unsqueeze(given, dim) : given);
  return same_bits(removed ? squeeze(values, dim) : values, of.results[0]);
}

bool is_near(const Tensor& x, const Tensor& y) {
  return x.numel().value() == 0 || all(abs(x - y) <= 1e-5 * (1.0 + amax(abs(y)))).item<bool>();
}
Tensor mH(const Tensor& x) {
  return transpose(conj(x), -1, -2);
}
bool is_orthonormal(const Tensor& columns) {
  return is_near(matmul(mH(columns), columns), eye(columns.size(-1), {}, columns.dtype()));
}

// Whether the results, of which LAPACK chooses the signs, are what was asked for: orthonormal U and
// V with U S V^H = A, orthonormal V with V diag(w) V^H = A, or unit vectors V with A V = V diag(w).
bool is_svd(const Tensor& a, const Tensor& u, const Tensor& s, const Tensor& vh) {
  const Size k = s.size(-1);
  const Tensor product = matmul(narrow(u, -1, 0, k) * unsqueeze(s, -2), narrow(vh, -2, 0, k));
  return is_near(product, a) && is_orthonormal(u) && is_orthonormal(mH(vh));
}
bool is_eigh(const OpSample& sample, const Tensor& a, const Tensor& w, const Tensor& v) {
  const bool upper = sample.attrs.value("UPLO", std::string("L")) == "U";
  const Tensor half = upper ? triu(a) : tril(a), other = mH(half);
  const Tensor whole = half + (upper ? tril(other, -1) : triu(other, 1));
  const Tensor with_real_diagonal = (whole + mH(whole)) * 0.5;
  return is_near(matmul(v * unsqueeze(w, -2), mH(v)), with_real_diagonal) && is_orthonormal(v);
}
bool is_eig(const Tensor& a, const Tensor& w, const Tensor& v) {
  const Tensor lengths = sum(square(abs(v)), {-2});
  return is_near(matmul(a, v), v * unsqueeze(w, -2)) && is_near(lengths, ones_like(lengths));
}
bool has_the_operand_as_product(const OpSample& sample, const Outcome& of) {
  const bool complex = of.first.is_complex() || sample.op == "linalg_eig";
  const DType wide = complex ? DType::c128 : DType::f64;
  const Tensor a = to(of.first, wide);
  const auto result = [&](size_t i) { return to(of.results[i], wide); };
  const size_t count = of.results.size();
  if (sample.op == "linalg_svd" && count == 3) return is_svd(a, result(0), result(1), result(2));
  if (sample.op == "svd" && sample.attrs.value("compute_uv", true))
    return is_svd(a, result(0), result(1), mH(result(2)));
  if (sample.op == "linalg_eigh" && count == 2) return is_eigh(sample, a, result(0), result(1));
  if (sample.op == "linalg_eig" && count == 2) return is_eig(a, result(0), result(1));
  return false;
}

// With imaginary parts within pi of torch's. A logarithm is defined up to multiples of 2 pi i;
// which one a sum of logarithms is depends on the order of its terms.
template <class T>
std::vector<std::byte> beside(std::vector<std::byte> got, const SampleResult& want) {
  const auto imaginary = [](const std::byte* elements, size_t i) {
    T out;
    std::memcpy(&out, elements + (2 * i + 1) * sizeof out, sizeof out);
    return out;
  };
  for (size_t i = 0; i < want.elements.size() / (2 * sizeof(T)); ++i) {
    T part = imaginary(got.data(), i);
    const double turn = 2 * std::numbers::pi;
    part +=
        static_cast<T>(turn * std::round(double{imaginary(want.elements.data(), i) - part} / turn));
    if (std::isfinite(part))
      std::memcpy(got.data() + (2 * i + 1) * sizeof part, &part, sizeof part);
  }
  return got;
}
std::vector<std::byte> elements_for(const OpSample& sample, const SampleResult& want,
                                    const Tensor& got) {
  const std::vector<std::byte> elements = elements_of(got);
  if (sample.op != "logcumsumexp" || !got.is_complex()) return elements;
  return got.dtype() == DType::c64 ? beside<float>(elements, want) : beside<double>(elements, want);
}

std::string wrong(const OpSample& sample, const SampleResult& want, const Tensor& got,
                  const Outcome& eager) {
  const std::string layout = layout_differs(want, got);
  if (!layout.empty()) return layout;
  if (shares_memory(got, eager) != want.offset.has_value())
    return want.offset ? "is a copy, torch returns a view" : "is a view, torch returns a copy";
  return sample.values ? difference(want, elements_for(sample, want, got), sample.tolerance) : "";
}

std::string compare_with_torch(const OpSample& sample, const Outcome& eager) {
  if (!eager.fault.empty()) return eager.fault;
  if (!eager.error.empty()) return sample.error ? "" : cat("refused: ", eager.error);
  if (sample.error) return cat("accepted, torch says: ", sample.message);
  if (eager.results.size() != sample.results.size())
    return cat("number of results: ", eager.results.size(), ", needed ", sample.results.size());
  for (size_t i = 0; i < sample.results.size(); ++i) {
    const std::string problem = wrong(sample, sample.results[i], eager.results[i], eager);
    const bool other = problem.starts_with("element");
    const bool is_index = i + 1 == sample.results.size();
    if (other && is_index && selects_its_values(sample, eager)) continue;
    if (other && has_the_operand_as_product(sample, eager)) continue;
    if (!problem.empty()) return cat("result ", i, ": ", problem);
  }
  return "";
}

std::string compare_with_eager(const OpSample& sample, const Outcome& fast, const Outcome& eager) {
  if (!fast.fault.empty()) return fast.fault;
  if (fast.error.empty() != eager.error.empty())
    return fast.error.empty() ? "accepted, unlike eager" : cat("refused: ", fast.error);
  if (fast.results.size() != eager.results.size()) return "number of results";
  for (size_t i = 0; i < fast.results.size(); ++i) {
    const Tensor &got = fast.results[i], &want = eager.results[i];
    if (shares_memory(got, fast) != shares_memory(want, eager))
      return cat("result ", i, ": memory is not shared as by eager");
    if (!sample.values) continue;
    const std::string problem = differs(got, want);
    if (!problem.empty()) return cat("result ", i, ": ", problem);
  }
  return "";
}

// What the op says it does not do, if it refused a call that torch accepts.
bool is_not_implemented(const OpSample& sample, const Outcome& eager) {
  return !sample.error && eager.error.find("not implemented") != std::string::npos;
}

Finding first_difference(const OpSample& sample, bool compile_too) {
  const auto failed = [&](std::string_view how, const std::string& problem) {
    return Finding{Kind::failed, cat(sample.where, ": ", how, problem)};
  };
  // Calls may write into their arguments, so each has its own.
  const Outcome eager = eagerly(call_of(sample));
  if (is_not_implemented(sample, eager))
    return {Kind::skipped, cat("not implemented: ", eager.error)};
  std::string problem = compare_with_torch(sample, eager);
  if (!problem.empty()) return failed("", problem);
  if (!compile_too) return {};
  problem = compare_with_eager(sample, compiled(call_of(sample), false), eager);
  if (!problem.empty()) return failed("compiled: ", problem);
  problem = compare_with_eager(sample, compiled(call_of(sample), true), eager);
  return problem.empty() ? Finding{} : failed("compiled for symbolic sizes: ", problem);
}

}  // namespace

Finding check_call(const OpSample& sample, bool compiled) {
  if (!is_callable(sample))
    return {Kind::skipped, cat("no such op: ", sample.op.substr(0, sample.op.find('.')))};
  const Result<SampleCall> call = find_call(sample);
  if (!call) {
    if (sample.error) return {};
    return {Kind::skipped, cat("arguments are not taken: ", sample.op)};
  }
  const std::string lacking = not_implemented(*call);
  if (!lacking.empty()) return {Kind::skipped, cat("not implemented: ", lacking)};
  return first_difference(sample, compiled);
}

}  // namespace vitro::test
