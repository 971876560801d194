// Marks what a program does in other people's profilers: VTune (ITT) and Nsight (NVTX).
//   const auto marked = vitro::emit_itt();                  // every op, region, kernel and range
//   {
//     const auto iteration = vitro::itt::range("iteration_0");   // and this, on the same thread
//     y = model(x);
//   }
// A profiler says in INTEL_LIBITTNOTIFY64 or NVTX_INJECTION64_PATH which library hears the marks,
// and sets it for the programs that it starts; it is loaded when the first mark is made.  Without
// one everything here does nothing.  Marks nest on each thread.  Kernels are announced besides to
// the library in INTEL_JIT_PROFILER64, whether anything is marked or not. Threads: any; a range
// ends on the thread that it began on.
#pragma once

#include <string>

namespace vitro {

namespace detail {
class Marker;
}

// While it lives, everything that happens on any thread is marked.  What began before is not.
class [[nodiscard]] Emission {
 public:
  explicit Emission(detail::Marker* marker);
  Emission(const Emission&) = delete;
  ~Emission();

 private:
  detail::Marker* marker_;  // null: marks nothing
};
// Any number may live at once: each event is marked once.
Emission emit_itt(bool enabled = true);
Emission emit_nvtx(bool enabled = true);

// A mark with a beginning and an end, for as long as it lives.
class [[nodiscard]] MarkedRange {
 public:
  MarkedRange(detail::Marker& marker, const std::string& name);
  MarkedRange(const MarkedRange&) = delete;
  ~MarkedRange();

 private:
  detail::Marker& marker_;
};

namespace itt {
bool is_available();  // does anybody hear the marks?
void range_push(const std::string& name);
void range_pop();
void mark(const std::string& name);  // a moment
MarkedRange range(const std::string& name);
}  // namespace itt

namespace nvtx {
bool is_available();
void range_push(const std::string& name);
void range_pop();
void mark(const std::string& name);
MarkedRange range(const std::string& name);
}  // namespace nvtx

}  // namespace vitro
