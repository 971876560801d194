#include "vitro/base/cat.h"

#include <charconv>
#include <cmath>

namespace vitro {
namespace {

template <class T>
void append_number(std::string& out, T v) {
  char text[40];
  const auto end = std::to_chars(text, text + sizeof text, v);
  out.append(text, end.ptr);
}

template <class T>
void append_float(std::string& out, T v) {
  if (std::isnan(v)) return out.append("nan"), void();
  if (std::isinf(v)) return out.append(v > 0 ? "inf" : "-inf"), void();
  const size_t before = out.size();
  append_number(out, v);
  if (out.find_first_of(".e", before) == std::string::npos) out.append(".0");
}

}  // namespace

void append_to(std::string& out, int64_t v) {
  append_number(out, v);
}
void append_to(std::string& out, uint64_t v) {
  append_number(out, v);
}
void append_to(std::string& out, double v) {
  append_float(out, v);
}
void append_to(std::string& out, float v) {
  append_float(out, v);
}

}  // namespace vitro
