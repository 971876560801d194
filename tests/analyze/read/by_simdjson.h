// Events of JSON text as read by simdjson's own parsers: the reference for EventReader.
#pragma once

#include <string>
#include <string_view>

#include "analyze/read/event_reader.h"

namespace vitro::analyze {

// Like EventReader::read, with simdjson On-Demand.  Returns the error, or empty.
std::string read_on_demand(std::string_view text, EventSink& sink);

// Whether the whole text is valid JSON: a list of objects.
bool is_list_of_objects(std::string_view text);

}  // namespace vitro::analyze
