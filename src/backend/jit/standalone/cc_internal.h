// What the two halves of libvitro-cc offer to its C interface.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "backend/jit/cc.h"

namespace vitro::cc {

struct Outcome {
  bool ok = false;
  std::string bytes;        // an object file or a shared object
  std::string diagnostics;  // of the compiler or the linker
};

// Clang and LLVM: a text to an object file.  Any threads at once; wants a large stack.
Outcome compile(std::string_view source, const VitroCcRequest& request);

// lld: object files to a shared object.  One at a time (it keeps its state in globals): waits for
// its turn.
Outcome link(const std::vector<std::string>& objects, const char* temp_folder);

// False once lld has said that it cannot run again in this process.
bool can_link();

}  // namespace vitro::cc
