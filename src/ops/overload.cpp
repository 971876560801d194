// Calls by name: the table of overloads, matching of arguments, and the call.
#include "vitro/ops/overload.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/sort_list.h"
#include "bind.h"
#include "functions.h"
#include "ops/memory_format.h"
#include "vitro/base/called_as.h"
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

std::vector<Role> roles_in(const Schema& schema, const OpDef& op) {
  std::vector<NamedArg> members;
  if (op.attrs) members = op.attrs->values(op.attrs->make().get());
  std::vector<Role> out;
  int operands = 0;
  for (const SchemaArgument& argument : schema.arguments) {
    const ArgType& type = argument.type;
    const bool is_member = std::any_of(members.begin(), members.end(), [&](const NamedArg& one) {
      return one.name == argument.name;
    });
    if (is_member) {
      out.push_back(Role::attribute);
    } else if (type.kind == ArgKind::tensor && type.list) {
      out.push_back(Role::operands);
    } else if ((type.kind == ArgKind::tensor || type.kind == ArgKind::scalar) &&
               operands < op.max_operands) {
      out.push_back(Role::operand);
      ++operands;
    } else {
      out.push_back(Role::unused);
    }
  }
  return out;
}

template <class Op, size_t i>
constexpr Function function_number() {
  constexpr auto function = std::get<i>(Op::functions);
  if constexpr (std::is_null_pointer_v<decltype(function)>) {
    return Function();
  } else {
    return bound<function>;
  }
}
// One for each signature of the op, or a single one for all.
template <class Op>
constexpr auto functions_of() {
  if constexpr (requires { Op::functions; }) {
    return []<size_t... i>(std::index_sequence<i...>) {
      return std::array{function_number<Op, i>()...};
    }(std::make_index_sequence<std::tuple_size_v<decltype(Op::functions)>>());
  } else if constexpr (requires { Op::function; }) {
    return std::array{bound<Op::function>};
  } else {
    return std::array{Function()};
  }
}

struct Collect {
  std::vector<Overload> all;

  // One function for each of the signatures, or the same for all.
  void add(std::string_view name, std::string_view doc, std::string_view signatures,
           const OpDef* op, std::span<const Function> functions) {
    size_t i = 0;
    each_line(signatures, [&](std::string_view line) {
      Result<Schema> schema = parse_schema(cat(name, line));
      VITRO_ASSERT(schema, schema.why());
      add(*std::move(schema), doc, op, functions[functions.size() == 1 ? 0 : i++]);
    });
  }
  void add(Schema schema, std::string_view doc, const OpDef* op, Function function) {
    std::vector<Role> roles = op ? roles_in(schema, *op) : std::vector<Role>();
    all.push_back({std::move(schema), doc, op, function, std::move(roles)});
  }
  // The in-place forms of the overloads from `first` on.
  void add_in_place(size_t first) {
    for (size_t i = first, end = all.size(); i < end; ++i) {
      std::optional<Schema> schema = in_place_form(all[i].schema);
      if (schema) add(*std::move(schema), all[i].doc, all[i].op, all[i].function);
    }
  }
  // The overloads of a function under another name, and their in-place forms. They are called like
  // the others, so that whatever these call has the other name in errors.
  void add_other(const OtherName& one) {
    const bool in_place = !one.name.starts_with("special_");
    const std::string writing = cat(one.function, '_');
    for (size_t i = 0, end = all.size(); i < end; ++i) {
      const bool writes = in_place && all[i].schema.name == writing;
      if (all[i].schema.name != one.function && !writes) continue;
      Overload other = all[i];
      other.schema.name = cat(one.name, writes ? "_" : "");
      all.push_back(std::move(other));
    }
  }
  template <class Op>
  void operator()() {
    const OpDef& op = def<Op>();
    constexpr auto functions = functions_of<Op>();
    const size_t first = all.size();
    add(op.name, op.doc, op.signatures, &op, functions);
    if constexpr (requires { Op::in_place_signatures; }) {
      add(cat(op.name, '_'), op.doc, Op::in_place_signatures, &op, functions);
    } else if (op.pointwise) {
      add_in_place(first);
    }
  }
};

