// Writes the JSON of a program: first its nodes, as these define the names of sizes, then
// everything that refers to them.
#include "io/pt2/program_writer.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

#include "graph/metas.h"
#include "io/pt2/aten_call.h"
#include "io/pt2/expression_writer.h"
#include "io/pt2/graph_text.h"
#include "io/pt2/number_operators.h"
#include "io/pt2/tensor_record.h"
#include "vitro/base/cat.h"
#include "vitro/base/error.h"
#include "vitro/base/module_path.h"
#include "vitro/report/json.h"
#include "vitro/report/output.h"

namespace vitro::io {
namespace {

using graph::Arg;
using graph::Node;
using graph::NodeId;
using graph::Value;
using report::Json;

// One value of JSON as text.
template <class F>
std::string json_of(F write) {
  report::TextOutput text;
  Json json(text);
  write(json);
  text.finish();
  return text.text();
}

std::string tagged(std::string_view tag, std::string_view json) {
  return cat("{\"", tag, "\":", json, '}');
}
std::string json_text(std::string_view text) {
  return json_of([&](Json& json) { json.value(text); });
}
std::string named(std::string_view name) {
  return tagged("name", json_text(name));
}

// A float is not written as an integer, which torch would take for one.
std::string float_text(double x) {
  if (std::isnan(x)) return "\"NaN\"";
  if (std::isinf(x)) return x < 0 ? "\"-Infinity\"" : "\"Infinity\"";
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, x).ptr;
  std::string out(text, end);
  return out.find_first_of(".e") == out.npos ? out + ".0" : out;
}

int64_t dtype_number(DType dtype) {
  return schema_dtype(dtype)->number;
}

// ---- names ----

bool is_python_word(std::string_view name) {
  constexpr std::string_view words[] = {
      "False", "None",     "True",  "and",    "as",   "assert", "async",  "await",    "break",
      "class", "continue", "def",   "del",    "elif", "else",   "except", "finally",  "for",
      "from",  "global",   "if",    "import", "in",   "is",     "lambda", "nonlocal", "not",
      "or",    "pass",     "raise", "return", "self", "try",    "while",  "with",     "yield"};
  return std::ranges::find(words, name) != std::end(words);
}

// Names of Python, each once.
class Names {
 public:
  std::string take(std::string_view wanted) {
    std::string name;
    for (const char c : wanted) {
      const bool fits = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
                        (c >= '0' && c <= '9' && !name.empty());
      name += fits ? c : '_';
    }
    if (name.empty() || is_python_word(name)) name += '_';
    std::string out = name;
    for (int n = 1; !taken_.insert(out).second; ++n) out = cat(name, '_', n);
    return out;
  }

 private:
  std::set<std::string> taken_;
};

// The inputs in the order of the program: parameters, buffers, constants, arguments.
std::vector<size_t> input_order(const SavedProgram& program) {
  std::vector<size_t> out;
  std::vector<bool> is_weight(program.graph.inputs().size(), false);
  for (const auto kind :
       {SavedWeight::Kind::parameter, SavedWeight::Kind::buffer, SavedWeight::Kind::constant}) {
    for (const SavedWeight& one : program.weights) {
      is_weight.at(one.input) = true;
      if (one.kind == kind) out.push_back(one.input);
    }
  }
  for (size_t i = 0; i < is_weight.size(); ++i)
    if (!is_weight[i]) out.push_back(i);
  return out;
}

// ---- the program ----

class ProgramWriter {
 public:
  explicit ProgramWriter(const SavedProgram& program)
      : program_(program), g_(program.graph), order_(input_order(program)) {
    names_.resize(g_.size());
    weight_of_.resize(g_.inputs().size(), nullptr);
    for (const SavedWeight& one : program.weights) weight_of_[one.input] = &one;
    // Arguments first, so that they keep their names.
    for (const bool weights : {false, true})
      for (const size_t i : order_)
        if ((weight_of_[i] != nullptr) == weights) name_results(g_.inputs()[i].n);
    for (uint32_t n = 0; n < g_.size(); ++n)
      if (!g_.nodes()[n].is_input()) name_results(n);
  }

  std::vector<std::string> arguments() const {
    std::vector<std::string> out;
    for (const size_t i : order_)
      if (!weight_of_[i]) out.push_back(input_name(i));
    return out;
  }

