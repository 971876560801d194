// Parses the `args` of an event with simdjson, on demand; used by analyses that need more of an
// event than its columns.
#include "analyze/model/arguments.h"

#include <simdjson.h>

#include <vector>

#include "analyze/read/token.h"

namespace vitro::analyze {

namespace json = simdjson::ondemand;

struct Arguments::Impl {
  json::parser parser;
  std::string buffer;  // the text, with the parser's padding after it
  std::vector<std::pair<std::string_view, std::string_view>> members;

  // The text as a JSON object.
  simdjson::error_code parse(std::string_view text, json::document& document,
                             json::object& object) {
    members.clear();
    buffer.assign(text);
    buffer.reserve(text.size() + simdjson::SIMDJSON_PADDING);
    const simdjson::padded_string_view padded(buffer.data(), buffer.size(), buffer.capacity());
    if (const auto error = parser.iterate(padded).get(document)) return error;
    return document.get_object().get(object);
  }
};

namespace {

std::string_view trimmed(std::string_view token) {
  while (!token.empty() && static_cast<unsigned char>(token.back()) <= ' ') token.remove_suffix(1);
  return token;
}

// As written, escapes included.
std::string_view text_of(json::raw_json_string key) {
  const char* end = key.raw();
  while (*end != '"') end += *end == '\\' ? 2 : 1;
  return {key.raw(), static_cast<size_t>(end - key.raw())};
}

// A list or object on one line, with the spacing that most writers use, so that values of two files
// compare equal.
std::string on_one_line(std::string_view json) {
  std::string out;
  bool in_text = false;
  for (size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (c == '"') in_text = !in_text;
    if (!in_text && static_cast<unsigned char>(c) <= ' ') continue;
    out += c;
    if (in_text && c == '\\' && i + 1 < json.size()) out += json[++i];
    if (!in_text && (c == ',' || c == ':')) out += ' ';
  }
  return out;
}

// Texts, numbers, lists and objects as written.
simdjson::error_code raw_value(json::value& value, std::string_view* raw) {
  json::json_type type;
  if (const auto error = value.type().get(type)) return error;
  json::array list;
  json::object members;
  if (type == json::json_type::array) {
    if (const auto error = value.get_array().get(list)) return error;
    return list.raw_json().get(*raw);
  }
  if (type == json::json_type::object) {
    if (const auto error = value.get_object().get(members)) return error;
    return members.raw_json().get(*raw);
  }
  *raw = value.raw_json_token();
  return simdjson::SUCCESS;
}

simdjson::error_code read_members(json::object& members,
                                  std::vector<std::pair<std::string_view, std::string_view>>& out) {
  for (auto member : members) {
    json::raw_json_string key;
    json::value value;
    std::string_view raw;
    if (const auto error = member.key().get(key)) return error;
    if (const auto error = member.value().get(value)) return error;
    if (const auto error = raw_value(value, &raw)) return error;
    out.emplace_back(text_of(key), trimmed(raw));
  }
  return simdjson::SUCCESS;
}

}  // namespace

Arguments::Arguments() : impl_(std::make_unique<Impl>()) {}
Arguments::Arguments(std::string_view event) : Arguments() {
  read(event);
}
Arguments::Arguments(Arguments&&) noexcept = default;
Arguments::~Arguments() = default;

Arguments Arguments::of(std::string_view object) {
  Arguments out;
  json::document document;
  json::object whole;
  const bool broken =
      out.impl_->parse(object, document, whole) || read_members(whole, out.impl_->members);
  if (broken) out.impl_->members.clear();
  return out;
}

bool Arguments::read(std::string_view event) {
  json::document document;
  json::object whole, args;
  if (impl_->parse(event, document, whole)) return false;
  const auto error = whole.find_field_unordered("args").get_object().get(args);
  if (error == simdjson::NO_SUCH_FIELD || error == simdjson::INCORRECT_TYPE) return true;
  return !error && !read_members(args, impl_->members);
}

std::string_view Arguments::raw(std::string_view name) const {
  for (const auto& [key, value] : impl_->members) {
    if (key == name) return value;
  }
  return {};
}

std::optional<std::string> Arguments::text(std::string_view name) const {
  const std::string_view value = raw(name);
  if (value.empty()) return std::nullopt;
  return value.front() == '[' || value.front() == '{' ? on_one_line(value) : said(value);
}

std::optional<int64_t> Arguments::number(std::string_view name) const {
  return number_in<int64_t>(unquoted(raw(name)));
}

std::optional<double> Arguments::decimal(std::string_view name) const {
  return number_in<double>(unquoted(raw(name)));
}

std::span<const std::pair<std::string_view, std::string_view>> Arguments::all() const {
  return impl_->members;
}

}  // namespace vitro::analyze
