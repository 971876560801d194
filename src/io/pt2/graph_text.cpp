// Graphs: arguments of every kind, nodes, and the names of values, which become numbers.
#include "io/pt2/graph_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <complex>
#include <map>
#include <utility>

#include "base/given_location.h"
#include "report/printable.h"
#include "vitro/base/module_path.h"

namespace vitro::io {
namespace {

using Kind = ProgramArgument::Kind;
constexpr int64_t largest_rank = 64;

// torch/_export/serde/schema.py: ScalarType, Layout and MemoryFormat, by number; empty: Vitro has
// no such dtype.
constexpr std::array<std::string_view, 36> dtypes = {
    "",     "u8",   "i8", "i16", "i32", "i64", "f16", "f32", "f64", "", "c64", "c128",
    "bool", "bf16", "",   "",    "",    "",    "",    "",    "",    "", "",    "",
    "",     "",     "",   "",    "",    "",    "",    "",    "",    "", "",    ""};
// torch's names of those.
std::string_view lacking_dtype(int64_t number) {
  constexpr std::pair<int64_t, std::string_view> names[] = {
      {9, "complex32"},       {28, "uint16"},          {29, "float8_e4m3fn"},
      {30, "float8_e5m2"},    {31, "float8_e4m3fnuz"}, {32, "float8_e5m2fnuz"},
      {33, "float8_e8m0fnu"}, {34, "uint32"},          {35, "uint64"}};
  for (const auto& [one, name] : names)
    if (one == number) return name;
  return "";
}
constexpr std::array<std::string_view, 8> layouts = {
    "", "sparse_coo", "sparse_csr", "sparse_csc", "sparse_bsr", "sparse_bsc", "_mkldnn", "strided"};
constexpr std::array<std::string_view, 5> formats = {"", "contiguous_format", "channels_last",
                                                     "channels_last_3d", "preserve_format"};

template <size_t n>
std::string_view word(const Field& field, const std::array<std::string_view, n>& words,
                      std::string_view what) {
  const int64_t number = field.integer();
  if (number < 0 || number >= static_cast<int64_t>(n) || words[static_cast<size_t>(number)].empty())
    field.fail(cat("a ", what, " that Vitro has"));
  return words[static_cast<size_t>(number)];
}

ProgramArgument number(Scalar value) {
  ProgramArgument out;
  out.kind = Kind::number;
  out.number = value;
  return out;
}
ProgramArgument text(std::string_view value) {
  ProgramArgument out;
  out.kind = Kind::text;
  out.text = report::printable(value);
  return out;
}

ProgramArgument device(const Field& field) {
  const auto index = field.find("index");
  const std::string_view type = field["type"].text();
  // Vitro's CPU has no numbers.
  return text(index && type != "cpu" ? cat(type, ':', index->integer()) : std::string(type));
}

// The values of a graph while it is read.
class Values {
 public:
  explicit Values(ProgramGraph& graph) : graph_(graph) {}

  ProgramArgument define(const Field& name, bool is_number) {
    const auto id = static_cast<uint32_t>(graph_.values.size());
    if (!numbers_.emplace(name.text(), id).second)
      name.fail("a name that no earlier value of the graph has");
    graph_.values.push_back({name.printable(), is_number});
    return of(id);
  }
  ProgramArgument use(const Field& name) const {
    const auto found = numbers_.find(name.text());
    if (found == numbers_.end())
      name.fail("the name of an input of the graph or of an earlier node's result");
    return of(found->second);
  }

 private:
  static ProgramArgument of(uint32_t id) {
    ProgramArgument out;
    out.kind = Kind::value;
    out.value = id;
    return out;
  }
  ProgramGraph& graph_;
  std::map<std::string_view, uint32_t> numbers_;
};

// Reads arguments; without values every name is an error.
class Arguments {
 public:
  enum class Names : uint8_t { defined_here, used_here };
  Arguments(Values* values, Names names) : values_(values), names_(names) {}

  ProgramArgument read(const Field& argument) const {
    std::string_view tag;
    const Field of = argument.only(&tag);
    return read(tag, of, argument);
  }

 private:
  ProgramArgument read(std::string_view tag, const Field& of, const Field& argument) const {
    if (tag == "as_none") return {};
    if (tag == "as_tensor") return named(of["name"], false);
    if (tag == "as_int") return number(Scalar(of.integer()));
    if (tag == "as_float") return number(Scalar(of.number()));
    if (tag == "as_bool") return number(Scalar(of.boolean()));
    if (tag == "as_complex")
      return number(Scalar(std::complex<double>(of["real"].number(), of["imag"].number())));
    if (tag == "as_string") return text(of.text());
    if (tag == "as_scalar_type") return dtype(of);
    if (tag == "as_layout") return text(word(of, layouts, "layout"));
    if (tag == "as_memory_format") return text(word(of, formats, "memory format"));
    if (tag == "as_device") return device(of);
    if (tag == "as_sym_int" || tag == "as_sym_float" || tag == "as_sym_bool") return symbolic(of);
    if (tag == "as_optional_tensor") return read(of);
    if (tag == "as_graph") return graph(of);
    return list(tag, of, argument);
  }

