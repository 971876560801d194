// `vitro verify`: compares what an exported model computes with a reference, eager with compiled,
// and names the first node of the program that differs.
//   Runs: every call of the reference (or the one call on given inputs), in order, on a model
//   loaded for the run, as calls may change its buffers; compiled runs repeat this until kernels
//   are used.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>

#include "command.h"
#include "comparison.h"
#include "image_input.h"
#include "model_inputs.h"
#include "python.h"
#include "temporary_folder.h"
#include "vitro/base/cat.h"
#include "vitro/base/error.h"
#include "vitro/core/generator.h"
#include "vitro/io/npy.h"
#include "vitro/ops/create.h"
#include "vitro/report/table.h"

namespace vitro::cli {
namespace {

constexpr int differs = 1;        // exit code
constexpr int compiled_runs = 3;  // the first calls of a compiled model may run op by op

struct VerifySetting {
  std::string file, model, reference, python = "python3";
  std::vector<std::string> inputs;
  ImageOptions images;
  std::optional<double> rtol, atol;
  bool compile = false;
};

using Arrays = std::vector<NamedTensor>;

// What one call gave: its outputs and, with nodes, the results of these; its inputs afterwards.
struct CallResults {
  ModelResults outputs;
  std::vector<ArgValue> inputs;
};
using Results = std::vector<CallResults>;  // of each call

// "0.in.x" is an array of call 0.
std::map<int, Arrays> by_call(const Arrays& arrays) {
  std::map<int, Arrays> out;
  for (const NamedTensor& one : arrays) {
    const size_t dot = one.name.find('.');
    const std::string number = one.name.substr(0, dot);
    const bool is_call =
        dot != one.name.npos && !number.empty() && number.size() < 6 &&
        std::ranges::all_of(number, [](unsigned char c) { return std::isdigit(c); });
    if (is_call) {
      out[std::stoi(number)].push_back({one.name.substr(dot + 1), one.tensor});
    } else {
      out[0].push_back(one);
    }
  }
  return out;
}

constexpr std::string_view torch_word = "torch";  // instead of a file

// What torch computes from the same inputs, with the results of nodes.
Arrays computed_by_torch(const VerifySetting& setting, const ExportedModel& model) {
  VITRO_CHECK(setting.model.empty(), "--reference torch: takes files with one model");
  const Python python(setting.python, {"numpy", "torch"});
  const TemporaryFolder folder;
  const std::string in = folder.path + "/in.npz", out = folder.path + "/out.npz";
  const std::vector<ArgValue> inputs = read_inputs(model, setting.inputs, {}, true, setting.images);
  Arrays own, arrays;  // as they are, and as NumPy has them, which lacks bf16
  for (size_t i = 0; i < inputs.size(); ++i) {
    const ModelInput& input = model.inputs()[i];
    const std::string name = cat("in.", input.name);
    const auto* number = std::get_if<Scalar>(&inputs[i]);
    if (const auto* tensor = std::get_if<Tensor>(&inputs[i])) {
      own.push_back({name, *tensor});
    } else if (number && input.kind == ModelInput::Kind::number) {
      own.push_back({name, scalar_tensor(*number, number->dtype())});
    } else {
      continue;
    }
    const Tensor& last = own.back().tensor;
    arrays.push_back({name, last.dtype() == DType::bf16 ? to(last, DType::f32) : last});
  }
  io::write_npz(in, arrays);
  python.run(pt2_reference_script, {setting.file, out, "--input", in, "--nodes"});
  Arrays results = read_arrays(out);
  // The inputs as they were, in their dtypes, and numbers, which the script does not repeat.
  std::erase_if(results, [](const NamedTensor& one) { return one.name.starts_with("in."); });
  results.insert(results.end(), own.begin(), own.end());
  return results;
}

class Verification {
 public:
  explicit Verification(const VerifySetting& setting) : setting_(setting) {
    const ExportedModel model = load(setting.file, setting.model);
    VITRO_CHECK(setting.compile || !setting.reference.empty(),
                "needs --reference FILE.npz, or --compile to compare eager with compiled");
    for (const ModelNode& node : model.nodes())
      for (const std::string& name : node.results) nodes_.try_emplace(name, node);
    own_outputs_ = model.outputs().size();
    const bool has_reference = !setting.reference.empty();
    if (has_reference)
      for (auto& [number, arrays] :
           by_call(setting.reference == torch_word ? computed_by_torch(setting, model)
                                                   : read_arrays(setting.reference)))
        references_.push_back(std::move(arrays));
    if (references_.empty()) references_.emplace_back();
    for (const Arrays& one : references_)
      inputs_.push_back(read_inputs(model, setting.inputs, one, !has_reference, setting.images));
    model_ = model;
  }

