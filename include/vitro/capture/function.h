// A compiled function as capture sees it: a record of the calls that were made, and what runs them.
// compile/compile.h puts the types of the user's function around this.
#pragma once

#include <any>
#include <functional>
#include <memory>
#include <source_location>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "vitro/capture/options.h"
#include "vitro/capture/report.h"
#include "vitro/capture/segment.h"
#include "vitro/core/interpreter.h"

namespace vitro::capture {

class Record;

// A piece of code to run, borrowed.
class Body {
 public:
  template <class F>
  Body(F& f)  // NOLINT(google-explicit-constructor)
      : object_(&f), run_([](void* object) { (*static_cast<F*>(object))(); }) {}
  void operator()() const { run_(object_); }

 private:
  void* object_;
  void (*run_)(void*);
};

// Frozen mode: calls of the same types, tensors that fit the recorded guards and equal plain
// numbers share a program, which runs without the function's own code.
struct FrozenCall {
  const void* types;
  std::span<const Tensor* const> inputs;
  std::span<const Scalar> numbers;
};
struct FrozenResult {
  std::vector<Tensor> tensors;  // the leaves of the result, in order
  bool has_numbers = false;
  std::any prototype;  // the result without its tensors
};

// Threads: any number of calls at once.  Handles share one record.
class Function {
 public:
  explicit Function(CompileOptions options);
  // Runs `body`, whose tensor arguments are `inputs` (undefined ones allowed), with its ops
  // captured.  Inside of another compiled function it simply runs.  Errors: whatever `body` throws,
  // and mistakes in the data.
  void run(std::span<const Tensor* const> inputs, Body body) const;
  // False: there is no program for such a call yet.
  bool run_frozen(const FrozenCall& call, FrozenResult* result) const;
  // Runs `body`, then `describe`, which fills `result`, and keeps the program.  Error for what a
  // program that does not run the function's code could not repeat.
  void record_frozen(const FrozenCall& call, Body body, Body describe, FrozenResult& result) const;
  // Whether a call of this function now would be part of another one's graph.
  static bool is_inlined();

  const CompileOptions& options() const;
  CompiledReport report() const;
  // Forgets all that was recorded and compiled.  Calls that are running finish on the old record.
  void reset();

 private:
  std::shared_ptr<Record> record() const;
  struct State;
  std::shared_ptr<State> state_;
};

// Is this thread inside of a compiled function?
bool is_compiling();
// Ends the segment here: what was put off runs now.  Nothing outside of a compiled function.
void graph_break(std::string_view reason,
                 std::source_location where = std::source_location::current());
// While it lives, ops run eagerly, inside of a compiled function too (a break).
class Disabled {
 public:
  explicit Disabled(std::source_location where = std::source_location::current());
  ~Disabled();
  Disabled(const Disabled&) = delete;

 private:
  Interpreter* before_;
  bool seen_;  // by the recorder
};

// Backends by name.  "eager" runs captured graphs op by op.  A runner lives for ever; registering a
// name again replaces it for functions compiled later.
void register_runner(std::string name, std::shared_ptr<SegmentRunner> runner);
std::shared_ptr<SegmentRunner> runner_named(std::string_view name);  // null: there is none
std::vector<std::string> backend_names();

// A graph run op by op through eager: what the backend "eager" makes.  For backends that leave a
// graph as it is.
std::shared_ptr<CompiledSegment> interpreted_segment(graph::Graph graph);

}  // namespace vitro::capture
