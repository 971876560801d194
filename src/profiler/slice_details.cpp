#include "profiler/slice_details.h"

namespace vitro {

const std::string& SliceDetails::call_stack(uint32_t number) {
  const auto [found, fresh] = stacks_.try_emplace(number);
  std::string& text = found->second;
  if (!fresh) return text;
  for (const Frame& frame : symbols_.of(profile_.stacks[number])) {
    if (!text.empty()) text += ';';
    text += text_of(frame);
  }
  return text;
}

}  // namespace vitro
