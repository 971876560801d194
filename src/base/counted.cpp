#include "vitro/base/counted.h"

#include "vitro/base/cat.h"

namespace vitro {
namespace {

std::string plural(std::string_view thing) {
  const auto ends = [&](std::string_view with) { return thing.ends_with(with); };
  if (ends("ch") || ends("sh") || ends("s") || ends("x")) return cat(thing, "es");
  const bool after_vowel = ends("ay") || ends("ey") || ends("oy") || ends("uy");
  if (ends("y") && !after_vowel) return cat(thing.substr(0, thing.size() - 1), "ies");
  return cat(thing, "s");
}

}  // namespace

std::string counted(uint64_t n, std::string_view thing) {
  return n == 1 ? cat("1 ", thing) : cat(n, " ", plural(thing));
}

}  // namespace vitro
