// The values that the calls of a checkpoint would have saved, computed again once one is needed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "vitro/core/autocast.h"
#include "vitro/core/tensor.h"

namespace vitro {

// Threads: any; a backward pass of another thread waits while one computes the values.
class Recomputation : public std::enable_shared_from_this<Recomputation> {
 public:
  Recomputation(std::function<void()> again, std::span<const Tensor> arguments);

  // That of the innermost checkpoint that this thread is in; null: none.
  static std::shared_ptr<Recomputation>& current();

  // Takes the next value that a call saves.  True: it is kept here, false: by the caller.
  bool takes(const Tensor& value, size_t& number);
  Tensor value(size_t number);
  void drop(size_t number);

 private:
  // An argument of the function, and the writes to it when it was called.
  struct Argument {
    Tensor tensor;
    uint32_t writes;
    uint64_t call;  // TensorImpl::call: writes are counted apart in each
  };
  void check_arguments() const;
  void compute();

  const std::function<void()> again_;
  std::vector<Argument> arguments_;
  const std::string random_;      // the state of the generator before the function
  const AutocastState autocast_;  // in its scope
  std::recursive_mutex lock_;
  bool computes_ = false, is_computed_ = false;
  size_t count_ = 0, at_ = 0;  // values at first, and in the computation under way
  std::vector<Tensor> values_;
};

}  // namespace vitro
