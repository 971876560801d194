// A file that is written beside the one that it will be, where the file system has no files without
// a name.
#pragma once

#include <string>

namespace vitro::report {

struct Temporary {
  int file = -1;  // open for writing and empty; -1: errno says why not
  std::string name;
};

// PATH.tmp, locked for as long as it is open; PATH.PID.1.tmp, and so on, where others write PATH
// now.  A process that is killed leaves its PATH.tmp: the next one that writes PATH finds it
// unlocked and takes it.
Temporary open_temporary(const std::string& path);

}  // namespace vitro::report
