// Named arguments of calls: converted to text and back (`text_of`, `read_value`), and assigned to
// the members of attributes.
#include "vitro/core/arg_value.h"

#include <charconv>
#include <limits>

#include "vitro/base/cat.h"
#include "vitro/base/split.h"
#include "vitro/core/attributes.h"

namespace vitro {
namespace {

template <class... F>
struct Overloaded : F... {
  using F::operator()...;
};

const Scalar* integer_of(const ArgValue& value) {
  const auto* number = std::get_if<Scalar>(&value);
  return number && number->kind() == Scalar::Kind::integer ? number : nullptr;
}

// Assigns integers to a list; a single one sets as many elements as the list has.
template <class List, class Convert>
bool assign_list(List& v, const ArgValue& value, Convert convert) {
  if (is_none(value)) return true;
  if (const Scalar* one = integer_of(value)) {
    const size_t count = v.empty() ? 1 : v.size();
    v = List(count, convert(*one));
    return true;
  }
  // An empty list of numbers may arrive as an empty list of tensors.
  if (const auto* none = std::get_if<std::vector<Tensor>>(&value)) return v.clear(), none->empty();
  const auto* list = std::get_if<std::vector<Scalar>>(&value);
  if (!list) return false;
  v.clear();
  for (const Scalar& one : *list) {
    if (one.kind() != Scalar::Kind::integer) return false;
    v.push_back(convert(one));
  }
  return true;
}

// A NaN is written with its bits unless it is the default one.
std::string number_text(const Scalar& n) {
  static const uint64_t usual = Scalar(std::numeric_limits<double>::quiet_NaN()).bits();
  if (n.kind() == Scalar::Kind::boolean) return n.bits() != 0 ? "True" : "False";
  const bool odd = n.is_floating() && n.as_double() != n.as_double() && n.bits() != usual;
  return odd ? cat("nan(", n.bits(), ')') : cat(n);
}

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

std::optional<ArgValue> unquoted(std::string_view text) {
  const char quote = text[0];
  if (text.size() < 2 || text.back() != quote || past_quotes(text, 0) != text.size())
    return std::nullopt;
  std::string out;
  for (size_t i = 1; i + 1 < text.size(); ++i) {
    if (text[i] == '\\' && i + 2 < text.size()) ++i;
    out += text[i];
  }
  return ArgValue(std::move(out));
}

template <class T>
std::optional<T> all_of(std::string_view text) {
  T value{};
  const auto end = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end.ec != std::errc{} || end.ptr != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<Scalar> read_number(std::string_view text, const SymbolNamed& symbols) {
  if (text == "True" || text == "true") return Scalar(true);
  if (text == "False" || text == "false") return Scalar(false);
  if (const auto integer = all_of<int64_t>(text)) return Scalar(*integer);
  if (text.starts_with("nan(") && text.ends_with(')')) {
    const auto bits = all_of<uint64_t>(text.substr(4, text.size() - 5));
    if (bits) return Scalar::from_bits(Scalar::Kind::floating, *bits);
  }
  if (const auto real = all_of<double>(text)) return Scalar(*real);
  const auto expr = sym::parse(text, symbols);
  if (!expr || !expr->defined()) return std::nullopt;
  return Scalar(Size(0, *expr));
}

std::optional<ArgValue> read_list(std::string_view text, const SymbolNamed& symbols) {
  if (text.size() < 2 || text.back() != ']') return std::nullopt;
  std::vector<Scalar> list;
  for (const std::string_view part : split_list(text.substr(1, text.size() - 2))) {
    const auto number = read_number(part, symbols);
    if (!number) return std::nullopt;
    list.push_back(*number);
  }
  return ArgValue(std::move(list));
}

}  // namespace

std::string text_of(const ArgValue& value) {
  return std::visit(
      Overloaded{[](std::monostate) { return std::string("None"); },
                 [](const Tensor& t) { return std::string(t.defined() ? "a Tensor" : "None"); },
                 [](const Scalar& n) { return number_text(n); },
                 [](const std::string& s) { return quoted(s); },
                 [](DType d) { return std::string(name_of(d)); },
                 [](const std::vector<Tensor>& list) {
                   return cat("a list of ", list.size(), " Tensors");
                 },
                 [](const std::vector<Scalar>& list) {
                   std::string out = "[";
                   for (const Scalar& n : list)
                     out += cat(out.size() > 1 ? ", " : "", number_text(n));
                   return out + ']';
                 }},
      value);
}

std::optional<ArgValue> read_value(std::string_view text, const SymbolNamed& symbols) {
  if (text == "None" || text == "none") return ArgValue();
  if (text.empty()) return std::nullopt;
  if (text.front() == '"' || text.front() == '\'') return unquoted(text);
  if (text.front() == '[') return read_list(text, symbols);
  if (const auto number = read_number(text, symbols)) return ArgValue(*number);
  const auto dtype = dtype_named(text);
  return dtype ? std::optional<ArgValue>(*dtype) : std::nullopt;
}

bool same_value(const ArgValue& a, const ArgValue& b) {
  if (a.index() != b.index()) return false;
  return std::visit(
      Overloaded{[](std::monostate) { return true; }, [](const Tensor&) { return false; },
                 [](const std::vector<Tensor>&) { return false; },
                 [&](const auto& v) { return v == std::get<std::remove_cvref_t<decltype(v)>>(b); }},
      a);
}

namespace attribute {

bool assign(bool& v, const ArgValue& value) {
  if (is_none(value)) return true;
  const auto* number = std::get_if<Scalar>(&value);
  if (!number || number->is_floating() || number->is_complex()) return false;
  v = number->as_bool();
  return true;
}
bool assign(int64_t& v, const ArgValue& value) {
  if (is_none(value)) return true;
  const Scalar* number = integer_of(value);
  if (!number) return false;
  v = number->size();
  return true;
}
bool assign(double& v, const ArgValue& value) {
  if (is_none(value)) return true;
  const auto* number = std::get_if<Scalar>(&value);
  if (!number || number->is_complex()) return false;
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
bool assign(Device& v, const ArgValue& value) {
  if (is_none(value)) return true;
  const auto* text = std::get_if<std::string>(&value);
  const std::optional<Device> device = text ? device_named(*text) : std::nullopt;
  if (device) v = *device;
  return device.has_value();
}
bool assign(Size& v, const ArgValue& value) {
  if (is_none(value)) return true;
  const Scalar* number = integer_of(value);
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
