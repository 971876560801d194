// Calls of every op as programs of torch.export: saved and loaded again they give the same results.
// With SAVED_PACKAGES set to a folder the programs stay there, with inputs and results, for
// tests/exported/saved_test.py.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>

#include "eager/call.h"
#include "vitro/exported/export.h"
#include "vitro/io/safetensors.h"
#include "vitro/ops/create.h"

namespace vitro::test {
namespace {

namespace fs = std::filesystem;

constexpr int calls_of_an_op = 4;  // the first ones

fs::path folder() {
  const char* given = std::getenv("SAVED_PACKAGES");
  return given ? fs::path(given) : fs::path(testing::TempDir()) / "vitro_saved_samples";
}

bool is_suitable(const OpSample& sample) {
  if (sample.error || !sample.values || sample.manual_seed || sample.results.empty()) return false;
  for (const SampleOperand& one : sample.operands) {
    const auto* tensor = std::get_if<SampleTensor>(&one);
    if (tensor && (tensor->dtype.starts_with("c") || tensor->sizes.empty())) return false;
  }
  for (const SampleResult& one : sample.results)
    if (one.is_none() || one.dtype.starts_with("c")) return false;
  return true;
}

// Eager computes some functions in another order than as ops.
bool is_close(const Tensor& got, const Tensor& wanted) {
  if (cat(got.dtype(), got.sizes()) != cat(wanted.dtype(), wanted.sizes())) return false;
  const std::vector<double> a = to(got, DType::f64).to_vector<double>();
  const std::vector<double> b = to(wanted, DType::f64).to_vector<double>();
  for (size_t i = 0; i < a.size(); ++i) {
    const bool same = a[i] == b[i] || (std::isnan(a[i]) && std::isnan(b[i]));
    if (!same && !(std::abs(a[i] - b[i]) <= 1e-5 + 1e-4 * std::abs(b[i]))) return false;
  }
  return true;
}

// Saves and loads the call; how the results differ, empty if they do not.
std::string saved_differs(const OpSample& sample, const std::string& name) {
  const SampleCall call = call_of(sample);
  std::vector<Tensor> inputs;  // calls may write theirs
  for (const Tensor& one : tensors_of(call)) inputs.push_back(clone(one));
  const std::vector<Tensor> wanted =
      ops::call(call.overload->schema.full_name(), {}, call.arguments);
  const auto f = [&](const std::vector<Tensor>& tensors) {
    const SampleCall now = with_tensors(call, tensors);
    return ops::call(now.overload->schema.full_name(), {}, now.arguments);
  };
  const std::string path = (folder() / (name + ".pt2")).string();
  save(export_graph(f, inputs), path);
  const ExportedModel model = load(path);
  std::vector<ArgValue> given;
  for (const Tensor& one : inputs) given.emplace_back(clone(one));
  const ModelResults got = model(std::span<const ArgValue>(given));
  std::vector<io::NamedTensor> arrays;
  for (size_t i = 0; i < inputs.size(); ++i)
    arrays.push_back({cat("0.in.", model.inputs()[i].name), contiguous(inputs[i])});
  for (size_t i = 0; i < wanted.size(); ++i) {
    arrays.push_back({cat("0.out.", i), contiguous(wanted[i])});
    if (!is_close(got[i], wanted[i])) return cat("result ", i, " differs");
  }
  io::write_safetensors((folder() / (name + ".safetensors")).string(), arrays);
  return "";
}

TEST(SavedSamples, programs_of_one_op_give_its_results) {
  fs::create_directories(folder());
  std::map<std::string, int> calls;
  std::set<std::string> unsaved;
  int saved = 0;
  for (const std::string& family : OpSamples::families()) {
    const OpSamples all = OpSamples::read(family);
    for (const OpSample& sample : all.samples()) {
      if (!is_suitable(sample) || calls[sample.op] == calls_of_an_op) continue;
      const std::string name = cat(sample.op, '_', calls[sample.op]++);
      try {
        EXPECT_EQ(saved_differs(sample, name), "") << sample.where;
        ++saved;
      } catch (const Error& e) {
        unsaved.insert(cat(sample.op, ": ", e.what()));
        fs::remove(folder() / (name + ".pt2"));
      }
    }
  }
  for (const std::string& one : unsaved) {
    const bool is_known = one.find("ATen has no call for") != one.npos ||  // random numbers, ...
                          one.find("needs a value at") != one.npos ||      // it reads elements
                          one.find("as another dtype cannot be saved") != one.npos;
    EXPECT_TRUE(is_known) << one;
  }
  EXPECT_GT(saved, 2000);
}

}  // namespace
}  // namespace vitro::test
