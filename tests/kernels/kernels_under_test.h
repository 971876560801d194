// Exports of this folder's *.kernel.cpp files, once per instruction set, in the namespaces
// baseline, avx2 and avx512.
#pragma once

namespace vitro::kernels_test {

template <class T>
struct Function {
  const char* name;  // null after the last function
  void (*run)(const T* x, const T* y, T* out, long n);
};

struct Functions {
  const Function<float>* f32;
  const Function<double>* f64;
};

// The test of a part. `run` returns null, or the name of what failed. `page_end` is the end of 4096
// accessible bytes; the memory after it is inaccessible.
struct PartTest {
  const char* name;  // null after the last test
  const char* (*run)(unsigned char* page_end);
};

namespace baseline {
extern const Functions functions;
extern const PartTest part_tests[];
}  // namespace baseline
namespace avx2 {
extern const Functions functions;
extern const PartTest part_tests[];
}  // namespace avx2
namespace avx512 {
extern const Functions functions;
extern const PartTest part_tests[];
}  // namespace avx512

}  // namespace vitro::kernels_test
