// A temporary file written next to its destination, for file systems without unnamed files.
#pragma once

#include <string>

namespace vitro::report {

struct Temporary {
  int file = -1;  // open for writing and empty; -1: errno says why not
  std::string name;
};

// PATH.tmp, locked while it is open; PATH.PID.1.tmp and so on if others are writing PATH.  A killed
// process leaves its PATH.tmp: the next writer of PATH finds it unlocked and reuses it.
Temporary open_temporary(const std::string& path);

}  // namespace vitro::report
