// Calls of every overload, with arguments chosen by the schema's types. Each choice is tried, and
// made again if the op refuses it.
#include <algorithm>
#include <iterator>
#include <optional>
#include <span>

#include "kinds.h"
#include "vitro/base/error.h"

namespace vitro::fuzz {
namespace {

constexpr int64_t most_made = 1 << 16;  // limit of elements of a result

// Valid values of a str argument: the choices of the op's attribute. Functions do not declare
// theirs, so the known ones are listed here; empty: the argument cannot be chosen.
std::span<const std::string_view> words_of(const OpDef* op, std::string_view argument) {
  static constexpr std::string_view rounding_modes[] = {"floor", "trunc"};
  static constexpr std::string_view scatters_with[] = {"add", "multiply", "sum", "mean", "max"},
                                    drivers[] = {"gels", "gelsy", "gelsd", "gelss"};
  static constexpr std::string_view equations[] = {"ij,jk", "...i,...i->...", "...ij->...j",
                                                   "ii->i"};
  static constexpr std::string_view orders[] = {"fro"}, indexings[] = {"ij", "xy"},
                                    sides[] = {"left", "right"}, paddings[] = {"same", "valid"},
                                    triangles[] = {"L", "U"}, norms[] = {"fro", "nuc"},
                                    interpolations[] = {"linear", "higher", "nearest"};
  if (argument == "interpolation") return interpolations;
  if (argument == "equation") return equations;
  if (argument == "ord") return orders;
  if (argument == "indexing") return indexings;
  if (argument == "side") return sides;
  if (argument == "driver") return drivers;
  if (argument == "padding") return paddings;
  if (argument == "UPLO" && !op) return triangles;
  if (argument == "p") return norms;
  if (argument == "rounding_mode") return rounding_modes;
  if (argument == "reduce" && !op) return scatters_with;
  return op && op->attrs ? op->attrs->choices(argument) : std::span<const std::string_view>();
}

// Whether a call writes the argument. ATen's schemas do not say so of all running statistics.
bool is_written(const SchemaArgument& argument) {
  return argument.alias.written || argument.name.starts_with("running_");
}

// Chooses the arguments of one call.
class Chooser {
 public:
  Chooser(Random& random, const Variables& all, Step& step)
      : random_(random), all_(all), step_(step), schema_(step.call->schema) {}

  bool run() {
    for (const SchemaArgument& argument : schema_.arguments) {
      if (argument.default_text && one_in(random_, 2)) continue;
      Given given{.argument = &argument, .first = step_.args.size()};
      if (!value(argument, given)) return false;
      given.count = step_.args.size() - given.first;
      step_.given.push_back(std::move(given));
    }
    return true;
  }

 private:
  bool value(const SchemaArgument& argument, Given& given) {
    const ArgType& type = argument.type;
    if (type.optional && one_in(random_, 2)) return given.is_value = true;
    if (type.list) return list(argument, given);
    switch (type.kind) {
      case ArgKind::tensor:
        return tensor(given);
      case ArgKind::scalar:
      case ArgKind::floating:
        return number(random_, step_);
      case ArgKind::integer:
      case ArgKind::sym_int:
        return push(integer(argument));
      case ArgKind::boolean:
        return push(Scalar(one_in(random_, 2)));
      case ArgKind::dtype:
        given.value = static_cast<DType>(below(random_, dtype_count));
        return given.is_value = true;
      case ArgKind::text:
      case ArgKind::memory_format:
        return word(argument.name, given);
      default:
        return false;  // a device: there is only one
    }
  }

  bool push(Arg arg) {
    step_.args.push_back(std::move(arg));
    return true;
  }
  bool push(Scalar number) { return push({Arg::Kind::number, false, 0, number}); }

  // The first tensor of the call; null if there is none yet.
  const Tensor* first() const {
    const bool there = !step_.args.empty() && step_.args[0].kind == Arg::Kind::variable;
    return there ? &chosen(all_, step_) : nullptr;
  }
  int64_t rank() const { return first() ? first()->rank() : 0; }
  int64_t any_dim() {
    const int64_t dims = std::max<int64_t>(rank(), 1);
    return static_cast<int64_t>(below(random_, static_cast<size_t>(2 * dims))) - dims;
  }

