#include "vitro/report/units.h"

#include <cmath>
#include <cstdio>
#include <span>

namespace vitro::report {
namespace {

struct Unit {
  double size;
  const char* format;
};

// The largest unit not above the value; else the first.
std::string in_units(double amount, std::span<const Unit> units) {
  const Unit* best = &units.front();
  for (const Unit& unit : units) {
    if (std::abs(amount) >= unit.size) best = &unit;
  }
  char text[64];
  std::snprintf(text, sizeof text, best->format, amount / best->size);
  return text;
}

}  // namespace

std::string time_text(double ns) {
  constexpr Unit units[] = {{1, "%.0fns"}, {1e3, "%.3fus"}, {1e6, "%.3fms"}, {1e9, "%.3fs"}};
  return in_units(ns, units);
}

std::string bytes_text(double bytes) {
  constexpr Unit units[] = {{1, "%.0f B"},
                            {0x1p10, "%.2f KiB"},
                            {0x1p20, "%.2f MiB"},
                            {0x1p30, "%.2f GiB"},
                            {0x1p40, "%.2f TiB"}};
  return in_units(bytes, units);
}

std::string count_text(double n) {
  constexpr Unit units[] = {
      {1, "%.0f"}, {1e3, "%.2f k"}, {1e6, "%.2f M"}, {1e9, "%.2f G"}, {1e12, "%.2f T"}};
  return in_units(n, units);
}

std::string percent_text(double part, double whole) {
  if (whole == 0) return "-";
  char text[32];
  std::snprintf(text, sizeof text, "%.2f%%", 100 * part / whole);
  return text;
}

}  // namespace vitro::report
