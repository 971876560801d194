// Index expressions as C++.
#pragma once

#include <functional>
#include <string>

#include "vitro/sym/expr.h"

namespace vitro::backend {

// As an i64; symbols keep their names.  Uses floordiv, mod, min and max of the kernel's preamble
// where / and % would round otherwise.
std::string scalar_text(sym::Expr e);
// The same to be multiplied: a sum stands in parentheses.
std::string factor_text(sym::Expr e);

// As a Vec<i64>; `lanes_of` gives the vector of a symbol that differs between lanes, or an empty
// text.
std::string vector_text(sym::Expr e, const std::function<std::string(sym::Expr)>& lanes_of);

}  // namespace vitro::backend
