#include "analyze/arguments.h"

#include <simdjson.h>

#include <charconv>

namespace vitro::analyze {
namespace {

namespace json = simdjson::ondemand;

std::string trimmed(std::string_view token) {
  while (!token.empty() && static_cast<unsigned char>(token.back()) <= ' ') token.remove_suffix(1);
  return std::string(token);
}

// Of a list or an object, all of it.
simdjson::error_code read_nested(json::value value, json::json_type type, std::string_view& text) {
  if (type == json::json_type::array) {
    json::array list;
    if (const auto error = value.get_array().get(list)) return error;
    return list.raw_json().get(text);
  }
  json::object object;
  if (const auto error = value.get_object().get(object)) return error;
  return object.raw_json().get(text);
}

simdjson::error_code read(json::object arguments,
                          std::map<std::string, std::string, std::less<>>& values) {
  for (auto member : arguments) {
    std::string_view key, text;
    json::value value;
    json::json_type type;
    if (const auto error = member.unescaped_key().get(key)) return error;
    if (const auto error = member.value().get(value)) return error;
    if (const auto error = value.type().get(type)) return error;
    if (type == json::json_type::string) {
      if (const auto error = value.get_string().get(text)) return error;
    } else if (type == json::json_type::array || type == json::json_type::object) {
      if (const auto error = read_nested(value, type, text)) return error;
    } else {
      text = value.raw_json_token();
    }
    values.emplace(key, type == json::json_type::string ? std::string(text) : trimmed(text));
  }
  return simdjson::SUCCESS;
}

template <class T>
std::optional<T> number_in(const std::optional<std::string>& text) {
  if (!text) return std::nullopt;
  const char* end = text->data() + text->size();
  T value = 0;
  const auto [rest, error] = std::from_chars(text->data(), end, value);
  if (error != std::errc() || rest != end) return std::nullopt;
  return value;
}

}  // namespace

Arguments::Arguments(std::string_view event) {
  const simdjson::padded_string padded(event);
  json::parser parser;
  json::document document;
  json::object arguments;
  if (parser.iterate(padded).get(document)) return;
  if (document["args"].get_object().get(arguments)) return;
  (void)read(arguments, values_);  // what was whole until the text broke
}

std::optional<std::string> Arguments::text(std::string_view name) const {
  const auto found = values_.find(name);
  if (found == values_.end()) return std::nullopt;
  return found->second;
}

std::optional<int64_t> Arguments::number(std::string_view name) const {
  return number_in<int64_t>(text(name));
}

std::optional<double> Arguments::decimal(std::string_view name) const {
  return number_in<double>(text(name));
}

}  // namespace vitro::analyze
