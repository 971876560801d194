// The name of a function as a person would say it, of what std::source_location::function_name()
// gives (GCC and Clang write the whole signature):
//   "vitro::Tensor Mlp::forward(const vitro::Tensor&) const"  ->  "Mlp::forward"
// Of a lambda, the function that it is written in.  Unnamed namespaces, template arguments in
// brackets and the return type are left out.  Empty if the text is not a signature.
#pragma once

#include <string>
#include <string_view>

namespace vitro {

std::string function_name(std::string_view signature);

}  // namespace vitro
