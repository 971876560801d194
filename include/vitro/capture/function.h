// A compiled function as capture sees it: the trace tree of the calls that were made, and what runs
// them. compile/compile.h puts the types of the user's function around this.
#pragma once

#include <any>
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

class TraceTree;

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

// An argument that is neither tensor nor number: a text, or a value of a type that can be compared.
struct Other {
  std::string_view text;
  const void* value = nullptr;  // null: it is the text
  bool (*equal)(const void* a, const void* b) = nullptr;
  std::shared_ptr<const void> (*keep)(const void* value) = nullptr;
};
// One that cannot, counted from 1.
struct RefusedArgument {
  int number = 0;
  std::string_view type;  // empty: there is none
};

// Frozen mode: calls of the same types, tensors that fit the recorded guards, and otherwise equal
// arguments share a program, which runs without the function's own code.
struct FrozenCall {
  const void* types;
  std::span<const Tensor* const> inputs;
  std::span<const Scalar> numbers;  // and counts of parts, which tell the structure
  std::span<const Other> others;
  RefusedArgument refused;
};
// What a call was given, kept beyond it.
class FrozenKey {
 public:
  explicit FrozenKey(const FrozenCall& call);
  // Equal but for the tensors, which guards are for.
  bool fits(const FrozenCall& call) const;
  bool operator==(const FrozenKey&) const = default;

 private:
  struct Kept {
    explicit Kept(const Other& other);
    bool operator==(const Other& o) const;
    bool operator==(const Kept& o) const;
    std::string text;
    std::shared_ptr<const void> value;
    bool (*equal)(const void* a, const void* b);
  };
  const void* types_;
  std::vector<Scalar> numbers_;
  std::vector<Kept> others_;
};
// What a function may write to, as it was before.
class FrozenArguments {
 public:
  explicit FrozenArguments(const FrozenCall& call);
  bool unchanged(const FrozenCall& call) const;

 private:
  FrozenKey key_;
  std::vector<Tensor> tensors_;
};
struct FrozenResult {
  std::vector<Tensor> tensors;     // the leaves of the result, in order
  std::string_view refused;        // what else it holds, which could not be computed again
  bool changes_arguments = false;  // the function gave them other tensors or numbers
  std::any prototype;              // the result without its tensors
};

// Threads: any number of calls at once.  Handles share one trace tree.
class Function {
 public:
  // Error where nobody registered the backend.
  explicit Function(CompileOptions options);
  Function(const Function&) = default;  // and no moves: what is moved from can still be called
  Function& operator=(const Function&) = default;
  // Runs `body`, whose tensor arguments are `inputs` (undefined ones allowed), with its ops
  // captured.  Inside of another compiled function it simply runs.  Errors: whatever `body` throws,
  // and mistakes in the data.  `inputs_stay`: the addresses hold until the first op of `body`,
  // which is when they are looked at.
  void run(std::span<const Tensor* const> inputs, Body body, bool inputs_stay) const;
  // False: there is no program for such a call yet.  Error where it cannot be distinguished from
  // others.
  bool run_frozen(const FrozenCall& call, FrozenResult* result) const;
  // Runs `body`, then `describe`, which fills `result`, and keeps the program.  Error for what a
  // program that does not run the function's code could not repeat.
  void record_frozen(const FrozenCall& call, Body body, Body describe, FrozenResult& result) const;
  // Whether a call of this function now would be part of another one's graph.
  static bool is_inlined();

  const CompileOptions& options() const;
  CompiledReport report() const;
  // Forgets all that was recorded and compiled.  Calls that are running finish on the old tree.
  void reset() const;

 private:
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
  struct Stack;
  void leave_out();
  const InterpreterFrame* before_;
  std::unique_ptr<Stack> stack_;
  bool seen_;  // by the recorder
};

// Backends by name.  "eager" runs captured graphs op by op.  A runner lives for ever; registering a
// name again replaces it for functions compiled later.
void register_runner(std::string name, std::shared_ptr<SegmentRunner> runner);
std::shared_ptr<SegmentRunner> runner_named(std::string_view name);  // null: there is none
std::vector<std::string> backend_names();
// Another name for a backend, which backend_names() does not list.  A backend registered under the
// alias itself takes precedence.
void add_backend_alias(std::string alias, std::string name);

// A graph run op by op through eager: what the backend "eager" makes.  For backends that leave a
// graph as it is.
std::shared_ptr<CompiledSegment> interpreted_segment(graph::Graph graph);

}  // namespace vitro::capture
