// The output of each compiler stage as text, for the debug folder.  Each is put there as soon as it
// exists, so a failing stage leaves the artifacts of earlier ones.
//   if (artifacts::wanted()) artifacts::put(segment_name, "loops_before_fusion.txt", text);
#pragma once

#include <string>
#include <string_view>

namespace vitro::artifacts {

// Whether a taker is set.  Make the texts only if so.
bool wanted();

// `segment`: its name ("f/0"); `file`: a stable file name.  Threads: any.
void put(std::string_view segment, std::string_view file, std::string_view text);

// Called with every artifact, on the thread that makes it; null removes the taker.  There is one
// taker: the debug folder.
using Taker = void (*)(std::string_view segment, std::string_view file, std::string_view text);
void take(Taker taker);

}  // namespace vitro::artifacts
