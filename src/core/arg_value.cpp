// Arguments of calls by name: as text, and as attributes.
#include "vitro/core/arg_value.h"

#include "vitro/base/cat.h"
#include "vitro/core/attributes.h"

namespace vitro {
namespace {

template <class... F>
struct Overloaded : F... {
  using F::operator()...;
};

const Scalar* whole_number(const ArgValue& value) {
  const auto* number = std::get_if<Scalar>(&value);
  return number && number->kind() == Scalar::Kind::integer ? number : nullptr;
}

// Whole numbers into a list: as many as there are, or one for each that the list has.
template <class List, class Convert>
bool assign_list(List& v, const ArgValue& value, Convert convert) {
  if (is_none(value)) return true;
  if (const Scalar* one = whole_number(value)) {
    const size_t count = v.empty() ? 1 : v.size();
    v = List(count, convert(*one));
    return true;
  }
  // An empty list of tensors is what an empty list of numbers may come as.
  if (const auto* none = std::get_if<std::vector<Tensor>>(&value)) return v.clear(), none->empty();
  const auto* list = std::get_if<std::vector<Scalar>>(&value);
  if (!list) return false;
  v.clear();
  for (const Scalar& one : *list) {
    if (one.is_floating()) return false;
    v.push_back(convert(one));
  }
  return true;
}

}  // namespace

std::string text_of(const ArgValue& value) {
  std::string out;
  const auto numbers = [&](const std::vector<Scalar>& list) { append_list(out, std::span(list)); };
  std::visit(Overloaded{[&](std::monostate) { out.append("None"); },
                        [&](const Tensor& t) { out.append(t.defined() ? "a Tensor" : "None"); },
                        [&](const Scalar& n) { append_to(out, n); },
                        [&](const std::string& s) { out.append(cat('"', s, '"')); },
                        [&](DType d) { append_to(out, d); },
                        [&](const std::vector<Tensor>& list) {
                          out.append(cat("a list of ", list.size(), " Tensors"));
                        },
                        numbers},
             value);
  return out;
}

namespace attribute {

bool assign(bool& v, const ArgValue& value) {
  if (is_none(value)) return true;
  const auto* number = std::get_if<Scalar>(&value);
  if (!number || number->is_floating()) return false;
  v = number->as_bool();
  return true;
}
bool assign(int64_t& v, const ArgValue& value) {
  if (is_none(value)) return true;
  const Scalar* number = whole_number(value);
  if (!number) return false;
  v = number->size();
  return true;
}
bool assign(double& v, const ArgValue& value) {
  if (is_none(value)) return true;
  const auto* number = std::get_if<Scalar>(&value);
  if (!number) return false;
  v = number->as_double();
  return true;
}
bool assign(std::string& v, const ArgValue& value) {
  if (is_none(value)) return true;
  const auto* text = std::get_if<std::string>(&value);
  if (text) v = *text;
  return text != nullptr;
}
bool assign(DType& v, const ArgValue& value) {
  if (is_none(value)) return true;
  const auto* dtype = std::get_if<DType>(&value);
  if (dtype) v = *dtype;
  return dtype != nullptr;
}
bool assign(Size& v, const ArgValue& value) {
  if (is_none(value)) return true;
  const Scalar* number = whole_number(value);
  if (number) v = number->size();
  return number != nullptr;
}
bool assign(Dims& v, const ArgValue& value) {
  return assign_list(v, value, [](const Scalar& n) -> int64_t { return n.size(); });
}
bool assign(Sizes& v, const ArgValue& value) {
  return assign_list(v, value, [](const Scalar& n) { return n.size(); });
}
bool assign(Scalar& v, const ArgValue& value) {
  if (is_none(value)) return true;
  const auto* number = std::get_if<Scalar>(&value);
  if (number) v = *number;
  return number != nullptr;
}

int named_value(std::span<const std::string_view> names, const ArgValue& value) {
  const auto* text = std::get_if<std::string>(&value);
  if (!text) return -1;
  for (size_t i = 0; i < names.size(); ++i) {
    if (*text == names[i] || *text == cat(names[i], "_format")) return static_cast<int>(i);
  }
  return -1;
}

}  // namespace attribute
}  // namespace vitro
