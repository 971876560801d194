// The results of kernels that read parameters alone, such as the scales of a batch norm. An
// executable computes them once for all parameters that it is called with (layers may share it),
// and again after one of these was written.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "backend/program/program.h"
#include "backend/run/packed.h"
#include "vitro/core/op.h"

namespace vitro::backend {

// Thread-safe.
class KeptResults final : public StorageListener {
 public:
  using Shared = std::shared_ptr<const KeptMemory>;

  KeptResults();
  ~KeptResults();
  KeptResults(const KeptResults&) = delete;

  // The results for these of a call's inputs; null if they are not known.
  Shared find(std::span<const Operand> inputs, std::span<const InputId> parameters) const;
  // Keeps them. If the storage of a parameter was exposed for writing, drops what is kept of it.
  void add(std::span<const Operand> inputs, std::span<const InputId> parameters, Shared results);
  void forget(uint64_t storage, uint64_t but_version) override;
  size_t size() const;

  // Maximum number of combinations of parameters.
  static constexpr size_t most = 64;

 private:
  struct Entry {
    std::vector<PanelsKey> of;  // by parameter
    Shared results;
  };

  mutable std::mutex lock_;
  std::vector<Entry> entries_;  // newest last
};

}  // namespace vitro::backend
