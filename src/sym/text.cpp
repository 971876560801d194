// Prints and parses expressions; parse reads back what text() writes.
#include <charconv>

#include "sym/node.h"
#include "sym/poly.h"
#include "vitro/base/cat.h"

namespace vitro::sym {
namespace {

std::string_view function_name(Kind kind) {
  switch (kind) {
    case Kind::floordiv:
      return "floordiv";
    case Kind::mod:
      return "mod";
    case Kind::min:
      return "min";
    case Kind::max:
      return "max";
    case Kind::constant:
    case Kind::symbol:
    case Kind::index:
    case Kind::sum:
    case Kind::product:
      break;
  }
  return "";
}

void append_factor(std::string& out, Expr e) {
  const bool enclosed = kind_of(e) == Kind::sum;
  if (enclosed) out += '(';
  append_to(out, e);
  if (enclosed) out += ')';
}

void append_product(std::string& out, const std::vector<Expr>& factors) {
  for (size_t i = 0; i < factors.size(); ++i) {
    if (i == 0 && factors[0].is(-1)) {
      out += '-';
      continue;
    }
    if (i != 0 && out.back() != '-') out += '*';
    append_factor(out, factors[i]);
  }
}

// The first term keeps its sign; the signs of the others become operators.
void append_sum(std::string& out, const std::vector<Expr>& terms) {
  append_factor(out, terms[0]);
  for (size_t i = 1; i < terms.size(); ++i) {
    std::string term;
    append_factor(term, terms[i]);
    const bool negative = term[0] == '-';
    out += negative ? " - " : " + ";
    out += std::string_view(term).substr(negative ? 1 : 0);
  }
}

// A recursive descent parser; any failure gives an undefined Expr.
class Parser {
 public:
  Parser(std::string_view text, FunctionRef<Expr(std::string_view)> symbol_named)
      : text_(text), symbol_named_(symbol_named) {}

  std::optional<Expr> run() {
    const Expr e = sum();
    skip_space();
    if (!e.defined() || at_ != text_.size()) return std::nullopt;
    return e;
  }

 private:
  static constexpr int most_depth = 200;

  void skip_space() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }

  bool take(char c) {
    skip_space();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  Expr sum() {
    if (++depth_ > most_depth) return {};
    Expr left = term(take('-'));
    while (left.defined()) {
      const bool minus = take('-');
      if (!minus && !take('+')) break;
      const Expr right = term(minus);
      if (!right.defined()) return {};
      left = left + right;
    }
    --depth_;
    return left;
  }

  Expr term(bool minus) {
    Expr left = factor(minus);
    while (left.defined() && take('*')) {
      const Expr right = factor(false);
      if (!right.defined()) return {};
      left = left * right;
    }
    return left;
  }

  // The sign is parsed with the number, because the smallest int64_t has no positive counterpart.
  Expr factor(bool minus) {
    if (take('(')) {
      const Expr inner = sum();
      if (!inner.defined() || !take(')')) return {};
      return minus ? -inner : inner;
    }
    if (at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9') return number(minus);
    const Expr e = named();
    return minus && e.defined() ? -e : e;
  }

  Expr number(bool minus) {
    const size_t begin = at_;
    while (at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9') ++at_;
    const std::string digits = cat(minus ? "-" : "", text_.substr(begin, at_ - begin));
    int64_t value = 0;
    const auto end = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (end.ec != std::errc{}) return {};
    return value;
  }

  Expr named() {
    const size_t begin = at_;
    while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) ||
                                  text_[at_] == '_' || text_[at_] == '.')) {
      ++at_;
    }
    const std::string_view name = text_.substr(begin, at_ - begin);
    if (name.empty()) return {};
    if (take('(')) return call(name);
    return symbol_named_(name);
  }

  Expr call(std::string_view name) {
    const Expr a = sum();
    if (!a.defined() || !take(',')) return {};
    const Expr b = sum();
    if (!b.defined() || !take(')')) return {};
    if (name == "floordiv") return floordiv(a, b);
    if (name == "mod") return mod(a, b);
    if (name == "min") return min(a, b);
    if (name == "max") return max(a, b);
    return {};
  }

  std::string_view text_;
  FunctionRef<Expr(std::string_view)> symbol_named_;
  size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

void append_to(std::string& out, Expr e) {
  if (!e.defined()) {
    out += "?";
    return;
  }
  const Node& node = *e.node();
  switch (node.kind) {
    case Kind::constant:
      vitro::append_to(out, node.number);
      return;
    case Kind::symbol:
    case Kind::index:
      out += node.name;
      return;
    case Kind::sum:
      append_sum(out, node.operands);
      return;
    case Kind::product:
      append_product(out, node.operands);
      return;
    case Kind::floordiv:
    case Kind::mod:
    case Kind::min:
    case Kind::max:
      out += function_name(node.kind);
      out += '(';
      append_to(out, node.operands[0]);
      out += ", ";
      append_to(out, node.operands[1]);
      out += ')';
      return;
  }
}

std::string Expr::text() const {
  return cat(*this);
}

// Text is untrusted: a division by 0 or an overflow in it gives no expression.
std::optional<Expr> parse(std::string_view text, FunctionRef<Expr(std::string_view)> symbol_named) {
  try {
    return Parser(text, symbol_named).run();
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace vitro::sym
