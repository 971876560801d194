// Entry point for `compile`: runs the user's code under an interpreter that captures its ops, or
// the frozen program that replaces it.  A call costs almost nothing until its code calls an op.
#include "vitro/capture/function.h"

#include <algorithm>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "capture/call.h"
#include "capture/codes.h"
#include "capture/frozen.h"
#include "capture/gradient_slices.h"
#include "capture/trace_tree.h"
#include "core/backward_region.h"
#include "core/saved_tensors.h"
#include "vitro/base/error.h"
#include "vitro/base/nearest.h"
#include "vitro/core/autocast.h"
#include "vitro/events/record.h"

namespace vitro::capture {

void (*around_body)(const Body& body) = nullptr;

namespace {

// The innermost running call of this thread, if ops go to it now.
constinit thread_local Call* running __attribute__((tls_model("initial-exec"))) = nullptr;

class Running {
 public:
  Running(Call* call, const std::shared_ptr<BackwardRegion>& backward)
      : before_(running),
        number_before_(call_of_this_thread),
        gradients_(backward),
        saved_(call->saved()) {
    running = call;
    call_of_this_thread = call->call_number();
  }
  ~Running() {
    running = before_;
    call_of_this_thread = number_before_;
  }
  Running(const Running&) = delete;

 private:
  Call* before_;
  uint64_t number_before_;
  UsingBackwardRegion gradients_;
  UsingSavedTensors saved_;
};

class Starting;
constinit thread_local Starting* starting __attribute__((tls_model("initial-exec"))) = nullptr;

// A call whose function has not called an op yet, at almost no cost.  The first op creates the
// Call, which takes this interpreter's place in the stack; others may be above it by then.
class Starting final : public Interpreter {
 public:
  Starting(CallPool& pool, std::span<const Tensor* const> inputs,
           const std::shared_ptr<BackwardRegion>& backward);
  ~Starting() override {
    starting = before_;
    thread_state.set_top(frame_.below);
  }
  Starting(const Starting&) = delete;
  Call& begun();
  void finish() {
    if (call_) call_->finish();
  }
  void unwind() noexcept {
    if (call_) call_->unwind();
  }

  void call(const OpCall& call, std::span<Tensor> results) override { begun().call(call, results); }
  void before_access(const TensorImpl& impl, Need need, std::source_location where) override {
    begun().before_access(impl, need, where);
  }
  const TensorMeta* meta_of(const TensorImpl& impl) const override {
    return const_cast<Starting*>(this)->begun().meta_of(impl);
  }
  std::optional<Size> offset_of(const TensorImpl& impl) const override {
    return const_cast<Starting*>(this)->begun().offset_of(impl);
  }
  // Matches no tensor: this interpreter returns no deferred ones.
  uint64_t call_number() const override { return builder_calls - 1; }

