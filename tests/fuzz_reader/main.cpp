// libFuzzer's side of the reader's fuzzer: tools/fuzz_reader builds and runs it.
#include <cstddef>
#include <cstdint>

#include "analyze/read/read_one.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  vitro::analyze::read_one({reinterpret_cast<const char*>(data), size});
  return 0;
}