std::vector<Overload> collected() {
  Collect collect;
  each_op(collect);
  for (const auto table :
       {functions(), neural_functions(), array_functions(), layer_functions(), random_functions(),
        decomposition_functions(), complex_functions(), more_functions(), special_functions(),
        exported_functions(), number_functions()}) {
    for (const NamedFunction& one : table)
      collect.add(one.name, one.doc, one.signatures, nullptr, {&one.call, 1});
  }
  for (const OtherName& one : other_names()) collect.add_other(one);
  // Overloads of a name become adjacent, in the order of the first.
  std::unordered_map<std::string_view, size_t> places;
  std::vector<std::pair<size_t, size_t>> order;  // the place of the name; of the overload
  for (size_t i = 0; i < collect.all.size(); ++i)
    order.emplace_back(places.try_emplace(collect.all[i].schema.name, i).first->second, i);
  std::ranges::sort(order);
  std::vector<Overload> out;
  out.reserve(order.size());
  for (const auto& [name, i] : order) out.push_back(std::move(collect.all[i]));
  return out;
}

// Whether schema.full_name() is the name, without a string for it.
bool has_full_name(const Schema& schema, std::string_view name) {
  if (!name.starts_with(schema.name)) return false;
  const std::string_view rest = name.substr(schema.name.size());
  return schema.overload.empty() ? rest.empty()
                                 : rest.starts_with('.') && rest.substr(1) == schema.overload;
}

// ---- values ----

ArgValue value_of_text(std::string_view text) {
  const auto value = read_value(text, [](std::string_view) { return sym::Expr(); });
  return value ? *value : ArgValue(std::string(text));
}

