// Checks the gradients of one call: eager beside PyTorch's, compiled beside eager's.
#include "autograd/sample_gradients.h"
#include "eager/compare.h"
#include "opinfo/check_call.h"
#include "vitro/base/cat.h"
#include "vitro/compile/compile.h"

namespace vitro::test {
namespace {

using Kind = Finding::Kind;

// First order, and after these those of second order, if the sample has them.
std::vector<Tensor> all_gradients(const SampleCall& call, const OpSample& sample,
                                  const std::vector<Tensor>& seeds,
                                  const std::vector<Tensor>& directions) {
  std::vector<Tensor> out = gradients_of(call, seeds);
  if (sample.second.empty()) return out;
  for (Tensor& one : second_of(call, seeds, directions)) out.push_back(std::move(one));
  return out;
}

std::vector<Tensor> compiled(const OpSample& sample, bool dynamic, std::string& fault) {
  const SampleCall call = call_of(sample);
  const std::vector<Tensor> seeds = seeds_of(sample), directions = tensors_of(sample.directions);
  const auto fast = compile(
      [&](const std::vector<Tensor>& tensors, const std::vector<Tensor>& weights) {
        return all_gradients(with_tensors(call, tensors), sample, weights, directions);
      },
      {.dynamic = dynamic});
  std::vector<Tensor> out = fast(tensors_of(call), seeds);
  for (const Diagnostic& one : fast.report().fallbacks)
    fault += cat(one.code ? one.code->id : "", ' ', one.reason, ' ');
  return out;
}

std::string compare_with_torch(const OpSample& sample, const std::vector<Tensor>& got) {
  const size_t first = sample.gradients.size();
  if (got.size() != first + sample.second.size()) return cat("number of gradients: ", got.size());
  for (size_t i = 0; i < got.size(); ++i) {
    const auto& want = i < first ? sample.gradients[i] : sample.second[i - first];
    const std::string problem = wrong_gradient(sample, want, got[i]);
    if (!problem.empty())
      return cat(i < first ? "gradient " : "second gradient ", i < first ? i : i - first, ": ",
                 std::string_view(problem));
  }
  return "";
}

std::string compare_with_eager(const std::vector<Tensor>& got, const std::vector<Tensor>& want) {
  for (size_t i = 0; i < want.size(); ++i) {
    if (got[i].defined() != want[i].defined()) return cat("gradient ", i, ": only one is defined");
    if (!got[i].defined()) continue;
    const std::string problem = differs(contiguous(got[i]), contiguous(want[i]));
    if (!problem.empty()) return cat("gradient ", i, ": ", std::string_view(problem));
  }
  return "";
}

}  // namespace

Finding check_gradients(const OpSample& sample, bool compile_too) {
  if (!is_callable(sample))
    return {Kind::skipped, cat("no such op: ", sample.op.substr(0, sample.op.find('.')))};
  if (!find_call(sample)) return {Kind::skipped, cat("arguments are not taken: ", sample.op)};
  const auto failed = [&](std::string_view how, const std::string& problem) {
    return Finding{Kind::failed, cat(sample.where, ": ", how, std::string_view(problem))};
  };
  std::string how;
  try {
    const std::vector<Tensor> eager =
        all_gradients(call_of(sample), sample, seeds_of(sample), tensors_of(sample.directions));
    std::string problem = compare_with_torch(sample, eager);
    if (!problem.empty()) return failed("", problem);
    for (const bool dynamic : {false, true}) {
      if (!compile_too) break;
      how = dynamic ? "compiled for symbolic sizes: " : "compiled: ";
      std::string fault;
      const std::vector<Tensor> fast = compiled(sample, dynamic, fault);
      problem = fault.empty() ? compare_with_eager(fast, eager) : fault;
      if (!problem.empty()) return failed(how, problem);
    }
    return {};
  } catch (const std::exception& error) {
    return failed(how, cat("throws: ", error.what()));
  }
}

}  // namespace vitro::test
