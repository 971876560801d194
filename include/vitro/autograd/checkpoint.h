// Trades time for memory: what a function computes is not saved for its gradient, but computed
// again in the backward pass.  torch.utils.checkpoint.checkpoint (use_reentrant=False).
//   Tensor y = checkpoint([&](const Tensor& t) { return block(t); }, x);
// The function must compute the same when it is called again, and what it refers to must live until
// then; random numbers are drawn again from the same state.  Its arguments are kept; if one was
// written since the call, by the function or after it, the backward pass is an Error.  Checkpoints
// may be nested.  In a compiled function the compiler sees both computations and merges them: what
// is saved there is its own choice.  (class Checkpoint, of vitro/training, is the state of a run.)
#pragma once

#include <functional>
#include <initializer_list>
#include <memory>
#include <utility>

#include "vitro/autograd/argument.h"
#include "vitro/core/interpreter.h"

namespace vitro {

// Calls of this thread save nothing while it lives, but the way to compute it again.
class CheckpointScope {
 public:
  // `arguments`: undefined where they are not tensors.
  CheckpointScope(std::function<void()> again, std::initializer_list<Tensor> arguments);
  ~CheckpointScope();
  CheckpointScope(const CheckpointScope&) = delete;

 private:
  std::shared_ptr<class Recomputation> before_;
};

// What `f` returns.
template <class F, class... Arguments>
auto checkpoint(F f, const Arguments&... arguments) {
  const CheckpointScope scope([f, arguments...]() mutable { (void)f(arguments...); },
                              {autograd::tensor_argument(arguments)...});
  return f(arguments...);
}

}  // namespace vitro