bool fits_number(ArgKind kind, const Scalar& number) {
  switch (kind) {
    case ArgKind::scalar:
      return true;
    case ArgKind::floating:
      return !number.is_complex();
    case ArgKind::integer:
    case ArgKind::sym_int:
      return number.kind() == Scalar::Kind::integer;
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
  const auto* one = std::get_if<Scalar>(&value);  // repeated to the length of the list
  return one && type.length != 0 && fits_number(type.kind, *one);
}

bool is_default(const SchemaArgument& argument, const ArgValue& value) {
  return argument.default_text && same_value(value, default_value(argument));
}

// ---- matching arguments ----

Failure missing(const Schema& schema, const SchemaArgument& argument) {
  return {
      cat(schema.full_name(), "(): missing required argument '", argument.name, "' of ", schema)};
}

std::string of_argument(const Schema& schema, size_t argument) {
  const SchemaArgument& wanted = schema.arguments[argument];
  return cat(schema.full_name(), "(): argument '", wanted.name, "'",
             wanted.keyword_only ? "" : cat(" (position ", argument + 1, ')'), " must be ");
}

// ---- calls ----

// Arguments that affect only how or where something is computed, or only gradients.
bool changes_no_value(std::string_view name) {
  static constexpr std::string_view names[] = {"pin_memory",    "non_blocking", "implicit",
                                               "sparse_grad",   "sparse",       "cudnn_enable",
                                               "cudnn_enabled", "stable",       "sorted"};
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

// The memory format that equals leaving the argument out: the default, which ATen writes as a
// number, or that of the operand.
std::string_view memory_format_of(const SchemaArgument& argument) {
  return argument.default_text == "0" ? "contiguous_format" : "preserve_format";
}

// Values that mean the same as leaving the argument out, though they are not the default.
bool is_plain(const SchemaArgument& argument, const ArgValue& value) {
  if (const auto* text = std::get_if<std::string>(&value))
    return *text == "cpu" || *text == "strided" || *text == memory_format_of(argument);
  const auto is_zero = [](const ArgValue& v) {
    const auto* number = std::get_if<Scalar>(&v);
    return number && number->is(0);
  };
  const ArgValue otherwise = default_value(argument);
  return is_zero(value) && (is_none(otherwise) || is_zero(otherwise));
}

// The value that an argument of role `unused` must have.
std::string needed(const SchemaArgument& argument) {
  if (argument.type.kind == ArgKind::memory_format)
    return cat('"', memory_format_of(argument), '"');
  return argument.default_text.value_or("False");
}

void check_ignored(const Schema& schema, const SchemaArgument& argument, const ArgValue& value) {
  const Verdict ignored = can_ignore(schema, argument, value);
  VITRO_CHECK(ignored, ignored.why);
}

void add_operands(const ArgValue& value, std::vector<Operand>& operands) {
  const auto* list = std::get_if<std::vector<Tensor>>(&value);
  if (!list) return;  // an empty list, which may arrive as a list of numbers
  for (const Tensor& one : *list) operands.emplace_back(one);
}

std::vector<Tensor> call_op(const Overload& overload, std::span<const ArgValue> arguments,
                            std::source_location where) {
  const OpDef& op = *overload.op;
  const std::shared_ptr<void> attrs = op.attrs ? op.attrs->make() : nullptr;
  std::vector<Operand> operands;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const SchemaArgument& argument = overload.schema.arguments[i];
    switch (overload.roles[i]) {
      case Role::operand:
        operands.push_back(operand_of(arguments[i]));
        break;
      case Role::operands:
        add_operands(arguments[i], operands);
        break;
      case Role::attribute:
        if (!op.attrs->assign(attrs.get(), argument.name, arguments[i]).value_or(false))
          throw_error(wrong_word(overload.schema, i, op.attrs->choices(argument.name),
                                 text_of(arguments[i]))
                          .why);
        break;
      case Role::unused:
        check_ignored(overload.schema, argument, arguments[i]);
    }
  }
  const bool in_place = overload.schema.in_place();
  std::vector<Tensor> results(overload.schema.results.size());
  vitro::call(OpCall{&op, operands, {attrs.get(), op.attrs}, in_place, where}, results);
  if (in_place) results = {operands[0].tensor()};
  return results;
}

// Writes the result of the function into the first argument.
std::vector<Tensor> call_in_place(const Overload& overload, std::span<const ArgValue> arguments,
                                  std::source_location where) {
  const Tensor& target = std::get<Tensor>(arguments[0]);
  const BeforeWritten before(arguments, where);
  const Tensor result = overload.function.call(overload.schema, before, where)[0];
  check_in_place(*overload.op, target.meta(), result.meta());
  return {copy_(target, result, where)};
}

// The first overload of the name that takes the arguments.
const Overload& chosen(std::string_view name, std::span<const ArgValue> positional,
                       std::span<const NamedArg> named, std::source_location where) {
  const bool is_full = name.find('.') != std::string_view::npos;
  if (const Overload* one = is_full ? overload(name) : nullptr) return *one;
  std::vector<std::string> reasons;
  for (const Overload& one : overloads(name)) {
    const Result<std::vector<ArgValue>> fitted = arrange(one.schema, positional, named);
    if (fitted) return one;
    reasons.push_back(fitted.why());
  }
  const CalledAs called(name, where);
  VITRO_CHECK(!reasons.empty(), no_such_op(name));
  throw_error(none_takes(name, reasons));
}

// The tensors as the results of the schema; the last result may be a list of those that are left.
std::vector<ArgValue> as_values(const Schema& schema, std::vector<Tensor> tensors) {
  if (schema.results.empty()) return {};
  const bool has_list = schema.results.back().type.list;
  const auto first = std::make_move_iterator(tensors.begin());
  const auto left =
      has_list ? first + std::ssize(schema.results) - 1 : std::make_move_iterator(tensors.end());
  std::vector<ArgValue> out(first, left);
  if (has_list) out.emplace_back(std::vector<Tensor>(left, std::make_move_iterator(tensors.end())));
  return out;
}

// Whether all arguments that the op itself does not take have their defaults, so that the call is a
// single call of the op.
bool is_one_op(const Overload& overload, std::span<const ArgValue> arguments) {
  for (size_t i = 0; i < arguments.size(); ++i) {
    const SchemaArgument& argument = overload.schema.arguments[i];
    if (overload.roles[i] == Role::operand && is_none(arguments[i])) return false;
    if (overload.roles[i] == Role::unused && !can_ignore(overload.schema, argument, arguments[i]))
      return false;
  }
  return true;
}

// `arguments`: one for each of the schema.
std::vector<Tensor> call_arranged(const Overload& overload, std::span<const ArgValue> arguments,
                                  std::source_location where) {
  const Function& function = overload.function;
  const bool op_in_place = overload.op && overload.schema.in_place();
  // Pointwise ops write their result directly; others gain nothing from it.
  const bool writes = op_in_place && overload.op->pointwise && is_one_op(overload, arguments);
  if (!function || writes) return call_op(overload, arguments, where);
  for (size_t i = function.takes(); i < arguments.size(); ++i)
    check_ignored(overload.schema, overload.schema.arguments[i], arguments[i]);
  return op_in_place ? call_in_place(overload, arguments, where)
                     : function.call(overload.schema, arguments, where);
}

// The format of the result that a call asks for besides what the function does, as those that
// create a tensor like another one may be: the argument is taken away.  None: that of the function.
std::optional<MemoryFormat> take_format(const Overload& overload,
                                        std::vector<ArgValue>& arguments) {
  const Schema& schema = overload.schema;
  if (schema.results.size() != 1 || schema.results[0].alias.set != 0) return std::nullopt;
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (schema.arguments[i].type.kind != ArgKind::memory_format || is_none(arguments[i])) continue;
    const bool is_taken =
        overload.function ? i < overload.function.takes() : overload.roles[i] != Role::unused;
    auto format = MemoryFormat::preserve;
    if (is_taken || !attribute::assign(format, arguments[i])) return std::nullopt;
    arguments[i] = {};
    if (format != MemoryFormat::preserve) return format;
  }
  return std::nullopt;
}

