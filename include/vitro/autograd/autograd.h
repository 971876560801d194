// Reverse-mode gradients, with PyTorch's names and meaning.
//   Tensor w = randn({4, 3}).set_requires_grad(true);
//   Tensor loss = mean(square(matmul(x, w) - y));
//   backward(loss);                       // or loss.backward()
//   w.grad();                             // d loss / d w
//
// A tensor requires a gradient if set_requires_grad(true) was called, which makes it a leaf, or if
// it was computed from such a tensor while gradients are recorded (not in the scope of a NoGrad).
// Ops are recorded as they are called; backward() goes back through them, in the reverse order, and
// calls ops itself, through the door: in a compiled function the backward pass becomes part of what
// is compiled, a profiler sees it, and with `create_graph` it is recorded in turn, for gradients of
// gradients.
//
// What a gradient needs (operands, results) is saved with the call, not copied, and is released as
// backward() passes it.  If it was overwritten in the meantime, backward() is an Error, which names
// the op.  A write to a view changes the history of the tensor that it is a view of.
//
// Threads: each thread may record and go back through graphs of its own; several may use the same
// leaves.  Sums of a leaf's gradient by several threads are made one at a time.  A compiled
// function that calls backward() may do so on one thread at a time: while it runs, another thread
// that sums the gradient of the same leaf gets an Error.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "vitro/core/interpreter.h"
#include "vitro/core/tensor.h"

namespace vitro {

struct BackwardOptions {
  // Keeps what was saved, so that the graph can be gone through again.
  bool retain_graph = false;
  // Records the backward pass, for gradients of gradients; implies retain_graph.
  bool create_graph = false;
  // The leaves whose gradients are summed; empty: all.
  std::vector<Tensor> inputs = {};
};

// Adds the gradients of `output` to those of all leaves that it was computed from (Tensor::grad).
// `gradient`: of what follows with respect to the output, of its sizes; may be left out for an
// output of one element.  Error if the output does not require a gradient.
void backward(const Tensor& output, const Tensor& gradient = {},
              const BackwardOptions& options = {});
// The same for several outputs; `gradients` is empty or has one element for each, which may be
// undefined.
void backward(std::span<const Tensor> outputs, std::span<const Tensor> gradients,
              const BackwardOptions& options = {});

class HookHandle;
// Calls `hook` with each gradient of the tensor, before it goes on to what the tensor was computed
// from, or is added to that of a leaf.  A tensor that the hook returns takes its place, of the same
// sizes; an undefined one leaves it.  Error if the tensor does not require a gradient.
// torch.Tensor.register_hook.
HookHandle register_hook(const Tensor& tensor, std::function<Tensor(const Tensor& gradient)> hook);

// Removes a hook; it does nothing once the tensor and the graph are gone.
class HookHandle {
 public:
  void remove() const {
    if (remove_) remove_();
  }

 private:
  friend HookHandle register_hook(const Tensor&, std::function<Tensor(const Tensor&)>);
  std::function<void()> remove_;
};

// While it lives, backward passes of this thread that meet a NaN are Errors, which name the op
// whose gradient has one and the place of its call.  For finding it only: every gradient is read by
// the host.  torch.autograd.detect_anomaly.
class DetectAnomaly {
 public:
  explicit DetectAnomaly(bool on = true);
  ~DetectAnomaly();
  DetectAnomaly(const DetectAnomaly&) = delete;

 private:
  bool before_;
};

struct GradOptions {
  bool retain_graph = false, create_graph = false;  // as in BackwardOptions
  // An input that the outputs do not depend on has an undefined gradient instead of being an Error.
  bool allow_unused = false;
  // Such a gradient is a tensor of zeros; implies allow_unused.
  bool materialize_grads = false;
};

// The gradients of the sum of `outputs`, weighted by `grad_outputs`, with respect to each input.
// Changes no Tensor::grad.  torch.autograd.grad.
std::vector<Tensor> grad(std::span<const Tensor> outputs, std::span<const Tensor> inputs,
                         std::span<const Tensor> grad_outputs = {},
                         const GradOptions& options = {});
// The same for one output: grad(loss, {w, b}).
std::vector<Tensor> grad(const Tensor& output, const std::vector<Tensor>& inputs,
                         const GradOptions& options = {});
// With respect to the parameters of a module: grad(loss, model.parameters()).
std::vector<Tensor> grad(const Tensor& output, std::span<Tensor* const> parameters,
                         const GradOptions& options = {});

}  // namespace vitro
