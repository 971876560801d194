// Scales losses so that small gradients of f16 do not become 0, with the names, defaults and
// meaning of torch.amp.GradScaler.
//   optim::GradScaler scaler;
//   for (...) {
//     optimizer.zero_grad();
//     Tensor loss;
//     {
//       const Autocast on(DType::f16);
//       loss = cross_entropy_loss(model(x), y);
//     }
//     scaler.scale(loss).backward();
//     scaler.step(optimizer);
//     scaler.update();
//   }
// A step whose gradients have an infinity or a NaN is skipped, and the scale shrinks; after
// `growth_interval` steps in a row that were not, it grows.  In a compiled function all of this is
// part of the program, without a graph break: the scale is a tensor that it writes, and a step is
// skipped by Optimizer::step_unless().  A frozen function refuses it: what was skipped is known
// only in the next call.
//
// Errors: calls in another order than PyTorch allows.  Threads: as its optimizers.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "vitro/optim/optimizer.h"

namespace vitro::optim {

struct GradScalerOptions {
  double init_scale = 65536, growth_factor = 2, backoff_factor = 0.5;
  int64_t growth_interval = 2000;
  bool enabled = true;  // false: step() is that of the optimizer, all else does nothing
};

class GradScaler {
 public:
  explicit GradScaler(GradScalerOptions options = {});
  GradScaler(const GradScaler&) = delete;
  GradScaler& operator=(const GradScaler&) = delete;

  // The output times the scale.
  Tensor scale(const Tensor& output) const;
  // Divides the gradients by the scale, in place, and looks for infinities and NaN.  To be called
  // before step() if the gradients are used in between: to clip them, for instance.  Error for
  // gradients in f16.
  void unscale_(Optimizer& optimizer);
  // Calls unscale_() if that has not been done, and then the optimizer's step, or skips it.
  void step(Optimizer& optimizer);
  // Changes the scale, by what the steps since the last update() have found.
  void update();
  void update(double new_scale);

  // 1 if it is not enabled.  In a compiled function it is a graph break.
  double get_scale() const;
  bool is_enabled() const { return options_.enabled; }
  // Factors and interval may be changed between steps.
  GradScalerOptions& options() { return options_; }

  // All that has to be saved to go on; a Checkpoint does it.
  struct State {
    double scale, growth_factor, backoff_factor;
    int64_t growth_interval, growth_tracker;
  };
  State state_dict() const;
  void load_state_dict(const State& state);
  // The scale (f32) and the count of steps since it changed (i32).
  std::vector<std::pair<std::string, Tensor*>> named_tensors();

 private:
  enum class Stage : uint8_t { unscaled, stepped };
  struct Seen {
    Optimizer* optimizer;
    Stage stage;
    Tensor found;  // whether a gradient has an infinity or a NaN
  };
  Seen* seen(const Optimizer& optimizer);

  GradScalerOptions options_;
  Tensor scale_, growth_tracker_;
  mutable bool has_scaled_ = false;  // scale() was called
  std::vector<Seen> seen_;           // since the last update()
};

}  // namespace vitro::optim
