// Explains what happens to a compiled function, and why: graphs and their ops, breaks, guards,
// recompiles, fusion decisions, kernels, times.
//   std::cout << vitro::explain(f)(x, w);     // calls f and shows the outcome
//   std::cout << vitro::explain(fast);        // a compiled function so far, without a call
//   vitro::Explanation e = vitro::explain(f)(x, w);
//   std::cout << e.summary();                 // its first lines: graphs, breaks, advice
// `f` may be a function, which is compiled for this, or a Compiled one, which keeps its state.
// Everything here is recorded anyway: explaining a call costs no more than the call.
#pragma once

#include <iosfwd>
#include <string>
#include <type_traits>
#include <utility>

#include "vitro/compile/compile.h"
#include "vitro/events/rare_mark.h"
#include "vitro/profiler/compile_times.h"

namespace vitro {

struct Explanation {
  CompiledReport report;  // of the compiled function, all its calls so far
  CompileTimes times;     // phases of the compiler since the call began

  size_t graphs() const { return report.segments.size(); }
  size_t ops() const;      // in all graphs
  size_t kernels() const;  // of all graphs
  size_t breaks() const;   // places where a graph ends before the function does

  // Readable text: the summary, then each graph with its guards, kernels and fusions.
  // `with_source`: also the generated kernels.
  std::string text(bool with_source = false) const;
  // A line for each graph; breaks, recompiles, fallbacks, and what to do about them.
  std::string summary() const;
};

// The text of just a report: explain(fast.report()), or std::cout << fast.report().
std::string explain(const CompiledReport& report);
std::ostream& operator<<(std::ostream& out, const CompiledReport& report);
std::ostream& operator<<(std::ostream& out, const Explanation& explanation);

namespace compiled {

template <class F>
struct IsCompiled : std::false_type {};
template <class F>
struct IsCompiled<Compiled<F>> : std::true_type {};

template <class C>
class Explained {
 public:
  explicit Explained(C compiled) : compiled_(std::move(compiled)) {}

  template <class... Args>
  Explanation operator()(Args&&... args) {
    const uint64_t mark = events::rare_mark();
    (void)compiled_(std::forward<Args>(args)...);
    return {compiled_.report(), compile_times(mark)};
  }

  // For the calls so far, without a new one; without times, which belong to a call.
  Explanation so_far() const { return {compiled_.report(), CompileTimes({})}; }
  friend std::ostream& operator<<(std::ostream& out, const Explained& explained) {
    return out << explained.so_far();
  }

 private:
  C compiled_;
};

}  // namespace compiled

template <class F>
  requires(!std::is_same_v<std::remove_cvref_t<F>, CompiledReport>)
auto explain(F f, CompileOptions options = {}) {
  if constexpr (compiled::IsCompiled<F>::value) {
    return compiled::Explained<F>(std::move(f));
  } else {
    return compiled::Explained<Compiled<F>>(compile(std::move(f), std::move(options)));
  }
}

}  // namespace vitro
