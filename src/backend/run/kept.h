// The panels that an executable keeps of its parameters, for all parameters that it is called with
// (layers may share it), until a parameter is written or destroyed.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "backend/run/packed.h"

namespace vitro::backend {

// Thread-safe.
class KeptPanels final : public StorageListener {
 public:
  using Shared = std::shared_ptr<const KeptMemory>;

  KeptPanels();
  ~KeptPanels();
  KeptPanels(const KeptPanels&) = delete;

  // Returns the panels for the key; calls `fill` to pack them if nobody in the process has them.
  Shared find_or_pack(const PanelsKey& key, const Tensor& of, int64_t bytes,
                      const std::function<void(void*)>& fill);
  // Number of kept panels.
  size_t size() const;
  void forget(uint64_t storage, uint64_t but_version = UINT64_MAX) override;

  // Maximum number of kept layouts per matrix; each combination of varying sizes is a layout.
  static constexpr size_t most_layouts = 16;

 private:
  Shared find(const PanelsKey& key) const;
  void add(const PanelsKey& key, Shared panels);

  struct Entry {
    Shared panels;
    uint64_t age = 0;
  };
  using Entries = std::map<PanelsKey, Entry>;  // entries of a storage are adjacent
  std::pair<Entries::iterator, Entries::iterator> of_storage(uint64_t storage);

  mutable std::mutex lock_;
  Entries entries_;
  uint64_t next_age_ = 0;
};

}  // namespace vitro::backend
