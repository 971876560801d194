// Events out of JSON text as simdjson's own readers see them: the outside truth for EventReader.
#pragma once

#include <string>
#include <string_view>

#include "analyze/read/event_reader.h"

namespace vitro::analyze {

// As EventReader::read does it, by simdjson On-Demand.  What is wrong, empty where nothing is.
std::string read_on_demand(std::string_view text, EventSink& sink);

// Whether the text is JSON, all of it: a list of objects.
bool is_list_of_objects(std::string_view text);

}  // namespace vitro::analyze
