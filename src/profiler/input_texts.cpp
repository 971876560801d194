// Formats recorded inputs as the JSON lists of PyTorch's traces: types, dims, strides, values;
// used by both trace formats.
#include "profiler/input_texts.h"

#include <charconv>
#include <cmath>

#include "vitro/core/dtype.h"
#include "vitro/report/json.h"

namespace vitro {
namespace {

using events::TensorValue;
using events::Value;

void append(std::string& out, int64_t number) {
  char digits[24];
  out.append(digits, std::to_chars(digits, digits + sizeof digits, number).ptr);
}

void append(std::string& out, std::span<const int64_t> numbers) {
  out += '[';
  for (size_t i = 0; i < numbers.size(); ++i) {
    if (i > 0) out += ", ";
    append(out, numbers[i]);
  }
  out += ']';
}

// As printed by Python.
void append(std::string& out, double number) {
  char digits[40];
  const auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
  const std::string_view text(digits, static_cast<size_t>(end - digits));
  out += text;
  if (std::isfinite(number) && text.find_first_of(".e") == std::string_view::npos) out += ".0";
}

// `list` of each tensor: one list, or a list of lists.
void append_each(std::string& out, const Value& value, auto list) {
  const auto one = [&](const TensorValue& t) {
    const auto& numbers = t.*list;
    append(out, std::span<const int64_t>(numbers.data(), numbers.size()));
  };
  if (value.kind == Value::Kind::tensor) return one(value.tensors[0]);
  out += '[';
  for (size_t i = 0; i < value.tensors.size(); ++i) {
    if (i > 0) out += ", ";
    one(value.tensors[i]);
  }
  out += ']';
}

void append_quoted(std::string& out, std::string_view text) {
  report::TextOutput quoted;
  report::Json(quoted).value(text);
  quoted.finish();
  out += quoted.text();
}

std::string_view type_of(const Value& value) {
  switch (value.kind) {
    case Value::Kind::tensor:
      return torch_type(value.tensors[0]);
    case Value::Kind::tensors:
      return "TensorList";
    case Value::Kind::boolean:
    case Value::Kind::integer:
    case Value::Kind::floating:
      return "Scalar";
    case Value::Kind::integers:
      return "ScalarList";
    case Value::Kind::none:
    case Value::Kind::text:
      return "";
  }
  return "";
}

// The value in quotes, if known; "" for tensors.
void append_concrete(std::string& out, const Value& value) {
  if (value.kind == Value::Kind::text) return append_quoted(out, value.text);
  out += '"';
  if (value.kind == Value::Kind::boolean) out += value.integer != 0 ? "True" : "False";
  if (value.kind == Value::Kind::integer) append(out, value.integer);
  if (value.kind == Value::Kind::floating) append(out, value.floating);
  if (value.kind == Value::Kind::integers) append(out, std::span<const int64_t>(value.integers));
  out += '"';
}

}  // namespace

std::string_view torch_type(const TensorValue& tensor) {
  return info(static_cast<DType>(tensor.dtype)).torch;
}

bool InputTexts::read(std::span<const std::byte> inputs, bool unnamed_only) {
  for (std::string* text : {&types, &dims, &strides, &concrete}) *text = "[";
  bool any = false;
  for (events::ValueReader reader(inputs); const Value* value = reader.next();) {
    if (unnamed_only && !value->name.empty()) continue;
    for (std::string* text : {&types, &dims, &strides, &concrete}) {
      if (any) *text += ", ";
    }
    any = true;
    add(*value);
  }
  for (std::string* text : {&types, &dims, &strides, &concrete}) *text += ']';
  return any;
}

void InputTexts::add(const Value& value) {
  types += '"';
  types += type_of(value);
  types += '"';
  append_concrete(concrete, value);
  if (value.tensors.empty()) {
    dims += "[]";
    strides += "[]";
    return;
  }
  append_each(dims, value, &TensorValue::sizes);
  append_each(strides, value, &TensorValue::strides);
}

}  // namespace vitro
