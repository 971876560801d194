// Reads events with simdjson On-Demand, simply and slowly; the reader tests and the fuzzer compare
// EventReader with it.
#include "analyze/read/by_simdjson.h"

#include <simdjson.h>

#include <algorithm>
#include <cstring>
#include <span>

namespace vitro::analyze {
namespace {

namespace json = simdjson::ondemand;

std::string_view trimmed(std::string_view token) {
  while (!token.empty() && static_cast<unsigned char>(token.back()) <= ' ') token.remove_suffix(1);
  return token;
}

struct Member {
  std::string_view name;
  std::string_view RawEvent::* place;
};
constexpr Member members_of_event[] = {{"name", &RawEvent::name}, {"cat", &RawEvent::category},
                                       {"ph", &RawEvent::phase},  {"ts", &RawEvent::ts},
                                       {"dur", &RawEvent::dur},   {"pid", &RawEvent::pid},
                                       {"tid", &RawEvent::tid},   {"id", &RawEvent::id}};
constexpr Member arguments_of_event[] = {{"correlation", &RawEvent::correlation},
                                         {"correlation_id", &RawEvent::correlation},
                                         {"External id", &RawEvent::external},
                                         {"external id", &RawEvent::external},
                                         {"name", &RawEvent::arg_name},
                                         {"labels", &RawEvent::arg_labels},
                                         {"sort_index", &RawEvent::arg_sort_index}};

bool is(json::raw_json_string key, std::string_view wanted) {
  return std::memcmp(key.raw(), wanted.data(), wanted.size()) == 0 &&
         key.raw()[wanted.size()] == '"';
}

// Null if the event has no field for it.
std::string_view* place_of(json::raw_json_string key, std::span<const Member> members,
                           RawEvent& event) {
  for (const Member& member : members)
    if (is(key, member.name)) return &(event.*member.place);
  return nullptr;
}

class SimdjsonReader {
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
      if (error == simdjson::INCORRECT_TYPE) return "an event that is not an object";
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
      } else if (std::string_view* to = place_of(key, members_of_event, event)) {
        *to = trimmed(value.raw_json_token());
      }
    }
    return simdjson::SUCCESS;
  }

  static simdjson::error_code read_arguments(json::value& value, RawEvent& event) {
    json::object arguments;
    if (value.get_object().get(arguments)) return simdjson::SUCCESS;  // null, or a text
    for (auto member : arguments) {
      json::raw_json_string key;
      if (const auto error = member.key().get(key)) return error;
      std::string_view* to = place_of(key, arguments_of_event, event);
      if (!to) continue;
      if (const auto error = member.value().raw_json_token().get(*to)) return error;
      *to = trimmed(*to);
      if (!event.correlation.empty() && !event.external.empty()) break;  // an event has no more
    }
    return simdjson::SUCCESS;
  }

  json::parser parser_;
};

}  // namespace

std::string read_on_demand(std::string_view text, EventSink& sink) {
  return SimdjsonReader().read(text, sink);
}

bool is_list_of_objects(std::string_view text) {
  simdjson::dom::parser parser;
  simdjson::dom::array list;
  const simdjson::padded_string padded(text);
  if (parser.parse(padded).get_array().get(list)) return false;
  return std::ranges::all_of(list, [](auto element) { return element.is_object(); });
}

}  // namespace vitro::analyze