  std::string text() {
    check_inputs();
    calls_ = calls();
    find_symbols_of_inputs();
    for (uint32_t n = 0; n < g_.size(); ++n)
      if (!g_.nodes()[n].is_input()) write_node(n);
    return json_of([&](Json& json) { write_program(json); });
  }

 private:
  void name_results(uint32_t n) {
    const Node& node = g_.nodes()[n];
    if (node.results.size() == 1) return names_[n].push_back(taken_.take(node.name)), void();
    for (size_t i = 0; i < node.results.size(); ++i)
      names_[n].push_back(taken_.take(cat(node.name, '_', i)));
  }

  const std::string& name(Value value) const { return names_.at(value.node.n).at(value.output); }
  const std::string& input_name(size_t i) const { return names_[g_.inputs()[i].n][0]; }

  // ---- checks ----

  void check_inputs() const {
    for (const NodeId id : g_.inputs())
      VITRO_CHECK(g_[id].input != graph::InputKind::number, "save: input ", g_[id].name,
                  " is a number that may vary; make it a tensor, or a constant of the graph");
    std::set<size_t> seen;
    for (const SavedWeight& one : program_.weights)
      VITRO_CHECK(seen.insert(one.input).second, "save: input ", input_name(one.input),
                  " is two weights");
    size_t results = 0;
    for (const graph::Output& one : g_.outputs()) results += one.writes < 0 ? 1 : 0;
    VITRO_CHECK(program_.outputs.empty() || program_.outputs.size() == results, "save: got ",
                program_.outputs.size(), " names for ", results, " outputs");
  }

  std::vector<std::optional<AtenCall>> calls() const {
    std::vector<std::optional<AtenCall>> out(g_.size());
    std::string missing;
    for (uint32_t n = 0; n < g_.size(); ++n) {
      const Node& node = g_.nodes()[n];
      if (node.is_input()) continue;
      out[n] = aten_call(g_, node);
      if (!out[n]) missing += cat("\n  ", node.op->name, place_text(node.location));
    }
    VITRO_CHECK(missing.empty(), "save: PyTorch's ATen has no call for", missing);
    return out;
  }

  static std::string place_text(const graph::SourceLocation& location) {
    std::string out;
    if (!location.file.empty()) out += cat(" of ", location.file, ':', location.line);
    if (location.module != 0) out += cat(", module ", module_path(location.module));
    return out;
  }

  // ---- sizes ----

  // Where the value of each symbol comes from: a size of an input, which is the symbol or a linear
  // function of it.
  void find_symbols_of_inputs() {
    for (const bool exact : {true, false})
      for (const size_t i : order_) {
        const TensorMeta& meta = g_[g_.inputs()[i]].results[0];
        for (size_t d = 0; d < meta.sizes.size(); ++d)
          if (meta.sizes[d].is_symbolic()) note_source(g_.inputs()[i], d, exact);
      }
  }
  void note_source(NodeId id, size_t d, bool exact) {
    const sym::Expr size = g_[id].results[0].sizes[d].expr();
    if (size.is_symbol() == exact && sym::symbols_of(size).size() == 1)
      sources_.try_emplace(sym::symbols_of(size)[0], Source{id, d});
  }

  // The name of a number that nodes compute, and these nodes if there are none yet.
  std::string number_name(sym::Expr e) {
    if (const auto found = numbers_.find(e); found != numbers_.end()) return found->second;
    const std::string out = sym::kind_of(e) == sym::Kind::symbol ? symbol_name(e) : folded(e);
    return numbers_.emplace(e, out).first->second;
  }

  std::string symbol_name(sym::Expr symbol) {
    const auto source = sources_.find(symbol);
    VITRO_CHECK(source != sources_.end(), "save: ", symbol,
                " varies, but is not a size of an input that the program reads");
    const auto [id, dim] = source->second;
    const sym::Expr size = g_[id].results[0].sizes[dim].expr();
    const auto known = numbers_.find(size);
    const std::string name =
        known != numbers_.end() ? known->second : size_node(id, static_cast<int64_t>(dim), size);
    if (size == symbol) return name;
    const auto linear = sym::as_linear(size, symbol);
    VITRO_CHECK(linear && linear->coefficient.constant() && linear->rest.constant(),
                "save: ", symbol, " is not a size of any input, and ", size, " does not give it");
    const std::string rest = linear->rest.is(0)
                                 ? name
                                 : number_node("_operator.sub", "sub", size - linear->rest,
                                               name_json(name), int_json(*linear->rest.constant()));
    return number_node("_operator.floordiv", "floordiv", symbol, name_json(rest),
                       int_json(*linear->coefficient.constant()));
  }

