// Parser (by precedence), printer and evaluation of expressions.
#include "io/pt2/expression.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>
#include <utility>

#include "vitro/base/cat.h"
#include "vitro/base/error.h"

namespace vitro::io {
namespace {

constexpr int deepest = 200, longest_row = 30;
constexpr size_t any_number = 1000;  // more operands than an operator with a limit takes

struct Binary {
  std::string_view text;
  int precedence;
  bool is_comparison = false;
};
// The longer of two that begin alike comes first.
constexpr Binary binaries[] = {{"or", 1},       {"and", 2},      {"==", 4, true}, {"!=", 4, true},
                               {"<=", 4, true}, {">=", 4, true}, {"<<", 7},       {">>", 7},
                               {"<", 4, true},  {">", 4, true},  {"|", 5},        {"^", 5},
                               {"&", 6},        {"+", 8},        {"-", 8},        {"//", 9},
                               {"**", 11},      {"*", 9},        {"/", 9},        {"%", 9}};
constexpr int of_not = 3, of_sign = 10, of_power = 11;

bool is_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Expression whole() {
    Expression out = binary(1);
    if (at_ < text_.size()) fail("an operator or the end");
    return out;
  }

 private:
  // Counts how deep expressions are nested.
  struct Level {
    explicit Level(Parser& parser) : of(parser) {
      if (++of.depth_ > deepest) throw_error(cat("is nested more than ", deepest, " deep"));
    }
    ~Level() { --of.depth_; }
    Level(const Level&) = delete;
    Parser& of;
  };

  [[noreturn]] void fail(std::string_view expected) const {
    const std::string_view rest = text_.substr(std::min(at_, text_.size()), 20);
    throw_error(cat("character ", at_, ": expected ", expected, ", got ",
                    rest.empty() ? std::string("the end") : cat('"', rest, '"')));
  }
  void skip() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
  }
  bool take(std::string_view token) {
    skip();
    if (!text_.substr(at_).starts_with(token)) return false;
    const size_t end = at_ + token.size();
    if (is_name(token.back()) && end < text_.size() && is_name(text_[end])) return false;
    at_ = end;
    return true;
  }
  void need(std::string_view token) {
    if (!take(token)) fail(cat('"', token, '"'));
  }
  std::string name() {
    skip();
    const size_t begin = at_;
    while (at_ < text_.size() && is_name(text_[at_])) ++at_;
    if (at_ == begin || std::isdigit(static_cast<unsigned char>(text_[begin]))) {
      at_ = begin;
      fail("a name");
    }
    return std::string(text_.substr(begin, at_ - begin));
  }
  std::string quoted() {
    skip();
    const char quote = at_ < text_.size() ? text_[at_] : '\0';
    if (quote != '\'' && quote != '"') fail("a text in quotes");
    const size_t end = text_.find(quote, at_ + 1);
    if (end == text_.npos) fail("the end of a text");
    std::string out(text_.substr(at_ + 1, end - at_ - 1));
    at_ = end + 1;
    return out;
  }
  bool next_is_quote() {
    skip();
    return at_ < text_.size() && (text_[at_] == '\'' || text_[at_] == '"');
  }

  static Expression number(Scalar value) {
    Expression out;
    out.number = value;
    return out;
  }
  Expression call(const NumberOperator* op, std::vector<Expression> operands) {
    if (!op->takes(operands.size())) fail(cat("other operands of ", op->name()));
    Expression out;
    out.kind = Expression::Kind::call;
    out.op = op;
    out.operands = std::move(operands);
    return out;
  }
  Expression call(std::string_view name, Expression a, Expression b) {
    std::vector<Expression> both;
    both.push_back(std::move(a));
    both.push_back(std::move(b));
    return call(number_operator(name), std::move(both));
  }

  const Binary* operator_here(int at_least) {
    skip();
    for (const Binary& one : binaries) {
      const size_t before = at_;
      if (!take(one.text)) continue;
      if (one.precedence >= at_least) return &one;
      at_ = before;
      return nullptr;
    }
    return nullptr;
  }

