#include "io/pt2/expression_writer.h"

#include <string_view>

#include "io/pt2/number_operators.h"
#include "vitro/base/cat.h"

namespace vitro::io {
namespace {

// The texts of the operands, with `between` between them.
std::string joined(sym::Expr e, std::string_view between,
                   FunctionRef<std::string(sym::Expr)> text) {
  std::string out;
  for (const sym::Expr one : sym::operands_of(e)) out += cat(out.empty() ? "" : between, text(one));
  return out;
}

bool is_symbol(sym::Expr e) {
  return sym::kind_of(e) == sym::Kind::symbol || sym::kind_of(e) == sym::Kind::index;
}

}  // namespace

std::string sympy_text(sym::Expr e) {
  if (e.constant()) return cat("Integer(", *e.constant(), ')');
  if (is_symbol(e))
    return cat("Symbol('", sym::name_of(e), sym::is_data(e) ? "'" : "', positive=True",
               ", integer=True)");
  return cat(number_operator(sym::kind_of(e)).head(), '(', joined(e, ", ", sympy_text), ')');
}

std::string python_text(sym::Expr e, FunctionRef<std::string(sym::Expr)> symbol) {
  if (e.constant()) return cat(*e.constant());
  if (is_symbol(e)) return symbol(e);
  const std::string_view name = number_operator(sym::kind_of(e)).name();
  const auto text = [&](sym::Expr one) { return python_text(one, symbol); };
  const bool is_function = name[0] >= 'a' && name[0] <= 'z';
  return is_function ? cat(name, '(', joined(e, ", ", text), ')')
                     : cat('(', joined(e, cat(' ', name, ' '), text), ')');
}

}  // namespace vitro::io
