// The panels that an executable has of its parameters: of all that it is called with (layers may
// share it), until a parameter is written or gone.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "backend/run/packed.h"

namespace vitro::backend {

// Threads: any.
class KeptPanels {
 public:
  using Shared = std::shared_ptr<const Panels>;

  KeptPanels();
  ~KeptPanels();
  KeptPanels(const KeptPanels&) = delete;

  // Those for the key; made by `fill` where nobody in the process has them.
  Shared find_or_pack(const PanelsKey& key, const Tensor& of, int64_t bytes,
                      const std::function<void(void*)>& fill);
  // How many there are.
  size_t size() const;
  // What was made of a storage's bytes, but for those of a version that is kept: the bytes are no
  // more.  Versions count from 0.
  void forget(uint64_t storage, uint64_t but_version = UINT64_MAX);

  // Layouts of one matrix that are kept: panels of sizes that vary are their own layouts.
  static constexpr size_t most_layouts = 16;

 private:
  Shared find(const PanelsKey& key) const;
  void add(const PanelsKey& key, Shared panels);

  struct Entry {
    Shared panels;
    uint64_t age = 0;
  };
  using Entries = std::map<PanelsKey, Entry>;  // those of a storage stand together
  std::pair<Entries::iterator, Entries::iterator> of_storage(uint64_t storage);

  mutable std::mutex lock_;
  Entries entries_;
  uint64_t next_age_ = 0;
};

}  // namespace vitro::backend
