// The table of operators on numbers.  Integers go through Size, which checks overflow, keeps
// expressions over symbols and records the guards of comparisons.
#include "io/pt2/number_operators.h"

#include <cmath>
#include <limits>
#include <map>
#include <string>

#include "vitro/base/error.h"
#include "vitro/base/function_ref.h"

namespace vitro::io {
namespace {

using Numbers = std::span<const Scalar>;

bool is_whole(const Scalar& n) {
  VITRO_CHECK(!n.is_complex(), "a complex number among sizes: ", n);
  return !n.is_floating();
}
bool are_whole(Numbers n) {
  for (const Scalar& one : n)
    if (!is_whole(one)) return false;
  return true;
}

template <class Whole, class Real>
Scalar folded(Numbers n, Whole whole, Real real) {
  Scalar out = is_whole(n[0]) ? Scalar(n[0].size()) : n[0];
  for (const Scalar& one : n.subspan(1)) {
    if (is_whole(out) && is_whole(one)) {
      out = Scalar(whole(out.size(), one.size()));
    } else {
      out = Scalar(real(out.as_double(), one.as_double()));
    }
  }
  return out;
}

Scalar add(Numbers n) {
  return folded(n, [](Size a, Size b) { return a + b; }, [](double a, double b) { return a + b; });
}
Scalar sub(Numbers n) {
  return folded(n, [](Size a, Size b) { return a - b; }, [](double a, double b) { return a - b; });
}
Scalar mul(Numbers n) {
  return folded(n, [](Size a, Size b) { return a * b; }, [](double a, double b) { return a * b; });
}
// As Python's: of two that are equal the first.
Scalar largest(Numbers n) {
  return folded(
      n, [](Size a, Size b) { return max(a, b); },
      [](double a, double b) { return b > a ? b : a; });
}
Scalar smallest(Numbers n) {
  return folded(
      n, [](Size a, Size b) { return min(a, b); },
      [](double a, double b) { return b < a ? b : a; });
}

void check_divisor(const Scalar& n) {
  VITRO_CHECK(!n.is(0), "division by zero");
}
Scalar floordiv(Numbers n) {
  check_divisor(n[1]);
  if (are_whole(n)) {
    VITRO_CHECK(!(n[1].is(-1) && n[0].is(std::numeric_limits<int64_t>::min())),
                "a quotient that does not fit into 64 bits");
    return Scalar(n[0].size() / n[1].size());
  }
  return Scalar(std::floor(n[0].as_double() / n[1].as_double()));
}
Scalar mod(Numbers n) {
  check_divisor(n[1]);
  if (are_whole(n)) return n[1].is(-1) ? Scalar(0) : Scalar(n[0].size() % n[1].size());
  const double b = n[1].as_double(), rest = std::fmod(n[0].as_double(), b);
  return Scalar(rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest);
}
Scalar truediv(Numbers n) {
  check_divisor(n[1]);
  return Scalar(n[0].as_double() / n[1].as_double());
}
Scalar neg(Numbers n) {
  return is_whole(n[0]) ? Scalar(Size(0) - n[0].size()) : Scalar(-n[0].as_double());
}
Scalar pos(Numbers n) {
  return is_whole(n[0]) ? Scalar(n[0].size()) : n[0];
}
Scalar absolute(Numbers n) {
  if (!is_whole(n[0])) return Scalar(std::fabs(n[0].as_double()));
  const Size size = n[0].size();
  return Scalar(max(size, Size(0) - size));
}
Scalar ceildiv(Numbers n) {
  const Scalar minus[] = {neg(n.first(1)), n[1]};
  const Scalar quotient[] = {floordiv(minus)};
  return neg(quotient);
}
Scalar modular_index(Numbers n) {
  const Scalar within[] = {floordiv(n.first(2)), n[2]};
  return mod(within);
}

Scalar power(Numbers n) {
  const bool is_repeated = are_whole(n) && !(n[1].size() < 0);
  if (!is_repeated) return Scalar(std::pow(n[0].as_double(), n[1].as_double()));
  int64_t times = n[1].as_int();
  const Size base = n[0].size();
  if (times > 64) {  // other bases overflow
    const int64_t number = base;
    VITRO_CHECK(number >= -1 && number <= 1, "a power that does not fit into 64 bits: ", number,
                " to the power of ", times);
    return Scalar(number == -1 && times % 2 == 0 ? int64_t{1} : number);
  }
  Size out = 1;
  while (times-- > 0) out = out * base;
  return Scalar(out);
}

template <class Whole, class Real>
Scalar compared(Numbers n, Whole whole, Real real) {
  if (are_whole(n)) return Scalar(bool{whole(n[0].size(), n[1].size())});
  return Scalar(bool{real(n[0].as_double(), n[1].as_double())});
}
#define VITRO_COMPARISON(name, op)                                                            \
  Scalar name(Numbers n) {                                                                    \
    return compared(                                                                          \
        n, [](Size a, Size b) { return a op b; }, [](double a, double b) { return a op b; }); \
  }
VITRO_COMPARISON(lt, <)
VITRO_COMPARISON(le, <=)
VITRO_COMPARISON(gt, >)
VITRO_COMPARISON(ge, >=)
VITRO_COMPARISON(eq, ==)
VITRO_COMPARISON(ne, !=)
#undef VITRO_COMPARISON

bool are_truths(Numbers n) {
  for (const Scalar& one : n)
    if (one.kind() != Scalar::Kind::boolean) return false;
  return true;
}
int64_t whole_number(const Scalar& n) {
  VITRO_CHECK(is_whole(n), "needs an integer, got ", n);
  return n.as_int();
}
template <class F>
Scalar by_bits(Numbers n, F f) {
  int64_t out = whole_number(n[0]);
  for (const Scalar& one : n.subspan(1)) out = f(out, whole_number(one));
  return are_truths(n) ? Scalar(out != 0) : Scalar(out);
}
Scalar bit_and(Numbers n) {
  return by_bits(n, [](int64_t a, int64_t b) { return a & b; });
}
Scalar bit_or(Numbers n) {
  return by_bits(n, [](int64_t a, int64_t b) { return a | b; });
}
Scalar bit_xor(Numbers n) {
  return by_bits(n, [](int64_t a, int64_t b) { return a ^ b; });
}
// Python's `and` and `or` give one of their operands.
Scalar and_then(Numbers n) {
  for (const Scalar& one : n)
    if (!one.as_bool()) return one;
  return n.back();
}
Scalar or_else(Numbers n) {
  for (const Scalar& one : n)
    if (one.as_bool()) return one;
  return n.back();
}
Scalar negation(Numbers n) {
  return Scalar(!n[0].as_bool());
}
int64_t shift_of(const Scalar& n) {
  const int64_t by = whole_number(n);
  VITRO_CHECK(by >= 0 && by < 63, "a shift by ", by, ", needs 0 to 62");
  return by;
}
Scalar lshift(Numbers n) {
  return Scalar(n[0].size() * (int64_t{1} << shift_of(n[1])));
}
Scalar rshift(Numbers n) {
  return Scalar(n[0].size() / (int64_t{1} << shift_of(n[1])));
}
Scalar choice(Numbers n) {
  return n[0].as_bool() ? n[1] : n[2];
}

Scalar whole_of(double value) {
  constexpr double limit = 9223372036854775808.0;  // 2^63
  VITRO_CHECK(value >= -limit && value < limit,
              "an integer that does not fit into 64 bits: ", value);
  return Scalar(static_cast<int64_t>(value));
}
template <double (*round)(double)>
Scalar rounded(Numbers n) {
  return is_whole(n[0]) ? pos(n) : whole_of(round(n[0].as_double()));
}
double floor_of(double x) {
  return std::floor(x);
}
double ceil_of(double x) {
  return std::ceil(x);
}
double trunc_of(double x) {
  return std::trunc(x);
}
double nearest_of(double x) {
  return std::nearbyint(x);
}  // ties to even, as Python's

Scalar trunc_to_float(Numbers n) {
  return Scalar(std::trunc(n[0].as_double()));
}
Scalar rounded_decimal(Numbers n) {
  if (n.size() == 1) return rounded<nearest_of>(n);
  const double scale = std::pow(10.0, static_cast<double>(whole_number(n[1])));
  return Scalar(std::nearbyint(n[0].as_double() * scale) / scale);
}
Scalar to_float(Numbers n) {
  return Scalar(n[0].as_double());
}
Scalar square_root(Numbers n) {
  return Scalar(std::sqrt(n[0].as_double()));
}
Scalar truth(Numbers n) {
  return Scalar(n[0].as_bool());
}
Scalar identity(Numbers n) {
  return n[0];
}

constexpr uint8_t any = 255;
constexpr NumberOperator table[] = {
    {"+ _operator.add Add", 1, any, &add},
    {"- _operator.sub", 2, 2, &sub},
    {"* _operator.mul Mul", 1, any, &mul},
    {"// _operator.floordiv FloorDiv CleanDiv", 2, 2, &floordiv},
    {"% _operator.mod Mod PythonMod", 2, 2, &mod},
    {"/ _operator.truediv IntTrueDiv FloatTrueDiv Rational", 2, 2, &truediv},
    {"** _operator.pow Pow PowByNatural FloatPow pow", 2, 2, &power},
    {"neg _operator.neg", 1, 1, &neg},
    {"pos _operator.pos", 1, 1, &pos},
    {"abs _operator.abs Abs builtins.abs", 1, 1, &absolute},
    {"CeilDiv", 2, 2, &ceildiv},
    {"ModularIndexing", 3, 3, &modular_index},
    {"== _operator.eq Equality Eq", 2, 2, &eq},
    {"!= _operator.ne Unequality Ne", 2, 2, &ne},
    {"< _operator.lt StrictLessThan Lt", 2, 2, &lt},
    {"<= _operator.le LessThan Le", 2, 2, &le},
    {"> _operator.gt StrictGreaterThan Gt", 2, 2, &gt},
    {">= _operator.ge GreaterThan Ge", 2, 2, &ge},
    {"& _operator.and_", 1, any, &bit_and},
    {"| _operator.or_", 1, any, &bit_or},
    {"^ _operator.xor Xor", 1, any, &bit_xor},
    {"and And", 1, any, &and_then},
    {"or Or", 1, any, &or_else},
    {"not _operator.not_ Not torch.sym_not", 1, 1, &negation},
    {"<< _operator.lshift LShift", 2, 2, &lshift},
    {">> _operator.rshift RShift", 2, 2, &rshift},
    {"max Max torch.sym_max", 1, any, &largest},
    {"min Min torch.sym_min", 1, any, &smallest},
    {"torch.sym_ite Where", 3, 3, &choice},
    {"math.floor FloorToInt floor", 1, 1, &rounded<floor_of>},
    {"math.ceil CeilToInt ceiling", 1, 1, &rounded<ceil_of>},
    {"math.trunc TruncToInt torch.sym_int int", 1, 1, &rounded<trunc_of>},
    {"round RoundToInt builtins.round _operator.round", 1, 2, &rounded_decimal},
    {"RoundDecimal", 2, 2, &rounded_decimal},
    {"TruncToFloat", 1, 1, &trunc_to_float},
    {"torch.sym_float ToFloat float", 1, 1, &to_float},
    {"math.sqrt torch._sym_sqrt torch.sym_sqrt OpaqueUnaryFn_sqrt sqrt", 1, 1, &square_root},
    {"bool", 1, 1, &truth},
    {"Identity _operator.index", 1, 1, &identity},
};

using Names = std::map<std::string_view, const NumberOperator*>;

// Calls f(name) for each until it returns true; returns that name.
std::string_view name_that(std::string_view names, FunctionRef<bool(std::string_view)> f) {
  while (!names.empty()) {
    const size_t end = std::min(names.find(' '), names.size());
    if (const std::string_view name = names.substr(0, end); f(name)) return name;
    names.remove_prefix(std::min(end + 1, names.size()));
  }
  return {};
}

Names names_in_table() {
  Names out;
  for (const NumberOperator& one : table)
    name_that(one.names, [&](std::string_view name) { return out.emplace(name, &one), false; });
  return out;
}

}  // namespace

std::string_view NumberOperator::target() const {
  return name_that(names, [](std::string_view name) { return name.find('.') != name.npos; });
}

std::string_view NumberOperator::head() const {
  return name_that(names, [](std::string_view name) { return name[0] >= 'A' && name[0] <= 'Z'; });
}

const NumberOperator* number_operator(std::string_view name) {
  static const auto* names = new Names(names_in_table());
  const auto found = names->find(name);
  return found == names->end() ? nullptr : found->second;
}

const NumberOperator& number_operator(sym::Kind kind) {
  const auto name = [kind]() -> std::string_view {
    switch (kind) {
      case sym::Kind::sum:
        return "+";
      case sym::Kind::product:
        return "*";
      case sym::Kind::floordiv:
        return "//";
      case sym::Kind::mod:
        return "%";
      case sym::Kind::min:
        return "min";
      case sym::Kind::max:
        return "max";
      case sym::Kind::constant:
      case sym::Kind::symbol:
      case sym::Kind::index:
        break;
    }
    throw_error("a number or a symbol, which no operator makes");
  };
  return *number_operator(name());
}

}  // namespace vitro::io
