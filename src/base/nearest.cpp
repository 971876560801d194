#include "vitro/base/nearest.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace vitro {
namespace {

// Optimal string alignment.
size_t distance(std::string_view a, std::string_view b) {
  std::vector<size_t> two_above, above, row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    two_above = std::exchange(above, row);
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], two_above[j - 2] + 1);
    }
  }
  return row.back();
}

}  // namespace

std::string_view nearest(std::string_view word, std::span<const std::string> known) {
  std::string_view best;
  size_t least = word.size() / 3 + 2;  // farther off it is another name
  for (const std::string& name : known) {
    const size_t steps = distance(word, name);
    if (steps >= least || steps >= name.size()) continue;
    least = steps;
    best = name;
  }
  return best;
}

}  // namespace vitro
