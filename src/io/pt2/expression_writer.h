// Expressions of sizes as the texts of exported programs (see expression.h, which reads them).
#pragma once

#include <string>

#include "vitro/base/function_ref.h"
#include "vitro/sym/expr.h"

namespace vitro::io {

// In sympy's representation: "Mul(Integer(2), Symbol('s9', positive=True, integer=True))".
std::string sympy_text(sym::Expr e);

// As Python: "(2*L['x'].size()[0] + 1) // 2"; `symbol` gives the text of each symbol.
std::string python_text(sym::Expr e, FunctionRef<std::string(sym::Expr)> symbol);

}  // namespace vitro::io