  bool tensor(Given& given) {
    const OpDef* op = step_.call->op;
    if (!first()) {
      const bool condition = op && op->pointwise && op->pointwise->first_is_condition;
      return pick(random_, all_, step_,
                  condition                     ? &is_condition
                  : is_written(*given.argument) ? &writable
                                                : &anything);
    }
    if (is_written(*given.argument)) return pick(random_, all_, step_, &writable);
    const Tensor& like = *first();
    const bool own = one_in(random_, 4), fitted = !own && one_in(random_, 2);
    const bool list = given.argument->type.list;  // `indices` of index and index_put
    const bool indices = op && (op->gather || op->put) && (list || one_in(random_, 2));
    if (own) {
      (void)push({Arg::Kind::variable, false, step_.args[0].variable, {}});
    } else if (!pick(random_, all_, step_, [&](const Tensor& t) {
                 if (indices) return is_index(t);
                 return !fitted ||
                        (schema_.in_place() ? broadcasts_to(t, like) : broadcasts(like, t));
               })) {
      return false;
    }
    Arg& arg = step_.args.back();
    if (one_in(random_, own ? 2 : 6)) arg.look = static_cast<Look>(below(random_, look_count));
    arg.converted = all_[arg.variable].dtype() != like.dtype() && !indices && one_in(random_, 4);
    if (indices && one_in(random_, 2)) given.wrapped = true;
    return true;
  }

  bool word(std::string_view argument, Given& given) {
    const auto words = words_of(step_.call->op, argument);
    if (words.empty()) return false;
    given.value = std::string(words[below(random_, words.size())]);
    return given.is_value = true;
  }

  // A dimension, a small number, or a number computed from a size.
  Arg integer(const SchemaArgument& argument) {
    Arg out{Arg::Kind::number, false, 0, Scalar(any_dim())};
    if (argument.name.find("dim") != std::string::npos && one_in(random_, 8) == false) return out;
    if (argument.type.kind == ArgKind::sym_int && rank() > 0 && one_in(random_, 3)) return size();
    if (argument.type.kind == ArgKind::sym_int && one_in(random_, 12)) {
      out.number = Scalar(INT64_MAX);
      return out;
    }
    out.number = Scalar(static_cast<int64_t>(below(random_, 8)) - 2);
    out.varies = argument.type.kind == ArgKind::sym_int && one_in(random_, 6);
    return out;
  }
  Arg size() {
    Arg out = size_of(any_dim());
    out.divisor = 1 + static_cast<int64_t>(below(random_, 2));
    out.added = static_cast<int64_t>(below(random_, 3)) - 1;
    return out;
  }
  Arg size_of(int64_t dim) const {
    Arg out{Arg::Kind::size, false, step_.args[0].variable, {}};
    out.dim = dim;
    return out;
  }