  int run() {
    const Results eager = results(false, has_nodes(), 1);
    if (!setting_.reference.empty()) with_reference("eager", eager);
    if (setting_.compile) with_compiled(eager);
    std::fputs(table_.text(report::wants_colours(1)).c_str(), stdout);
    for (const std::string& one : notes_) std::printf("%s\n", one.c_str());
    const size_t all = compared_ + compared_nodes_, wrong = wrong_ + wrong_nodes_;
    if (wrong == 0) {
      std::printf("%zu comparisons, no difference\n", all);
      return 0;
    }
    if (model_->draws_random_numbers())
      std::printf("the model draws random numbers, which PyTorch and Vitro do not share\n");
    // Nodes whose results no output shows, such as eigenvectors of either sign.
    const bool is_inside = wrong_ == 0 && compared_ != 0;
    std::printf("%zu of %zu comparisons differ%s\n", wrong, all,
                is_inside ? ", none of them an output" : "");
    return is_inside ? 0 : differs;
  }

 private:
  // The results of the last of `runs` runs over all calls.  `only`: of the nodes, if not all.
  Results results(bool compiled, bool nodes, int runs,
                  std::span<const std::string> only = {}) const {
    ExportedModel model = load(setting_.file, setting_.model);
    if (nodes) model = model.with_node_results(only);
    if (compiled) model = cli::compiled(model);
    Results out;
    for (int i = 0; i < runs; ++i) {
      out.clear();
      for (std::vector<ArgValue> given : inputs_) {
        for (ArgValue& one : given)
          if (auto* tensor = std::get_if<Tensor>(&one)) one = clone(*tensor);
        manual_seed(0);
        ModelResults outputs = model(std::span<const ArgValue>(given));
        out.push_back({std::move(outputs), std::move(given)});
      }
    }
    return out;
  }

  bool is_nodes(const std::string& name) const {
    const std::string_view prefix = "node.";
    return nodes_.contains(name.starts_with(prefix) ? name.substr(prefix.size()) : name);
  }
  bool has_nodes() const {
    return std::ranges::any_of(references_, [&](const Arrays& arrays) {
      return std::ranges::any_of(arrays,
                                 [&](const NamedTensor& one) { return is_nodes(one.name); });
    });
  }

  void add_note(const std::string& text) {
    if (std::ranges::find(notes_, text) == notes_.end()) notes_.push_back(text);
  }
  std::string call_text(size_t call) const {
    return references_.size() == 1 ? "" : cat("call ", call, ": ");
  }

  void row(const std::string& what, const std::string& name, const Tensor& got,
           const Difference& found) {
    ++compared_;
    wrong_ += found.is_same() ? 0 : 1;
    const bool fits = found.misfit.empty();
    table_.row(
        {name, what, cat(got.dtype(), got.sizes()), fits ? short_number(found.absolute) : "",
         fits ? short_number(found.relative) : "",
         fits ? cat(found.nans,
                    found.nans == found.nans_wanted ? "" : cat(", wanted ", found.nans_wanted))
              : "",
         found.is_same() ? report::Cell("same", report::Colour::green)
         : fits          ? report::Cell(cat(found.wrong, " of ", found.elements, " differ"),
                                        report::Colour::red)
                         : report::Cell(found.misfit, report::Colour::red)});
  }

  // A result that may be a number beside an array.
  static std::optional<Tensor> tensor_of(const ArgValue& value) {
    if (const auto* tensor = std::get_if<Tensor>(&value))
      return tensor->defined() ? std::optional(*tensor) : std::nullopt;
    if (const auto* number = std::get_if<Scalar>(&value))
      return scalar_tensor(*number, number->dtype());
    return std::nullopt;
  }

  void with_reference(const std::string& mode, const Results& results) {
    const std::string what = cat(mode, " with reference");
    for (size_t call = 0; call < results.size(); ++call) {
      const Arrays& arrays = references_[call];
      const size_t before = compared_ + compared_nodes_;
      outputs_with_reference(what, call, results[call], arrays);
      nodes_with_reference(what, call, results[call], arrays);
      VITRO_CHECK(compared_ + compared_nodes_ > before, setting_.reference, ": ", call_text(call),
                  "has no array for any of the model's outputs: ", output_names());
    }
  }

  std::string output_names() const {
    std::string out;
    for (const ModelOutput& one : model_->outputs()) out += cat(out.empty() ? "" : ", ", one.name);
    return out;
  }