  // Nodes that combine the operands of `e` one after another.
  std::string folded(sym::Expr e) {
    const sym::Kind kind = sym::kind_of(e);
    const std::string_view target = number_operator(kind).target(),
                           name = target.substr(target.find('.') + 1);
    const std::vector<sym::Expr> operands = sym::operands_of(e);
    sym::Expr so_far = operands.at(0);
    std::string out, left = size_json(so_far);
    for (size_t i = 1; i < operands.size(); ++i) {
      so_far = i + 1 == operands.size() ? e : combined(kind, so_far, operands[i]);
      out = number_node(target, name, so_far, left, size_json(operands[i]));
      left = name_json(out);
    }
    return out;
  }
  // Of the kinds that have more than two operands.
  static sym::Expr combined(sym::Kind kind, sym::Expr a, sym::Expr b) {
    if (kind == sym::Kind::sum) return a + b;
    if (kind == sym::Kind::product) return a * b;
    return kind == sym::Kind::min ? sym::min(a, b) : sym::max(a, b);
  }

  static std::string name_json(std::string_view name) { return tagged("as_name", json_text(name)); }
  static std::string int_json(int64_t number) { return tagged("as_int", cat(number)); }
  std::string size_json(sym::Expr e) {
    return e.constant() ? int_json(*e.constant()) : name_json(number_name(e));
  }
  // Of a size as an argument by itself.
  static std::string argument_of_size(const std::string& json) {
    return json.starts_with("{\"as_int\"") ? json : tagged("as_sym_int", json);
  }

  std::string size_node(NodeId id, int64_t dim, sym::Expr size) {
    const std::string out = taken_.take("sym_size_int");
    const std::string inputs =
        cat(input_json("self", tagged("as_tensor", named(names_[id.n][0])), false), ',',
            input_json("dim", int_json(dim), false));
    add_number_node("torch.ops.aten.sym_size.int", out, inputs, size);
    return numbers_.emplace(size, out).first->second;
  }
  std::string number_node(std::string_view target, std::string_view name, sym::Expr value,
                          const std::string& a, const std::string& b) {
    std::string out = taken_.take(name);
    add_number_node(target, out,
                    cat(input_json("a", argument_of_size(a), false), ',',
                        input_json("b", argument_of_size(b), false)),
                    value);
    return out;
  }
  void add_number_node(std::string_view target, const std::string& name, const std::string& inputs,
                       sym::Expr value) {
    sym_ints_.emplace_back(name, value);
    nodes_.push_back(node_json(target, inputs, tagged("as_sym_int", name_json(name)), "{}", name));
  }

  // ---- nodes ----

  static std::string input_json(std::string_view name, std::string_view arg, bool by_name) {
    return cat("{\"name\":", json_text(name), ",\"arg\":", arg, ",\"kind\":", by_name ? 2 : 1, '}');
  }
  static std::string node_json(std::string_view target, std::string_view inputs,
                               std::string_view outputs, std::string_view metadata,
                               std::string_view name) {
    return cat("{\"target\":", json_text(target), ",\"inputs\":[", inputs, "],\"outputs\":[",
               outputs, "],\"metadata\":", metadata,
               ",\"is_hop_single_tensor_return\":null,\"name\":", json_text(name), '}');
  }

  void write_node(uint32_t n) {
    const Node& node = g_.nodes()[n];
    const AtenCall& call = *calls_[n];
    std::string inputs;
    size_t place = 0;
    bool by_name = false;  // from the first argument on that is left out
    for (const graph::GivenArgument& one : call.arguments) {
      const auto at = static_cast<size_t>(one.argument - call.schema->arguments.data());
      by_name = by_name || at != place++ || one.argument->keyword_only;
      inputs += cat(inputs.empty() ? "" : ",",
                    input_json(one.argument->name, argument_json(node, one), by_name));
    }
    std::string outputs;
    const bool is_list = call.schema->results[0].type.list;
    for (const std::string& result : names_[n])
      outputs += cat(outputs.empty() ? "" : ",",
                     is_list ? named(result) : tagged("as_tensor", named(result)));
    if (is_list) outputs = tagged("as_tensors", cat('[', outputs, ']'));
    nodes_.push_back(node_json(call.target, inputs, outputs, metadata_json(node), node.name));
    note_data_sizes(n);
  }