  bool list(const SchemaArgument& argument, Given& given) {
    const ArgType& type = argument.type;
    if (type.kind == ArgKind::tensor) return tensors(argument, given);
    if (type.length > 1) return numbers(static_cast<size_t>(type.length), argument);
    if (type.kind == ArgKind::integer) return dims();
    return type.kind == ArgKind::sym_int ? sizes() : numbers(1 + below(random_, 3), argument);
  }
  bool tensors(const SchemaArgument& argument, Given& given) {
    for (size_t more = 1 + below(random_, 3); more-- > 0;) {
      if (argument.type.optional_elements && one_in(random_, 3)) {
        (void)push(Arg{});
      } else if (!tensor(given)) {
        return false;
      }
    }
    return true;
  }
  bool numbers(size_t count, const SchemaArgument& argument) {
    while (count-- > 0) (void)push(integer(argument));
    return true;
  }
  // Some or all dimensions, in any order.
  bool dims() {
    std::vector<int64_t> order;
    for (int64_t d = 0; d < rank(); ++d)
      order.insert(order.begin() + static_cast<std::ptrdiff_t>(below(random_, order.size() + 1)),
                   one_in(random_, 4) ? d - rank() : d);
    if (one_in(random_, 2)) order.resize(below(random_, order.size() + 1));
    for (const int64_t d : order) (void)push(Scalar(d));
    return true;
  }
  // Sizes of the first tensor: with one more in front, the last one as -1, only the last one, or
  // all of them; two sizes [1, n - 1]; or small numbers.
  bool sizes() {
    const size_t form = first() ? below(random_, 6) : 5;
    if (form == 0) (void)push(Scalar(2));
    if (form <= 3) {
      const int64_t from = form == 2 && rank() > 0 ? rank() - 1 : 0;
      for (int64_t d = from; d < rank(); ++d) (void)push(size_of(d));
      if (form == 1 && rank() > 0)
        step_.args.back() = {Arg::Kind::number, false, 0, Scalar(int64_t{-1})};
    } else if (form == 4 && rank() > 0) {
      Arg rest = size_of(any_dim());
      rest.added = -1;
      return push(Scalar(1)) && push(rest);
    } else {
      for (size_t more = below(random_, 4); more-- > 0;)
        (void)push(Scalar(static_cast<int64_t>(below(random_, 5))));
    }
    return true;
  }