bool has_format(const Tensor& t, MemoryFormat format) {
  if (format == MemoryFormat::contiguous) return t.is_contiguous();
  return t.rank() == (format == MemoryFormat::channels_last ? 4 : 5) && has_channels_last(t);
}

// The call with its result in the format.  Random numbers are drawn in the order of memory.
std::vector<Tensor> call_in_format(const Overload& overload, std::vector<ArgValue> arguments,
                                   MemoryFormat format, std::source_location where) {
  auto* like = arguments.empty() ? nullptr : std::get_if<Tensor>(&arguments[0]);
  const auto formatted = [&](const Tensor& t) {
    return has_format(t, format) ? t : clone({t, where}, format);
  };
  if (like && overload.schema.name.starts_with("rand")) *like = formatted(*like);
  return {formatted(call_arranged(overload, arguments, where)[0])};
}

// Vitro's own: the ops of div with rounding_mode="trunc", of add and sub with alpha, and of pow
// with 3, the contractions of convolutions, ops on complex numbers as pairs, and programs of random
// words; ATen has no in-place maximum.  The others are functions of torch.nn.functional that are
// written in Python, and an op of the library transformers.  Sorted.
constexpr std::string_view outside_aten[] = {"_linalg_eigh_of_pairs",
                                             "_linalg_svd_of_pairs",
                                             "add_scaled",
                                             "convolve",
                                             "convolve_weights",
                                             "cube",
                                             "fft_pairs",
                                             "gaussian_nll_loss",
                                             "geqrf_of_pairs",
                                             "grouped_mm_fallback",
                                             "gumbel_softmax",
                                             "linalg_cholesky_ex_of_pairs",
                                             "linalg_eig_to_pairs",
                                             "linalg_ldl_factor_ex_of_pairs",
                                             "linalg_ldl_solve_of_pairs",
                                             "linalg_lu_factor_ex_of_pairs",
                                             "linalg_lu_solve_of_pairs",
                                             "linalg_qr_of_pairs",
                                             "linalg_solve_triangular_of_pairs",
                                             "maximum_",
                                             "minimum_",
                                             "normalize",
                                             "philox",
                                             "philox_binomial",
                                             "philox_dropout",
                                             "philox_normal",
                                             "philox_poisson",
                                             "philox_uniform",
                                             "softmin",
                                             "softsign",
                                             "sub_scaled",
                                             "tanhshrink",
                                             "trunc_divide.Scalar",
                                             "trunc_divide.Tensor",
                                             "trunc_divide_.Scalar",
                                             "trunc_divide_.Tensor"};

}  // namespace

const std::vector<Overload>& overloads() {
  static const auto* all = new std::vector<Overload>(collected());
  return *all;
}

