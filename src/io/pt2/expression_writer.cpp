#include "io/pt2/expression_writer.h"

#include <string_view>

#include "vitro/base/cat.h"
#include "vitro/base/error.h"

namespace vitro::io {
namespace {

std::string call(std::string_view head, sym::Expr e) {
  std::string out;
  for (const sym::Expr one : sym::operands_of(e))
    out += cat(out.empty() ? "" : ", ", sympy_text(one));
  return cat(head, '(', out, ')');
}

}  // namespace

std::string sympy_text(sym::Expr e) {
  switch (sym::kind_of(e)) {
    case sym::Kind::constant:
      return cat("Integer(", *e.constant(), ')');
    case sym::Kind::symbol:
    case sym::Kind::index:
      return cat("Symbol('", sym::name_of(e), sym::is_data(e) ? "'" : "', positive=True",
                 ", integer=True)");
    case sym::Kind::sum:
      return call("Add", e);
    case sym::Kind::product:
      return call("Mul", e);
    case sym::Kind::floordiv:
      return call("FloorDiv", e);
    case sym::Kind::mod:
      return call("Mod", e);
    case sym::Kind::min:
      return call("Min", e);
    case sym::Kind::max:
      return call("Max", e);
  }
  throw_error("an expression of no kind");
}

std::string python_text(sym::Expr e, FunctionRef<std::string(sym::Expr)> symbol) {
  const auto joined = [&](std::string_view between) {
    std::string out;
    for (const sym::Expr one : sym::operands_of(e))
      out += cat(out.empty() ? "" : between, python_text(one, symbol));
    return out;
  };
  switch (sym::kind_of(e)) {
    case sym::Kind::constant:
      return cat(*e.constant());
    case sym::Kind::symbol:
    case sym::Kind::index:
      return symbol(e);
    case sym::Kind::sum:
      return cat('(', joined(" + "), ')');
    case sym::Kind::product:
      return cat('(', joined("*"), ')');
    case sym::Kind::floordiv:
      return cat('(', joined(" // "), ')');
    case sym::Kind::mod:
      return cat('(', joined(" % "), ')');
    case sym::Kind::min:
      return cat("min(", joined(", "), ')');
    case sym::Kind::max:
      return cat("max(", joined(", "), ')');
  }
  throw_error("an expression of no kind");
}

}  // namespace vitro::io