  ProgramArgument list(std::string_view tag, const Field& of, const Field& argument) const {
    if (tag == "as_tensors")
      return each(of, true, [&](const Field& one) { return named(one["name"], false); });
    if (tag == "as_optional_tensors")
      return each(of, true, [&](const Field& one) { return read(one); });
    if (tag == "as_nested_tensors")
      return each(of, false, [&](const Field& inner) {
        return each(inner, true, [&](const Field& one) { return named(one["name"], false); });
      });
    if (tag == "as_ints")
      return each(of, false, [](const Field& one) { return number(Scalar(one.integer())); });
    if (tag == "as_floats")
      return each(of, false, [](const Field& one) { return number(Scalar(one.number())); });
    if (tag == "as_bools")
      return each(of, false, [](const Field& one) { return number(Scalar(one.boolean())); });
    if (tag == "as_strings")
      return each(of, false, [](const Field& one) { return text(one.text()); });
    if (tag == "as_sym_ints" || tag == "as_sym_floats" || tag == "as_sym_bools")
      return each(of, false, [&](const Field& one) { return symbolic(one); });
    argument.fail("an argument of a kind that Vitro has");
  }

  static ProgramArgument each(const Field& of, bool of_tensors,
                              FunctionRef<ProgramArgument(const Field&)> one) {
    ProgramArgument out;
    out.kind = Kind::list;
    out.of_tensors = of_tensors;
    of.each([&](const Field& element) { out.list.push_back(one(element)); });
    return out;
  }
  ProgramArgument symbolic(const Field& of) const {
    std::string_view tag;
    const Field value = of.only(&tag);
    if (tag == "as_name") return named(value, true);
    if (tag == "as_int") return number(Scalar(value.integer()));
    if (tag == "as_float") return number(Scalar(value.number()));
    if (tag == "as_bool") return number(Scalar(value.boolean()));
    of.fail("as_name, as_int, as_float or as_bool");
  }
  ProgramArgument named(const Field& name, bool is_number) const {
    if (!values_) name.fail("a value that is not a name");
    return names_ == Names::defined_here ? values_->define(name, is_number) : values_->use(name);
  }
  static ProgramArgument dtype(const Field& of) {
    ProgramArgument out;
    out.kind = Kind::dtype;
    const std::string_view name = lacking_dtype(of.integer());
    if (!name.empty()) of.fail(cat("a dtype that Vitro has, which ", name, " is not"));
    out.dtype = *dtype_named(word(of, dtypes, "dtype"));
    return out;
  }
  static ProgramArgument graph(const Field& of) {
    ProgramArgument out;
    out.kind = Kind::graph;
    out.text = of["name"].printable();
    out.graph = std::make_shared<const ProgramGraph>(read_graph(of["graph"]));
    return out;
  }