  // A data size is known from here on.
  void note_data_sizes(uint32_t n) {
    const auto data = graph::data_size(g_, g_.nodes()[n]);
    if (data) sources_.try_emplace(data->symbol, Source{NodeId{n}, 0});
  }

  static std::string metadata_json(const Node& node) {
    const graph::SourceLocation& location = node.location;
    return json_of([&](Json& json) {
      json.begin_object();
      // torch shows the last line, which is code of the file.
      const std::string_view called = location.call.empty() ? node.op->name : location.call;
      if (!location.file.empty())
        json.member("stack_trace", cat("File \"", location.file, "\", line ", location.line,
                                       ", in forward\n    ", called));
      const std::string_view path = module_path(location.module);
      std::string stack = "L__self__,,vitro.Module";
      for (size_t end = 0; !path.empty() && end != path.npos;) {
        end = path.find('.', end == 0 ? 0 : end + 1);
        const std::string_view part = path.substr(0, end);
        stack += cat(";L__self__", part, ',', part, ",vitro.Module");
      }
      json.member("nn_module_stack", stack).end();
    });
  }

  std::string argument_json(const Node& node, const graph::GivenArgument& given) {
    const ArgType& type = given.argument->type;
    if (const auto* operand = std::get_if<Arg>(&given.value)) {
      const auto* number = std::get_if<Scalar>(operand);
      if (number && type.kind == ArgKind::tensor && !takes_numbers(*node.op))
        return tagged("as_tensor", named(number_tensor(node, *number)));
      return operand_json(*operand, type);
    }
    if (const auto* list = std::get_if<std::vector<Arg>>(&given.value)) {
      std::string out;
      for (const Arg& one : *list)
        out +=
            cat(out.empty() ? "" : ",", type.optional_elements ? operand_json(one, type)
                                                               : named(name(std::get<Value>(one))));
      return tagged(type.optional_elements ? "as_optional_tensors" : "as_tensors",
                    cat('[', out, ']'));
    }
    const auto& value = std::get<ArgValue>(given.value);
    if (is_none(value)) return tagged("as_none", "true");
    if (const auto* number = std::get_if<Scalar>(&value)) {
      return type.list ? list_json({number, 1}, type) : number_json(*number, type);
    }
    if (const auto* numbers = std::get_if<std::vector<Scalar>>(&value))
      return list_json(*numbers, type);
    if (const auto* dtype = std::get_if<DType>(&value))
      return tagged("as_scalar_type", cat(dtype_number(*dtype)));
    return text_json(std::get<std::string>(value), type);
  }

  // Whether torch takes a number where the schema has a tensor.
  static bool takes_numbers(const OpDef& op) {
    constexpr std::string_view names[] = {"add", "sub", "mul", "div"};
    return std::ranges::find(names, op.name) != std::end(names);
  }
  // A node that makes a tensor of a number, of the dtype in which the op computes.
  std::string number_tensor(const Node& node, const Scalar& number) {
    const DType dtype = node.op->pointwise ? graph::common_dtype(g_, node) : node.results[0].dtype;
    const std::string out = taken_.take("scalar_tensor");
    nodes_.push_back(node_json(
        "torch.ops.aten.scalar_tensor.default",
        cat(input_json("s", number_json(number, {ArgKind::scalar}), false), ',',
            input_json("dtype", tagged("as_scalar_type", cat(dtype_number(dtype))), true)),
        tagged("as_tensor", named(out)), metadata_json(node), out));
    TensorMeta meta;
    meta.dtype = dtype;
    extra_.emplace_back(out, std::move(meta));
    return out;
  }

  std::string operand_json(const Arg& arg, const ArgType& type) {
    if (const auto* value = std::get_if<Value>(&arg))
      return tagged("as_tensor", named(name(*value)));
    if (const auto* number = std::get_if<Scalar>(&arg)) return number_json(*number, type);
    return tagged("as_none", "true");
  }

