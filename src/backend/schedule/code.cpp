#include "backend/schedule/code.h"

namespace vitro::backend {

bool is_worth_unrolling(int cost) {
  return cost < 8;
}

bool has_rest_apart(std::optional<int64_t> extent) {
  return !extent || *extent >= 128;
}

bool stores_quickly(int cost) {
  return cost < 8;
}

bool gathers_have_rest_apart(std::optional<int64_t> extent) {
  return !extent || *extent >= 32;
}

bool has_inside_apart(std::optional<int64_t> extent, int reads) {
  return (!extent || *extent >= 48) && reads <= 9;
}

size_t bytes_of_module(bool large) {
  return large ? 96 << 10 : 12 << 10;
}

}  // namespace vitro::backend
