// `vitro run`: runs a model that torch.export.save wrote.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>

#include "command.h"
#include "comparison.h"
#include "image_input.h"
#include "model_inputs.h"
#include "top_classes.h"
#include "vitro/base/cat.h"
#include "vitro/base/clock.h"
#include "vitro/base/error.h"
#include "vitro/debug/explain.h"
#include "vitro/io/npy.h"
#include "vitro/ops/create.h"
#include "vitro/ops/view.h"
#include "vitro/report/table.h"
#include "vitro/report/units.h"

namespace vitro::cli {
namespace {

struct RunSetting {
  std::string file, model, output, labels;
  std::vector<std::string> inputs;
  ImageOptions images;
  int repeat = 1, top = 0;
  bool compile = false, explain = false;
};

// The name as part of a file's name.
std::string file_name(const std::string& name) {
  std::string out = name;
  std::ranges::replace_if(
      out,
      [](unsigned char c) {
        return !std::isalnum(c) && c != '_' && c != '-' && c != '.' && c < 128;
      },
      '_');
  return out;
}

// "f32[2] = [0.5, 1]" of few elements.
std::string shown(const Tensor& tensor) {
  constexpr int64_t most = 8;
  std::string out = cat(tensor.dtype(), tensor.sizes());
  const int64_t count = tensor.numel().value();
  if (count == 0 || count > most || tensor.is_complex()) return out;
  std::string values;
  for (const double one : reshape(to(tensor, DType::f64), {-1}).to_vector<double>())
    values += cat(values.empty() ? "" : ", ", short_number(one));
  return cat(out, " = ", tensor.rank() == 0 ? values : cat('[', values, ']'));
}

void write_outputs(const ModelResults& results, const std::string& folder) {
  std::error_code failed;
  if (!folder.empty()) std::filesystem::create_directories(folder, failed);
  VITRO_CHECK(!failed, "--output ", folder, ": cannot be made: ", failed.message());
  report::Table table({{"Output", report::Align::left},
                       {"Value", report::Align::left},
                       {"File", report::Align::left}});
  for (size_t i = 0; i < results.size(); ++i) {
    const ArgValue& value = results.value(i);
    const auto* number = std::get_if<Scalar>(&value);
    const Tensor* tensor = std::get_if<Tensor>(&value);
    const Tensor of_number = number ? scalar_tensor(*number, number->dtype()) : Tensor();
    const std::string text = tensor ? shown(*tensor) : text_of(value);
    if (number) tensor = &of_number;
    if (!tensor) {
      table.row({results.name(i), text, ""});
      continue;
    }
    std::string path;
    if (!folder.empty()) {
      path = (std::filesystem::path(folder) / (file_name(results.name(i)) + ".npy")).string();
      // NumPy has no bf16.
      io::write_npy(path, tensor->dtype() == DType::bf16 ? to(*tensor, DType::f32) : *tensor);
    }
    table.row({results.name(i), text, path});
  }
  std::fputs(table.text().c_str(), stdout);
}

int run_model(const RunSetting& setting) {
  const uint64_t begin = ticks();
  ExportedModel model = load(setting.file, setting.model);
  const int64_t loading = ticks_to_ns(ticks() - begin);
  if (setting.compile) model = compiled(model);
  const std::optional<TopClasses> top =
      setting.top > 0 || !setting.labels.empty()
          ? std::optional<TopClasses>(std::in_place, setting.top, setting.labels)
          : std::nullopt;
  std::vector<std::string> made_up;
  const std::vector<ArgValue> inputs =
      read_inputs(model, setting.inputs, {}, true, setting.images, &made_up);
  if (!made_up.empty()) std::printf("%s\n", text_of_made_up(made_up).c_str());
  std::optional<ModelResults> results;
  std::vector<int64_t> times;
  for (int i = 0; i < setting.repeat; ++i) {
    results.reset();
    const uint64_t from = ticks();
    results.emplace(model(std::span<const ArgValue>(inputs)));
    times.push_back(ticks_to_ns(ticks() - from));
  }
  write_outputs(*results, setting.output);
  if (top) std::fputs(top->text(*results).c_str(), stdout);
  const auto text = [](int64_t ns) { return report::time_text(static_cast<double>(ns)); };
  std::printf("loaded in %s, first call %s", text(loading).c_str(), text(times[0]).c_str());
  if (times.size() > 1) {
    std::ranges::sort(times.begin() + 1, times.end());
    std::printf(", median of %zu more calls %s", times.size() - 1,
                text(times[1 + (times.size() - 1) / 2]).c_str());
  }
  std::printf("\n");
  if (setting.explain) std::printf("%s\n", vitro::explain(model.report()).c_str());
  return 0;
}

std::function<int()> declare(CLI::App& app) {
  auto setting = std::make_shared<RunSetting>();
  app.add_option("file", setting->file, model_words)->required();
  app.add_option("--input", setting->inputs,
                 cat(input_words, "; inputs without one are the export's example, or random"));
  app.add_option("-o,--output", setting->output, "a folder for the outputs, as .npy, numbers too");
  add_image_options(app, setting->images);
  app.add_option("--top", setting->top,
                 "show the largest of this many classes, of outputs [N, CLASSES]; 5 with --labels")
      ->check(CLI::PositiveNumber);
  app.add_option("--labels", setting->labels, "the names of the classes, one on each line");
  app.add_option("--model", setting->model, "one of the models in the file");
  app.add_option("--repeat", setting->repeat, "the number of calls")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_flag("--compile", setting->compile, "compile the model");
  app.add_flag("--explain", setting->explain, "also show what was compiled");
  return [setting] { return or_report("run", [&] { return run_model(*setting); }); };
}

const AddCommand run_command("run", "Run a model exported by PyTorch (.pt2)", declare);

}  // namespace
}  // namespace vitro::cli
