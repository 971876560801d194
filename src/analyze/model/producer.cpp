#include "analyze/model/producer.h"

#include <algorithm>

#include "vitro/base/cat.h"

namespace vitro::analyze {

bool is_from_vitro(const Trace& trace) {
  const auto producer = trace.metadata().find("producer");
  return producer != trace.metadata().end() && producer->second.find("vitro") != std::string::npos;
}

std::string in_words_of_producer(const Trace& trace, std::string_view advice) {
  constexpr std::string_view set = "=True";
  constexpr std::string_view of_names = "abcdefghijklmnopqrstuvwxyz_";
  if (!is_from_vitro(trace)) return std::string(advice);
  std::string out;
  for (size_t at; (at = advice.find(set)) != std::string_view::npos;) {
    const size_t before = advice.substr(0, at).find_last_not_of(of_names) + 1;  // npos + 1 == 0
    const std::string_view name = advice.substr(before, at - before);
    std::string flag(name);
    std::ranges::replace(flag, '_', '-');
    out += cat(advice.substr(0, before), "--", flag, " (in C++ .", name, " = true)");
    advice.remove_prefix(at + set.size());
  }
  return out += advice;
}

}  // namespace vitro::analyze