  void outputs_with_reference(const std::string& what, size_t call, const CallResults& results,
                              const Arrays& arrays) {
    for (size_t i = 0; i < own_outputs_; ++i) {
      const std::string& name = results.outputs.name(i);
      const Tensor* wanted = array_named(arrays, "out", name);
      if (!wanted) wanted = exactly_named(arrays, cat("out.", i));
      const std::optional<Tensor> got = tensor_of(results.outputs.value(i));
      if (!wanted) {
        if (std::holds_alternative<Tensor>(results.outputs.value(i)))
          add_note(cat(call_text(call), "the reference has no output ", name));
        continue;
      }
      VITRO_CHECK(got, "output ", name, ": is ", text_of(results.outputs.value(i)),
                  ", the reference has ", wanted->dtype(), wanted->sizes());
      row(what, cat(call_text(call), name), *got, compare(*got, *wanted));
    }
    for (size_t i = 0; i < results.inputs.size(); ++i) {
      const std::string& name = model_->inputs()[i].name;
      const Tensor* wanted = exactly_named(arrays, cat("after.", name));
      const auto* got = std::get_if<Tensor>(&results.inputs[i]);
      if (wanted && got)
        row(what, cat(call_text(call), name, " after the call"), *got, compare(*got, *wanted));
    }
  }

  static const Tensor* exactly_named(const Arrays& arrays, const std::string& name) {
    const auto found = std::ranges::find(arrays, name, &NamedTensor::name);
    return found == arrays.end() ? nullptr : &found->tensor;
  }

  Difference compare(const Tensor& got, const Tensor& wanted) const {
    return difference(got, wanted, setting_.rtol, setting_.atol);
  }

  // Nodes have one row: how many were compared, and the first that differs.
  void nodes_with_reference(const std::string& what, size_t call, const CallResults& results,
                            const Arrays& arrays) {
    size_t compared = 0, wrong = 0;
    std::string first;
    for (size_t i = own_outputs_; i < results.outputs.size(); ++i) {
      const std::string& name = results.outputs.name(i);
      const Tensor* wanted = exactly_named(arrays, cat("node.", name));
      if (!wanted && !is_of_signature(name)) wanted = exactly_named(arrays, name);
      if (!wanted) continue;
      ++compared;
      const Difference found = compare(results.outputs[i], *wanted);
      if (found.is_same()) continue;
      if (++wrong == 1) first = node_text(name, results.outputs[i], found);
    }
    if (compared == 0) return;
    compared_nodes_ += compared;
    wrong_nodes_ += wrong;
    notes_.push_back(cat(call_text(call), what, ": ", compared, compared == 1 ? " node" : " nodes",
                         ", ", wrong, wrong == 1 ? " differs" : " differ"));
    if (wrong != 0) notes_.push_back(cat("  the first node that differs: ", first));
  }

  // A name of an input or output, whose array is not a node's.
  bool is_of_signature(const std::string& name) const {
    return std::ranges::find(model_->inputs(), name, &ModelInput::name) != model_->inputs().end() ||
           std::ranges::find(model_->outputs(), name, &ModelOutput::name) !=
               model_->outputs().end();
  }

  std::string node_text(const std::string& name, const Tensor& got, const Difference& found) const {
    const auto node = nodes_.find(name);
    std::string out = name;
    if (node != nodes_.end()) {
      const ModelNode& about = node->second;
      out += cat(" (", about.target, ")");
      if (!about.location.empty()) out += cat(" of ", about.location);
      if (!about.module.empty()) out += cat(", in ", about.module);
      if (about.target.starts_with("higher_order."))
        out += ", of which the nodes inside are not compared";
    }
    return cat(out, ", ", got.dtype(), got.sizes(), ": ", found.text());
  }

  // ---- compiled ----

  void with_compiled(const Results& eager_once) {
    const Results compiled = results(true, false, compiled_runs);
    // After as many calls as the compiled model had.
    const Results eager = results(false, false, compiled_runs);
    if (!setting_.reference.empty() && !changes(eager_once, eager))
      with_reference("compiled", compiled);
    std::vector<size_t> calls;
    for (size_t call = 0; call < eager.size(); ++call)
      if (!outputs_agree(call, compiled[call], eager[call])) calls.push_back(call);
    if (!calls.empty()) name_first_node(calls);
  }

  // Whether calls change the model, so that later calls on the same inputs give other results.
  bool changes(const Results& first, const Results& last) const {
    for (size_t call = 0; call < first.size(); ++call) {
      for (size_t i = 0; i < own_outputs_; ++i) {
        const auto a = tensor_of(first[call].outputs.value(i));
        const auto b = tensor_of(last[call].outputs.value(i));
        if (a && b && !difference(*a, *b, 0.0, 0.0).is_same()) return true;
      }
    }
    return false;
  }

