// Gradients of a program's results, as further results.
#pragma once

#include "program.h"

namespace vitro::fuzz {

// Whether a tensor is one of those whose gradients are compared.
bool has_gradients(const Program& program, size_t input);

// Lets the inputs of the program that are leaves require gradients.
void require_gradients(const Program& program, const Variables& inputs);

// The gradients of the inputs that require one, of the squares of all results; with
// Gradients::twice also those of the squares of these gradients.
Variables gradients_of(const Program& program, const Variables& results, const Variables& inputs);

}  // namespace vitro::fuzz
