// The results of a call that were left out of its segment (Recompute), computed when a gradient
// asks for one.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "capture/plan.h"
#include "core/saved_tensors.h"

namespace vitro::capture {

class Recomputed final : public ComputedAgain, public std::enable_shared_from_this<Recomputed> {
 public:
  struct Source {
    Tensor tensor;  // or
    Scalar number;
    uint32_t writes = 0;
  };
  // `sizes`: by result, those of its tensor in the call.
  Recomputed(std::shared_ptr<const Recompute> program, std::vector<Source> sources,
             std::vector<int64_t> symbols, std::vector<Ints> sizes);

  // Calls ops through the door: in the backward pass they become a part of its program.
  Tensor value(size_t number) override;
  void drop(size_t number) override;
  void forget() override;

 private:
  std::vector<Tensor> computed() const;

  const std::shared_ptr<const Recompute> program_;
  const std::vector<Source> sources_;
  const std::vector<int64_t> symbols_;
  const std::vector<Ints> sizes_;
  std::recursive_mutex lock_;
  // By the call that computes them (0: none), as they are deferred there, and by result.
  std::map<uint64_t, std::vector<Tensor>> values_;
  std::vector<bool> dropped_;
};

}  // namespace vitro::capture