std::span<const Overload> overloads(const OpDef& op) {
  static const auto* by_index = [] {
    auto* made = new std::vector<std::span<const Overload>>;
    for (const OpDef* one : ops::all()) {
      const auto named = overloads(one->name);
      const auto end =
          std::find_if(named.begin(), named.end(), [&](const Overload& o) { return o.op != one; });
      const auto index = static_cast<size_t>(one->index);
      made->resize(std::max(made->size(), index + 1));
      (*made)[index] = {named.begin(), end};
    }
    return made;
  }();
  const auto index = static_cast<size_t>(op.index);
  const auto found = index < by_index->size() ? (*by_index)[index] : std::span<const Overload>();
  return !found.empty() && found[0].op == &op ? found : std::span<const Overload>();
}

ArgValue default_value(const SchemaArgument& argument) {
  if (!argument.default_text) return {};
  // ATen writes a dtype as its number; the only one that is a default is 4, i64.
  if (argument.type.kind == ArgKind::dtype && *argument.default_text == "4") return DType::i64;
  return value_of_text(*argument.default_text);
}

std::span<const Overload> overloads(std::string_view name) {
  const std::vector<Overload>& all = overloads();
  const bool is_full = name.find('.') != name.npos;
  const auto is = [&](const Overload& one) {
    return is_full ? has_full_name(one.schema, name) : one.schema.name == name;
  };
  const auto begin = std::find_if(all.begin(), all.end(), is);
  return {begin, std::find_if_not(begin, all.end(), is)};
}

const Overload* overload(std::string_view full_name) {
  for (const Overload& one : overloads(full_name)) {
    if (has_full_name(one.schema, full_name)) return &one;
  }
  return nullptr;
}

bool is_in_aten(const Schema& schema) {
  return !std::ranges::binary_search(outside_aten, schema.full_name());
}

std::string no_such_op(std::string_view name) {
  std::vector<std::string> names;
  for (const Overload& one : overloads()) names.push_back(one.schema.name);
  for (const Overload& one : overloads()) names.push_back(one.schema.full_name());
  const std::string_view meant = nearest(name, names);
  return cat("no op is called ", name, "; ", meant.empty() ? "" : cat("did you mean ", meant, "? "),
             "`vitro ops` lists them");
}

Result<std::vector<std::optional<size_t>>> match(const Schema& schema, size_t positional,
                                                 std::span<const std::string_view> names) {
  const auto& arguments = schema.arguments;
  const auto places = static_cast<size_t>(std::count_if(
      arguments.begin(), arguments.end(), [](const SchemaArgument& a) { return !a.keyword_only; }));
  if (positional > places)
    return Failure{
        cat(schema.full_name(), "(): takes ", places, " positional arguments, got ", positional)};
  for (const std::string_view name : names) {
    if (!schema.argument(name))
      return Failure{cat(schema.full_name(), "(): got an unexpected argument '", name, "'")};
  }
  std::vector<std::optional<size_t>> out(arguments.size());
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (i < positional) out[i] = i;
    for (size_t k = 0; k < names.size(); ++k) {
      if (names[k] != arguments[i].name) continue;
      if (out[i])
        return Failure{cat(schema.full_name(), "(): got several values for argument '",
                           arguments[i].name, "'")};
      out[i] = positional + k;
    }
    if (!out[i] && !arguments[i].default_text) return missing(schema, arguments[i]);
  }
  return out;
}

bool takes(const ArgType& type, const ArgValue& value) {
  const auto* tensor = std::get_if<Tensor>(&value);
  if (is_none(value) || (tensor && !tensor->defined())) return type.optional;
  if (type.list) return fits_list(type, value);
  if (const auto* number = std::get_if<Scalar>(&value)) return fits_number(type.kind, *number);
  const auto* text = std::get_if<std::string>(&value);
  switch (type.kind) {
    case ArgKind::tensor:
      return tensor != nullptr;
    case ArgKind::dtype:
      return std::holds_alternative<DType>(value);
    case ArgKind::device:
      return text && device_named(*text);
    case ArgKind::text:
    case ArgKind::layout:
    case ArgKind::memory_format:
      return text != nullptr;
    default:
      return false;
  }
}

Failure wrong_type(const Schema& schema, size_t argument, std::string_view got) {
  return {cat(of_argument(schema, argument), schema.arguments[argument].type, ", got ", got)};
}

