// Reads or makes the inputs of a model: arrays of NumPy's files, images, random tensors, numbers.
#include "model_inputs.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>
#include <optional>
#include <string_view>

#include "vitro/base/cat.h"
#include "vitro/base/error.h"
#include "vitro/base/nearest.h"
#include "vitro/core/generator.h"
#include "vitro/images/file.h"
#include "vitro/io/npy.h"
#include "vitro/io/safetensors.h"
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

Scalar scalar_of(const ModelInput& input, const std::string& text) {
  if (text == "true" || text == "false") return Scalar(text == "true");
  if (const auto whole = number_in<int64_t>(text)) return Scalar(*whole);
  const auto real = number_in<double>(text);
  VITRO_CHECK(real, "--input ", input.name, ": needs a number, got ", text);
  return Scalar(*real);
}

Tensor array_of(const ModelInput& input, const std::string& text) {
  for (const std::string_view ending : {".npz:", ".safetensors:"}) {
    const size_t at = text.find(ending);
    if (at == text.npos) continue;
    const size_t colon = at + ending.size() - 1;
    const std::string file = text.substr(0, colon), name = text.substr(colon + 1);
    for (const NamedTensor& one : read_arrays(file))
      if (one.name == name) return one.tensor;
    throw_error(cat(file, ": has no array ", name));
  }
  const bool is_number = number_in<double>(text) || text == "true" || text == "false";
  if (is_number && !std::filesystem::exists(text)) {
    VITRO_CHECK(input.sizes.empty(), "--input ", input.name, ": needs ", input.text(), ", got ",
                text, "; give it as FILE.npy or random:SEED");
    return scalar_tensor(scalar_of(input, text), input.dtype);
  }
  return io::read_npy(text).value();
}

ArgValue value_of(const ModelInput& input, const std::vector<std::string>& texts,
                  const ImageOptions& images) {
  if (!texts.empty() && std::ranges::all_of(texts, [](auto& one) { return images::is_image(one); }))
    return image_tensor(texts, input, images);
  VITRO_CHECK(texts.size() <= 1, "--input ", input.name, ": is given ", texts.size(),
              " times, which only images may be");
  const std::string text = texts.empty() ? "random:0" : texts[0];
  if (input.kind == ModelInput::Kind::number)
    return text.starts_with(random_word) ? input.literal : ArgValue(scalar_of(input, text));
  if (input.kind == ModelInput::Kind::literal) {
    if (std::holds_alternative<Scalar>(input.literal)) return scalar_of(input, text);
    return text;
  }
  if (!text.starts_with(random_word)) return array_of(input, text);
  std::string_view rest = std::string_view(text).substr(random_word.size());
  if (rest.starts_with(':')) rest.remove_prefix(1);
  const auto seed = rest.empty() ? uint64_t{0} : number_in<uint64_t>(rest);
  VITRO_CHECK(seed, "--input ", input.name, ": needs random:SEED, got ", text);
  return random_tensor(input, *seed);
}

std::string listed(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& one : names) out += cat(out.empty() ? "" : ", ", one);
  return out;
}

// The input that a word names, by its name or its path.
size_t input_named(const ExportedModel& model, const std::string& name, const std::string& word) {
  const std::vector<ModelInput>& inputs = model.inputs();
  std::vector<std::string> names;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].name == name) return i;
    names.push_back(inputs[i].name);
  }
  const auto by_path = std::ranges::find(inputs, name, &ModelInput::path);
  if (by_path != inputs.end()) return static_cast<size_t>(by_path - inputs.begin());
  const std::string_view meant = nearest(name, names);
  throw_error(cat("--input ", word, ": the model has no input ", name,
                  meant.empty() ? "" : cat("; did you mean ", meant, "?"), "; its inputs are ",
                  listed(names)));
}

// The array of an input, by its name or its path.
const Tensor* array_of_input(const std::vector<NamedTensor>& arrays, const ModelInput& input) {
  const Tensor* by_name = array_named(arrays, "in", input.name);
  return by_name ? by_name : array_named(arrays, "in", input.path);
}

