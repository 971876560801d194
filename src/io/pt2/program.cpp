// Reads the parts of a program around its graphs: signature, trees, ranges, guards.
#include "io/pt2/program.h"

#include <simdjson.h>

#include <algorithm>
#include <unordered_map>

#include "io/pt2/graph_text.h"
#include "io/pt2/json_field.h"
#include "report/printable.h"
#include "vitro/base/cat.h"

namespace vitro::io {
namespace {

// Beyond these a file is an attack, not a model.
constexpr size_t deepest_json = 256;
constexpr int deepest_tree = 64;

simdjson::dom::element parsed(simdjson::dom::parser& parser, const simdjson::padded_string& text) {
  simdjson::dom::element root;
  const auto allocated = parser.allocate(text.size(), deepest_json);
  const auto error = allocated ? allocated : parser.parse(text).get(root);
  if (error) throw_error(cat("is not JSON: ", simdjson::error_message(error)));
  return root;
}

// ---- trees ----

void read_keys(const Field& keys, ProgramTree& tree) {
  keys.each([&](const Field& key) {
    tree.integer_key.push_back(key.is_integer());
    tree.keys.push_back(key.is_integer() ? cat(key.integer()) : key.printable());
  });
}

// The names of a node's children, from the context of its type: a list in a string, of dicts and
// registered classes; of a dataclass two lists, the second of fields that are None.
void read_context(const Field& context, ProgramTree& tree) {
  if (context.is_object()) {  // collections.defaultdict
    if (const auto keys = context.find("dict_context")) read_keys(*keys, tree);
    return;
  }
  if (!context.is_text() || !context.text().starts_with('[')) return;
  simdjson::dom::parser parser;
  const simdjson::padded_string text(context.text());
  const Field list(parsed(parser, text));
  bool is_flat = true;
  list.each([&](const Field& one) { is_flat = is_flat && !one.is_list(); });
  if (is_flat) return read_keys(list, tree);
  bool is_first = true;
  list.each([&](const Field& one) {
    if (is_first && one.is_list()) read_keys(one, tree);
    is_first = false;
  });
}

struct TreeReader {
  const Field& root;  // for the fields of named tuples

  ProgramTree read(const Field& field, int depth) const {
    if (depth > deepest_tree) field.fail(cat("a tree of at most ", deepest_tree, " levels"));
    ProgramTree tree;
    const auto type = field.find("type");
    if (!type) return tree;
    tree.type = type->printable();
    const Field children = field["children_spec"];
    children.each([&](const Field& one) { tree.children.push_back(read(one, depth + 1)); });
    const bool is_list = tree.type == "builtins.tuple" || tree.type == "builtins.list" ||
                         tree.type == "collections.deque";
    if (tree.type == "collections.namedtuple") {
      read_fields(field["context"].text(), tree);
    } else if (!is_list) {
      read_context(field["context"], tree);
    }
    const bool is_dict = tree.type == "builtins.dict" || tree.type == "collections.OrderedDict" ||
                         tree.type == "collections.defaultdict";
    if (is_dict && tree.keys.size() != tree.children.size())
      field.fail(cat("a key for each of ", tree.children.size(), " values"));
    const bool is_named = !is_list && tree.keys.size() == tree.children.size();
    if (!is_named) tree.keys.clear();
    tree.kind = is_dict    ? ProgramTree::Kind::dict
                : is_named ? ProgramTree::Kind::fields
                           : ProgramTree::Kind::sequence;
    return tree;
  }

