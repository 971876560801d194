// How the gradients of the calls that a compiled function recorded are computed: not one by one,
// but as a compiled program of their own.
//
// Capture provides it, autograd uses it: while a compiled function runs, the nodes that are made
// refer to its region, and a backward pass runs the nodes of one call together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "vitro/base/function_ref.h"

namespace vitro {

class BackwardRegion {
 public:
  virtual ~BackwardRegion() = default;
  // Runs `nodes`, which computes gradients of the calls that were recorded in the compiled call
  // `within` by calling ops, and computes what is held of them afterwards.  Errors: those of
  // `nodes`.  Threads: any, concurrently.
  virtual void run(uint64_t within, FunctionRef<void()> nodes) = 0;
};

// That of the compiled function that this thread runs; null: none.
const std::shared_ptr<BackwardRegion>& backward_region();

// Sets it for a scope.  `region` must live as long.
class UsingBackwardRegion {
 public:
  explicit UsingBackwardRegion(const std::shared_ptr<BackwardRegion>& region);
  explicit UsingBackwardRegion(std::nullptr_t);
  ~UsingBackwardRegion();
  UsingBackwardRegion(const UsingBackwardRegion&) = delete;

 private:
  const std::shared_ptr<BackwardRegion>* before_;
};

}  // namespace vitro
