// Makes a package in memory: the program, and the weights that it asks for; then inputs of the
// sizes that the export had.
#include "exported/run_any.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "io/memory_file.h"
#include "io/pt2/program.h"
#include "io/pt2/tensor_record.h"
#include "io/zip_writer.h"
#include "vitro/base/cat.h"
#include "vitro/base/error.h"
#include "vitro/core/interpreter.h"
#include "vitro/exported/model.h"
#include "vitro/ops/create.h"
#include "vitro/report/json.h"

namespace vitro::exported {
namespace {

constexpr int64_t most_elements = 1 << 16;

// Refuses calls that would take long.
class Bounded : public Interpreter {
 public:
  void call(const OpCall& call, std::span<Tensor> results) override {
    VITRO_CHECK(++calls_ < 1000, "too many calls");
    for (const TensorMeta& meta : infer(*call.op, call.operands, call.attrs))
      VITRO_CHECK(elements(meta.sizes) <= most_elements, "too large");
    call_below(call, results);
  }
  static int64_t elements(std::span<const Size> sizes) {
    int64_t out = 1;
    for (const Size size : sizes)
      if (__builtin_mul_overflow(out, size.hint(), &out)) return INT64_MAX;
    return out;
  }

 private:
  int calls_ = 0;
};

int64_t number_of(DType dtype) {
  for (int64_t i = 0; i < 64; ++i)
    if (const io::SchemaDType* one = io::schema_dtype(i); one && one->ours == dtype) return i;
  return 7;
}

// Weights and constants that the program asks for, as a package lists them.
struct Weights {
  explicit Weights(const io::Program& program, bool constants) : json_(out_) {
    json_.begin_object().key("config").begin_object();
    for (const io::InputSpec& spec : program.inputs) {
      using Kind = io::InputSpec::Kind;
      if (spec.kind == Kind::user || spec.kind == Kind::frozen || !spec.meta) continue;
      if ((spec.kind == Kind::constant || !spec.persistent) == constants) add(spec);
    }
    json_.end().end();
    out_.finish();
  }
  std::string text() const { return out_.text(); }

 private:
  void add(const io::InputSpec& spec) {
    if (std::ranges::find(names_, spec.target) != names_.end()) return;
    names_.push_back(spec.target);
    json_.key(spec.target).begin_object().key("path_name").value("weight_0");
    json_.key("is_param").value(true).key("use_pickle").value(false);
    json_.key("tensor_meta").begin_object().key("dtype").value(number_of(spec.meta->dtype));
    json_.key("requires_grad").value(false).key("layout").value(int64_t{7});
    numbers("sizes", spec, 1);
    numbers("strides", spec, 0);
    json_.key("storage_offset").begin_object().key("as_int").value(int64_t{0}).end();
    json_.key("device").begin_object().key("type").value("cpu").end();
    json_.end().end();
  }
  // The sizes, or strides of the last dimension's 1 and 0, so that all weights are in few bytes.
  void numbers(std::string_view key, const io::InputSpec& spec, int64_t is_size) {
    json_.key(key).begin_array();
    for (const io::ProgramSize& size : spec.meta->sizes) {
      const bool is_last = &size == &spec.meta->sizes.back();
      const int64_t stride = is_last && size.number <= 256 ? 1 : 0;
      json_.begin_object().key("as_int").value(is_size ? size.number : stride).end();
    }
    json_.end();
  }

  std::vector<std::string> names_;
  report::TextOutput out_;
  report::Json json_;
};

std::string package_of(std::string_view text, const io::Program& program) {
  std::string data(4096, '\0');
  for (size_t i = 0; i < data.size(); i += 4) data[i + 3] = static_cast<char>(i % 64);  // small f32
  report::TextOutput out;
  io::ZipWriter zip(out);
  zip.add("m/archive_format", "pt2");
  zip.add("m/archive_version", "0");
  zip.add("m/models/model.json", text);
  for (const bool constants : {false, true}) {
    const std::string kind = constants ? "constants" : "weights";
    zip.add(cat("m/data/", kind, "/weight_0"), data);
    zip.add(cat("m/data/", kind, "/model_", kind, "_config.json"),
            Weights(program, constants).text());
  }
  zip.finish();
  out.finish();
  return out.text();
}

std::optional<std::vector<ArgValue>> inputs_of(const ExportedModel& model) {
  std::vector<ArgValue> out;
  for (const ModelInput& input : model.inputs()) {
    if (input.kind != ModelInput::Kind::tensor) {
      out.push_back(input.literal);
      continue;
    }
    Sizes sizes;
    for (const ModelSize& size : input.sizes) {
      if (size.example < 0) return {};
      sizes.push_back(size.example);
    }
    if (Bounded::elements(sizes) > most_elements) return {};
    out.emplace_back(full(sizes, 1, input.dtype));
  }
  return out;
}

bool has_endless_loops(const ExportedModel& model) {
  return std::ranges::any_of(model.nodes(), [](const ModelNode& node) {
    return node.target.find("while_loop") != node.target.npos;
  });
}

void look_at(const ExportedModel& model) {
  size_t sum = 0;
  for (const ModelInput& one : model.inputs()) sum += one.text().size() + one.path.size();
  for (const ModelOutput& one : model.outputs()) sum += one.text().size();
  for (const std::string& one : model.guards()) sum += one.size();
  VITRO_ASSERT(sum > 0 || model.inputs().empty());
}

}  // namespace

bool run_any(std::string_view text) {
  const Result<io::Program> program = io::parse_program(text, "model");
  if (!program) return false;
  const io::MemoryFile file(package_of(text, *program));
  try {
    const ExportedModel model = load(file.path());
    look_at(model);
    if (has_endless_loops(model)) return false;
    Bounded bounded;
    const Using bounding(&bounded);
    const auto inputs = inputs_of(model);
    if (!inputs) return false;
    const ModelResults results = model(std::span<const ArgValue>(*inputs));
    VITRO_ASSERT(results.size() == model.outputs().size());
    return true;
  } catch (const Error& e) {
    VITRO_ASSERT(!std::string_view(e.what()).empty());
    return false;
  }
}

}  // namespace vitro::exported
