// Texts to object files: by libvitro-cc in this process, or by the helper program
// vitro-cc in another. Thread safety: all functions may be called from any thread.
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
  bool from_tree = false;  // the prelude was not read as text
};

// What the compiler's reply comes to: a failure begins with the first error, on one line.
Result<Compiled> compiled_of(WireReply reply, bool in_helper);

// Loads libvitro-cc the first time.  A failure is that of the text or of the library.
Result<Compiled> compile_in_process(const WireRequest& request);

// Loads libvitro-cc on a thread of its own, while the caller makes the text.
void load_compiler_ahead();

// A compiler that crashes or hangs costs only the helper.
Result<Compiled> compile_in_helper(const WireRequest& request);

// Everything of a request but its texts.
WireRequest request_for(const Target& target);

// The file beside this library that holds the prelude as a syntax tree for a machine (the compiler
// checks what is in it); empty when there is none.
std::string precompiled_prelude(const Target& target);
// The bytes of such a file.
Result<std::string> precompile(const std::string& prelude, const Target& target);

// The flags that every kernel is compiled with, and what else decides about the bytes that come
// out.
const char* compiler_flags();
std::string compiler_identity();

// A file of ours beside the library (or program) that holds this code, or in `other` (a folder
// relative to that); the bare name when it is in neither.
std::string beside_library(const std::string& name, const std::string& other);

}  // namespace vitro::jit
