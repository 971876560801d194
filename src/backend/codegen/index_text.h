// Index expressions as C++.
#pragma once

#include <functional>
#include <string>

#include "vitro/sym/expr.h"

namespace vitro::backend {

// As an i64; symbols keep their names.  Uses the prelude's floordiv and mod unless / and % give the
// same result.
std::string scalar_text(sym::Expr e);
// The same as a factor: sums are parenthesized.
std::string factor_text(sym::Expr e);

// As a Vec<i64>; `lanes_of` returns the vector of a symbol that differs between lanes, or an empty
// string.
std::string vector_text(sym::Expr e, const std::function<std::string(sym::Expr)>& lanes_of);

}  // namespace vitro::backend
