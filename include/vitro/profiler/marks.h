// Marks a program's activity in other profilers: VTune (ITT) and Nsight (NVTX).
//   const auto marked = vitro::emit_itt();                  // every op, region, kernel and range
//   {
//     const auto iteration = vitro::itt::range("iteration_0");   // and this, on the same thread
//     y = model(x);
//   }
// A profiler sets INTEL_LIBITTNOTIFY64 or NVTX_INJECTION64_PATH for the programs that it starts, to
// the library that receives the marks; the library is loaded at the first mark.  Without one,
// everything here does nothing.  Marks nest on each thread.  Kernels are also announced to the
// library in INTEL_JIT_PROFILER64, whether anything is marked or not.  Threads: any; a range must
// end on the thread that it began on.
#pragma once

#include <string>

namespace vitro {

namespace detail {
class Marker;
}

// During its lifetime everything on all threads is marked, except what began before.
class [[nodiscard]] Emission {
 public:
  explicit Emission(detail::Marker* marker);
  Emission(const Emission&) = delete;
  ~Emission();

 private:
  detail::Marker* marker_;  // null: marks nothing
};
// Any number may exist at a time: each event is marked once.
Emission emit_itt(bool enabled = true);
Emission emit_nvtx(bool enabled = true);

// A mark with a beginning and an end, as long as the object's lifetime.
class [[nodiscard]] MarkedRange {
 public:
  MarkedRange(detail::Marker& marker, const std::string& name);
  MarkedRange(const MarkedRange&) = delete;
  ~MarkedRange();

 private:
  detail::Marker& marker_;
};

namespace itt {
bool is_available();  // whether a profiler receives the marks
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
