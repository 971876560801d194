// What the stages of the compiler made, as text, for the debug folder: put down as soon as it is
// there, so that a stage that fails leaves behind what came before it.
//   if (artifacts::wanted()) artifacts::put(segment_name, "loops_before_fusion.txt", text);
#pragma once

#include <string>
#include <string_view>

namespace vitro::artifacts {

// Does anybody take them?  Texts are made only then.
bool wanted();

// `segment`: its name ("f/0"); `file`: a stable file name.  Any thread.
void put(std::string_view segment, std::string_view file, std::string_view text);

// Hears every artifact, on the thread that makes it; null ends that.  There is one taker: the debug
// folder.
using Taker = void (*)(std::string_view segment, std::string_view file, std::string_view text);
void take(Taker taker);

}  // namespace vitro::artifacts
