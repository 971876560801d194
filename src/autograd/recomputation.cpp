// What a checkpoint computes again: the calls of its function, once a backward pass needs a value
// that one of them would have saved.
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

CheckpointScope::CheckpointScope(std::function<void()> again,
                                 std::initializer_list<Tensor> arguments)
    : before_(std::exchange(Recomputation::current(),
                            std::make_shared<Recomputation>(std::move(again), arguments))) {}

CheckpointScope::~CheckpointScope() {
  Recomputation::current() = std::move(before_);
}

Recomputation::Recomputation(std::function<void()> again, std::span<const Tensor> arguments)
    : again_(std::move(again)), random_(generator_state()), autocast_(autocast_state()) {
  for (const Tensor& argument : arguments) {
    const Tensor numbers =
        argument.defined() && argument.is_complex() ? argument.pairs() : argument;
    const bool is_tensor = numbers.defined();
    arguments_.push_back(
        {numbers, is_tensor ? writes_to(numbers) : 0, is_tensor ? numbers.impl()->call : 0});
  }
}

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

void Recomputation::check_arguments() const {
  for (size_t i = 0; i < arguments_.size(); ++i) {
    const auto& [tensor, writes, call] = arguments_[i];
    if (!tensor.defined() || tensor.impl()->call != call) continue;
    VITRO_CHECK(writes_to(tensor) == writes, "backward: a checkpoint computes again from argument ",
                i, ", which was written since its call; clone it before that");
  }
}

void Recomputation::compute() {
  check_arguments();
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
