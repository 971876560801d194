// Expressions of exported programs: sizes in sympy's representation, keys of range constraints as
// sympy prints them, and guards, which are Python over the inputs:
//   Mul(Integer(2), Symbol('s9', positive=True, integer=True))     2*s9
//   L['ids'].size()[1] // 2 <= max(4, L['x'].size()[0])
// All three are one grammar, a part of Python's.  Nothing is ever executed; nesting is limited.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "io/pt2/number_operators.h"
#include "vitro/base/function_ref.h"
#include "vitro/base/result.h"

namespace vitro::io {

struct Expression {
  enum class Kind : uint8_t {
    number,
    symbol,  // "s9"; "u0" for a number that depends on data
    input,   // a number of an input: text is "L['x']", and `of` says which
    call,    // of an operator
  };
  enum class Of : uint8_t { value, size, stride, offset, rank, length };

  Kind kind = Kind::number;
  Of of = Of::value;
  int64_t dim = 0;  // of a size or a stride
  Scalar number{0};
  std::string text;
  const NumberOperator* op = nullptr;
  std::vector<Expression> operands;

  bool is_number() const { return kind == Kind::number; }
};

// Failure: what was expected at which character.
Result<Expression> parse_expression(std::string_view text);

// The value; `value_of` is called with each symbol and each input.  Errors: of the operators.
Scalar evaluate(const Expression& e, FunctionRef<Scalar(const Expression& leaf)> value_of);

// The symbols in it, each once, in order.
std::vector<std::string> symbols_of(const Expression& e);

// As Python: "2*s9 + 1".
void append_to(std::string& out, const Expression& e);

}  // namespace vitro::io