  Expression binary(int at_least) {
    const Level level(*this);
    Expression left = unary();
    std::optional<Expression> compared;  // of `a < b < c`: b, which is compared twice
    const NumberOperator* last = nullptr;
    int links = 0;  // how deep `left` is
    while (const Binary* op = operator_here(at_least)) {
      const bool to_the_right = op->precedence == of_power;
      Expression right = binary(op->precedence + (to_the_right ? 0 : 1));
      if (op->is_comparison && compared) {
        Expression second = call(op->text, *std::move(compared), right);
        left = call("and", std::move(left), std::move(second));
      } else if (last && left.op == last && last->name() == op->text && last->takes(any_number)) {
        left.operands.push_back(right);
        continue;
      } else {
        left = call(op->text, std::move(left), right);
      }
      if (++links > longest_row)
        throw_error(cat("has more than ", longest_row, " operators in a row"));
      last = number_operator(op->text);
      compared.reset();
      if (op->is_comparison) compared = std::move(right);
    }
    return left;
  }

  Expression unary() {
    const Level level(*this);
    std::vector<Expression> operand;
    if (take("not")) {
      operand.push_back(binary(of_not));
      return call(number_operator("not"), std::move(operand));
    }
    if (take("-")) {
      Expression of = binary(of_sign);
      if (of.is_number()) return number(number_operator("neg")->apply({&of.number, 1}));
      operand.push_back(std::move(of));
      return call(number_operator("neg"), std::move(operand));
    }
    if (take("+")) return binary(of_sign);
    return primary();
  }

  Expression primary() {
    if (take("(")) {
      Expression inside = binary(1);
      need(")");
      return inside;
    }
    skip();
    const char c = at_ < text_.size() ? text_[at_] : '\0';
    if (std::isdigit(static_cast<unsigned char>(c)) || c == '.') return literal();
    return named();
  }

  Expression literal() {
    const char* begin = text_.data() + at_;
    const char* end = text_.data() + text_.size();
    int64_t whole = 0;
    const auto as_int = std::from_chars(begin, end, whole);
    const bool is_real = as_int.ptr < end && (*as_int.ptr == '.' || *as_int.ptr == 'e');
    if (as_int.ec == std::errc() && !is_real) {
      at_ += static_cast<size_t>(as_int.ptr - begin);
      return number(Scalar(whole));
    }
    double real = 0;
    const auto as_real = std::from_chars(begin, end, real);
    if (!is_real || as_real.ec != std::errc()) fail("a number of 64 bits");
    at_ += static_cast<size_t>(as_real.ptr - begin);
    return number(Scalar(real));
  }

  Expression named() {
    std::string head = name();
    if (head == "L") return input();
    while (take(".")) head += cat('.', name());
    if (take("(")) return applied(head);
    if (head == "True" || head == "true") return number(Scalar(true));
    if (head == "False" || head == "false") return number(Scalar(false));
    if (head == "oo" || head == "int_oo") return number(Scalar(sym::unbounded));
    return symbol(std::move(head));
  }
  static Expression symbol(std::string name) {
    Expression out;
    out.kind = Expression::Kind::symbol;
    out.text = std::move(name);
    return out;
  }

  // `key=value` after the arguments of Symbol and Float.
  void assumptions() {
    while (take(",")) {
      (void)name();
      need("=");
      (void)binary(1);
    }
    need(")");
  }

  Expression applied(const std::string& head) {
    if (head == "Symbol" || head == "Float") {
      const std::string text = quoted();
      assumptions();
      if (head == "Symbol") return symbol(text);
      double real = 0;
      const auto read = std::from_chars(text.data(), text.data() + text.size(), real);
      if (read.ec != std::errc() || read.ptr != text.data() + text.size()) fail("a number");
      return number(Scalar(real));
    }
    if (head == "len") return length();
    std::vector<Expression> operands;
    if (!take(")")) {
      do operands.push_back(binary(1));
      while (take(","));
      need(")");
    }
    if (head == "Integer" && operands.size() == 1) return std::move(operands[0]);
    const NumberOperator* op = number_operator(head);
    if (!op) fail(cat("a function of numbers instead of ", head));
    return call(op, std::move(operands));
  }
  Expression length() {
    Expression of = binary(1);
    need(")");
    if (of.kind != Expression::Kind::input || of.of != Expression::Of::value) fail("an input");
    of.of = Expression::Of::length;
    return of;
  }

