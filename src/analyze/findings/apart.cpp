#include "analyze/findings/apart.h"

#include <algorithm>
#include <map>
#include <string_view>

#include "vitro/report/table.h"

namespace vitro::analyze {
namespace {

// Length in bytes of the common prefix, in whole UTF-8 characters.
size_t alike(std::string_view a, std::string_view b) {
  size_t n = static_cast<size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
  while (n > 0 && n < a.size() && (static_cast<unsigned char>(a[n]) & 0xC0U) == 0x80) --n;
  return n;
}

// The begin of the word at `at`; `at` itself if that is further away than `most`.
size_t word_at(std::string_view text, size_t at, size_t most) {
  const size_t last = text.find_last_of(" <(,", at == 0 ? 0 : at - 1);
  if (last == std::string_view::npos || at - last > most) return at;
  return last + 1;
}

// The text from the word at `at` on, in the given number of columns.
std::string from(std::string_view text, size_t at, size_t width) {
  return report::shorten(text.substr(word_at(text, at, width / 2)), width);
}

// `same`: length of the prefix shared with another text.
std::string shortened(std::string_view text, size_t same, size_t width) {
  if (same + 1 < width || same >= text.size()) return report::shorten(text, width);
  return report::shorten(text, width / 3) + from(text, same, width - width / 3);
}

// Texts that still look alike also differ near the start: that is shown too.
void part_again(const std::vector<std::string_view>& wide, const std::vector<size_t>& same,
                std::vector<std::string>& shown, size_t width) {
  std::map<std::string, std::vector<size_t>> groups;
  for (size_t i = 0; i < wide.size(); ++i) groups[shown[i]].push_back(i);
  const size_t part = width / 4;
  for (const auto& [text, group] : groups) {
    if (group.size() < 2) continue;
    const size_t first = alike(wide[group.front()], wide[group.back()]);  // sorted: common to all
    for (const size_t i : group) {
      shown[i] = report::shorten(wide[i], part) + from(wide[i], first, part) +
                 from(wide[i], same[i], width - 2 * part);
    }
  }
}

}  // namespace

void shorten_apart(std::vector<std::string>& texts, size_t width) {
  std::vector<std::string_view> wide;  // unique and sorted: the most similar are neighbours
  for (const std::string& text : texts)
    if (report::display_width(text) > width) wide.push_back(text);
  std::ranges::sort(wide);
  wide.erase(std::ranges::unique(wide).begin(), wide.end());
  std::vector<size_t> same(wide.size());
  for (size_t i = 1; i < wide.size(); ++i) {
    const size_t both = alike(wide[i], wide[i - 1]);
    same[i - 1] = std::max(same[i - 1], both);
    same[i] = both;
  }
  std::vector<std::string> shown;
  for (size_t i = 0; i < wide.size(); ++i) shown.push_back(shortened(wide[i], same[i], width));
  part_again(wide, same, shown, width);
  std::vector<size_t> place(texts.size(), wide.size());
  for (size_t i = 0; i < texts.size(); ++i) {
    const auto found = std::ranges::lower_bound(wide, std::string_view(texts[i]));
    if (found != wide.end() && *found == texts[i])
      place[i] = static_cast<size_t>(found - wide.begin());
  }
  for (size_t i = 0; i < texts.size(); ++i)
    if (place[i] < shown.size()) texts[i] = shown[place[i]];
}

}  // namespace vitro::analyze
