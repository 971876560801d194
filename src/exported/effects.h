// What the steps of a program do besides computing: writes, questions about elements, random
// numbers.
#pragma once

#include <vector>

#include "exported/plan.h"

namespace vitro::exported {

// For each weight (input of the graph), whether a step may write to it.
std::vector<bool> written_inputs(const Plan& plan);

// Whether a step writes into a value that exists, be it a weight or not.
bool writes_in_place(const Plan& plan);

// Whether a step asks for the value of an element, which ends a compiled region.
bool asks_for_elements(const Plan& plan);

// Whether a step draws random numbers, as each call must anew.
bool draws_random_numbers(const Plan& plan);
bool draws_random_numbers(const Step& step);

}  // namespace vitro::exported
