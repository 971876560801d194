// Finds, when a program is loaded, the calls that are errors whatever the data are.
#pragma once

#include <string_view>
#include <variant>
#include <vector>

#include "exported/plan.h"
#include "vitro/core/tensor.h"

namespace vitro::exported {

// What is known of a value before a call: nothing, a tensor's dtype and sizes, or a number or text.
using Known = std::variant<std::monostate, TensorMeta, ArgValue>;

// Runs the plan on tensors without elements, by the ops' rules for dtypes and sizes.  What depends
// on elements, random numbers or unknown inputs is left out.  Error: a call that is one on zeros of
// these sizes, too; the message names its node and its line of Python.
void rehearse(const Plan& plan, const std::vector<Known>& inputs, std::string_view model);

}  // namespace vitro::exported
