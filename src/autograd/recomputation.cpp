#include "autograd/recomputation.h"

#include <utility>

#include "vitro/autograd/checkpoint.h"
#include "vitro/base/error.h"
#include "vitro/core/generator_state.h"
#include "vitro/core/interpreter.h"

namespace vitro {
namespace {

class Current {
 public:
  explicit Current(std::shared_ptr<Recomputation> one)
      : before_(std::exchange(Recomputation::current(), std::move(one))) {}
  ~Current() { Recomputation::current() = std::move(before_); }
  Current(const Current&) = delete;

 private:
  std::shared_ptr<Recomputation> before_;
};

}  // namespace

CheckpointScope::CheckpointScope(std::function<void()> again)
    : before_(std::exchange(Recomputation::current(),
                            std::make_shared<Recomputation>(std::move(again)))) {}

CheckpointScope::~CheckpointScope() {
  Recomputation::current() = std::move(before_);
}

Recomputation::Recomputation(std::function<void()> again)
    : again_(std::move(again)), random_(generator_state()), autocast_(autocast_state()) {}

std::shared_ptr<Recomputation>& Recomputation::current() {
  static thread_local std::shared_ptr<Recomputation> one;
  return one;
}

bool Recomputation::takes(const Tensor& value, size_t& number) {
  const std::lock_guard hold(lock_);
  if (!computes_) {
    number = count_++;
    return true;
  }
  if (at_ < values_.size()) values_[at_] = value;
  ++at_;
  return false;
}

Tensor Recomputation::value(size_t number) {
  const std::lock_guard hold(lock_);
  if (!is_computed_) compute();
  VITRO_CHECK(values_[number].defined(),
              "backward: the values of a checkpoint were released by an earlier backward; pass "
              "{.retain_graph = true} to that one to go through the graph again");
  return values_[number];
}

void Recomputation::drop(size_t number) {
  const std::lock_guard hold(lock_);
  if (is_computed_) values_[number] = {};
}

void Recomputation::compute() {
  values_.assign(count_, Tensor());
  at_ = 0;
  {
    struct Computing {
      bool& on;
      ~Computing() { on = false; }
    } computing{computes_ = true};
    const RandomReplay same(random_);
    const Current mine(shared_from_this());
    const EnableGrad recorded;
    const OwnKeptCasts casts;
    const Autocast scope(autocast_.dtype, autocast_.enabled, autocast_.cache_enabled);
    again_();
  }
  VITRO_CHECK(at_ == count_, "backward: the function of a checkpoint saved ", count_,
              " values for its gradient, and ", at_,
              " when it was called again; it must compute the same each time");
  is_computed_ = true;
}

}  // namespace vitro
