// Averages of weights: one tensor for each parameter and buffer of a model, by its name.
#include "vitro/nn/average.h"

#include <algorithm>
#include <map>

#include "vitro/base/cat.h"
#include "vitro/base/error.h"
#include "vitro/core/interpreter.h"
#include "vitro/ops/all.h"
#include "vitro/ops/arithmetic.h"
#include "vitro/ops/shapes.h"

namespace vitro::nn {
namespace {

constexpr std::string_view count_name = "n_averaged", prefix = "module.";

}  // namespace

WeightAverage::WeightAverage(Module& model, bool use_buffers) {
  const NoGrad unrecorded;
  const auto add = [&](const std::string& name, const Tensor& tensor, bool is_averaged) {
    if (!tensor.defined()) return;
    const bool has_mean = is_floating(tensor.dtype()) || tensor.is_complex();
    parts_.push_back({name, clone(detach(tensor)), is_averaged && has_mean});
  };
  for (const auto& [name, tensor] : model.named_parameters()) add(name, *tensor, true);
  for (const auto& [name, tensor] : model.named_buffers()) add(name, *tensor, use_buffers);
}

std::vector<Tensor> WeightAverage::tensors_of(Module& model) const {
  auto named = model.named_parameters();
  for (auto& buffer : model.named_buffers()) named.push_back(std::move(buffer));
  std::erase_if(named, [](const auto& one) { return !one.second->defined(); });
  const auto fits = [&](size_t i) {
    return named[i].first == parts_[i].name &&
           named[i].second->dtype() == parts_[i].value.dtype() &&
           ops::equal_sizes(named[i].second->sizes(), parts_[i].value.sizes());
  };
  std::vector<Tensor> out;
  for (size_t i = 0; i < std::min(named.size(), parts_.size()); ++i) {
    VITRO_CHECK(fits(i), "WeightAverage: the average has ", std::string_view(parts_[i].name), " ",
                parts_[i].value.dtype(), parts_[i].value.sizes(), ", the model ",
                std::string_view(named[i].first), " ", named[i].second->dtype(),
                named[i].second->sizes());
    out.push_back(*named[i].second);
  }
  VITRO_CHECK(named.size() == parts_.size(), "WeightAverage: the average has ", parts_.size(),
              " tensors, the model ", named.size());
  return out;
}

void WeightAverage::update(Module& model) {
  const NoGrad unrecorded;
  const std::vector<Tensor> values = tensors_of(model);
  const Scalar share_of_model = count_ > 0 ? share(count_) : 1.0;
  for (size_t i = 0; i < values.size(); ++i) {
    const Part& part = parts_[i];
    if (part.is_averaged && count_ > 0)
      copy_(part.value, lerp(part.value, values[i], share_of_model));
    else
      copy_(part.value, values[i]);
  }
  ++count_;
}

void WeightAverage::copy_to(Module& model) const {
  const NoGrad unrecorded;
  const std::vector<Tensor> values = tensors_of(model);
  for (size_t i = 0; i < values.size(); ++i) copy_(values[i], parts_[i].value);
}

void WeightAverage::swap(Module& model) {
  const NoGrad unrecorded;
  const std::vector<Tensor> values = tensors_of(model);
  for (size_t i = 0; i < values.size(); ++i) {
    const Tensor before = clone(values[i]);
    copy_(values[i], parts_[i].value);
    copy_(parts_[i].value, before);
  }
}

std::vector<NamedTensor> WeightAverage::state_dict() const {
  std::vector<NamedTensor> out{{std::string(count_name), Tensor::from<int64_t>({count_}, {})}};
  for (const Part& part : parts_)
    out.push_back({cat(prefix, std::string_view(part.name)), clone(part.value)});
  return out;
}

void WeightAverage::load_state_dict(std::span<const NamedTensor> state) {
  std::map<std::string_view, const Tensor*> left;
  for (const NamedTensor& one : state) left[one.name] = &one.tensor;
  std::string wrong;
  const auto take = [&](const std::string& name, const Sizes& sizes) {
    const auto found = left.extract(std::string_view(name));
    const Tensor* value = found ? found.mapped() : nullptr;
    if (!value || !value->defined())
      wrong += cat("\n  ", std::string_view(name), ": missing");
    else if (!ops::equal_sizes(value->sizes(), sizes))
      wrong +=
          cat("\n  ", std::string_view(name), ": got sizes ", value->sizes(), ", needs ", sizes);
    return value;
  };
  const Tensor* count = take(std::string(count_name), {});
  std::vector<const Tensor*> values;
  for (const Part& part : parts_)
    values.push_back(take(cat(prefix, std::string_view(part.name)), part.value.sizes()));
  for (const auto& [name, tensor] : left) wrong += cat("\n  ", name, ": unexpected");
  VITRO_CHECK(wrong.empty(), "WeightAverage: the state does not fit:", std::string_view(wrong));
  const NoGrad unrecorded;
  count_ = count->item<int64_t>();
  for (size_t i = 0; i < parts_.size(); ++i) copy_(parts_[i].value, *values[i]);
}

std::vector<std::pair<std::string, Tensor*>> WeightAverage::named_tensors() {
  std::vector<std::pair<std::string, Tensor*>> out;
  for (Part& part : parts_) out.emplace_back(cat(prefix, std::string_view(part.name)), &part.value);
  return out;
}

ExponentialMovingAverage::ExponentialMovingAverage(Module& model,
                                                   ExponentialMovingAverageOptions options)
    : WeightAverage(model, options.use_buffers), options_(options) {
  VITRO_CHECK(options.decay >= 0 && options.decay <= 1,
              "ExponentialMovingAverage: needs a decay in [0, 1], got ", options.decay);
}

double ExponentialMovingAverage::share(int64_t count) const {
  const auto n = static_cast<double>(count);
  const double decay =
      options_.warm_up ? std::min(options_.decay, (1 + n) / (10 + n)) : options_.decay;
  return 1 - decay;
}

}  // namespace vitro::nn