  bool outputs_agree(size_t call, const CallResults& compiled, const CallResults& eager) {
    bool agree = true;
    const auto check = [&](const std::string& name, const ArgValue& got, const ArgValue& wanted) {
      const auto a = tensor_of(got), b = tensor_of(wanted);
      if (!a || !b) return;
      const Difference found = compare(*a, *b);
      row("compiled with eager", cat(call_text(call), name), *a, found);
      agree = agree && found.is_same();
    };
    for (size_t i = 0; i < own_outputs_; ++i)
      check(eager.outputs.name(i), compiled.outputs.value(i), eager.outputs.value(i));
    return agree;
  }

  // The results of nodes keep others from becoming one kernel, which may hide a difference: then
  // one node at a time is kept.
  void name_first_node(const std::vector<size_t>& calls) {
    const Results compiled = results(true, true, compiled_runs);
    const Results eager = results(false, true, compiled_runs);
    for (const size_t call : calls) {
      const ModelResults &got = compiled[call].outputs, &wanted = eager[call].outputs;
      std::string about;
      for (size_t i = own_outputs_; about.empty() && i < wanted.size(); ++i) {
        const Difference found = compare(got[i], wanted[i]);
        if (!found.is_same())
          about = cat("the first node that differs: ", node_text(wanted.name(i), got[i], found));
      }
      if (about.empty()) about = found_by_halving(call, wanted);
      add_note(cat(call_text(call), "compiled with eager: ", about));
    }
  }
  // By halving the program: it finds the first node that differs if all after it differ, too.
  std::string found_by_halving(size_t call, const ModelResults& eager) const {
    std::string found = "no node differs if its result is kept";
    size_t low = own_outputs_, high = eager.size();
    while (low < high) {
      const size_t middle = low + (high - low) / 2;
      const std::string& name = eager.name(middle);
      const Results kept = results(true, true, compiled_runs, {&name, 1});
      const Tensor& got = kept[call].outputs[own_outputs_];
      const Difference about = compare(got, eager[middle]);
      if (about.is_same()) {
        low = middle + 1;
      } else {
        high = middle;
        found =
            cat("a node that differs, found by halving the program: ", node_text(name, got, about));
      }
    }
    return found;
  }

  const VerifySetting& setting_;
  std::optional<ExportedModel> model_;
  std::map<std::string, ModelNode> nodes_;  // by the names of their results
  size_t own_outputs_ = 0;
  std::vector<Arrays> references_;  // of each call
  std::vector<std::vector<ArgValue>> inputs_;
  report::Table table_{{{"Result", report::Align::left},
                        {"Compared", report::Align::left},
                        {"Is", report::Align::left},
                        {"Largest error"},
                        {"Relative"},
                        {"NaN"},
                        {"Verdict", report::Align::left}}};
  std::vector<std::string> notes_;
  size_t compared_ = 0, wrong_ = 0, compared_nodes_ = 0, wrong_nodes_ = 0;
};

std::function<int()> declare(CLI::App& app) {
  auto setting = std::make_shared<VerifySetting>();
  app.add_option("file", setting->file, model_words)->required();
  app.add_option("--reference", setting->reference,
                 ".npz or .safetensors with the arrays that are wanted; torch: what PyTorch "
                 "computes now, on the given inputs or the export's example");
  app.add_option("--python", setting->python, "the Python of --reference torch, which has torch")
      ->capture_default_str();
  app.add_option("--input", setting->inputs,
                 cat(input_words, "; inputs without one are the reference's"));
  add_image_options(app, setting->images);
  app.add_option("--model", setting->model, "one of the models in the file");
  app.add_option("--rtol", setting->rtol,
                 "relative tolerance; without it that of "
                 "torch.testing.assert_close for the dtype");
  app.add_option("--atol", setting->atol, "absolute tolerance; likewise");
  app.add_flag("--compile", setting->compile,
               "also compare the compiled model, with the reference and with eager");
  app.footer(
      "Arrays of a reference have the names of inputs and outputs (`vitro inspect` shows them), or "
      "in.NAME, out.NAME, out.NUMBER, after.NAME of an input that is written, node.NAME or NAME of "
      "a node of the program: with these the first node that differs is named, with its line of "
      "Python. \"0.in.x\" belongs to call 0 of several. Exit code 1: there is a difference in an "
      "output, or in an input that the model writes.");
  return [setting] { return or_report("verify", [&] { return Verification(*setting).run(); }); };
}

const AddCommand verify_command("verify", "Compare a model's results with a reference (.pt2)",
                                declare);

}  // namespace
}  // namespace vitro::cli
