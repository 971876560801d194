#include "analyze/read/by_simdjson.h"

#include <simdjson.h>

#include <algorithm>
#include <cstring>

namespace vitro::analyze {
namespace {

namespace json = simdjson::ondemand;

std::string_view trimmed(std::string_view token) {
  while (!token.empty() && static_cast<unsigned char>(token.back()) <= ' ') token.remove_suffix(1);
  return token;
}

bool is(json::raw_json_string key, std::string_view wanted) {
  return std::memcmp(key.raw(), wanted.data(), wanted.size()) == 0 &&
         key.raw()[wanted.size()] == '"';
}

class Reader {
 public:
  std::string read(std::string_view text, EventSink& sink) {
    const simdjson::padded_string_view padded(text.data(), text.size(),
                                              text.size() + simdjson::SIMDJSON_PADDING);
    json::document document;
    if (const auto error = parser_.iterate(padded).get(document)) return error_message(error);
    json::array list;
    if (const auto error = document.get_array().get(list)) return error_message(error);
    for (auto element : list) {
      std::string_view brace;
      if (const auto error = element.raw_json_token().get(brace)) return error_message(error);
      RawEvent event;
      const auto error = read_event(element, event);
      if (error == simdjson::INCORRECT_TYPE) return "an event that is no object";
      if (error) return error_message(error);
      const char* end = document.current_location().value_unsafe();
      while (end[-1] != '}') --end;
      event.text = {brace.data(), static_cast<size_t>(end - brace.data())};
      sink.add(event);
    }
    return {};
  }

 private:
  static simdjson::error_code read_event(simdjson::simdjson_result<json::value>& element,
                                         RawEvent& event) {
    json::object members;
    if (const auto error = element.get_object().get(members)) return error;
    for (auto member : members) {
      json::raw_json_string key;
      json::value value;
      if (const auto error = member.key().get(key)) return error;
      if (const auto error = member.value().get(value)) return error;
      if (is(key, "args")) {
        if (const auto error = read_arguments(value, event)) return error;
      } else if (std::string_view* to = place_of(key, event)) {
        *to = trimmed(value.raw_json_token());
      }
    }
    return simdjson::SUCCESS;
  }

  static std::string_view* place_of(json::raw_json_string key, RawEvent& event) {
    switch (*key.raw()) {
      case 'n':
        return is(key, "name") ? &event.name : nullptr;
      case 'c':
        return is(key, "cat") ? &event.category : nullptr;
      case 'p':
        if (is(key, "ph")) return &event.phase;
        return is(key, "pid") ? &event.pid : nullptr;
      case 't':
        if (is(key, "ts")) return &event.ts;
        return is(key, "tid") ? &event.tid : nullptr;
      case 'd':
        return is(key, "dur") ? &event.dur : nullptr;
      case 'i':
        return is(key, "id") ? &event.id : nullptr;
      default:
        return nullptr;
    }
  }

  static simdjson::error_code read_arguments(json::value& value, RawEvent& event) {
    json::object arguments;
    if (value.get_object().get(arguments)) return simdjson::SUCCESS;  // null, or a text
    for (auto member : arguments) {
      json::raw_json_string key;
      if (const auto error = member.key().get(key)) return error;
      std::string_view* to = place_of_argument(key, event);
      if (!to) continue;
      if (const auto error = member.value().raw_json_token().get(*to)) return error;
      *to = trimmed(*to);
      if (!event.correlation.empty() && !event.external.empty()) break;  // no event has more
    }
    return simdjson::SUCCESS;
  }

  static std::string_view* place_of_argument(json::raw_json_string key, RawEvent& event) {
    switch (*key.raw()) {
      case 'c':
        return is(key, "correlation") ? &event.correlation : nullptr;
      case 'E':
        return is(key, "External id") ? &event.external : nullptr;
      case 'e':
        return is(key, "external id") ? &event.external : nullptr;
      case 'n':
        return is(key, "name") ? &event.arg_name : nullptr;
      case 'l':
        return is(key, "labels") ? &event.arg_labels : nullptr;
      case 's':
        return is(key, "sort_index") ? &event.arg_sort_index : nullptr;
      default:
        return nullptr;
    }
  }

  json::parser parser_;
};

}  // namespace

std::string read_on_demand(std::string_view text, EventSink& sink) {
  return Reader().read(text, sink);
}

bool is_list_of_objects(std::string_view text) {
  simdjson::dom::parser parser;
  simdjson::dom::array list;
  const simdjson::padded_string padded(text);
  if (parser.parse(padded).get_array().get(list)) return false;
  return std::ranges::all_of(list, [](auto element) { return element.is_object(); });
}

}  // namespace vitro::analyze
