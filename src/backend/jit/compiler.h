// Compiles texts to object files: with libvitro-cc in this process, or with the helper program
// vitro-cc in another.  Thread safety: all functions may be called from any thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "backend/jit/target.h"
#include "backend/jit/wire.h"
#include "vitro/base/result.h"

namespace vitro::jit {

struct Compiled {
  std::vector<std::string> objects;  // in the order of the texts
  std::string diagnostics;           // warnings
  int64_t clang_ns = 0;
  bool in_helper = false;
  bool from_tree = false;  // the prelude was not parsed as text
};

// Converts the compiler's reply; a failure begins with the first error, on one line.
Result<Compiled> compiled_of(WireReply reply, bool in_helper);

// Loads libvitro-cc on the first call.  Fails if the library cannot be loaded or the text does not
// compile.
Result<Compiled> compile_in_process(const WireRequest& request);

// Loads libvitro-cc on another thread while the caller generates the text.
void load_compiler_ahead();

// A crash or hang of the compiler ends only the helper.
Result<Compiled> compile_in_helper(const WireRequest& request);

// A request without texts.
WireRequest request_for(const Target& target);

// Path of the prelude's syntax tree for a machine, beside this library (the compiler checks its
// content); empty if there is none.
std::string precompiled_prelude(const Target& target);
// The content of that file.
Result<std::string> precompile(const std::string& prelude, const Target& target);

// The flags of every kernel, and a text that identifies compiler version and flags in cache keys.
const char* compiler_flags();
std::string compiler_identity();

// Path of a file beside the library (or program) that contains this code, or in `other`, a folder
// relative to it; the bare name if it is in neither.
std::string beside_library(const std::string& name, const std::string& other);

}  // namespace vitro::jit