  std::string number_json(const Scalar& number, const ArgType& type) {
    if (number.is_symbolic()) return argument_of_size(size_json(number.expr()));
    if (number.is_complex()) {
      const std::complex<double> z = number.as_complex();
      return tagged("as_complex", cat("{\"real\":", float_text(z.real()),
                                      ",\"imag\":", float_text(z.imag()), '}'));
    }
    if (number.is_floating() || type.kind == ArgKind::floating)
      return tagged("as_float", float_text(number.as_double()));
    if (number.kind() == Scalar::Kind::boolean || type.kind == ArgKind::boolean)
      return tagged("as_bool", number.as_bool() ? "true" : "false");
    return int_json(number.as_int());
  }

  std::string list_json(std::span<const Scalar> numbers, const ArgType& type) {
    const bool symbolic = std::ranges::any_of(numbers, &Scalar::is_symbolic);
    const bool floating =
        type.kind == ArgKind::floating ||
        (type.kind == ArgKind::scalar && std::ranges::any_of(numbers, &Scalar::is_floating));
    std::string out;
    for (const Scalar& one : numbers)
      out += cat(out.empty() ? "" : ",", symbolic   ? size_json(one.size().expr())
                                         : floating ? float_text(one.as_double())
                                         : type.kind == ArgKind::boolean
                                             ? (one.as_bool() ? "true" : "false")
                                             : cat(one.as_int()));
    return tagged(symbolic                        ? "as_sym_ints"
                  : floating                      ? "as_floats"
                  : type.kind == ArgKind::boolean ? "as_bools"
                                                  : "as_ints",
                  cat('[', out, ']'));
  }

  static std::string text_json(std::string_view text, const ArgType& type) {
    if (type.kind == ArgKind::layout) return tagged("as_layout", cat(strided_layout));
    if (type.kind == ArgKind::device) return tagged("as_device", device_json());
    if (type.kind != ArgKind::memory_format) return tagged("as_string", json_text(text));
    const auto number = memory_format_number(text);
    VITRO_CHECK(number, "save: torch has no memory format ", text);
    return tagged("as_memory_format", cat(*number));
  }
  static std::string device_json() { return R"({"type":"cpu","index":null})"; }

  // ---- values ----

  static std::string meta_size(Size size) {
    if (!size.is_symbolic()) return int_json(size.hint());
    return tagged("as_expr", cat("{\"expr_str\":", json_text(sympy_text(size.expr())), ",\"hint\":",
                                 sym::is_data(size.expr()) ? "null" : int_json(size.hint()), '}'));
  }
  static std::string meta_sizes(const Sizes& sizes) {
    std::string out;
    for (const Size one : sizes) out += cat(out.empty() ? "" : ",", meta_size(one));
    return cat('[', out, ']');
  }
  static std::string meta_json(const TensorMeta& meta, bool requires_grad) {
    return cat("{\"dtype\":", dtype_number(meta.dtype), ",\"sizes\":", meta_sizes(meta.sizes),
               ",\"requires_grad\":", requires_grad ? "true" : "false",
               ",\"device\":", device_json(), ",\"strides\":", meta_sizes(meta.strides),
               ",\"storage_offset\":", meta_size(meta.offset), ",\"layout\":", strided_layout, '}');
  }

  void write_values(Json& json) {
    json.key("tensor_values").begin_object();
    std::vector<bool> trains(g_.size(), false);
    for (const SavedWeight& one : program_.weights)
      trains[g_.inputs()[one.input].n] = one.kind == SavedWeight::Kind::parameter &&
                                         is_floating(g_[g_.inputs()[one.input]].results[0].dtype);
    for (uint32_t n = 0; n < g_.size(); ++n)
      for (size_t i = 0; i < names_[n].size(); ++i)
        json.key(names_[n][i]).raw(meta_json(g_.nodes()[n].results[i], trains[n]));
    for (const auto& [name, meta] : extra_) json.key(name).raw(meta_json(meta, false));
    json.end().key("sym_int_values").begin_object();
    for (const auto& [name, value] : sym_ints_)
      json.key(name).raw(meta_size(Size(hint_of(value), value)));
    json.end();
  }
  int64_t hint_of(sym::Expr e) const {
    return sym::is_data(e) ? 0 : sym::evaluate(e, [&](sym::Expr symbol) {
      const auto& all = g_.symbols();
      const auto found = std::ranges::find(all, symbol);
      return found == all.end() ? int64_t{1} : g_.hints()[static_cast<size_t>(found - all.begin())];
    });
  }

