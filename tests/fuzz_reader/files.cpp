// libFuzzer's side of the fuzzer of files: tools/fuzz_reader builds and runs it.
#include <cstddef>
#include <cstdint>

#include "io/read_any.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  vitro::io::read_any({reinterpret_cast<const char*>(data), size});
  return 0;
}
