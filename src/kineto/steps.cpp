#include <charconv>

#include "kineto/names.h"
#include "vitro/base/cat.h"

namespace vitro::kineto {

std::string step_name(int64_t number) {
  return cat(step_prefix, number);
}

int64_t step_number(std::string_view name) {
  if (!name.starts_with(step_prefix)) return -1;
  int64_t number = -1;
  const char* const end = name.data() + name.size();
  const auto [at, error] = std::from_chars(name.data() + step_prefix.size(), end, number);
  return error == std::errc() && at == end && number >= 0 ? number : -1;
}

}  // namespace vitro::kineto
