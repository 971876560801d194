// Prints the arguments of a node by the first overload of its op that has an argument for each, and
// parses them by the first overload that accepts them.
#include "graph/arguments.h"

#include <algorithm>

#include "vitro/base/cat.h"
#include "vitro/base/split.h"
#include "vitro/ops/overload.h"

namespace vitro::graph {
namespace {

using ops::Overload;
using ops::Role;

ArgValue value_of(const Arg& arg) {
  const auto* number = std::get_if<Scalar>(&arg);
  return number ? ArgValue(*number) : ArgValue();
}

bool is_default(const Arg& arg, const SchemaArgument& argument) {
  return argument.default_text && !std::holds_alternative<Value>(arg) &&
         same_value(value_of(arg), ops::default_value(argument));
}

// The schema argument of operand number `place`; null if it is part of a list or has none.
const SchemaArgument* operand_argument(const OpDef& op, size_t place) {
  const auto all = ops::overloads(op);
  if (all.empty()) return nullptr;
  const auto& arguments = all[0].schema.arguments;
  for (size_t i = 0, operand = 0; i < arguments.size(); ++i) {
    if (all[0].roles[i] == Role::operand && operand++ == place) return &arguments[i];
  }
  return nullptr;
}

// ---- Printing ----

std::string operand_text(const Graph& g, const Arg& arg) {
  const auto* value = std::get_if<Value>(&arg);
  if (!value) return text_of(value_of(arg));
  const Node& node = g[value->node];
  return node.results.size() == 1 ? node.name : cat(node.name, '[', value->output, ']');
}

std::string joined(const std::vector<std::string>& parts) {
  std::string out;
  for (const std::string& one : parts) out += cat(out.empty() ? "" : ", ", one);
  return out;
}

// The attributes of a call of this overload that omits all arguments with defaults.
std::vector<NamedArg> default_attributes(const OpDef& op, const Overload& overload) {
  const std::shared_ptr<void> attrs = op.attrs->make();
  for (const SchemaArgument& argument : overload.schema.arguments) {
    if (argument.default_text)
      (void)op.attrs->assign(attrs.get(), argument.name, ops::default_value(argument));
  }
  return op.attrs->values(attrs.get());
}

// Finds the arguments of one call, in the order of the schema.
class CallReader {
 public:
  CallReader(const Node& node, const Overload& overload) : node_(node), overload_(overload) {
    const AttrsView attrs = node.attrs.view();
    if (!attrs) return;
    attributes_ = attrs.type->values(attrs.data);
    defaults_ = default_attributes(*node_.op, overload);
  }

  // Whether the overload has an argument for every attribute that differs from its default.
  bool fits() const {
    for (size_t i = 0; i < attributes_.size(); ++i) {
      if (!overload_.schema.argument(attributes_[i].name) &&
          !same_value(attributes_[i].value, defaults_[i].value))
        return false;
    }
    return true;
  }

  std::vector<GivenArgument> arguments() {
    for (size_t i = 0; i < overload_.roles.size(); ++i) {
      const SchemaArgument& argument = overload_.schema.arguments[i];
      switch (overload_.roles[i]) {
        case Role::operand:
          operand(argument);
          break;
        case Role::operands:
          operands(argument, static_cast<size_t>(std::count(
                                 overload_.roles.begin() + static_cast<std::ptrdiff_t>(i),
                                 overload_.roles.end(), Role::operand)));
          break;
        case Role::attribute:
          attribute(argument);
          break;
        case Role::unused:
          if (!argument.default_text)
            out_.push_back({&argument, argument.type.kind == ArgKind::boolean
                                           ? ArgValue(Scalar(false))
                                           : ArgValue()});
      }
    }
    return std::move(out_);
  }

  // The operands that arguments() has found.
  size_t operand_count() const { return place_; }

 private:
  void operand(const SchemaArgument& argument) {
    const bool is_given = place_ < node_.args.size();
    const Arg arg = is_given ? node_.args[place_] : Arg();
    ++place_;
    if (is_given ? !is_default(arg, argument) : !argument.default_text)
      out_.push_back({&argument, arg});
  }

  // All remaining operands except the last `after`, which have their own arguments.
  void operands(const SchemaArgument& argument, size_t after) {
    std::vector<Arg> list;
    for (; place_ + after < node_.args.size(); ++place_) list.push_back(node_.args[place_]);
    out_.push_back({&argument, std::move(list)});
  }

