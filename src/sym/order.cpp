#include <algorithm>

#include "sym/node.h"

namespace vitro::sym {
namespace {

bool digit(char c) {
  return c >= '0' && c <= '9';
}

// The run of digits at `at`, without leading zeros; moves `at` past it.
std::string_view take_number(std::string_view text, size_t& at) {
  while (at + 1 < text.size() && text[at] == '0' && digit(text[at + 1])) ++at;
  const size_t begin = at;
  while (at < text.size() && digit(text[at])) ++at;
  return text.substr(begin, at - begin);
}

int sign(std::strong_ordering o) {
  return o < 0 ? -1 : o > 0 ? 1 : 0;
}

int compare_operands(const std::vector<Expr>& a, const std::vector<Expr>& b) {
  for (size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    if (const int c = compare(a[i], b[i])) return c;
  }
  return sign(a.size() <=> b.size());
}

}  // namespace

int compare_names(std::string_view a, std::string_view b) {
  size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    if (digit(a[i]) && digit(b[j])) {
      const std::string_view x = take_number(a, i), y = take_number(b, j);
      if (x.size() != y.size()) return x.size() < y.size() ? -1 : 1;
      if (x != y) return x < y ? -1 : 1;
    } else if (a[i] != b[j]) {
      return a[i] < b[j] ? -1 : 1;
    } else {
      ++i, ++j;
    }
  }
  if (i < a.size() || j < b.size()) return i < a.size() ? 1 : -1;
  return sign(a <=> b);  // differ at most in leading zeros
}

int compare(Expr a, Expr b) {
  if (a == b) return 0;
  const Node &x = *a.node(), &y = *b.node();
  if (x.kind != y.kind) return x.kind < y.kind ? -1 : 1;
  if (const int c = compare_names(x.name, y.name)) return c;
  if (const int c = compare_operands(x.operands, y.operands)) return c;
  return sign(x.number <=> y.number);
}

}  // namespace vitro::sym