// An archive that the user gave as inputs has some.
void check_has_inputs(const ExportedModel& model, const std::string& file,
                      const std::vector<NamedTensor>& arrays) {
  const bool has_one = std::ranges::any_of(model.inputs(), [&](const ModelInput& input) {
    return array_of_input(arrays, input) != nullptr;
  });
  std::vector<std::string> inputs, names;
  for (const ModelInput& one : model.inputs()) inputs.push_back(one.name);
  for (const NamedTensor& one : arrays) names.push_back(one.name);
  VITRO_CHECK(has_one, "--input ", file, ": no array in it is called as an input: the arrays are ",
              listed(names), ", the model's inputs ", listed(inputs));
}

ArgValue value_of_array(const ModelInput& input, const Tensor& array) {
  if (input.kind == ModelInput::Kind::tensor) return array;
  return array.item();
}

bool is_archive(const std::string& word) {
  return word.ends_with(".npz") || word.ends_with(".safetensors");
}

}  // namespace

std::vector<NamedTensor> read_arrays(const std::string& path) {
  if (!path.ends_with(".safetensors")) return io::read_npz(path).value();
  const io::Safetensors file = io::Safetensors::read(path).value();
  std::vector<NamedTensor> out;
  for (const io::SafetensorsEntry& one : file.entries())
    out.push_back({one.name, file.tensor(one.name).value()});
  return out;
}

const Tensor* array_named(const std::vector<NamedTensor>& arrays, const std::string& prefix,
                          const std::string& name) {
  for (const std::string& wanted : {cat(prefix, '.', name), name})
    for (const NamedTensor& one : arrays)
      if (one.name == wanted) return &one.tensor;
  return nullptr;
}

bool names_model(std::string_view word) {
  return word.ends_with(".pt2") || word.ends_with(".vitro");
}

ExportedModel compiled(const ExportedModel& model, const CompileOptions& options) {
  return model.is_compiled() ? model : model.compile(options);
}

std::vector<ArgValue> read_inputs(const ExportedModel& model, const std::vector<std::string>& words,
                                  std::vector<NamedTensor> arrays, bool may_be_example,
                                  const ImageOptions& images, std::vector<std::string>* made_up) {
  std::vector<std::vector<std::string>> texts(model.inputs().size());
  for (const std::string& word : words) {
    const size_t equals = word.find('=');
    if (equals == word.npos && is_archive(word)) {
      std::vector<NamedTensor> more = read_arrays(word);
      check_has_inputs(model, word, more);
      arrays.insert(arrays.begin(), more.begin(), more.end());
      continue;
    }
    VITRO_CHECK(equals != word.npos, "--input ", word,
                ": needs NAME=FILE.npy, NAME=random:SEED, NAME=NUMBER or FILE.npz");
    texts[input_named(model, word.substr(0, equals), word)].push_back(word.substr(equals + 1));
  }
  std::vector<ArgValue> out;
  const std::vector<Tensor> example = model.example();
  const bool is_damaged = example.empty() && !model.example_problem().empty();
  size_t next = 0;  // tensor
  for (size_t i = 0; i < texts.size(); ++i) {
    const ModelInput& input = model.inputs()[i];
    const size_t tensor = next;
    next += input.kind == ModelInput::Kind::tensor;
    const bool given = !texts[i].empty();
    const Tensor* array = given ? nullptr : array_of_input(arrays, input);
    const auto note = [&](std::string_view what) {
      if (made_up) made_up->push_back(cat(input.name, ' ', what));
    };
    if (array) {
      out.push_back(value_of_array(input, *array));
    } else if (!given && input.kind == ModelInput::Kind::literal) {
      out.push_back(input.literal);
    } else if (!given && may_be_example && next > tensor && tensor < example.size()) {
      out.emplace_back(example[tensor]);
      note("the export's example");
    } else {
      VITRO_CHECK(given || may_be_example, "input ", input.text(),
                  ": is missing; give it as --input ", input.name, "=FILE.npy");
      if (!given)
        note(input.kind == ModelInput::Kind::number ? "the export's number"
             : is_damaged ? "random numbers (the export's example cannot be read)"
                          : "random numbers");
      out.push_back(value_of(input, texts[i], images));
    }
  }
  return out;
}

std::string text_of_made_up(const std::vector<std::string>& made_up) {
  return made_up.empty() ? "" : cat("inputs that were not given: ", listed(made_up));
}

void check_is_another_file(const std::string& output, const std::string& model) {
  std::error_code is_new;  // the file need not exist
  VITRO_CHECK(!std::filesystem::equivalent(output, model, is_new), output,
              ": is the model's own file; name another one");
}

}  // namespace vitro::cli
