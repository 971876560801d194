#include "profiler/shapes.h"

#include "vitro/base/cat.h"
#include "vitro/events/values.h"

namespace vitro {
namespace {

template <class List>
std::string list_text(const List& list, auto text_of) {
  std::string text = "[";
  for (const auto& each : list) {
    if (text.size() > 1) text += ", ";
    text += text_of(each);
  }
  return text + "]";
}

std::string sizes_text(const events::TensorValue& tensor) {
  return list_text(tensor.sizes, [](int64_t size) { return cat(size); });
}

}  // namespace

std::string shapes_text(std::span<const std::byte> inputs) {
  std::string text = "[";
  events::ValueReader reader(inputs);
  while (const events::Value* value = reader.next()) {
    if (text.size() > 1) text += ", ";
    if (value->kind == events::Value::Kind::tensor) {
      text += sizes_text(value->tensors[0]);
    } else {
      text += list_text(value->tensors, sizes_text);
    }
  }
  return text + "]";
}

uint32_t ShapeNumbers::number(std::span<const std::byte> inputs) {
  if (inputs.empty()) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(inputs.data()), inputs.size());
  const auto known = by_bytes_.find(bytes);
  if (known != by_bytes_.end()) return known->second;
  std::string text = shapes_text(inputs);
  const auto [found, fresh] = by_text_.try_emplace(text, static_cast<uint32_t>(texts_.size() + 1));
  if (fresh) texts_.push_back(std::move(text));
  return by_bytes_[bytes] = found->second;
}

}  // namespace vitro