  // What follows L: ['x'][0].size()[1]
  Expression input() {
    Expression out;
    out.kind = Expression::Kind::input;
    out.text = "L";
    for (;;) {
      if (take("[")) {
        out.text += next_is_quote() ? cat("['", quoted(), "']") : cat('[', index(), ']');
        need("]");
      } else if (take(".")) {
        const std::string member = name();
        if (!take("(")) {
          out.text += cat('.', member);
          continue;
        }
        need(")");
        property(member, out);
        return out;
      } else {
        return out;
      }
    }
  }
  int64_t index() {
    const Expression e = binary(1);
    if (!e.is_number()) fail("an index");
    return e.number.as_int();
  }
  void property(const std::string& member, Expression& out) {
    using Of = Expression::Of;
    if (member == "storage_offset") {
      out.of = Of::offset;
    } else if (member == "dim" || member == "ndimension") {
      out.of = Of::rank;
    } else if (member == "size" || member == "stride") {
      out.of = member == "size" ? Of::size : Of::stride;
      need("[");
      out.dim = index();
      need("]");
    } else {
      fail(cat("size() or stride() instead of ", member, "()"));
    }
  }

  std::string_view text_;
  size_t at_ = 0;
  int depth_ = 0;
};

int precedence_of(const Expression& e) {
  if (e.kind != Expression::Kind::call) return 20;
  for (const Binary& one : binaries)
    if (one.text == e.op->name()) return one.precedence;
  return e.op->name() == "neg" ? of_sign : e.op->name() == "not" ? of_not : 20;
}

void append_operand(std::string& out, const Expression& e, int at_least) {
  const bool in_parentheses = precedence_of(e) < at_least;
  if (in_parentheses) out += '(';
  append_to(out, e);
  if (in_parentheses) out += ')';
}

void append_call(std::string& out, const Expression& e) {
  const std::string_view name = e.op->name();
  const int precedence = precedence_of(e);
  if (precedence == 20) {
    out += cat(name, '(');
    for (size_t i = 0; i < e.operands.size(); ++i) {
      if (i != 0) out += ", ";
      append_to(out, e.operands[i]);
    }
    out += ')';
  } else if (e.operands.size() == 1) {
    out += name == "neg" ? "-" : name == "not" ? "not " : "";
    append_operand(out, e.operands[0], precedence);
  } else {
    for (size_t i = 0; i < e.operands.size(); ++i) {
      if (i != 0) out += name == "*" || name == "**" ? std::string(name) : cat(' ', name, ' ');
      append_operand(out, e.operands[i], precedence + (i == 0 ? 0 : 1));
    }
  }
}

std::string_view text_of(Expression::Of of) {
  switch (of) {
    case Expression::Of::value:
    case Expression::Of::length:
      return "";
    case Expression::Of::size:
      return ".size()";
    case Expression::Of::stride:
      return ".stride()";
    case Expression::Of::offset:
      return ".storage_offset()";
    case Expression::Of::rank:
      return ".dim()";
  }
  return "";
}

}  // namespace

Result<Expression> parse_expression(std::string_view text) {
  try {
    return Parser(text).whole();
  } catch (const Error& e) {
    return Failure{std::string(e.message())};
  }
}

Scalar evaluate(const Expression& e, FunctionRef<Scalar(const Expression&)> value_of) {
  switch (e.kind) {
    case Expression::Kind::number:
      return e.number;
    case Expression::Kind::symbol:
    case Expression::Kind::input:
      return value_of(e);
    case Expression::Kind::call:
      break;
  }
  const bool is_and = e.op->name() == "and", is_or = e.op->name() == "or";
  std::vector<Scalar> values;
  for (const Expression& operand : e.operands) {
    values.push_back(evaluate(operand, value_of));
    if ((is_and || is_or) && values.back().as_bool() == is_or) break;  // the rest has no meaning
  }
  return e.op->apply(values);
}

std::vector<std::string> symbols_of(const Expression& e) {
  if (e.kind == Expression::Kind::symbol) return {e.text};
  std::vector<std::string> out;
  for (const Expression& operand : e.operands)
    for (std::string& one : symbols_of(operand))
      if (std::ranges::find(out, one) == out.end()) out.push_back(std::move(one));
  return out;
}

void append_to(std::string& out, const Expression& e) {
  switch (e.kind) {
    case Expression::Kind::number:
      out += cat(e.number);
      break;
    case Expression::Kind::symbol:
      out += e.text;
      break;
    case Expression::Kind::input: {
      const bool is_length = e.of == Expression::Of::length;
      out += cat(is_length ? "len(" : "", e.text, text_of(e.of), is_length ? ")" : "");
      if (e.of == Expression::Of::size || e.of == Expression::Of::stride)
        out += cat('[', e.dim, ']');
      break;
    }
    case Expression::Kind::call:
      append_call(out, e);
  }
}

}  // namespace vitro::io
