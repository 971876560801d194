// What the files *.kernel.cpp here export, once per instruction set, in the namespaces baseline,
// avx2 and avx512.
#pragma once

namespace vitro::kernels_test {

template <class T>
struct Function {
  const char* name;  // null behind the last
  void (*run)(const T* x, const T* y, T* out, long n);
};

struct Functions {
  const Function<float>* f32;
  const Function<double>* f64;
};

// A part's own test: null, or the name of what went wrong.  `page_end` is the end of 4096 bytes
// behind which there is nothing.
struct PartTest {
  const char* name;  // null behind the last
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
