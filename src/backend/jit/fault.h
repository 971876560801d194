// What the system refused, in a sentence that says what to do; and files of ELF that may be broken.
#pragma once

#include <signal.h>

#include <string>

#include "vitro/base/result.h"

namespace vitro::jit {

// Of an errno: "No space left on device; make room there".
std::string fault(int error);

// While it lives, a file that grows beyond the process's limit is an error of the call (EFBIG) and
// no signal, which would end the process.  Of one thread.
class NoSizeSignal {
 public:
  NoSizeSignal();
  ~NoSizeSignal();
  NoSizeSignal(const NoSizeSignal&) = delete;

 private:
  sigset_t size_, before_;
};

// Whether all of a library's file is there, as its headers have it: the loader maps it without
// looking, and what is missing ends the process at the first touch.
Result<Done> check_complete_library(const std::string& path);

}  // namespace vitro::jit
