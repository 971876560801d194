// Who speaks on stderr, and how much.
//   VITRO_LOGS="breaks,phases,-capture" ./program        or   vitro::set_logs("breaks");
// A component by its name: from info on; with "+" before it: everything; with "-": errors only.
// "all" stands for those that are not named.  What is not named speaks from warnings on.
// Components are the folders that write messages (capture, compile) and the rare events by their
// kind: breaks, guards, recompiles, fallbacks, phases (all of level info).
//   vitro [breaks] info: V0201 model.cpp:31: item() needs a value
#pragma once

#include <string>
#include <string_view>

namespace vitro {

namespace events {
struct Rare;
}

// Replaces what was set before, by this or by VITRO_LOGS.  Error where the text cannot be read.
// Any thread.
void set_logs(std::string_view text);

namespace logs {

// Begins to listen, with what VITRO_LOGS says.  Called once when the library is loaded.
void start();

// The line of an event as it is printed, or nothing where nobody asked for it.
std::string line_of(const events::Rare& event);

}  // namespace logs
}  // namespace vitro
