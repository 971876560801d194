// Reads arbitrary bytes as a trace file and checks the result for consistency.  Used by the fuzzer
// (tests/fuzz_reader) with generated input, and by a test with tests/data/reader_corpus.
#pragma once

#include <string_view>

namespace vitro::analyze {

// Throws Error on an inconsistent result.
void read_one(std::string_view bytes);

}  // namespace vitro::analyze