  void attribute(const SchemaArgument& argument) {
    for (size_t i = 0; i < attributes_.size(); ++i) {
      if (attributes_[i].name != argument.name) continue;
      const ArgValue& value = attributes_[i].value;
      if (argument.default_text && same_value(value, defaults_[i].value)) return;
      const auto* list = std::get_if<std::vector<Scalar>>(&value);
      const bool single = list && !argument.type.list && list->size() == 1;
      out_.push_back({&argument, single ? ArgValue(list->front()) : value});
    }
  }

  const Node& node_;
  const Overload& overload_;
  std::vector<NamedArg> attributes_, defaults_;
  std::vector<GivenArgument> out_;
  size_t place_ = 0;  // index of the next operand
};

std::string text_of(const Graph& g, const GivenArgument& given) {
  if (const auto* operand = std::get_if<Arg>(&given.value)) return operand_text(g, *operand);
  const auto* list = std::get_if<std::vector<Arg>>(&given.value);
  if (!list) return text_of(std::get<ArgValue>(given.value));
  std::string out;
  for (const Arg& one : *list) out += cat(out.empty() ? "" : ", ", operand_text(g, one));
  return cat('[', out, ']');
}

// One call, argument by argument.
std::string text_of_call(const Graph& g, const Node& node, const Overload& overload) {
  CallReader call(node, overload);
  std::vector<std::string> parts;
  bool by_position = true;
  for (const GivenArgument& one : call.arguments()) {
    const auto place = static_cast<size_t>(one.argument - overload.schema.arguments.data());
    by_position = by_position && place == parts.size() && !one.argument->keyword_only &&
                  !std::holds_alternative<ArgValue>(one.value);
    const std::string text = text_of(g, one);
    parts.push_back(by_position ? text : cat(one.argument->name, '=', text));
  }
  // Operands without an argument in the schema, which only an invalid node has.
  for (size_t i = call.operand_count(); i < node.args.size(); ++i)
    parts.push_back(operand_text(g, node.args[i]));
  return joined(parts);
}

// ---- Parsing ----

struct Given {
  std::vector<std::string_view> texts;  // positional ones, then named ones
  std::vector<std::string_view> names;
  size_t positional() const { return texts.size() - names.size(); }
};

Result<Given> given_in(std::string_view text) {
  Given out;
  for (const std::string_view part : split_list(text)) {
    const size_t sign = find_outside(part, '=');
    if (sign != std::string_view::npos) {
      out.names.push_back(trimmed(part.substr(0, sign)));
    } else if (!out.names.empty()) {
      return Failure{cat("the positional argument \"", part, "\" follows the named argument ",
                         out.names.back(), "=")};
    }
    out.texts.push_back(sign == std::string_view::npos ? part : trimmed(part.substr(sign + 1)));
  }
  return out;
}

// Symbols have no number yet: an attribute that takes only numbers would store the hint.
bool is_symbolic(const ArgValue& value) {
  const auto is = [](const Scalar& number) { return number.is_symbolic(); };
  if (const auto* number = std::get_if<Scalar>(&value)) return is(*number);
  const auto* list = std::get_if<std::vector<Scalar>>(&value);
  return list && std::any_of(list->begin(), list->end(), is);
}

// Parses one call by one overload.
class OverloadReader {
 public:
  OverloadReader(const Overload& overload, const ReadOperand& operand, const SymbolNamed& symbols)
      : overload_(overload), operand_(operand), symbols_(symbols) {
    if (overload.op->attrs) attrs_ = overload.op->attrs->make();
  }

  // Empty, or why the overload does not accept these arguments.
  std::string read(const Given& given) {
    const auto matched = ops::match(overload_.schema, given.positional(), given.names);
    if (!matched) return matched.why();
    for (size_t i = 0; i < matched->size(); ++i) {
      const std::optional<size_t> which = (*matched)[i];
      std::string wrong = which ? one(i, given.texts[*which]) : left_out(i);
      if (!wrong.empty()) return wrong;
    }
    return {};
  }

  void put(Node& node) {
    node.args = std::move(args_);
    if (attrs_) node.attrs = Attrs(std::move(attrs_), overload_.op->attrs);
  }

 private:
  std::string one(size_t i, std::string_view text) {
    if (overload_.roles[i] == Role::operand) return args_.push_back(operand_(text)), "";
    if (overload_.roles[i] == Role::operands) return list(i, text);
    const std::optional<ArgValue> value = read_value(text, symbols_);
    if (!value) return ops::wrong_type(overload_.schema, i, text).why;
    return this->value(i, *value, text);
  }

