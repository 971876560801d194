#include "power.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>

namespace vitro::cli {
namespace {

std::optional<double> number_in(const std::filesystem::path& path) {
  std::ifstream file(path);
  double out = 0;
  if (file >> out) return out;
  return std::nullopt;
}

// "intel-rapl:0" is a package; "intel-rapl:0:1" is a part of it, and "intel-rapl-mmio:0" the same
// package again.
bool is_package(const std::string& name) {
  return name.starts_with("intel-rapl:") && std::ranges::count(name, ':') == 1;
}

}  // namespace

Energy::Energy(const std::string& folder) {
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(folder, none)) {
    if (!is_package(entry.path().filename().string())) continue;
    const std::filesystem::path file = entry.path() / "energy_uj";
    if (const std::optional<double> now = number_in(file))
      packages_.push_back({.file = file.string(),
                           .last = *now,
                           .range = number_in(entry.path() / "max_energy_range_uj").value_or(0)});
  }
}

double Energy::used() {
  double sum = 0;
  for (Package& package : packages_) {
    const double now = number_in(package.file).value_or(package.last);
    sum += now - package.last + (now < package.last ? package.range : 0);
    package.last = now;
  }
  return sum / 1e6;
}

}  // namespace vitro::cli