Failure wrong_word(const Schema& schema, size_t argument, std::span<const std::string_view> words,
                   std::string_view got) {
  if (words.empty()) return wrong_type(schema, argument, got);
  std::string text = of_argument(schema, argument);
  for (size_t i = 0; i < words.size(); ++i)
    text += cat(i == 0 ? "" : i + 1 == words.size() ? " or " : ", ", '"', words[i], '"');
  return {cat(text, ", got ", got)};
}

std::string none_takes(std::string_view name, const std::vector<std::string>& reasons) {
  std::string out = cat(name, "(): no overload takes these arguments");
  for (const std::string& reason : reasons) out += cat("\n  ", reason);
  return out;
}

Verdict can_ignore(const Schema& schema, const SchemaArgument& argument, const ArgValue& value) {
  if (is_none(value) || changes_no_value(argument.name)) return Verdict::yes();
  if (is_default(argument, value)) return Verdict::yes();
  if (is_plain(argument, value)) return Verdict::yes();
  return Verdict::no(cat(schema.full_name(), "(): ", argument.name, "=", text_of(value),
                         " is not implemented; needs ", needed(argument)));
}

Result<std::vector<ArgValue>> arrange(const Schema& schema, std::span<const ArgValue> positional,
                                      std::span<const NamedArg> named) {
  std::vector<std::string_view> names;
  for (const NamedArg& one : named) names.push_back(one.name);
  const auto matched = match(schema, positional.size(), names);
  if (!matched) return matched.failure();
  std::vector<ArgValue> out;
  for (size_t i = 0; i < schema.arguments.size(); ++i) {
    const std::optional<size_t> which = (*matched)[i];
    out.push_back(!which                       ? default_value(schema.arguments[i])
                  : *which < positional.size() ? positional[*which]
                                               : named[*which - positional.size()].value);
    const bool fits = !which || takes(schema.arguments[i].type, out[i]) ||
                      is_default(schema.arguments[i], out[i]);
    if (!fits) return wrong_type(schema, i, text_of(out[i]));
  }
  return out;
}

bool returns_number(const Schema& schema) {
  return std::ranges::any_of(
      schema.results, [](const SchemaResult& one) { return one.type.kind != ArgKind::tensor; });
}

std::vector<Tensor> call(const Overload& overload, std::span<const ArgValue> positional,
                         std::span<const NamedArg> named, std::source_location where) {
  const CalledAs name(overload.schema.name, where);
  VITRO_CHECK(!returns_number(overload.schema), overload.schema.full_name(), "(): the result is a ",
              overload.schema.results[0].type, ", not a tensor; ops::evaluate returns it");
  std::vector<ArgValue> arguments = arrange(overload.schema, positional, named).value();
  if (const auto format = take_format(overload, arguments))
    return call_in_format(overload, std::move(arguments), *format, where);
  return call_arranged(overload, arguments, where);
}

std::vector<Tensor> call(std::string_view name, std::span<const ArgValue> positional,
                         std::span<const NamedArg> named, std::source_location where) {
  return call(chosen(name, positional, named, where), positional, named, where);
}

std::vector<Tensor> call(std::string_view name, std::initializer_list<ArgValue> positional,
                         std::initializer_list<NamedArg> named, std::source_location where) {
  return call(name, std::span(positional.begin(), positional.size()),
              std::span(named.begin(), named.size()), where);
}

std::vector<ArgValue> evaluate(const Overload& overload, std::span<const ArgValue> positional,
                               std::span<const NamedArg> named, std::source_location where) {
  if (!returns_number(overload.schema))
    return as_values(overload.schema, call(overload, positional, named, where));
  const CalledAs name(overload.schema.name, where);
  const std::vector<ArgValue> arguments = arrange(overload.schema, positional, named).value();
  return {overload.function.number(overload.schema, arguments, where)};
}

std::vector<ArgValue> evaluate(std::string_view name, std::span<const ArgValue> positional,
                               std::span<const NamedArg> named, std::source_location where) {
  return evaluate(chosen(name, positional, named, where), positional, named, where);
}

std::vector<ArgValue> evaluate(std::string_view name, std::initializer_list<ArgValue> positional,
                               std::initializer_list<NamedArg> named, std::source_location where) {
  return evaluate(name, std::span(positional.begin(), positional.size()),
                  std::span(named.begin(), named.size()), where);
}

}  // namespace vitro::ops
