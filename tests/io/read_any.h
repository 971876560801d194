// Reads arbitrary bytes as each kind of file and each part of one, and touches all that comes out.
// Used by the fuzzer (tests/fuzz_reader) with generated input, and by a test with
// tests/data/file_corpus.
#pragma once

#include <string_view>

namespace vitro::io {

// Throws on an inconsistent result; a refusal is none.
void read_any(std::string_view bytes);

}  // namespace vitro::io
