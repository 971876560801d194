// A compiled function without its types: the trace tree of its recorded calls, and how a call is
// run. compile/compile.h wraps this in the types of the user's function.
#pragma once

#include <any>
#include <memory>
#include <source_location>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "vitro/base/function_ref.h"
#include "vitro/capture/options.h"
#include "vitro/capture/report.h"
#include "vitro/capture/segment.h"
#include "vitro/core/interpreter.h"

namespace vitro::capture {

class TraceTree;

// The code of one call.
using Body = FunctionRef<void()>;

// An argument that is neither a tensor nor a number: text, or a value of a comparable type.
struct Other {
  std::string_view text;
  const void* value = nullptr;  // null: compare `text`
  bool (*equal)(const void* a, const void* b) = nullptr;
  std::shared_ptr<const void> (*keep)(const void* value) = nullptr;
};
// An argument of a type that cannot be compared; numbered from 1.
struct RefusedArgument {
  int number = 0;
  std::string_view type;  // empty: no such argument
};

// Frozen mode: calls share a program, which runs without the function's own code, if their types
// are the same, their tensors satisfy the recorded guards, and all other arguments are equal.
struct FrozenCall {
  const void* types;
  std::span<const Tensor* const> inputs;
  std::span<const Scalar> numbers;  // also the number of parts of each container: the structure
  std::span<const Other> others;
  RefusedArgument refused;
};
// A copy of a call's arguments, without the tensors, that outlives the call.
class FrozenKey {
 public:
  explicit FrozenKey(const FrozenCall& call);
  // Compares everything except the tensors, which guards check.
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
// A copy of the arguments that a function can write to, from before the call.
class FrozenArguments {
 public:
  explicit FrozenArguments(const FrozenCall& call);
  bool unchanged(const FrozenCall& call) const;

 private:
  FrozenKey key_;
  std::vector<Tensor> tensors_;
};
struct FrozenResult {
  std::vector<Tensor> tensors;  // leaves of the result, in order
  std::string_view refused;     // the part of it that a frozen call cannot recompute; empty: none
  bool changes_arguments = false;  // the function replaced tensors or numbers in them
  std::any prototype;              // the result without its tensors
};

// Threads: calls may be concurrent.  Copies share one trace tree.
class Function {
 public:
  // Error if the backend is not registered.
  explicit Function(CompileOptions options);
  Function(const Function&) = default;  // no moves: a moved-from Function stays callable
  Function& operator=(const Function&) = default;
  // Runs `body`, whose tensor arguments are `inputs` (undefined ones allowed), and captures its
  // ops. Inside another compiled function it only runs `body`.  Errors: whatever `body` throws, and
  // errors in the data.  `inputs_stay`: the addresses remain valid until the first op of `body`,
  // which is when they are read.
  void run(std::span<const Tensor* const> inputs, Body body, bool inputs_stay) const;
  // False: no program fits this call yet.  Error if an argument cannot be compared.
  bool run_frozen(const FrozenCall& call, FrozenResult* result) const;
  // Runs `body`, then `describe`, which fills `result`, and keeps the program.  Error if the
  // function does something that a program without the function's code could not repeat.
  void record_frozen(const FrozenCall& call, Body body, Body describe, FrozenResult& result) const;
  // Whether a call made now on this thread would be inlined into the graph of another compiled
  // function.
  static bool is_inlined();

  const CompileOptions& options() const;
  // Waits as wait() does.
  CompiledReport report() const;
  // Until everything is compiled that was asked for before, if `asynchronous`.
  void wait() const;
  // Discards everything recorded and compiled.  Running calls finish on the old tree.
  void reset() const;

 private:
  class Backward;
  struct State;
  std::shared_ptr<State> state_;
};

// Whether this thread is inside a compiled function.
bool is_compiling();
// Ends the segment here: deferred ops run now.  No effect outside a compiled function.
void graph_break(std::string_view reason,
                 std::source_location where = std::source_location::current());
// While alive, ops run eagerly, even inside a compiled function (a graph break).
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
  bool seen_;  // by the event recorder
};

// Backends by name.  "eager" runs captured graphs op by op.  Registering a name again replaces its
// compiler for functions compiled later; earlier ones keep theirs.
void register_compiler(std::string name, std::shared_ptr<SegmentCompiler> compiler);
std::shared_ptr<SegmentCompiler> compiler_named(std::string_view name);  // null: not registered
std::vector<std::string> backend_names();
// Another name for a backend, which backend_names() does not list.  A backend registered under the
// alias itself takes precedence.
void add_backend_alias(std::string alias, std::string name);

// Runs a graph op by op through eager; this is what the backend "eager" makes.  For backends that
// return a graph unchanged.
std::shared_ptr<CompiledSegment> interpreted_segment(graph::Graph graph);

}  // namespace vitro::capture
