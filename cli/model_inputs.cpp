// Reads or makes the inputs of a model: arrays of NumPy's files, random tensors, numbers.
#include "model_inputs.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <string_view>

#include "vitro/base/cat.h"
#include "vitro/base/error.h"
#include "vitro/base/nearest.h"
#include "vitro/core/generator.h"
#include "vitro/io/npy.h"
#include "vitro/ops/create.h"
#include "vitro/ops/random.h"

namespace vitro::cli {
namespace {

constexpr std::string_view random_word = "random";
constexpr int64_t random_integers = 10;

template <class T>
std::optional<T> number_in(std::string_view text) {
  T out{};
  const auto read = std::from_chars(text.data(), text.data() + text.size(), out);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size()) return std::nullopt;
  return out;
}

Tensor random_tensor(const ModelInput& input, uint64_t seed) {
  Sizes sizes;
  for (const ModelSize& size : input.sizes) sizes.push_back(size.example);
  manual_seed(seed);
  if (is_complex(input.dtype)) {
    sizes.push_back(2);
    return Tensor::of_pairs(randn(sizes, real_of(input.dtype)));
  }
  if (is_floating(input.dtype)) return randn(sizes, input.dtype);
  return randint(is_bool(input.dtype) ? 2 : random_integers, sizes, input.dtype);
}

Tensor array_of(const std::string& text) {
  const size_t at = text.find(".npz:");
  if (at == text.npos) return io::read_npy(text).value();
  const std::string name = text.substr(at + 5);
  const auto arrays = io::read_npz(text.substr(0, at + 4)).value();
  for (const io::NamedTensor& one : arrays)
    if (one.name == name) return one.tensor;
  throw_error(cat(text.substr(0, at + 4), ": has no array ", name));
}

Scalar scalar_of(const ModelInput& input, const std::string& text) {
  if (text == "true" || text == "false") return Scalar(text == "true");
  if (const auto whole = number_in<int64_t>(text)) return Scalar(*whole);
  const auto real = number_in<double>(text);
  VITRO_CHECK(real, "--input ", input.name, ": needs a number, got ", text);
  return Scalar(*real);
}

ArgValue value_of(const ModelInput& input, const std::string& text) {
  if (input.kind == ModelInput::Kind::number)
    return text.starts_with(random_word) ? input.literal : ArgValue(scalar_of(input, text));
  if (input.kind == ModelInput::Kind::literal) {
    if (std::holds_alternative<Scalar>(input.literal)) return scalar_of(input, text);
    return text;
  }
  if (!text.starts_with(random_word)) return array_of(text);
  std::string_view rest = std::string_view(text).substr(random_word.size());
  if (rest.starts_with(':')) rest.remove_prefix(1);
  const auto seed = rest.empty() ? uint64_t{0} : number_in<uint64_t>(rest);
  VITRO_CHECK(seed, "--input ", input.name, ": needs random:SEED, got ", text);
  return random_tensor(input, *seed);
}

}  // namespace

std::vector<ArgValue> read_inputs(const ExportedModel& model,
                                  const std::vector<std::string>& words) {
  std::vector<std::optional<std::string>> texts(model.inputs().size());
  for (const std::string& word : words) {
    const size_t equals = word.find('=');
    VITRO_CHECK(equals != word.npos, "--input ", word,
                ": needs NAME=FILE.npy, NAME=random:SEED or "
                "NAME=NUMBER");
    const std::string name = word.substr(0, equals);
    std::vector<std::string> names;
    for (const ModelInput& one : model.inputs()) names.push_back(one.name);
    auto found = std::ranges::find(names, name);
    if (found == names.end()) {
      const auto by_path = std::ranges::find(model.inputs(), name, &ModelInput::path);
      found = names.begin() + (by_path - model.inputs().begin());
    }
    std::string all;
    for (const std::string& one : names) all += cat(all.empty() ? "" : ", ", one);
    VITRO_CHECK(found != names.end(), "--input ", word, ": the model's inputs are ", all);
    texts[static_cast<size_t>(found - names.begin())] = word.substr(equals + 1);
  }
  std::vector<ArgValue> out;
  const std::vector<Tensor> example = model.example();
  size_t next = 0;  // tensor
  for (size_t i = 0; i < texts.size(); ++i) {
    const ModelInput& input = model.inputs()[i];
    const size_t tensor = next;
    next += input.kind == ModelInput::Kind::tensor;
    if (!texts[i] && tensor < example.size() && next > tensor) {
      out.emplace_back(example[tensor]);
      continue;
    }
    const bool keeps = !texts[i] && input.kind == ModelInput::Kind::literal;
    out.push_back(keeps ? input.literal : value_of(input, texts[i].value_or("random:0")));
  }
  return out;
}

}  // namespace vitro::cli