  Values* values_;
  Names names_;
};

// ---- where a node comes from ----

struct Frame {
  std::string_view file, function;
  uint32_t line = 0;
};

//   File "/models/bert.py", line 12, in forward
std::optional<Frame> frame_in(std::string_view line) {
  const size_t begin = line.find("File \"");
  if (begin == line.npos) return std::nullopt;
  line.remove_prefix(begin + 6);
  const size_t quote = line.find("\", line ");
  if (quote == line.npos) return std::nullopt;
  Frame out;
  out.file = line.substr(0, quote);
  line.remove_prefix(quote + 8);
  const auto read = std::from_chars(line.data(), line.data() + line.size(), out.line);
  if (read.ec != std::errc()) return std::nullopt;
  const std::string_view rest = line.substr(static_cast<size_t>(read.ptr - line.data()));
  if (rest.starts_with(", in ")) out.function = rest.substr(5);
  return out;
}

// The innermost line of the model: not one of PyTorch's own modules and functions.
std::source_location place_of(std::string_view stack_trace) {
  std::optional<Frame> found;
  bool is_models = false;
  while (!stack_trace.empty()) {
    const size_t end = std::min(stack_trace.find('\n'), stack_trace.size());
    const auto frame = frame_in(stack_trace.substr(0, end));
    stack_trace.remove_prefix(std::min(end + 1, stack_trace.size()));
    if (!frame) continue;
    const bool is_own =
        frame->file.find("/torch/") == std::string_view::npos && !frame->file.starts_with("torch/");
    if (is_own || !is_models) found = frame;
    is_models = is_models || is_own;
  }
  if (!found) return {};
  return given_location(report::printable(found->file), found->line,
                        report::printable(found->function));
}

// "key,path,type;..." from the outermost module to the innermost one.
uint32_t module_of(std::string_view stack) {
  std::string_view last = stack.substr(stack.rfind(';') + 1);
  const size_t first_comma = last.find(','), last_comma = last.rfind(',');
  if (first_comma == last.npos || last_comma == first_comma) return 0;
  std::string_view path = last.substr(first_comma + 1, last_comma - first_comma - 1);
  constexpr std::string_view self = "L['self']";
  if (path.starts_with(self)) path.remove_prefix(self.size());
  if (path.starts_with('.')) path.remove_prefix(1);
  if (path.starts_with("_empty_nn_module_stack")) return 0;  // a node of the exporter's own
  return intern_module_path(report::printable(path.substr(0, 1000)));
}

// ---- nodes ----

ProgramNode read_node(const Field& field, Values& values) {
  ProgramNode out;
  out.target = field["target"].printable();
  if (const auto name = field.find("name")) out.name = name->printable();
  if (const auto metadata = field.find("metadata")) {
    if (const auto trace = metadata->find("stack_trace")) out.where = place_of(trace->text());
    if (const auto stack = metadata->find("nn_module_stack")) out.module = module_of(stack->text());
  }
  const Arguments used(&values, Arguments::Names::used_here);
  const Field inputs = field["inputs"], outputs = field["outputs"];
  inputs.each([&](const Field& one) {
    out.inputs.push_back({one["name"].printable(), used.read(one["arg"])});
  });
  const Arguments defined(&values, Arguments::Names::defined_here);
  outputs.each([&](const Field& one) {
    out.outputs.push_back(defined.read(one));
    const Kind kind = out.outputs.back().kind;
    if (kind != Kind::value && kind != Kind::list && kind != Kind::none) one.fail("a result");
  });
  return out;
}

std::string label_of(const Field& node) {
  const auto name = node.find("name"), target = node.find("target");
  return cat("node ", name && name->is_text() ? name->printable() : "",
             target && target->is_text() ? cat(" (", target->printable(), ")") : "");
}

}  // namespace

ProgramGraph read_graph(const Field& graph) {
  ProgramGraph out;
  Values values(out);
  const Arguments defined(&values, Arguments::Names::defined_here);
  const Arguments used(&values, Arguments::Names::used_here);
  const Field inputs = graph["inputs"], nodes = graph["nodes"], outputs = graph["outputs"];
  inputs.each([&](const Field& one) { out.inputs.push_back(defined.read(one)); });
  nodes.each([&](const Field& one) {
    try {
      out.nodes.push_back(read_node(one, values));
    } catch (const Error& e) {
      throw_error(cat(label_of(one), ": ", e.message()));
    }
  });
  outputs.each([&](const Field& one) { out.outputs.push_back(used.read(one)); });
  if (const auto single = graph.find("is_single_tensor_return"))
    out.returns_one = single->boolean();
  return out;
}

ProgramArgument read_literal(const Field& argument) {
  return Arguments(nullptr, Arguments::Names::used_here).read(argument);
}

ProgramSize read_size(const Field& size) {
  std::string_view tag;
  const Field of = size.only(&tag);
  ProgramSize out;
  if (tag == "as_int") {
    out.number = of.integer();
    if (out.number < 0) of.fail("a size that is not negative");
    return out;
  }
  if (tag != "as_expr") size.fail("as_int or as_expr");
  const Field text = of["expr_str"];
  Result<Expression> e = parse_expression(text.printable());
  if (!e) text.fail(cat("an expression (", e.why(), ")"));
  out.expression = *std::move(e);
  out.number = -1;
  if (const auto hint = of.find("hint")) {
    const Field value = hint->only(&tag);
    if (tag == "as_int") out.number = value.integer();
  }
  return out;
}

ProgramMeta read_meta(const Field& tensor_meta) {
  ProgramMeta out;
  const Field dtype = tensor_meta["dtype"], sizes = tensor_meta["sizes"];
  const int64_t number = dtype.integer();
  out.is_known_dtype = number > 0 && number < static_cast<int64_t>(dtypes.size()) &&
                       !dtypes[static_cast<size_t>(number)].empty();
  if (out.is_known_dtype) out.dtype = *dtype_named(dtypes[static_cast<size_t>(number)]);
  sizes.each([&](const Field& one) { out.sizes.push_back(read_size(one)); });
  if (static_cast<int64_t>(out.sizes.size()) > largest_rank)
    sizes.fail(cat("a rank of at most ", largest_rank));
  return out;
}

std::optional<int64_t> memory_format_number(std::string_view name) {
  for (size_t i = 1; i < formats.size(); ++i)
    if (formats[i] == name || formats[i] == cat(name, "_format")) return static_cast<int64_t>(i);
  return std::nullopt;
}

}  // namespace vitro::io