  // ---- the signature ----

  // Written inputs first: weights, then arguments.
  std::vector<graph::Output> ordered_outputs() const {
    std::vector<graph::Output> out(g_.outputs());
    const auto rank = [&](const graph::Output& one) {
      if (one.writes < 0) return 2;
      return weight_of_[static_cast<size_t>(one.writes)] ? 0 : 1;
    };
    std::ranges::stable_sort(out, {}, rank);
    return out;
  }

  std::string input_spec(size_t i) const {
    const std::string arg = cat("{\"arg\":", named(input_name(i)));
    const SavedWeight* weight = weight_of_[i];
    if (!weight)
      return tagged("user_input", tagged("arg", tagged("as_tensor", named(input_name(i)))));
    switch (weight->kind) {
      case SavedWeight::Kind::parameter:
        return tagged("parameter", cat(arg, ",\"parameter_name\":", json_text(weight->name), '}'));
      case SavedWeight::Kind::buffer:
        return tagged("buffer", cat(arg, ",\"buffer_name\":", json_text(weight->name),
                                    ",\"persistent\":true}"));
      case SavedWeight::Kind::constant:
        break;
    }
    return tagged("tensor_constant",
                  cat(arg, ",\"tensor_constant_name\":", json_text(weight->name), '}'));
  }

  std::string output_spec(const graph::Output& output) const {
    const std::string arg = named(name(output.value));
    if (output.writes < 0) return tagged("user_output", tagged("arg", tagged("as_tensor", arg)));
    const auto i = static_cast<size_t>(output.writes);
    const SavedWeight* weight = weight_of_[i];
    if (!weight)
      return tagged("user_input_mutation",
                    cat("{\"arg\":", arg, ",\"user_input_name\":", json_text(input_name(i)), '}'));
    VITRO_CHECK(weight->kind != SavedWeight::Kind::constant, "save: the program writes ",
                weight->name, ", which is a constant; make it a buffer");
    if (weight->kind == SavedWeight::Kind::parameter)
      return tagged("parameter_mutation",
                    cat("{\"arg\":", arg, ",\"parameter_name\":", json_text(weight->name), '}'));
    return tagged("buffer_mutation",
                  cat("{\"arg\":", arg, ",\"buffer_name\":", json_text(weight->name), '}'));
  }

  void write_graph(Json& json) {
    const std::vector<graph::Output> outputs = ordered_outputs();
    json.key("graph").begin_object().key("inputs").begin_array();
    for (const size_t i : order_) json.raw(tagged("as_tensor", named(input_name(i))));
    json.end().key("outputs").begin_array();
    for (const graph::Output& one : outputs) json.raw(tagged("as_tensor", named(name(one.value))));
    json.end().key("nodes").begin_array();
    for (const std::string& one : nodes_) json.raw(one);
    json.end();
    write_values(json);
    for (const char* none : {"sym_bool_values", "sym_float_values", "custom_obj_values"})
      json.key(none).begin_object().end();
    json.member("is_single_tensor_return", false).end();
    json.key("signature").begin_object().key("input_specs").begin_array();
    for (const size_t i : order_) json.raw(input_spec(i));
    json.end().key("output_specs").begin_array();
    for (const graph::Output& one : outputs) json.raw(output_spec(one));
    json.end().end();
  }

  // ---- trees ----

  static std::string tree(std::string_view type, std::string_view context,
                          const std::string& children) {
    return cat("{\"type\":\"builtins.", type, "\",\"context\":", json_text(context),
               ",\"children_spec\":[", children, "]}");
  }
  static std::string leaves(size_t count) {
    std::string out;
    for (size_t i = 0; i < count; ++i)
      out += cat(i == 0 ? "" : ",", R"({"type":null,"context":null,"children_spec":[]})");
    return out;
  }
  std::string result_tree() const {
    size_t count = 0;
    for (const graph::Output& one : g_.outputs()) count += one.writes < 0 ? 1 : 0;
    if (program_.outputs.empty())
      return count == 1 ? leaves(1) : tree("tuple", "null", leaves(count));
    const std::string keys = json_of([&](Json& json) {
      json.begin_array();
      for (const std::string& one : program_.outputs) json.value(one);
      json.end();
    });
    return tree("dict", keys, leaves(count));
  }

