// Runs a program several times, eager and compiled, compares them, and counts what occurred.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "program.h"

namespace vitro::fuzz {

// Number of occurrences by category ("op", "dtype", "kind", "break", "fallback", ...) and name.
class Counts {
 public:
  void add(const std::string& what, const std::string& name, uint64_t times = 1) {
    if (times > 0) all_[{what, name}] += times;
  }
  void add(const Counts& other) {
    for (const auto& [key, times] : other.all_) all_[key] += times;
  }
  uint64_t of(const std::string& what, const std::string& name) const {
    const auto at = all_.find({what, name});
    return at == all_.end() ? 0 : at->second;
  }
  const std::map<std::pair<std::string, std::string>, uint64_t>& all() const { return all_; }

 private:
  std::map<std::pair<std::string, std::string>, uint64_t> all_;
};

// How programs are compiled, and which fallbacks count as differences: substrings of their codes
// and reasons ("V0601").
struct Setup {
  std::string backend = "vitro";
  std::vector<std::string> unwanted;
};

// The first difference between eager and compiled over all calls, or empty. `counts` may be null.
std::string compare(const Program& program, const Setup& setup, Counts* counts = nullptr);

// A smaller program that still differs.
Program shrink(Program program, const Setup& setup);

}  // namespace vitro::fuzz
