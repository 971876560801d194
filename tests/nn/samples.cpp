#include "samples.h"

#include <map>
#include <sstream>

#include "vitro/base/cat.h"
#include "vitro/base/error.h"
#include "vitro/core/interpreter.h"
#include "vitro/io/npy.h"
#include "vitro/ops/create.h"

namespace vitro::nn {
namespace {

std::map<std::string, Sample> read() {
  std::string index;
  std::vector<float> values;
  const auto arrays = io::read_npz(VITRO_TEST_DATA "/nn.npz");
  for (const io::NamedTensor& one : *arrays) {
    if (one.name == "values") {
      values = one.tensor.to_vector<float>();
    } else {
      const std::vector<uint8_t> bytes = one.tensor.to_vector<uint8_t>();
      index.assign(bytes.begin(), bytes.end());
    }
  }
  std::map<std::string, Sample> out;
  Sample* last = nullptr;
  auto next = values.begin();
  std::istringstream lines(index);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("case ")) {
      last->keys += line + "\n";
      continue;
    }
    std::istringstream words(line.substr(5));
    std::string name;
    std::ptrdiff_t results = 0, gradients = 0;
    words >> name >> results >> gradients;
    last = &out[name];
    last->results.assign(next, next + results);
    next += results;
    last->gradients.assign(next, next + gradients);
    next += gradients;
  }
  return out;
}

float number(uint32_t i, uint32_t stream, double scale, double shift) {
  uint32_t x = (i * 7919 + stream * 104729 + 17) * 2654435761U;
  x = (x ^ (x >> 15)) * 0x85EBCA6BU;
  x ^= x >> 13;
  return static_cast<float>((static_cast<double>(x >> 8) * 0x1p-24 - 0.5) * scale + shift);
}

Tensor filled(uint32_t stream, std::span<const int64_t> sizes, double scale, double shift) {
  Tensor t = Tensor::empty(sizes);
  float* out = t.data<float>();
  const auto n = static_cast<uint32_t>(t.numel().value());
  for (uint32_t i = 0; i < n; ++i) out[i] = number(i, stream, scale, shift);
  return t;
}

}  // namespace

const Sample& sample(const std::string& name) {
  static const auto* all = new std::map<std::string, Sample>(read());
  const auto found = all->find(name);
  VITRO_CHECK(found != all->end(), "nn.npz: there is no case ", std::string_view(name));
  return found->second;
}

Tensor real(uint32_t stream, std::initializer_list<int64_t> sizes, double scale, double shift) {
  return filled(stream, std::span(sizes.begin(), sizes.size()), scale, shift);
}

void fill(Module& module) {
  const NoGrad unrecorded;
  uint32_t stream = 100;
  for (Tensor* parameter : module.parameters()) {
    std::vector<int64_t> sizes;
    for (const Size size : parameter->sizes()) sizes.push_back(size.value());
    copy_(*parameter, filled(stream++, sizes, 1, 0));
  }
}

std::string keys_of(Module& root) {
  std::string out;
  for (const auto& [name, slot] : root.named_parameters()) {
    std::string sizes;
    for (const Size size : slot->sizes()) sizes += cat(sizes.empty() ? "" : ", ", size.value());
    out += cat(std::string_view(name).substr(2), " [", std::string_view(sizes), "]\n");
  }
  return out;
}

}  // namespace vitro::nn
