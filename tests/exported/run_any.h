// Loads arbitrary bytes as the program of a package whose weights and inputs fit it, and if it
// loads, calls it, as far as that goes within bounded work.  Used by the fuzzer of programs
// (tests/fuzz_reader) with generated input, and by a test with tests/data/program_corpus.
#pragma once

#include <string_view>

namespace vitro::exported {

// Whether the call came to its end.  Throws on an inconsistent result; a refusal is none.
bool run_any(std::string_view program);

}  // namespace vitro::exported
