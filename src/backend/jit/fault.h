// System errors as messages that say what to do, and checks against incomplete ELF files.
#pragma once

#include <signal.h>

#include <string>

#include "vitro/base/result.h"

namespace vitro::jit {

// For an errno: "No space left on device; make room there".
std::string fault(int error);

// While alive, a write beyond the process's file size limit fails with EFBIG instead of raising
// SIGXFSZ, which would end the process.  Affects the current thread only.
class NoSizeSignal {
 public:
  NoSizeSignal();
  ~NoSizeSignal();
  NoSizeSignal(const NoSizeSignal&) = delete;

 private:
  sigset_t size_, before_;
};

// Checks that a library's file is as long as its headers require.  The loader maps it unchecked,
// and an access to a missing page would end the process.
Result<Done> check_complete_library(const std::string& path);

}  // namespace vitro::jit
