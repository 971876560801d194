// Calls by name: the table of overloads, arguments put in order, and the call itself.
#include "vitro/ops/overload.h"

#include <algorithm>
#include <map>
#include <string>

#include "bind.h"
#include "functions.h"
#include "vitro/base/cat.h"
#include "vitro/base/nearest.h"
#include "vitro/ops/all.h"

namespace vitro::ops {
namespace {

// ---- the table ----

template <class F>
void each_line(std::string_view text, F f) {
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    f(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

struct Collect {
  std::vector<Overload> all;

  void add(std::string_view name, std::string_view doc, std::string_view signatures,
           const OpDef* op, Function function) {
    each_line(signatures, [&](std::string_view line) {
      Result<Schema> schema = parse_schema(cat(name, line));
      VITRO_ASSERT(schema, schema.why());
      all.push_back({*std::move(schema), doc, op, function});
    });
  }
  // The in-place forms of the overloads from `first` on.
  void add_in_place(size_t first) {
    for (size_t i = first, end = all.size(); i < end; ++i) {
      std::optional<Schema> schema = in_place_form(all[i].schema);
      if (schema) all.push_back({*std::move(schema), all[i].doc, all[i].op, all[i].function});
    }
  }
  template <class Op>
  void operator()() {
    const OpDef& op = def<Op>();
    Function function;
    if constexpr (requires { Op::function; }) function = bound<Op::function>;
    const size_t first = all.size();
    add(op.name, op.doc, op.signatures, &op, function);
    if constexpr (requires { Op::in_place_signatures; }) {
      add(cat(op.name, '_'), op.doc, Op::in_place_signatures, &op, function);
    } else if (op.pointwise) {
      add_in_place(first);
    }
  }
};

std::vector<Overload> collected() {
  Collect collect;
  each_op(collect);
  for (const NamedFunction& one : functions())
    collect.add(one.name, one.doc, one.signatures, nullptr, one.call);
  std::map<std::string, size_t> first;
  for (size_t i = 0; i < collect.all.size(); ++i) first.emplace(collect.all[i].schema.name, i);
  std::stable_sort(collect.all.begin(), collect.all.end(),
                   [&](const Overload& a, const Overload& b) {
                     return first.at(a.schema.name) < first.at(b.schema.name);
                   });
  return std::move(collect.all);
}

// ---- values ----

bool fits_number(ArgKind kind, const Scalar& number) {
  switch (kind) {
    case ArgKind::scalar:
    case ArgKind::floating:
      return true;
    case ArgKind::integer:
    case ArgKind::sym_int:
      return number.kind() != Scalar::Kind::floating;
    case ArgKind::boolean:
      return number.kind() == Scalar::Kind::boolean;
    default:
      return false;
  }
}

bool fits_list(const ArgType& type, const ArgValue& value) {
  if (const auto* tensors = std::get_if<std::vector<Tensor>>(&value)) {
    if (type.kind != ArgKind::tensor) return tensors->empty();
    return type.optional_elements || std::all_of(tensors->begin(), tensors->end(),
                                                 [](const Tensor& t) { return t.defined(); });
  }
  if (const auto* numbers = std::get_if<std::vector<Scalar>>(&value)) {
    return type.kind == ArgKind::tensor
               ? numbers->empty()
               : std::all_of(numbers->begin(), numbers->end(),
                             [&](const Scalar& n) { return fits_number(type.kind, n); });
  }
  const auto* one = std::get_if<Scalar>(&value);  // stands for as many as there must be
  return one && type.length != 0 && fits_number(type.kind, *one);
}

bool same_value(const ArgValue& a, const ArgValue& b) {
  if (a.index() != b.index()) return false;
  if (const auto* n = std::get_if<Scalar>(&a)) return *n == std::get<Scalar>(b);
  if (const auto* s = std::get_if<std::string>(&a)) return *s == std::get<std::string>(b);
  if (const auto* d = std::get_if<DType>(&a)) return *d == std::get<DType>(b);
  if (const auto* l = std::get_if<std::vector<Scalar>>(&a))
    return *l == std::get<std::vector<Scalar>>(b);
  return is_none(a);
}

// ---- arguments in order ----

Failure wrong_type(const Schema& schema, size_t i, const ArgValue& value) {
  return {cat(schema.full_name(), "(): argument '", schema.arguments[i].name, "' (position ", i + 1,
              ") must be ", schema.arguments[i].type, ", got ", text_of(value))};
}

Failure missing(const Schema& schema, const SchemaArgument& argument) {
  return {
      cat(schema.full_name(), "(): missing required argument '", argument.name, "' of ", schema)};
}

// ---- running ----

// Arguments that say how or where something is computed, or concern gradients alone.
bool changes_no_value(std::string_view name) {
  static constexpr std::string_view names[] = {"pin_memory",         "non_blocking", "implicit",
                                               "sparse_grad",        "sparse",       "padding_idx",
                                               "scale_grad_by_freq", "cudnn_enable"};
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

// An argument that nothing here takes must be what it is without being given.
void check_unused(const Schema& schema, const SchemaArgument& argument, const ArgValue& value) {
  if (is_none(value) || changes_no_value(argument.name)) return;
  if (argument.default_text && same_value(value, default_value(argument))) return;
  const auto* number = std::get_if<Scalar>(&value);
  const auto* text = std::get_if<std::string>(&value);
  const bool plain = (number && number->as_double() == 0) ||
                     (text && (*text == "cpu" || *text == "strided" || *text == "preserve_format"));
  VITRO_CHECK(plain, schema.full_name(), "(): ", argument.name, "=", text_of(value),
              " is not implemented; needs ",
              argument.default_text ? *argument.default_text : std::string("False"));
}

bool may_be_operand(const ArgType& type) {
  return type.kind == ArgKind::tensor || type.kind == ArgKind::scalar;
}

void add_operands(const ArgValue& value, std::vector<Operand>& operands) {
  if (const auto* list = std::get_if<std::vector<Tensor>>(&value)) {
    for (const Tensor& one : *list) operands.emplace_back(one);
  } else {
    operands.push_back(operand_of(value));
  }
}

std::vector<Tensor> call_op(const Overload& overload, std::span<const ArgValue> arguments,
                            std::source_location where) {
  const OpDef& op = *overload.op;
  const std::shared_ptr<void> attrs = op.attrs ? op.attrs->make() : nullptr;
  std::vector<Operand> operands;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const SchemaArgument& argument = overload.schema.arguments[i];
    std::optional<bool> taken;
    if (attrs) taken = op.attrs->assign(attrs.get(), argument.name, arguments[i]);
    VITRO_CHECK(taken.value_or(true), wrong_type(overload.schema, i, arguments[i]).why);
    if (taken) continue;
    if (may_be_operand(argument.type)) {
      add_operands(arguments[i], operands);
    } else {
      check_unused(overload.schema, argument, arguments[i]);
    }
  }
  const bool in_place = overload.schema.in_place();
  std::vector<Tensor> results(overload.schema.results.size());
  vitro::call(OpCall{&op, operands, {attrs.get(), op.attrs}, in_place, where}, results);
  if (in_place) results = {operands[0].tensor()};
  return results;
}

// What the function gives, written into the first argument.
std::vector<Tensor> call_in_place(const Overload& overload, std::span<const ArgValue> arguments,
                                  std::source_location where) {
  const Tensor& target = std::get<Tensor>(arguments[0]);
  const Tensor result = overload.function.call(arguments, where)[0];
  check_in_place(*overload.op, target.meta(), result.meta());
  return {copy_(target, result, where)};
}

// Whether everything that the op itself does not take is at its default, so that the call is one
// call of the op.
bool is_one_op(const Overload& overload, std::span<const ArgValue> arguments) {
  const auto& schema = overload.schema.arguments;
  for (size_t i = overload.op->max_operands; i < arguments.size(); ++i) {
    if (!schema[i].default_text || !same_value(arguments[i], default_value(schema[i])))
      return false;
  }
  return !overload.op->attrs &&
         std::none_of(arguments.begin(), arguments.begin() + overload.op->max_operands, is_none);
}

std::string tried(std::string_view name, const std::vector<std::string>& reasons) {
  std::string out = cat(name, "(): no overload takes these arguments");
  for (const std::string& reason : reasons) out += cat("\n  ", reason);
  return out;
}

}  // namespace

const std::vector<Overload>& overloads() {
  static const auto* all = new std::vector<Overload>(collected());
  return *all;
}

ArgValue default_value(const SchemaArgument& argument) {
  if (!argument.default_text) return {};
  const SymbolNamed no_symbols = [](std::string_view) { return sym::Expr(); };
  ArgValue out;
  const bool is_read = attribute::read(*argument.default_text, no_symbols, out);
  return is_read ? out : *argument.default_text;  // a layout, a format: contiguous_format
}

bool fits(const ArgType& type, const ArgValue& value) {
  const auto* tensor = std::get_if<Tensor>(&value);
  if (is_none(value) || (tensor && !tensor->defined())) return type.optional;
  if (type.list) return fits_list(type, value);
  if (const auto* number = std::get_if<Scalar>(&value)) return fits_number(type.kind, *number);
  switch (type.kind) {
    case ArgKind::tensor:
      return tensor != nullptr;
    case ArgKind::dtype:
      return std::holds_alternative<DType>(value);
    case ArgKind::text:
    case ArgKind::layout:
    case ArgKind::device:
    case ArgKind::memory_format:
      return std::holds_alternative<std::string>(value);
    default:
      return false;
  }
}

std::span<const Overload> overloads(std::string_view name) {
  const std::vector<Overload>& all = overloads();
  const bool is_full = name.find('.') != name.npos;
  const auto is = [&](const Overload& one) {
    return is_full ? one.schema.full_name() == name : one.schema.name == name;
  };
  const auto begin = std::find_if(all.begin(), all.end(), is);
  return {begin, std::find_if_not(begin, all.end(), is)};
}

const Overload* overload(std::string_view full_name) {
  for (const Overload& one : overloads(full_name)) {
    if (one.schema.full_name() == full_name) return &one;
  }
  return nullptr;
}

std::string no_such_op(std::string_view name) {
  std::vector<std::string> names;
  for (const Overload& one : overloads()) names.push_back(one.schema.name);
  for (const Overload& one : overloads()) names.push_back(one.schema.full_name());
  const std::string_view meant = nearest(name, names);
  return cat("no op is called ", name, "; ", meant.empty() ? "" : cat("did you mean ", meant, "? "),
             "`vitro ops` lists them");
}

Result<std::vector<ArgValue>> arrange(const Schema& schema, std::span<const ArgValue> positional,
                                      std::span<const NamedArg> named) {
  const auto& arguments = schema.arguments;
  const size_t places = static_cast<size_t>(std::count_if(
      arguments.begin(), arguments.end(), [](const SchemaArgument& a) { return !a.keyword_only; }));
  if (positional.size() > places)
    return Failure{cat(schema.full_name(), "(): takes ", places, " positional arguments, got ",
                       positional.size())};
  for (const NamedArg& one : named) {
    if (!schema.argument(one.name))
      return Failure{cat(schema.full_name(), "(): got an unexpected argument '", one.name, "'")};
  }
  std::vector<ArgValue> out(arguments.size());
  for (size_t i = 0; i < arguments.size(); ++i) {
    const auto by_name = std::find_if(named.begin(), named.end(), [&](const NamedArg& one) {
      return one.name == arguments[i].name;
    });
    if (i < positional.size() && by_name != named.end())
      return Failure{
          cat(schema.full_name(), "(): got several values for argument '", arguments[i].name, "'")};
    if (i < positional.size()) {
      out[i] = positional[i];
    } else if (by_name != named.end()) {
      out[i] = by_name->value;
    } else if (arguments[i].default_text) {
      out[i] = default_value(arguments[i]);
      continue;
    } else {
      return missing(schema, arguments[i]);
    }
    if (!fits(arguments[i].type, out[i])) return wrong_type(schema, i, out[i]);
  }
  return out;
}

std::vector<Tensor> call(const Overload& overload, std::span<const ArgValue> positional,
                         std::span<const NamedArg> named, std::source_location where) {
  const std::vector<ArgValue> arguments = arrange(overload.schema, positional, named).value();
  const Function& function = overload.function;
  const bool op_in_place = overload.op && overload.schema.in_place();
  if (!function.call) return call_op(overload, arguments, where);
  if (op_in_place && is_one_op(overload, arguments))
    return call_op(overload, std::span(arguments).first(overload.op->max_operands), where);
  for (size_t i = function.takes; i < arguments.size(); ++i)
    check_unused(overload.schema, overload.schema.arguments[i], arguments[i]);
  return op_in_place ? call_in_place(overload, arguments, where) : function.call(arguments, where);
}

std::vector<Tensor> call(std::string_view name, std::span<const ArgValue> positional,
                         std::span<const NamedArg> named, std::source_location where) {
  const bool is_full = name.find('.') != std::string_view::npos;
  if (const Overload* one = is_full ? overload(name) : nullptr)
    return call(*one, positional, named, where);
  std::vector<std::string> reasons;
  for (const Overload& one : overloads(name)) {
    const Result<std::vector<ArgValue>> fitted = arrange(one.schema, positional, named);
    if (fitted) return call(one, positional, named, where);
    reasons.push_back(fitted.why());
  }
  VITRO_CHECK(!reasons.empty(), no_such_op(name));
  throw_error(tried(name, reasons));
}

std::vector<Tensor> call(std::string_view name, std::initializer_list<ArgValue> positional,
                         std::initializer_list<NamedArg> named, std::source_location where) {
  return call(name, std::span(positional.begin(), positional.size()),
              std::span(named.begin(), named.size()), where);
}

}  // namespace vitro::ops