  std::string left_out(size_t i) {
    const ArgValue otherwise = ops::default_value(overload_.schema.arguments[i]);
    if (overload_.roles[i] == Role::attribute) return assign(i, otherwise, "");
    if (overload_.roles[i] != Role::operand) return {};
    const auto* number = std::get_if<Scalar>(&otherwise);
    args_.push_back(number ? Arg(*number) : Arg());
    return {};
  }

  std::string list(size_t i, std::string_view text) {
    if (text.size() < 2 || text.front() != '[' || text.back() != ']')
      return ops::wrong_type(overload_.schema, i, text).why;
    for (const std::string_view part : split_list(text.substr(1, text.size() - 2)))
      args_.push_back(operand_(part));
    return {};
  }

  std::string value(size_t i, const ArgValue& value, std::string_view text) {
    const SchemaArgument& argument = overload_.schema.arguments[i];
    if (overload_.roles[i] == Role::unused)
      return ops::can_ignore(overload_.schema, argument, value).why;
    if (is_none(value) && !argument.type.optional)
      return ops::wrong_type(overload_.schema, i, text).why;
    return assign(i, value, text);
  }

  // An op may accept more than ATen's schema (several dimensions), so the attribute decides.
  std::string assign(size_t i, const ArgValue& value, std::string_view text) {
    const AttrsType& type = *overload_.op->attrs;
    const std::string_view name = overload_.schema.arguments[i].name;
    const bool taken = type.assign(attrs_.get(), name, value).value_or(false);
    if (taken && (!is_symbolic(value) || same_value(value, member(name)))) return {};
    return ops::wrong_word(overload_.schema, i, type.choices(name), text).why;
  }

  ArgValue member(std::string_view name) const {
    for (NamedArg& one : overload_.op->attrs->values(attrs_.get())) {
      if (one.name == name) return std::move(one.value);
    }
    return {};
  }

  const Overload& overload_;
  const ReadOperand& operand_;
  const SymbolNamed& symbols_;
  std::vector<Arg> args_;
  std::shared_ptr<void> attrs_;
};

}  // namespace

void drop_defaults(const OpDef& op, std::vector<Arg>& args) {
  while (args.size() > op.min_operands) {
    const Arg& last = args.back();
    if (std::holds_alternative<Value>(last)) return;
    const SchemaArgument* argument = operand_argument(op, args.size() - 1);
    const bool is_none = std::holds_alternative<std::monostate>(last);
    if (!is_none && !(argument && is_default(last, *argument))) return;
    args.pop_back();
  }
}

std::optional<std::vector<GivenArgument>> given_arguments(const Node& node,
                                                          const Overload& overload) {
  CallReader call(node, overload);
  if (!call.fits()) return std::nullopt;
  std::vector<GivenArgument> out = call.arguments();
  if (call.operand_count() < node.args.size()) return std::nullopt;
  return out;
}

std::string arguments_text(const Graph& g, const Node& node) {
  const auto all = ops::overloads(*node.op);
  const auto fitting = std::find_if(
      all.begin(), all.end(), [&](const Overload& one) { return CallReader(node, one).fits(); });
  if (fitting != all.end()) return text_of_call(g, node, *fitting);
  std::vector<std::string> parts;
  for (const Arg& arg : node.args) parts.push_back(operand_text(g, arg));
  if (std::string attrs = node.attrs.text(); !attrs.empty()) parts.push_back(std::move(attrs));
  return joined(parts);
}

Result<Done> read_arguments(std::string_view text, std::string_view overload, Node& node,
                            const ReadOperand& operand, const SymbolNamed& symbols) {
  const auto given = given_in(text);
  if (!given) return Failure{cat(node.op->name, "(): ", given.why())};
  std::vector<std::string> reasons;
  for (const Overload& one : ops::overloads(*node.op)) {
    if (!overload.empty() && one.schema.overload != overload) continue;
    OverloadReader reader(one, operand, symbols);
    std::string wrong = reader.read(*given);
    if (wrong.empty()) return reader.put(node), Done{};
    reasons.push_back(std::move(wrong));
  }
  if (reasons.empty()) return Failure{cat(node.op->name, " has no overload \"", overload, "\"")};
  if (reasons.size() == 1) return Failure{reasons[0]};
  return Failure{ops::none_takes(node.op->name, reasons)};
}

}  // namespace vitro::graph
