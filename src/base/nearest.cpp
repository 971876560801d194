#include "vitro/base/nearest.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "vitro/base/lower_case.h"

namespace vitro {
namespace {

// The optimal string alignment distance.
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

// The shortest name that begins with the word, otherwise the shortest that contains it.
std::string_view holding(std::string_view word, std::span<const std::string> known) {
  std::string_view best;
  size_t best_at = std::string_view::npos;
  for (const std::string& name : known) {
    const size_t at = lower_case(name).find(word);
    if (at == std::string_view::npos) continue;
    const bool better = best.empty() || (at == 0) > (best_at == 0) ||
                        ((at == 0) == (best_at == 0) && name.size() < best.size());
    if (!better) continue;
    best = name;
    best_at = at;
  }
  return best;
}

}  // namespace

std::string_view nearest(std::string_view given, std::span<const std::string> known) {
  const std::string word = lower_case(given);
  constexpr size_t telling = 3;  // shorter words are part of too many names
  if (word.size() >= telling) {
    if (const std::string_view name = holding(word, known); !name.empty()) return name;
  }
  std::string_view best;
  size_t least = std::max<size_t>(word.size() / 3, 1) + 1;  // beyond that it is another name
  for (const std::string& name : known) {
    const size_t steps = distance(word, lower_case(name));
    if (steps >= least || steps >= std::min(name.size(), word.size())) continue;
    least = steps;
    best = name;
  }
  return best;
}

}  // namespace vitro