 private:
  CallPool& pool_;
  std::span<const Tensor* const> inputs_;
  const std::shared_ptr<BackwardRegion>& backward_;
  Starting* before_;
  InterpreterFrame frame_;
  std::optional<Call> call_;
  std::optional<Running> running_;
};

Starting::Starting(CallPool& pool, std::span<const Tensor* const> inputs,
                   const std::shared_ptr<BackwardRegion>& backward)
    : pool_(pool),
      inputs_(inputs),
      backward_(backward),
      before_(starting),
      frame_{this, thread_state.top} {
  starting = this;
  thread_state.set_top(&frame_);
}

Call& Starting::begun() {
  if (!call_) {
    call_.emplace(pool_, frame_.below);
    running_.emplace(&*call_, backward_);
    frame_.interpreter = &*call_;
    if (thread_state.top == &frame_) thread_state.set_top(&frame_);
    call_->enter(inputs_);
  }
  return *call_;
}

// The topmost interpreter that returns deferred tensors, where ops end up.
const InterpreterFrame* first_that_defers() {
  const InterpreterFrame* f = thread_state.top;
  while (f && f->interpreter->call_number() == 0) f = f->below;
  return f;
}

// The call whose function this thread runs, if ops go to it.
Call* call_in_stack() {
  const InterpreterFrame* const found = first_that_defers();
  if (!found) return nullptr;
  if (starting && found->interpreter == starting) return &starting->begun();
  return running && found->interpreter == running ? running : nullptr;
}

void run_body(const Body& body) {
  around_body ? around_body(body) : body();
}

void check_backend(const CompileOptions& options) {
  if (compiler_named(options.backend)) return;
  const std::vector<std::string> known = backend_names();
  const std::string_view meant = nearest(options.backend, known);
  std::string all;
  for (const std::string& name : known) all += cat(all.empty() ? "" : ", ", name);
  throw_error(cat(options.name, ": there is no backend \"", options.backend, "\"; ",
                  meant.empty() ? "r" : cat("did you mean \"", meant, "\"? R"), "egistered: ", all,
                  " (", no_such_backend, ")"));
}

// Error if a frozen program could not repeat the call.
void check_repeatable(const FrozenResult& result, const std::string& name) {
  VITRO_CHECK(result.refused.empty(), name, ": frozen: the result holds ", result.refused,
              ", which a frozen call would not recompute; return tensors (", not_repeatable, ")");
  VITRO_CHECK(!result.changes_arguments, name,
              ": frozen: the function modifies an argument, which a frozen call would not repeat; "
              "return the new value (",
              not_repeatable, ")");
}

}  // namespace

// The gradients of a function's calls: a compiled function, made when it is first needed.
class Function::Backward final : public BackwardRegion {
 public:
  explicit Backward(CompileOptions forward) : options_(std::move(forward)) {
    options_.name += "_backward";
    options_.fullgraph = options_.frozen = false;
  }
  void run(uint64_t within, FunctionRef<void()> nodes) override {
    const BackwardSlice seen(within);
    made().run({}, nodes, true);
  }
  // Null: it was not needed yet.
  const Function* function() const {
    const std::lock_guard hold(lock_);
    return function_ ? &*function_ : nullptr;
  }

