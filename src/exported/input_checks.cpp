// Checks of a call's inputs: kinds, dtypes and sizes one by one, then symbols, which are solved for
// from sizes, ranges and guards.
#include "exported/input_checks.h"

#include <algorithm>
#include <optional>

#include "core/numbers.h"
#include "vitro/base/cat.h"
#include "vitro/base/error.h"

namespace vitro::exported {
namespace {

using io::Expression;

// PyTorch records 2 for a size that it traced as larger than 1, and takes 1 all the same.
std::optional<int64_t> enforced_low(const io::ProgramRange& range) {
  return range.low && *range.low > 2 ? range.low : std::nullopt;
}

int64_t value_at(const Expression& e, const std::string& symbol, int64_t value) {
  return evaluate(e,
                  [&](const Expression& leaf) {
                    VITRO_CHECK(leaf.text == symbol, "not the only symbol");
                    return Scalar(value);
                  })
      .as_int();
}

// The value of the only symbol in e == value, if e is linear in it.
std::optional<int64_t> solution(const Expression& e, const std::string& symbol, int64_t value) {
  try {
    const int64_t rest = value_at(e, symbol, 0), slope = value_at(e, symbol, 1) - rest;
    if (slope == 0 || (value - rest) % slope != 0) return std::nullopt;
    const int64_t found = (value - rest) / slope;
    if (value_at(e, symbol, found) != value) return std::nullopt;
    return found;
  } catch (const Error&) {
    return std::nullopt;
  }
}

// L['d']['a'] of d['a']; a field .u is also [0].
std::string as_python(const std::string& path) {
  const size_t end = std::min(path.find_first_of("[."), path.size());
  return cat("L['", path.substr(0, end), "']", path.substr(end));
}

}  // namespace

ModelSize described(const io::ProgramSize& size, const io::Program& program) {
  ModelSize out;
  if (!size.expression) {
    out.number = out.example = size.number;
    out.text = cat(size.number);
    return out;
  }
  if (size.number >= 0) out.example = size.number;
  out.text = cat(*size.expression);
  for (const io::ProgramRange& range : program.ranges) {
    if (cat(range.expression) != out.text) continue;
    out.min = enforced_low(range).value_or(1);
    if (range.high && *range.high < sym::largest_size) out.max = range.high;
  }
  return out;
}

InputChecks::InputChecks(const io::Program& program, const std::vector<ModelInput>& inputs)
    : program_(program), inputs_(inputs) {
  size_t input = 0;
  for (const io::InputSpec& spec : program.inputs) {
    const bool is_users =
        spec.kind == io::InputSpec::Kind::user || spec.kind == io::InputSpec::Kind::frozen;
    if (is_users) add_varying(input++, spec);
  }
  for (const io::ProgramRange& range : program.ranges)
    symbols_of_ranges_.push_back(symbols_of(range.expression));
  for (size_t i = 0; i < inputs.size(); ++i) by_path_.emplace(as_python(inputs[i].path), i);
  const auto check_leaves = [&](const Expression& e, const auto& self) -> void {
    const bool is_known = e.kind != Expression::Kind::input || e.of == Expression::Of::length ||
                          by_path_.contains(e.text);
    VITRO_CHECK(is_known, "a guard names ", e.text, ", which is not an input");
    for (const Expression& operand : e.operands) self(operand, self);
  };
  for (const io::Guard& guard : program.guards) check_leaves(guard.condition, check_leaves);
}

void InputChecks::add_varying(size_t input, const io::InputSpec& spec) {
  if (spec.expression)
    varying_.push_back({input, no_dim, &*spec.expression, symbols_of(*spec.expression)});
  if (!spec.meta) return;
  for (size_t d = 0; d < spec.meta->sizes.size(); ++d) {
    const auto& expression = spec.meta->sizes[d].expression;
    if (expression) varying_.push_back({input, d, &*expression, symbols_of(*expression)});
  }
}

std::string InputChecks::name_of(const Varying& one) const {
  const std::string input = cat("input ", inputs_[one.input].name);
  return one.dim == no_dim ? input : cat("size ", one.dim, " of ", input);
}

void InputChecks::check_tensor(size_t input, const Tensor& given) const {
  const ModelInput& wanted = inputs_[input];
  VITRO_CHECK(given.defined(), "input ", wanted.name, ": is an undefined tensor, needs ",
              wanted.text());
  const Sizes sizes = given.sizes();
  const auto refuse = [&](std::string_view why) {
    throw_error(cat("input ", wanted.name, ": got ", given.dtype(), numbers_of(sizes), ", needs ",
                    wanted.text(), why));
  };
  if (given.dtype() != wanted.dtype) refuse("");
  VITRO_CHECK(given.device() == cpu, "input ", wanted.name, ": is on ", given.device(),
              ", needs the CPU");
  if (sizes.size() != wanted.sizes.size()) refuse("");
  for (size_t d = 0; d < sizes.size(); ++d) {
    const auto& number = wanted.sizes[d].number;
    if (number && *number != sizes[d].hint()) refuse(cat(" (dimension ", d, ")"));
  }
}

void InputChecks::check_literal(size_t input, const ArgValue& given) const {
  const ModelInput& wanted = inputs_[input];
  const auto *a = std::get_if<Scalar>(&given), *b = std::get_if<Scalar>(&wanted.literal);
  const bool is_same =
      a && b ? !a->is_complex() && !b->is_complex() && a->as_double() == b->as_double()
             : same_value(given, wanted.literal);
  VITRO_CHECK(is_same, "input ", wanted.name, ": got ", text_of(given),
              ", the program was exported for ", text_of(wanted.literal));
}

std::vector<int64_t> InputChecks::numbers_in(std::span<const ArgValue> values) const {
  std::vector<int64_t> out;
  for (const Varying& one : varying_) {
    const ArgValue& value = values[one.input];
    out.push_back(one.dim == no_dim
                      ? std::get<Scalar>(value).hint().as_int()
                      : std::get<Tensor>(value).size(static_cast<int64_t>(one.dim)).hint());
  }
  return out;
}

std::optional<int64_t> InputChecks::value_in(const Expression& e,
                                             std::span<const std::string> symbols,
                                             const Symbols& values) {
  for (const std::string& one : symbols)
    if (!values.contains(one)) return std::nullopt;
  if (e.kind == Expression::Kind::symbol) return values.find(e.text)->second;
  return evaluate(e, [&](const Expression& leaf) { return Scalar(values.find(leaf.text)->second); })
      .as_int();
}

// Sizes that are symbols give their values; then expressions of one unknown symbol are solved.
InputChecks::Symbols InputChecks::solved(std::span<const int64_t> numbers) const {
  Symbols out;
  for (size_t i = 0; i < varying_.size(); ++i)
    if (varying_[i].expression->kind == Expression::Kind::symbol)
      out.emplace(varying_[i].expression->text, numbers[i]);
  for (size_t i = 0; i < varying_.size(); ++i) {
    const Varying& one = varying_[i];
    if (one.symbols.size() != 1 || out.contains(one.symbols[0])) continue;
    const auto value = solution(*one.expression, one.symbols[0], numbers[i]);
    VITRO_CHECK(value, name_of(one), " is ", numbers[i], ", the program needs ", *one.expression,
                " for an integer ", one.symbols[0]);
    out.emplace(one.symbols[0], *value);
  }
  return out;
}

void InputChecks::check_sizes(const Symbols& symbols, std::span<const int64_t> numbers) const {
  for (size_t i = 0; i < varying_.size(); ++i) {
    const Varying& one = varying_[i];
    const auto wanted = value_in(*one.expression, one.symbols, symbols);
    if (!wanted || *wanted == numbers[i]) continue;
    std::string because;
    for (size_t k = 0; k < i && because.empty(); ++k)
      if (varying_[k].symbols == one.symbols)
        because = cat(", as ", name_of(varying_[k]), " is ", numbers[k]);
    throw_error(cat(name_of(one), " is ", numbers[i], ", the program needs ", *one.expression,
                    " = ", *wanted, because));
  }
}

void InputChecks::check_ranges(const Symbols& symbols) const {
  for (size_t i = 0; i < program_.ranges.size(); ++i) {
    const io::ProgramRange& range = program_.ranges[i];
    const auto value = value_in(range.expression, symbols_of_ranges_[i], symbols);
    if (!value) continue;
    const auto low = enforced_low(range);
    if ((!low || *value >= *low) && (!range.high || *value <= *range.high)) continue;
    std::string of = range.text;
    for (const Varying& one : varying_)
      if (cat(*one.expression) == cat(range.expression))
        of = cat(name_of(one), " (", range.text, ")");
    throw_error(cat(of, " is ", *value, ", the program was exported for ",
                    low ? cat(*low) : std::string("1"), " to ",
                    range.high ? cat(*range.high) : std::string("any size")));
  }
}

Scalar InputChecks::number_of(const Expression& input, std::span<const ArgValue> values) const {
  using Of = Expression::Of;
  if (input.of == Of::length) {  // the number of inputs just below the path
    std::vector<std::string> seen;
    for (const auto& [path, index] : by_path_) {
      if (!path.starts_with(input.text + "[")) continue;
      const std::string next = path.substr(0, path.find(']', input.text.size()));
      if (std::ranges::find(seen, next) == seen.end()) seen.push_back(next);
    }
    return Scalar(static_cast<int64_t>(seen.size()));
  }
  const ArgValue& value = values[by_path_.find(input.text)->second];
  const auto* tensor = std::get_if<Tensor>(&value);
  if (input.of == Of::value) {
    const auto* number = std::get_if<Scalar>(&value);
    VITRO_CHECK(number, input.text, " is not a number");
    return number->hint();
  }
  VITRO_CHECK(tensor, input.text, " is not a tensor");
  if (input.of == Of::rank) return Scalar(tensor->rank());
  if (input.of == Of::offset) return Scalar(tensor->meta().offset.hint());
  const Sizes all = input.of == Of::size ? tensor->sizes() : tensor->strides();
  const int64_t dim = input.dim < 0 ? input.dim + tensor->rank() : input.dim;
  VITRO_CHECK(dim >= 0 && dim < tensor->rank(), input.text, " has no dimension ", input.dim);
  return Scalar(all[static_cast<size_t>(dim)].hint());
}

bool InputChecks::holds(const io::Guard& guard, const Symbols& symbols,
                        std::span<const ArgValue> values) const {
  const auto value_of = [&](const Expression& leaf) {
    if (leaf.kind == Expression::Kind::input) return number_of(leaf, values);
    const auto found = symbols.find(leaf.text);
    VITRO_CHECK(found != symbols.end(), "has a symbol ", leaf.text,
                " that is not a size of an input");
    return Scalar(found->second);
  };
  try {
    return evaluate(guard.condition, value_of).as_bool();
  } catch (const Error& error) {
    throw_error(cat("guard ", guard.text, ": ", error.what()));
  }
}

void InputChecks::check_guards(const Symbols& symbols, std::span<const ArgValue> values) const {
  for (const io::Guard& guard : program_.guards)
    VITRO_CHECK(holds(guard, symbols, values), "the program was exported for inputs with ",
                guard.text,
                ", which these do not have; export it with sizes that are dynamic, or call it with "
                "such sizes");
}

void InputChecks::check_kind(size_t input, const ArgValue& given) const {
  const ModelInput& wanted = inputs_[input];
  if (wanted.kind == ModelInput::Kind::literal) return check_literal(input, given);
  const auto* tensor = std::get_if<Tensor>(&given);
  const auto* number = std::get_if<Scalar>(&given);
  if (wanted.kind == ModelInput::Kind::tensor) {
    VITRO_CHECK(tensor, "input ", wanted.name, ": got ", text_of(given), ", needs ", wanted.text());
    check_tensor(input, *tensor);
  } else {
    VITRO_CHECK(number && !number->is_complex(), "input ", wanted.name, ": got ", text_of(given),
                ", needs a number");
    const bool is_size = std::ranges::any_of(
        varying_, [&](const Varying& one) { return one.input == input && one.dim == no_dim; });
    VITRO_CHECK(!is_size || !number->is_floating(), "input ", wanted.name, ": got ", text_of(given),
                ", needs an integer");
  }
}

void InputChecks::check(std::span<const ArgValue> values) const {
  for (size_t i = 0; i < values.size(); ++i) check_kind(i, values[i]);
  if (varying_.empty() && program_.guards.empty()) return;
  const std::vector<int64_t> numbers = numbers_in(values);
  const Symbols symbols = solved(numbers);
  check_sizes(symbols, numbers);
  check_ranges(symbols);
  check_guards(symbols, values);
}

}  // namespace vitro::exported
