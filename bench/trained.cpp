// A model as a list of steps, ops by PyTorch's names, with weights from a file: run eagerly and
// compiled, so that bench/trained can compare the results with those of f64.
#include "trained.h"

#include <cstdio>
#include <fstream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "vitro/base/error.h"
#include "vitro/compile/compile.h"
#include "vitro/io/safetensors.h"
#include "vitro/nn/module.h"
#include "vitro/ops/activation_functions.h"
#include "vitro/ops/all.h"
#include "vitro/profiler/profiler.h"

namespace vitro::bench {
namespace {

using Json = nlohmann::json;

// One op; its weights are parameters, which the compiler packs once.
class Step : public nn::Module {
 public:
  Step(nn::Module& model, const Json& json, const io::Safetensors& file)
      : Module(model, json["outputs"][0]), json_(json), op_(json["op"]) {
    for (const auto& [part, name] : json["weights"].items()) {
      Tensor& slot = part == "bias" ? bias_ : weight_;
      add_parameter(part, slot, to(*file.tensor(name.get<std::string>()), DType::f32));
    }
  }

  // Takes the values that it reads, each of which has no other reader.
  void run(std::map<std::string, Tensor>& values) const {
    std::vector<Tensor> inputs;
    for (const Json& name : json_["inputs"]) {
      const auto value = values.extract(name.get<std::string>());
      VITRO_CHECK(value, "bench/trained: no step before ", op_, " has the output ", name.dump());
      inputs.push_back(value.mapped());
    }
    const Tensor y = apply(inputs);
    for (const Json& name : json_["outputs"]) values.emplace(name, y);
  }

 private:
  template <class T>
  T attribute(const char* name) const {
    return json_["attributes"][name].get<T>();
  }

  Tensor apply(const std::vector<Tensor>& in) const {
    const ModuleScope here = scope();
    if (op_ == "split") return in[0];
    if (op_ == "conv2d")
      return conv2d(in[0], weight_, bias_,
                    {.stride = attribute<int64_t>("stride"),
                     .padding = attribute<int64_t>("padding"),
                     .dilation = attribute<int64_t>("dilation")});
    if (op_ == "prelu") return prelu(in[0], weight_);
    if (op_ == "leaky_relu") return leaky_relu(in[0], attribute<double>("negative_slope"));
    if (op_ == "pixel_shuffle") return pixel_shuffle(in[0], attribute<int64_t>("upscale_factor"));
    if (op_ == "interpolate")
      return interpolate(in[0], {.scale_factor = attribute<std::vector<double>>("scale_factor"),
                                 .mode = attribute<std::string>("mode")});
    if (op_ == "mul") return in[0] * attribute<double>("other");
    if (op_ == "add") return in[0] + in[1];
    if (op_ == "cat") return cat(in, attribute<int64_t>("dim"));
    throw Error("bench/trained: there is no step " + op_);
  }

  const Json json_;
  const std::string op_;
  Tensor weight_, bias_;
};

class Model : public nn::Module {
 public:
  Model(const Json& json, const io::Safetensors& file)
      : input_(json["input"]), output_(json["output"]) {
    for (const Json& step : json["steps"])
      steps_.push_back(std::make_unique<Step>(*this, step, file));
  }

  Tensor operator()(const Tensor& x) const {
    std::map<std::string, Tensor> values{{input_, x}};
    for (const auto& step : steps_) step->run(values);
    return values.at(output_);
  }

 private:
  const std::string input_, output_;
  std::vector<std::unique_ptr<Step>> steps_;
};

// Runs what was compiled again, and counts the kernels that compute convolutions.
Json convolutions(const auto& compiled, const Tensor& x) {
  for (const SegmentReport& segment : compiled.report().segments)
    VITRO_CHECK(segment.compiled, "bench/trained: the model was not compiled: ", segment.why_not);
  Profiler profiler;
  (void)compiled(x).const_data();
  profiler.stop();
  std::map<std::string, uint64_t> counts;  // kernels of several names compute the same kind
  for (const Average& entry : profiler.averages().entries())
    if (entry.product.starts_with("conv")) counts[entry.product] += entry.count;
  return counts;
}

}  // namespace

int run_trained(const std::string& folder) {
  std::ifstream text(folder + "/model.json");
  VITRO_CHECK(text, folder, "/model.json: cannot be read");
  const auto file = *io::Safetensors::read(folder + "/model.safetensors");
  const Model model(Json::parse(text), file);
  const Tensor x = *file.tensor("input");

  const auto exact = compile(std::ref(model), {.fullgraph = true, .exact = true});
  const auto compiled = compile(std::ref(model), {.fullgraph = true});
  std::vector<io::NamedTensor> results;
  results.push_back({"eager", model(x)});
  results.push_back({"exact", exact(x)});
  results.push_back({"compiled", compiled(x)});
  io::write_safetensors(folder + "/results.safetensors", std::move(results));
  std::printf("%s\n", convolutions(compiled, x).dump().c_str());
  return 0;
}

}  // namespace vitro::bench