 private:
  const Function& made() {
    const std::lock_guard hold(lock_);
    if (!function_) function_.emplace(options_);
    return *function_;
  }
  CompileOptions options_;
  mutable std::mutex lock_;
  std::optional<Function> function_;
};

struct Function::State {
  explicit State(CompileOptions options)
      : gradients(std::make_shared<Backward>(options)),
        backward(gradients),
        calls(std::move(options)) {}
  const std::shared_ptr<Backward> gradients;
  const std::shared_ptr<BackwardRegion> backward;  // the same
  CallPool calls;
};

Function::Function(CompileOptions options) {
  VITRO_CHECK(!options.frozen || options.fullgraph, options.name,
              ": frozen needs fullgraph: after a break the function's own code must run");
  VITRO_CHECK(options.memory_budget >= 0 && options.memory_budget <= 1, options.name,
              ": memory_budget is ", options.memory_budget, "; it is a share from 0 to 1");
  check_backend(options);
  state_ = std::make_shared<State>(std::move(options));
}

void Function::reset() const {
  state_->calls.reset();
  if (const Function* backward = state_->gradients->function()) backward->reset();
}

const CompileOptions& Function::options() const {
  return state_->calls.options();
}

void Function::wait() const {
  state_->calls.tree()->wait();
  if (const Function* backward = state_->gradients->function()) backward->wait();
}

CompiledReport Function::report() const {
  wait();
  CompiledReport out = state_->calls.tree()->report();
  out.calls = state_->calls.calls();
  if (const Function* backward = state_->gradients->function())
    out.backward = std::make_shared<CompiledReport>(backward->report());
  return out;
}

bool Function::is_inlined() {
  return first_that_defers() != nullptr;
}

void Function::run(std::span<const Tensor* const> inputs, Body body, bool inputs_stay) const {
  if (thread_state.top && is_inlined()) return run_body(body);
  CallPool& calls = state_->calls;
  calls.count_call();
  Starting call(calls, inputs, state_->backward);
  if (!inputs_stay) (void)call.begun();
  try {
    const OwnKeptCasts casts;  // those of other calls are not part of the program
    run_body(body);
  } catch (...) {
    call.unwind();
    throw;
  }
  call.finish();
}

bool Function::run_frozen(const FrozenCall& call, FrozenResult* result) const {
  VITRO_CHECK(call.refused.type.empty(), options().name, ": frozen: argument ", call.refused.number,
              " holds a ", call.refused.type,
              ", which cannot be compared with that of another call; give it operator== or "
              "vitro::Flatten, or let the function capture it (",
              not_comparable, ")");
  Call now(state_->calls, thread_state.top);
  const Using use(&now);
  const Running running_now(&now, state_->backward);
  for (const FrozenProgram* p = now.tree().frozen(); p; p = p->next) {
    if (!p->key.fits(call) || p->autocast != autocast_state() ||
        !now.run_frozen(*p, call.inputs, &result->tensors))
      continue;
    result->prototype = p->prototype;
    state_->calls.count_call();
    return true;
  }
  return false;
}

void Function::record_frozen(const FrozenCall& frozen, Body body, Body describe,
                             FrozenResult& result) const {
  if (!state_->calls.tree()->has_room_for_frozen()) return run(frozen.inputs, body, false);
  state_->calls.count_call();
  const uint64_t newest_storage = Storage::allocate(0, cpu).id();
  FrozenKey key(frozen);  // before the function can modify its arguments
  Call call(state_->calls, thread_state.top);
  const Using use(&call);
  const Running now(&call, state_->backward);
  call.enter(frozen.inputs);
  std::unique_ptr<FrozenProgram> program;
  try {
    sym::GuardSink asked;
    {
      const OwnKeptCasts casts;
      run_body(body);
    }
    describe();
    check_repeatable(result, options().name);
    program = call.freeze(std::move(key), result.tensors, newest_storage);
    if (program) {
      for (const sym::Guard& guard : asked.guards()) program->guards.push_back(guard);
    }
  } catch (...) {
    result.tensors.clear();
    call.unwind();
    throw;
  }
  result.tensors.clear();
  call.finish();
  if (!program) return;
  program->prototype = std::move(result.prototype);
  call.tree().add(std::move(program));
}

bool is_compiling() {
  return call_in_stack() != nullptr;
}

void graph_break(std::string_view reason, std::source_location where) {
  if (Call* call = call_in_stack()) call->break_here(asked_break, reason, where);
}

struct Disabled::Stack {
  std::vector<InterpreterFrame> above;  // filled before pointers into it are taken
  UsingBackwardRegion eager{nullptr};   // its gradients are not compiled, either
};

Disabled::Disabled(std::source_location where) : before_(thread_state.top), seen_(false) {
  Call* call = call_in_stack();
  if (!call) return;
  call->break_here(disabled_break, {}, where);
  leave_out();
  if (events::recording()) seen_ = events::record(call->eager_slice(disabled_break));
}

// Removes the call from the stack, keeping the interpreters above and below it.
void Disabled::leave_out() {
  stack_ = std::make_unique<Stack>();
  const InterpreterFrame* const of_call = first_that_defers();
  for (const InterpreterFrame* f = before_; f != of_call; f = f->below) stack_->above.push_back(*f);
  const InterpreterFrame* below = of_call->below;
  for (auto f = stack_->above.rbegin(); f != stack_->above.rend(); ++f) {
    f->below = below;
    below = &*f;
  }
  thread_state.set_top(below);
}

Disabled::~Disabled() {
  if (seen_) events::record(events::EagerEnd{});
  thread_state.set_top(before_);
}

}  // namespace vitro::capture