  void write_program(Json& json) {
    json.begin_object().key("graph_module").begin_object();
    write_graph(json);
    json.key("module_call_graph").begin_array().begin_object().member("fqn", "");
    json.key("signature").begin_object();
    json.key("inputs").begin_array().end().key("outputs").begin_array().end();
    const std::vector<std::string> names = arguments();
    json.member(
        "in_spec",
        cat("[1,",
            tree("tuple", "null",
                 cat(tree("tuple", "null", leaves(names.size())), ',', tree("dict", "[]", ""))),
            ']'));
    json.member("out_spec", cat("[1,", result_tree(), ']'));
    json.key("forward_arg_names").begin_array();
    for (const std::string& one : names) json.value(one);
    json.end().end().end().end();
    json.key("metadata").begin_object().end();
    json.key("treespec_namedtuple_fields").begin_object().end().end();
    json.key("opset_version").begin_object().member("aten", 10).end();
    write_ranges(json);
    json.key("schema_version").begin_object().member("major", 8).member("minor", 20).end();
    json.key("verifiers").begin_array().value("ATEN").end();
    json.member("torch_version", "2.13.0").key("guards_code").begin_array();
    for (const sym::Guard& one : program_.guards) json.value(guard_text(one));
    json.end().end();
  }

  void write_ranges(Json& json) const {
    std::set<std::string> seen;
    json.key("range_constraints").begin_object();
    for (const Node& node : g_.nodes())
      for (const TensorMeta& meta : node.results)
        for (const Size size : meta.sizes)
          if (size.is_symbolic())
            for (const sym::Expr symbol : sym::symbols_of(size.expr())) {
              if (!seen.insert(symbol.text()).second) continue;
              const sym::Range range = sym::range_of(symbol);
              json.key(symbol.text())
                  .begin_object()
                  .member("min_val", std::max<int64_t>(range.low, 0));
              json.key("max_val");
              range.high >= sym::largest_size ? json.null() : json.value(range.high);
              json.end();
            }
    json.end();
  }

  // As Python, over the arguments' sizes.
  std::string guard_text(const sym::Guard& guard) const {
    const auto text = [&](sym::Expr e) {
      return python_text(e, [&](sym::Expr symbol) { return size_text(symbol); });
    };
    const bool equal = guard.question == sym::Guard::Question::equal;
    return cat(text(guard.a),
               equal ? (guard.answer ? " == " : " != ") : (guard.answer ? " < " : " >= "),
               text(guard.b));
  }
  std::string size_text(sym::Expr symbol) const {
    const auto found = sources_.find(symbol);
    VITRO_CHECK(found != sources_.end(), "save: a condition is on ", symbol,
                ", which is not a size of an input that the program reads");
    const auto [id, dim] = found->second;
    const sym::Expr size = g_[id].results[0].sizes[dim].expr();
    const std::string text = cat("L['", names_[id.n][0], "'].size()[", dim, ']');
    if (size == symbol) return text;
    const auto linear = sym::as_linear(size, symbol);
    VITRO_CHECK(linear && linear->coefficient.constant() && linear->rest.constant(), "save: ", size,
                " does not give ", symbol);
    return cat("((", text, " - ", linear->rest, ") // ", linear->coefficient, ')');
  }

  struct Source {
    NodeId node;
    size_t dim;
  };

  const SavedProgram& program_;
  const graph::Graph& g_;
  std::vector<size_t> order_;                  // of the inputs
  std::vector<const SavedWeight*> weight_of_;  // of each input
  Names taken_;
  std::vector<std::vector<std::string>> names_;  // of results, by node
  std::vector<std::optional<AtenCall>> calls_;   // by node
  std::unordered_map<sym::Expr, Source> sources_;
  std::unordered_map<sym::Expr, std::string> numbers_;
  std::vector<std::pair<std::string, sym::Expr>> sym_ints_;
  std::vector<std::pair<std::string, TensorMeta>> extra_;  // of nodes that the graph does not have
  std::vector<std::string> nodes_;
};

}  // namespace

std::vector<std::string> argument_names(const SavedProgram& program) {
  return ProgramWriter(program).arguments();
}

std::string program_text(const SavedProgram& program) {
  return ProgramWriter(program).text();
}

}  // namespace vitro::io
