// Prints a program as a C++ function, for the report of a difference.
#include <algorithm>
#include <cctype>

#include "program.h"

namespace vitro::fuzz {
namespace {

std::string looked(const std::string& variable, Look look) {
  switch (look) {
    case Look::whole:
      return variable;
    case Look::turned:
      return cat("transpose(", variable, ", -1, -2)");
    case Look::part:
      return cat("select(", variable, ", 0, 0)");
    case Look::row:
      return cat(variable, " /* its first row */");
    case Look::element:
      return cat(variable, " /* its first element */");
    case Look::in_front:
      return cat("unsqueeze(", variable, ", 0)");
  }
  return {};
}

std::string text_of(const Arg& arg) {
  const std::string variable = cat("v", arg.variable);
  if (arg.kind == Arg::Kind::size)
    return cat(variable, ".size(", arg.dim, ") / ", arg.divisor, " + ", arg.added);
  if (arg.kind == Arg::Kind::variable) return looked(variable, arg.look);
  if (arg.kind == Arg::Kind::nothing) return "{}";
  return arg.varies ? cat("(", arg.number, " + call)") : cat(arg.number);
}

std::string text_of_dtype(int64_t number) {
  const auto dtype = static_cast<DType>(number);
  return cat("DType::", is_bool(dtype) ? "boolean" : name_of(dtype));
}

std::string listed(const Step& step, char what) {
  std::string out;
  const size_t count = what == 'x' ? step.args.size() : step.ints.size();
  for (size_t k = 0; k < count; ++k) {
    out += cat(k == 0 ? "" : ", ", what == 'x' ? text_of(step.args[k]) : cat(step.ints[k]));
  }
  return out;
}

// The row's text with the step's arguments filled in: v3 for x(0), and so on.
std::string filled(const Step& step, std::string_view row) {
  std::string out;
  for (size_t at = 0; at < row.size(); ++at) {
    const bool starts = at == 0 || !(std::isalnum(static_cast<unsigned char>(row[at - 1])) != 0 ||
                                     row[at - 1] == '_' || row[at - 1] == ':');
    const std::string_view rest = row.substr(at);
    const bool mark = starts && rest.size() > 3 && rest[1] == '(' && rest[3] == ')' &&
                      std::string_view("xnidf").find(rest[0]) != std::string_view::npos;
    if (mark) {
      const auto k = static_cast<size_t>(rest[2] - '0');
      out += rest[0] == 'i' || rest[0] == 'f' ? cat(step.ints[k])
             : rest[0] == 'd'                 ? text_of_dtype(step.ints[k])
                                              : text_of(step.args[k]);
      at += 3;
    } else if (rest.starts_with("{x...}") || rest.starts_with("{i...}")) {
      out += cat("{", listed(step, rest[1]), "}");
      at += 5;
    } else if (starts && rest.starts_with("index(")) {
      out += cat("reshape(", text_of(step.args[static_cast<size_t>(rest[6] - '0')]), ", {-1})");
      at += rest.find("))") + 2;
    } else {
      out += rest[0];
    }
  }
  return out;
}

// An argument as it is passed to ops::call.
std::string text_of(const Step& step, const Given& given) {
  if (const auto* dtype = std::get_if<DType>(&given.value))
    return text_of_dtype(static_cast<int64_t>(*dtype));
  if (given.is_value) return is_none(given.value) ? "{}" : text_of(given.value);
  const ArgType& type = given.argument->type;
  std::string out;
  for (size_t k = given.first; k < given.first + given.count; ++k) {
    const Arg& arg = step.args[k];
    const bool tensor = arg.kind == Arg::Kind::variable || type.kind == ArgKind::tensor;
    std::string one = tensor ? text_of(arg) : cat("Scalar(", text_of(arg), ")");
    if (arg.converted) one = cat("to(", one, ", ", text_of(step.args[0]), ".dtype())");
    out += cat(out.empty() ? "" : ", ", one);
  }
  if (given.wrapped) return cat("remainder(", out, ", the size that they point into)");
  if (!type.list) return out;
  return cat("std::vector<", type.kind == ArgKind::tensor ? "Tensor" : "Scalar", ">{", out, "}");
}

std::string call_text(const Step& step) {
  std::string out;
  for (const Given& given : step.given) {
    out += cat(out.empty() ? "" : ", ", "{\"", given.argument->name, "\", ", text_of(step, given),
               "}");
  }
  if (ops::returns_number(step.call->schema))
    return cat("full({}, std::get<Scalar>(ops::evaluate(\"", step.call->schema.full_name(),
               "\", {}, {", out, "})[0]))");
  return cat("ops::call(\"", step.call->schema.full_name(), "\", {}, {", out, "})",
             step.results == 1 ? "[0]" : "");
}

std::string step_text(const Step& step) {
  return step.call ? call_text(step) : filled(step, kind_of(step).text);
}

std::string input_text(const Input& input) {
  static constexpr std::string_view layouts[] = {"",           ", transposed",  ", every second",
                                                 ", expanded", ", from within", ", as windows"};
  if (input.shares >= 0) {
    return cat("part of in[", input.shares, "]", layouts[static_cast<size_t>(input.layout)]);
  }
  std::string sizes;
  for (const int64_t s : input.sizes) {
    sizes += cat(sizes.empty() ? "" : ", ", s == varies ? "n" : s == varies_too ? "m" : cat(s));
  }
  return cat(input.dtype, "[", sizes, "]", layouts[static_cast<size_t>(input.layout)],
             input.restless ? ", another layout in later calls" : "", input.wild ? ", wild" : "",
             input.leaf ? ", a leaf" : "",
             input.parameter ? ", one of two parameters in turn" : "");
}

std::string in_a_row(const std::vector<int64_t>& numbers) {
  std::string out;
  for (size_t k = 0; k < numbers.size(); ++k) out += cat(k == 0 ? "" : ", ", numbers[k]);
  return out;
}

std::string surroundings_text(const Program& program) {
  static constexpr std::string_view forms[] = {
      "",           "; in a list of optionals",    "; in two lists",
      "; in a map", "; beside an optional number", "; beside a word, a flag and an enumerator"};
  static constexpr std::string_view caches[] = {
      "", "; v0 is joined with those of earlier calls, held as a tensor",
      "; v0 is joined with those of earlier calls, held as an optional",
      "; v0 is joined with those of earlier calls, held as a list"};
  static constexpr std::string_view backends[] = {"", "; a user's backend interprets",
                                                  "; a user's backend misbehaves"};
  static constexpr std::string_view gradients[] = {
      "", "; with gradients", "; with gradients, computed outside of the function",
      "; with gradients, and gradients of these"};
  return cat(gradients[static_cast<size_t>(program.gradients)],
             program.gradients != Gradients::none && program.writes_copies
                 ? " (leaves are copied first)"
                 : "",
             forms[static_cast<size_t>(program.form)], caches[static_cast<size_t>(program.cache)],
             backends[static_cast<size_t>(program.backend)],
             program.twins ? "; two functions take turns" : "", program.threads ? "; threads" : "");
}

std::string options_text(const Program& program) {
  std::string out = cat("// n = ", in_a_row(program.sizes), "; m = ", in_a_row(program.other_sizes),
                        "; call = ", in_a_row(program.numbers));
  if (program.dynamic >= 0) out += cat("; dynamic = ", program.dynamic == 1);
  if (program.fullgraph) out += program.frozen ? "; frozen" : "; fullgraph";
  out += surroundings_text(program);
  if (program.drops) out += "; variables are let go after their last use";
  for (const Region& region : program.regions) {
    out += cat("; steps ", region.begin, " to ", region.end - 1, " in ",
               region.kind == RegionKind::nested ? "a nested" : "a disabled", " function");
  }
  return out + "\n";
}

}  // namespace

std::string print(const Program& program) {
  std::string out = cat("// seed ", program.seed, "\n", options_text(program),
                        "std::vector<Tensor> program(const std::vector<Tensor>& in, int64_t call) "
                        "{\n");
  for (size_t i = 0; i < program.inputs.size(); ++i) {
    out += cat("  const Tensor v", i, " = in[", i, "];  // ", input_text(program.inputs[i]), "\n");
  }
  size_t variable = program.inputs.size();
  for (const Step& step : program.steps) {
    std::string names = cat("v", variable++);
    for (size_t k = 1; k < step.results; ++k) names += cat(", v", variable++);
    out += cat(step.results == 1 ? "  const Tensor " : "  const auto [", names,
               step.results == 1 ? "" : "]", " = ", step_text(step), ";\n");
  }
  out += "  return {";
  for (size_t i = 0; i < program.results.size(); ++i) {
    out += cat(i == 0 ? "v" : ", v", program.results[i]);
  }
  return out + "};\n}\n";
}

}  // namespace vitro::fuzz
