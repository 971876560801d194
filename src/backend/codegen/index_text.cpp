// Prints symbolic index expressions as C++, with as few parentheses as precedence allows; used by
// the emitter for addresses and loop bounds.
#include "backend/codegen/index_text.h"

#include <functional>

#include "vitro/base/cat.h"

namespace vitro::backend {
namespace {

using sym::Expr;
using sym::Kind;

enum Precedence { sum = 0, factor = 1, atom = 2 };

std::string wrapped(std::string text, bool wrap) {
  return wrap ? "(" + text + ")" : text;
}

std::string scalar(Expr e, int around);

std::string join(const std::vector<Expr>& parts, std::string_view sign, int inner) {
  std::string out;
  for (const Expr part : parts) {
    std::string text = scalar(part, inner);
    if (!out.empty() && sign == " + " && text[0] == '-') {
      out += " - " + text.substr(1);
      continue;
    }
    if (!out.empty()) out += sign;
    out += text;
  }
  return out;
}

// Uses C++'s division if the operands cannot be negative.
std::string division(Expr e, int around, std::string_view sign, std::string_view function) {
  const auto parts = sym::operands_of(e);
  if (sym::range_of(parts[0]).low >= 0 && sym::range_of(parts[1]).low > 0) {
    return wrapped(scalar(parts[0], atom) + std::string(sign) + scalar(parts[1], atom),
                   around >= factor);
  }
  return cat(function, "(", scalar(parts[0], sum), ", ", scalar(parts[1], sum), ")");
}

std::string product(Expr e, int around) {
  const auto parts = sym::operands_of(e);
  if (parts[0].is(-1)) {
    const std::vector<Expr> rest(parts.begin() + 1, parts.end());
    return wrapped("-" + join(rest, " * ", atom), around >= factor);
  }
  return wrapped(join(parts, " * ", atom), around >= atom);
}

std::string scalar(Expr e, int around) {
  switch (sym::kind_of(e)) {
    case Kind::constant:
      return wrapped(cat(*e.constant()), around >= atom && *e.constant() < 0);
    case Kind::symbol:
    case Kind::index:
      return std::string(sym::name_of(e));
    case Kind::sum:
      return wrapped(join(sym::operands_of(e), " + ", factor - 1), around >= factor);
    case Kind::product:
      return product(e, around);
    case Kind::floordiv:
      return division(e, around, " / ", "floordiv");
    case Kind::mod:
      return division(e, around, " % ", "mod");
    case Kind::min:
    case Kind::max: {
      const auto parts = sym::operands_of(e);
      return cat(sym::kind_of(e) == Kind::min ? "min(" : "max(", scalar(parts[0], sum), ", ",
                 scalar(parts[1], sum), ")");
    }
  }
  return {};
}

}  // namespace

std::string scalar_text(Expr e) {
  return scalar(e, sum);
}

std::string factor_text(Expr e) {
  return scalar(e, factor);
}

std::string vector_text(Expr e, const std::function<std::string(Expr)>& lanes_of) {
  bool varies = false;
  for (const Expr s : sym::symbols_of(e)) varies = varies || !lanes_of(s).empty();
  if (!varies) return cat("splat(i64(", scalar_text(e), "))");
  if (e.is_symbol()) return lanes_of(e);
  const auto parts = sym::operands_of(e);
  const Kind kind = sym::kind_of(e);
  if (kind == Kind::sum || kind == Kind::product) {
    std::string out = "(";
    for (size_t i = 0; i < parts.size(); ++i) {
      if (i != 0) out += kind == Kind::sum ? " + " : " * ";
      out += vector_text(parts[i], lanes_of);
    }
    return out + ")";
  }
  const std::string a = vector_text(parts[0], lanes_of), b = vector_text(parts[1], lanes_of);
  switch (kind) {
    case Kind::floordiv:
      return cat("floor_div(", a, ", ", b, ")");
    case Kind::mod:
      return cat("remainder(", a, ", ", b, ")");
    case Kind::min:
      return cat("minimum(", a, ", ", b, ")");
    default:
      return cat("maximum(", a, ", ", b, ")");
  }
}

}  // namespace vitro::backend
