// The contenders of `vitro bench` that are this library: a model, eager or compiled, in a process
// of its own; and the comparison of its results with those of others.
#include <algorithm>
#include <iostream>
#include <limits>
#include <span>

#include "bench.h"
#include "comparison.h"
#include "model_inputs.h"
#include "vitro/base/cache_folder.h"
#include "vitro/base/cat.h"
#include "vitro/base/clock.h"
#include "vitro/base/counted.h"
#include "vitro/base/error.h"
#include "vitro/io/npy.h"
#include "vitro/ops/concat.h"
#include "vitro/ops/create.h"
#include "vitro/ops/view.h"
#include "vitro/runtime/parallel.h"

namespace vitro::cli {
namespace {

constexpr size_t most_calls = 100'000;  // of a turn
constexpr int warm_calls = 3;           // the first calls of a compiled model may run op by op

int64_t ns_since(uint64_t moment) {
  return ticks_to_ns(ticks() - moment);
}

// The size that is called the batch: the first one, if it may vary, of the first input with sizes.
std::optional<ModelSize> batch_of(const ExportedModel& model) {
  for (const ModelInput& one : model.inputs())
    if (one.kind == ModelInput::Kind::tensor && !one.sizes.empty())
      return one.sizes[0].number ? std::nullopt : std::optional(one.sizes[0]);
  return std::nullopt;
}

// The tensor with another size, by repeating or leaving out elements.
Tensor with_size(const Tensor& x, int64_t dim, int64_t size) {
  const int64_t has = x.size(dim).value();
  VITRO_CHECK(has > 0, "--batch: an input has no elements to repeat");
  std::vector<Tensor> copies(static_cast<size_t>((size + has - 1) / has), x);
  const Tensor all = copies.size() == 1 ? x : cat(std::span<const Tensor>(copies), dim);
  return contiguous(narrow(all, dim, 0, size));
}

std::vector<ArgValue> inputs_of(const ExportedModel& model, const BenchSetting& setting,
                                int64_t batch) {
  std::vector<ArgValue> out = read_inputs(model, setting.inputs);
  const std::optional<ModelSize> size = batch_of(model);
  if (batch == 0 || !size) return out;
  for (size_t i = 0; i < out.size(); ++i) {
    auto* tensor = std::get_if<Tensor>(&out[i]);
    const std::vector<ModelSize>& sizes = model.inputs()[i].sizes;
    for (size_t d = 0; tensor && d < sizes.size(); ++d)
      if (sizes[d].text == size->text) *tensor = with_size(*tensor, static_cast<int64_t>(d), batch);
  }
  return out;
}

// The batch that the inputs have; 0 if the model has no size called so.
int64_t batch_in(const ExportedModel& model, const std::vector<ArgValue>& inputs) {
  if (!batch_of(model)) return 0;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const auto* tensor = std::get_if<Tensor>(&inputs[i]);
    if (tensor && !model.inputs()[i].sizes.empty()) return tensor->size(0).value();
  }
  return 0;
}

// As NumPy has it, which lacks bf16.
Tensor for_numpy(const Tensor& x) {
  return x.dtype() == DType::bf16 ? to(x, DType::f32) : x;
}

void write_inputs(const std::string& path, const ExportedModel& model,
                  const std::vector<ArgValue>& inputs) {
  std::vector<NamedTensor> arrays;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const ModelInput& about = model.inputs()[i];
    if (about.kind == ModelInput::Kind::literal) continue;
    if (const auto* tensor = std::get_if<Tensor>(&inputs[i])) {
      arrays.push_back({about.name, for_numpy(*tensor)});
    } else if (const auto* number = std::get_if<Scalar>(&inputs[i])) {
      arrays.push_back({about.name, scalar_tensor(*number, number->dtype())});
    }
  }
  io::write_npz(path, arrays);
}

void write_results(const std::string& path, const ModelResults& results) {
  std::vector<NamedTensor> arrays;
  for (const ArgValue& value : results.values()) {
    if (const auto* tensor = std::get_if<Tensor>(&value); tensor && tensor->defined()) {
      arrays.push_back({cat(arrays.size()), for_numpy(*tensor)});
    } else if (const auto* number = std::get_if<Scalar>(&value)) {
      arrays.push_back({cat(arrays.size()), scalar_tensor(*number, number->dtype())});
    }
  }
  io::write_npz(path, arrays);
}

std::vector<int64_t> turn(const std::function<int64_t()>& call, double seconds) {
  const double ns = seconds * 1e9;
  uint64_t begin = ticks();
  do {
    call();
  } while (static_cast<double>(ns_since(begin)) < ns / 5);
  std::vector<int64_t> times;
  begin = ticks();
  do {
    times.push_back(call());
  } while (static_cast<double>(ns_since(begin)) < ns && times.size() < most_calls);
  return times;
}

