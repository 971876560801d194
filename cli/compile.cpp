// `vitro compile`: compiles a model that torch.export.save wrote, and writes what it became to a
// file that runs without the compiler.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <memory>

#include "command.h"
#include "model_inputs.h"
#include "vitro/base/cat.h"
#include "vitro/base/clock.h"
#include "vitro/base/error.h"
#include "vitro/report/units.h"

namespace vitro::cli {
namespace {

struct CompileSetting {
  std::string file, output, model, weights = "packed";
  std::vector<std::string> inputs;
  SaveCompiledOptions options;
};

int compile_model(CompileSetting& setting) {
  const uint64_t begin = ticks();
  const ExportedModel model = load(setting.file, setting.model);
  const std::vector<ArgValue> inputs = read_inputs(model, setting.inputs);
  using Weights = SaveCompiledOptions::Weights;
  setting.options.weights = setting.weights == "packed"  ? Weights::packed
                            : setting.weights == "value" ? Weights::value
                                                         : Weights::reference;
  model.save_compiled(setting.output, inputs, setting.options);
  const std::vector<ModelNode> nodes = model.nodes();
  const bool chooses = std::ranges::any_of(
      nodes, [](const ModelNode& one) { return one.target == "higher_order.cond"; });
  if (chooses)
    std::printf(
        "note: the model chooses between graphs (cond); the file has those that these inputs "
        "take, and calls that take others compile them\n");
  const auto bytes = static_cast<double>(std::filesystem::file_size(setting.output));
  std::printf("%s: %s, compiled in %s\n", setting.output.c_str(), report::bytes_text(bytes).c_str(),
              report::time_text(static_cast<double>(ticks_to_ns(ticks() - begin))).c_str());
  return 0;
}

std::function<int()> declare(CLI::App& app) {
  auto setting = std::make_shared<CompileSetting>();
  app.add_option("file", setting->file, "a file of torch.export.save")->required();
  app.add_option("-o,--output", setting->output, "the file to write, model.vitro")->required();
  app.add_option("--isa", setting->options.isas,
                 "instruction sets to compile for: baseline, avx2, avx512, separated by commas; "
                 "default: this machine's")
      ->delimiter(',');
  app.add_option("--weights", setting->weights,
                 "packed: in the file, and again as this machine's kernels read them; value: only "
                 "in the file; reference: in FILE, which must stay where it is")
      ->check(CLI::IsMember({"packed", "value", "reference"}))
      ->capture_default_str();
  app.add_option("--input", setting->inputs,
                 cat(input_words, "; inputs without one are the export's example, or random"));
  app.add_option("--model", setting->model, "one of the models in the file");
  app.add_flag("--exact", setting->options.exact, "keep the bits of eager");
  return [setting] { return or_report("compile", [&] { return compile_model(*setting); }); };
}

const AddCommand compile_command("compile",
                                 "Compile a model to a file that runs without a compiler", declare);

}  // namespace
}  // namespace vitro::cli
