// Which components log to stderr, and how much.
//   VITRO_LOGS="breaks,phases,-capture" ./program        or   vitro::set_logs("breaks");
// A component's name selects level info and above; with "+" before it everything; with "-" only
// errors.  "all" stands for components that are not named; by default these log warnings and above.
// Components are the folders that write messages (capture, compile) and the rare events by kind:
// breaks, guards, recompiles, fallbacks, phases (all of level info).
//   vitro [breaks] info: V0201 model.cpp:31: item() needs a value
#pragma once

#include <string>
#include <string_view>

namespace vitro {

namespace events {
struct Rare;
}

// Replaces the previous setting, including VITRO_LOGS.  Throws Error if the text is invalid.  Any
// thread.
void set_logs(std::string_view text);

namespace logs {

// Begins listening, as set by VITRO_LOGS.  Called once when the library is loaded.
void start();

// The line printed for an event, or nothing if it is not selected.
std::string line_of(const events::Rare& event);

}  // namespace logs
}  // namespace vitro
