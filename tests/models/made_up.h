// Made-up weights and inputs for models whose results are compared with torch's; the scripts in
// tests/models/values make the same ones.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "vitro/nn/module.h"

namespace vitro::models {

// Fills each parameter and buffer of the model.
void fill(nn::Module& model);

Tensor made_up_images(std::initializer_list<int64_t> sizes);
Tensor made_up_tokens(int64_t batch, int64_t length, int64_t vocabulary);

// What the script printed: every so many numbers of the result, and the largest of all.
struct Expected {
  float largest;
  size_t every;
  std::vector<float> numbers;
};

// The model's result has these numbers within 1e-4 of the largest, called eagerly and compiled.
void check(std::string_view name, const std::function<Tensor(const Tensor&)>& model,
           const Tensor& input, const Expected& expected);

// Each of these is the name of a parameter or of a buffer.
void check_names(nn::Module& model, std::initializer_list<std::string_view> names);

}  // namespace vitro::models
