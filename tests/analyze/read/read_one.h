// Reads any bytes as a trace, as a file of them would be read, and looks whether what comes out can
// be true.  The fuzzer (tests/fuzz_reader) gives it what it makes up, a test what is in
// tests/data/reader_corpus.
#pragma once

#include <string_view>

namespace vitro::analyze {

// Error where it cannot.
void read_one(std::string_view bytes);

}  // namespace vitro::analyze