  Random& random_;
  const Variables& all_;
  Step& step_;
  const Schema& schema_;
};

// ---- running ----

ArgValue value_of(const Site& s, const Given& given) {
  if (given.is_value) return given.value;
  const ArgType& type = given.argument->type;
  const auto one = [&](size_t k) -> ArgValue {
    const Arg::Kind kind = s.step.args[k].kind;
    if (kind == Arg::Kind::nothing) return Tensor();
    return kind == Arg::Kind::variable ? ArgValue(s.seen(k)) : ArgValue(s.n(k));
  };
  if (!type.list) return one(given.first);
  std::vector<Tensor> tensors;
  std::vector<Scalar> numbers;
  for (size_t k = given.first; k < given.first + given.count; ++k) {
    const ArgValue value = one(k);
    if (const auto* tensor = std::get_if<Tensor>(&value)) tensors.push_back(*tensor);
    if (const auto* number = std::get_if<Scalar>(&value)) numbers.push_back(*number);
  }
  if (type.kind == ArgKind::tensor) return tensors;
  return numbers;
}

bool is_integral(const ArgValue& value) {
  if (const auto* tensor = std::get_if<Tensor>(&value)) return !is_floating(tensor->dtype());
  const auto* number = std::get_if<Scalar>(&value);
  return number && !number->is_floating();
}

// Replaces zeros in the divisor of an integer division, where they are errors.
void repair_divisor(const Site& s, std::vector<NamedArg>& arguments) {
  const OpDef* op = s.step.call->op;
  const auto rounds = [&](const NamedArg& last) {  // without a mode, integers are divided as floats
    return last.name == "rounding_mode" && !std::holds_alternative<std::monostate>(last.value);
  };
  const bool divides = op && op->pointwise && arguments.size() > 1 &&
                       (op->pointwise->integer_divisor || rounds(arguments.back()));
  if (s.occasion.repair == 0 || !divides || !is_integral(arguments[0].value) ||
      !is_integral(arguments[1].value))
    return;
  ArgValue& divisor = arguments[1].value;
  if (const auto* tensor = std::get_if<Tensor>(&divisor)) {
    divisor = where(eq(*tensor, 0), full_like(*tensor, s.occasion.repair), *tensor);
  } else if (!std::get<Scalar>(divisor).as_bool()) {
    divisor = Scalar(int64_t{s.occasion.repair});
  }
}

// Operands of the call's op (null: absent or a number) and its attributes.
struct OpArguments {
  std::vector<Tensor*> operands;
  std::shared_ptr<void> attrs;
};

OpArguments arguments_of(const ops::Overload& call, std::vector<NamedArg>& arguments) {
  OpArguments out;
  if (call.op->attrs) out.attrs = call.op->attrs->make();
  for (NamedArg& argument : arguments) {
    const size_t place =
        static_cast<size_t>(call.schema.argument(argument.name) - call.schema.arguments.data());
    const ops::Role role = call.roles[place];
    if (role == ops::Role::attribute)
      (void)call.op->attrs->assign(out.attrs.get(), argument.name, argument.value);
    if (role == ops::Role::operand) out.operands.push_back(std::get_if<Tensor>(&argument.value));
    if (auto* list = std::get_if<std::vector<Tensor>>(&argument.value);
        list && role == ops::Role::operands) {
      for (Tensor& one : *list) out.operands.push_back(one.defined() ? &one : nullptr);
    }
  }
  return out;
}

// Brings the indices of a gather or a put into range if they are to be wrapped or repaired.
void repair_indices(const Site& s, std::vector<NamedArg>& arguments) {
  const OpDef* op = s.step.call->op;
  if (!op || !(op->gather || op->put)) return;
  const auto [operands, attrs] = arguments_of(*s.step.call, arguments);
  Ranks ranks;
  for (const Tensor* one : operands) {
    if (one && is_bool(one->dtype())) return;  // a mask, or refused by the op
    ranks.push_back(one ? static_cast<int>(one->rank()) : -1);
  }
  if (ranks.size() < 2 || ranks[0] < 0) return;
  const AttrsView view{attrs.get(), op->attrs};
  const auto [picked, wraps] = [&] {
    if (op->put) {
      const PutSpec spec = op->put->spec(view, ranks);
      return std::pair(spec.indexed, spec.wraps);
    }
    const GatherSpec spec = op->gather->spec(view, ranks);
    return std::pair(spec.indexed, spec.wraps);
  }();
  const bool wrapped = std::any_of(s.step.given.begin(), s.step.given.end(),
                                   [](const Given& g) { return g.wrapped; });
  for (const auto& [axis, operand] : picked) {
    const Tensor& table = *operands[0];
    Tensor* indices = operands[static_cast<size_t>(operand)];
    if (axis >= table.rank() || !indices || is_floating(indices->dtype())) continue;
    const Size size = table.size(axis);
    *indices = wrapped ? remainder(*indices, size) : s.repaired_index(*indices, size, wraps);
  }
}

Variables run_call(const Site& s) {
  std::vector<NamedArg> arguments;
  for (const Given& given : s.step.given)
    arguments.push_back({given.argument->name, value_of(s, given)});
  repair_divisor(s, arguments);
  repair_indices(s, arguments);
  if (ops::returns_number(s.step.call->schema)) {
    const std::vector<ArgValue> made = ops::evaluate(*s.step.call, {}, arguments);
    return {full({}, std::get<Scalar>(made[0]))};
  }
  return ops::call(*s.step.call, {}, arguments);
}

// Whether the op accepts these arguments; tried on copies of the operands that it writes.
bool is_accepted(const Step& step, Variables all) {
  for (const Given& given : step.given) {
    if (!is_written(*given.argument) || given.is_value || given.count == 0) continue;
    Tensor& written = all[step.args[given.first].variable];
    written = clone(written);
  }
  try {
    const Variables made = run_call({all, step, {}});
    return std::all_of(made.begin(), made.end(),
                       [](const Tensor& t) { return t.numel().value() <= most_made; });
  } catch (const Error&) {
    return false;
  }
}

// Whether the result is the value of an element: a frozen function may not read it.
bool reads_element(const Schema& schema) {
  return schema.results.size() == 1 && schema.results[0].type.kind == ArgKind::scalar;
}

bool choose_call(Random& random, const Variables& all, Step& step) {
  const std::vector<ops::Overload>& overloads = ops::overloads();
  do {
    step.call = &overloads[below(random, overloads.size())];
  } while (reads_element(step.call->schema) || step.call->schema.results.empty());
  for (int tries = 0; tries < 24; ++tries) {
    Step made = step;
    if (!Chooser(random, all, made).run() || !is_accepted(made, all)) continue;
    step = std::move(made);
    return true;
  }
  return false;
}

}  // namespace

void add_calls(Kinds& all) {
  all.push_back({"call", 260, false, &choose_call, &run_call, ""});
}

}  // namespace vitro::fuzz