// The contender, in its own process.
void serve(const BenchSetting& setting, const BenchRow& row, const std::string& folder) {
  set_num_threads(row.threads);
  if (!folder.empty()) cache_dir.set(cat(folder, "/", caches_name, "/vitro"));
  uint64_t begin = ticks();
  ExportedModel model = load(setting.file, setting.model);
  const int64_t loading = ns_since(begin);
  const std::vector<ArgValue> inputs = inputs_of(model, setting, row.batch);
  if (!folder.empty()) write_inputs(folder + "/inputs.npz", model, inputs);
  if (row.mode == compiled_mode) model = compiled(model, {.asynchronous = setting.asynchronous});
  begin = ticks();
  std::optional<ModelResults> results = model(std::span<const ArgValue>(inputs));
  const int64_t first = ns_since(begin);
  if (setting.asynchronous) {
    model.wait();
    results = model(std::span<const ArgValue>(inputs));  // of the kernels
  }
  if (!folder.empty()) write_results(cat(folder, "/", row.mode, ".npz"), *results);
  results.reset();
  const auto call = [&] {
    const uint64_t from = ticks();
    (void)model(std::span<const ArgValue>(inputs));
    return ns_since(from);
  };
  for (int i = 0; i < warm_calls; ++i) call();
  std::cout << "ready " << loading << ' ' << first << ' ' << batch_in(model, inputs) << std::endl;
  for (double seconds = 0; std::cin >> seconds;) {
    std::cout << "times";
    for (const int64_t time : turn(call, seconds)) std::cout << ' ' << time;
    std::cout << std::endl;
  }
}

// Differences that are accepted: what programs of other orders of sums come to.
Difference compare(const Tensor& got, const Tensor& wanted, DType dtype) {
  if (!is_floating(dtype) && !is_complex(dtype)) return difference(to(got, wanted.dtype()), wanted);
  const DType real = is_complex(dtype) ? real_of(dtype) : dtype;
  const double few_bits = real == DType::bf16 ? 0.06 : real == DType::f16 ? 0.008 : 0;
  const std::vector<double> all =
      reshape(to(is_complex(wanted.dtype()) ? wanted.pairs() : wanted, DType::f64), {-1})
          .to_vector<double>();
  double largest = 0;
  for (const double one : all)
    if (std::abs(one) <= std::numeric_limits<double>::max())
      largest = std::max(largest, std::abs(one));
  return difference(to(got, wanted.dtype()), wanted, std::max(1e-3, few_bits),
                    std::max(std::max(1e-4, few_bits) * largest, 1e-5));
}

std::string compared(const BenchSetting& setting, const std::string& folder,
                     const std::string& mode) {
  const auto read = [&](std::string_view of) {
    return io::read_npz(cat(folder, "/", of, ".npz")).value();
  };
  const std::vector<NamedTensor> got = read(mode), wanted = read(compiled_mode);
  if (got.size() != wanted.size())
    return cat(counted(got.size(), "result"), ", ours ", wanted.size());
  const ExportedModel model = load(setting.file, setting.model);
  std::vector<ModelOutput> outputs;
  for (const ModelOutput& one : model.outputs())
    if (one.is_tensor) outputs.push_back(one);
  for (size_t i = 0; i < wanted.size(); ++i) {
    const bool known = outputs.size() == wanted.size();
    const Difference found = compare(got[i].tensor, wanted[i].tensor,
                                     known ? outputs[i].dtype : wanted[i].tensor.dtype());
    if (!found.is_same())
      return cat(known ? outputs[i].name : cat("result ", i), ": ", found.text());
  }
  return "";
}

}  // namespace

std::vector<int64_t> batches_of(const BenchSetting& setting) {
  if (setting.batches.empty()) return {0};
  for (const int64_t one : setting.batches)
    VITRO_CHECK(one > 0, "--batch: needs sizes of at least 1, got ", one);
  VITRO_CHECK(batch_of(load(setting.file, setting.model)),
              "--batch: the first size of the model's first input is fixed; export it with "
              "dynamic_shapes");
  return setting.batches;
}

std::unique_ptr<Contender> start_model(const BenchSetting& setting, const BenchRow& row,
                                       const std::string& folder) {
  return std::make_unique<Contender>([&] { serve(setting, row, folder); });
}

// In a process of its own, because children of this one miss its threads.
std::string difference_of_results(const BenchSetting& setting, const std::string& folder,
                                  const std::string& mode) {
  Contender process([&] { std::cout << "found " << compared(setting, folder, mode) << std::endl; });
  return process.answer(setting.limit).substr(std::string_view("found ").size());
}

}  // namespace vitro::cli