  void read_fields(std::string_view type, ProgramTree& tree) const {
    const auto all = root.find("treespec_namedtuple_fields");
    const auto own = all ? all->find(type) : std::nullopt;
    if (own) read_keys((*own)["field_names"], tree);
  }
};

ProgramTree read_tree(const Field& graph_module, const Field& spec) {
  simdjson::dom::parser parser;
  const simdjson::padded_string text(spec.text());
  const Field both(parsed(parser, text));
  ProgramTree tree;
  size_t index = 0;
  both.each([&](const Field& one) {
    if (index++ == 1) tree = TreeReader{graph_module}.read(one, 0);
  });
  if (index != 2) spec.fail("[1, TREE]");
  return tree;
}

void read_trees(const Field& graph_module, Program& out) {
  const auto calls = graph_module.find("module_call_graph");
  bool is_first = true;
  if (calls) {
    calls->each([&](const Field& call) {
      if (!std::exchange(is_first, false)) return;
      const auto signature = call.find("signature");
      if (!signature) call.fail("the signature of the program");
      out.in = read_tree(graph_module, (*signature)["in_spec"]);
      out.out = read_tree(graph_module, (*signature)["out_spec"]);
      if (const auto names = signature->find("forward_arg_names"))
        names->each([&](const Field& one) { out.argument_names.push_back(one.printable()); });
    });
  }
  if (is_first) graph_module.fail("module_call_graph with the trees of inputs and outputs");
  const bool is_call = out.in.children.size() == 2 &&
                       out.in.children[0].kind == ProgramTree::Kind::sequence &&
                       out.in.children[1].kind == ProgramTree::Kind::dict;
  if (!is_call) graph_module.fail("an in_spec of positional arguments and keyword arguments");
}

// ---- signature ----

InputSpec read_input(const Field& field) {
  std::string_view kind;
  const Field of = field.only(&kind);
  InputSpec out;
  if (kind == "user_input") {
    return out;
  } else if (kind == "parameter") {
    out.kind = InputSpec::Kind::parameter;
    out.target = of["parameter_name"].printable();
  } else if (kind == "buffer") {
    out.kind = InputSpec::Kind::buffer;
    out.target = of["buffer_name"].printable();
    if (const auto persistent = of.find("persistent")) out.persistent = persistent->boolean();
  } else if (kind == "tensor_constant") {
    out.kind = InputSpec::Kind::constant;
    out.target = of["tensor_constant_name"].printable();
  } else if (kind == "constant_input") {
    out.kind = InputSpec::Kind::frozen;
    out.name = of["name"].printable();
    out.literal = read_literal(of["value"]);
  } else {
    field.fail("an input of a kind that Vitro runs: custom objects and tokens are not");
  }
  return out;
}

OutputSpec read_output(const Field& field) {
  std::string_view kind;
  const Field of = field.only(&kind);
  OutputSpec out;
  const auto is = [&](OutputSpec::Kind which, std::string_view target) {
    out.kind = which;
    if (!target.empty()) out.target = of[target].printable();
  };
  if (kind == "user_output") {
    is(OutputSpec::Kind::user, "");
  } else if (kind == "loss_output") {
    is(OutputSpec::Kind::loss, "");
  } else if (kind == "buffer_mutation") {
    is(OutputSpec::Kind::buffer, "buffer_name");
  } else if (kind == "parameter_mutation") {
    is(OutputSpec::Kind::parameter, "parameter_name");
  } else if (kind == "user_input_mutation") {
    is(OutputSpec::Kind::user_input, "user_input_name");
  } else if (kind == "gradient_to_parameter") {
    is(OutputSpec::Kind::gradient, "parameter_name");
  } else if (kind == "gradient_to_user_input") {
    is(OutputSpec::Kind::gradient, "user_input_name");
  } else {
    field.fail("an output of a kind that Vitro runs: tokens are not");
  }
  return out;
}

void read_metas(const Field& graph, Program& out) {
  for (size_t i = 0; i < out.inputs.size(); ++i) {
    InputSpec& spec = out.inputs[i];
    const ProgramArgument& argument = out.graph.inputs[i];
    if (spec.kind == InputSpec::Kind::frozen) continue;
    if (argument.kind != ProgramArgument::Kind::value) {
      spec.kind = InputSpec::Kind::frozen;
      spec.literal = argument;
      continue;
    }
    const ProgramValue& value = out.graph.values[argument.value];
    spec.name = value.name;
    if (value.is_number) {
      if (const auto all = graph.find("sym_int_values"))
        if (const auto own = all->find(value.name)) {
          ProgramSize number = read_size(*own);
          spec.expression = std::move(number.expression);
          if (number.number >= 0) spec.example = number.number;
        }
    } else {
      const Field all = graph["tensor_values"];
      spec.meta = read_meta(all[value.name]);
    }
    if (spec.kind != InputSpec::Kind::user && !spec.meta)
      throw_error(cat("input ", spec.name, ": a weight that is not a tensor"));
  }
  for (size_t i = 0; i < out.outputs.size(); ++i) {
    const ProgramArgument& argument = out.graph.outputs[i];
    if (argument.kind != ProgramArgument::Kind::value) continue;
    const ProgramValue& value = out.graph.values[argument.value];
    if (value.is_number) continue;
    const Field all = graph["tensor_values"];
    out.outputs[i].meta = read_meta(all[value.name]);
  }
}

void read_signature(const Field& graph_module, Program& out) {
  const Field signature = graph_module["signature"], graph = graph_module["graph"];
  const Field inputs = signature["input_specs"], outputs = signature["output_specs"];
  inputs.each([&](const Field& one) { out.inputs.push_back(read_input(one)); });
  outputs.each([&](const Field& one) { out.outputs.push_back(read_output(one)); });
  if (out.inputs.size() != out.graph.inputs.size())
    inputs.fail(cat("as many as the graph has inputs, ", out.graph.inputs.size()));
  if (out.outputs.size() != out.graph.outputs.size())
    outputs.fail(cat("as many as the graph has outputs, ", out.graph.outputs.size()));
  read_metas(graph, out);
  size_t given = 0, returned = 0;
  for (const InputSpec& one : out.inputs)
    given += one.kind == InputSpec::Kind::user || one.kind == InputSpec::Kind::frozen;
  for (const OutputSpec& one : out.outputs)
    returned += one.kind == OutputSpec::Kind::user || one.kind == OutputSpec::Kind::loss;
  if (given != out.in.leaves())
    inputs.fail(cat("as many inputs of the user as in_spec has leaves, ", out.in.leaves(), ", not ",
                    given));
  if (returned != out.out.leaves() && out.dialect != "ATEN")
    outputs.fail(cat("as many outputs of the user as out_spec has leaves, ", out.out.leaves(),
                     ", not ", returned));
}

// ---- ranges and guards ----

// The text is printable.
Expression read_expression(const Field& at, const std::string& text) {
  Result<Expression> e = parse_expression(text);
  if (!e)
    throw_error(cat(at.path(), ": \"", std::string_view(text).substr(0, 200),
                    "\" cannot be read: ", e.why()));
  return *std::move(e);
}

void read_ranges(const Field& root, Program& out) {
  const auto ranges = root.find("range_constraints");
  if (!ranges) return;
  ranges->each_member([&](std::string_view key, const Field& bounds) {
    std::string text = report::printable(key);
    Expression of = read_expression(*ranges, text);
    ProgramRange range{std::move(text), std::move(of), {}, {}};
    if (const auto low = bounds.find("min_val")) range.low = low->integer();
    if (const auto high = bounds.find("max_val")) range.high = high->integer();
    out.ranges.push_back(std::move(range));
  });
}

void read_guards(const Field& root, Program& out) {
  const auto guards = root.find("guards_code");
  if (!guards) return;
  guards->each([&](const Field& one) {
    std::string text = one.printable();
    Expression condition = read_expression(one, text);
    out.guards.push_back({std::move(text), std::move(condition)});
  });
}

void check_version(const Field& root) {
  const auto version = root.find("schema_version");
  if (!version) root.fail("a program of torch.export with a schema_version");
  constexpr int64_t readable = 8;
  const int64_t major = (*version)["major"].integer();
  if (major != readable)
    version->fail(cat("schema version ", readable, ".x, which torch 2.4 to 2.13 write"));
}

Program read_program(std::string_view json, std::string_view name) {
  simdjson::dom::parser parser;
  const simdjson::padded_string text(json);
  const Field root(parsed(parser, text));
  check_version(root);
  Program out;
  out.name = report::printable(name);
  if (const auto version = root.find("torch_version")) out.torch_version = version->printable();
  if (const auto verifiers = root.find("verifiers"))
    verifiers->each([&](const Field& one) { out.dialect = one.printable(); });
  const Field graph_module = root["graph_module"];
  out.graph = read_graph(graph_module["graph"]);
  read_trees(graph_module, out);
  read_signature(graph_module, out);
  read_ranges(root, out);
  read_guards(root, out);
  return out;
}

void append_paths(const ProgramTree& tree, const std::string& path, std::vector<std::string>& out) {
  if (tree.kind == ProgramTree::Kind::leaf) return out.push_back(path);
  for (size_t i = 0; i < tree.children.size(); ++i) {
    const std::string step = tree.kind == ProgramTree::Kind::sequence ? cat('[', i, ']')
                             : tree.kind == ProgramTree::Kind::fields ? cat('.', tree.keys[i])
                             : tree.integer_key[i]                    ? cat('[', tree.keys[i], ']')
                                                   : cat("['", tree.keys[i], "']");
    append_paths(tree.children[i], path + step, out);
  }
}

}  // namespace

size_t ProgramTree::leaves() const {
  if (kind == Kind::leaf) return 1;
  size_t out = 0;
  for (const ProgramTree& child : children) out += child.leaves();
  return out;
}

std::vector<std::string> leaf_paths(const ProgramTree& tree, const std::string& root) {
  std::vector<std::string> out;
  append_paths(tree, root, out);
  return out;
}

std::vector<std::string> argument_paths(const Program& program) {
  const ProgramTree &positional = program.in.children[0], &named = program.in.children[1];
  const std::vector<std::string>& names = program.argument_names;
  std::vector<std::string> out;
  // With *args, forward() has fewer names than arguments, and the last name is theirs.
  const size_t count = positional.children.size();
  const size_t own =
      names.size() > named.children.size() ? names.size() - named.children.size() : 0;
  const bool has_rest = own != 0 && own < count;
  for (size_t i = 0; i < count; ++i) {
    const std::string name = own == 0                   ? cat("arg", i)
                             : has_rest && i >= own - 1 ? cat(names[own - 1], '[', i - own + 1, ']')
                                                        : names[i];
    append_paths(positional.children[i], name, out);
  }
  for (size_t i = 0; i < named.children.size(); ++i)
    append_paths(named.children[i], named.keys[i], out);
  return out;
}

Result<Program> parse_program(std::string_view json, std::string_view name) {
  try {
    return read_program(json, name);
  } catch (const Error& e) {
    return Failure{cat("model ", report::printable(name), ": ", e.message())};
  }
}

Result<std::vector<std::optional<ProgramMeta>>> parse_metas(std::string_view json,
                                                            const Program& program) {
  try {
    simdjson::dom::parser parser;
    const simdjson::padded_string text(json);
    const Field root(parsed(parser, text)), graph_module = root["graph_module"];
    const Field graph = graph_module["graph"], all = graph["tensor_values"];
    std::unordered_map<std::string_view, size_t> numbers;
    for (size_t i = 0; i < program.graph.values.size(); ++i)
      if (!program.graph.values[i].is_number) numbers.emplace(program.graph.values[i].name, i);
    std::vector<std::optional<ProgramMeta>> out(program.graph.values.size());
    all.each_member([&](std::string_view name, const Field& meta) {
      if (const auto found = numbers.find(name); found != numbers.end())
        out[found->second] = read_meta(meta);
    });
    return out;
  } catch (const Error& e) {
    return Failure{cat("model ", program.name, ": ", e.message())};
  }
}

}  // namespace vitro::io
