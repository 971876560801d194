// The panels that an executable has of its parameters.  A call holds the set as it was when it
// began; what it had to pack anew is left for the calls that follow.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "backend/plan/packed.h"

namespace vitro::backend {

// Threads: any.
class KeptPanels {
 public:
  struct Entry {
    PanelsKey key;
    std::shared_ptr<const Panels> panels;
  };
  using Set = std::vector<Entry>;  // by buffer

  std::shared_ptr<const Set> now() const {
    std::lock_guard hold(lock_);
    return set_;
  }
  void put(std::shared_ptr<const Set> set) {
    std::lock_guard hold(lock_);
    set_.swap(set);
  }

 private:
  mutable std::mutex lock_;
  std::shared_ptr<const Set> set_;  // null: nothing was packed yet
};

// What one call holds.
class HeldPanels {
 public:
  HeldPanels(KeptPanels& kept, size_t buffers) : kept_(kept), buffers_(buffers), set_(kept.now()) {}

  // Null where those for the key are not there.
  const Panels* find(size_t buffer, const PanelsKey& key) const {
    if (!set_) return nullptr;
    const KeptPanels::Entry& entry = (*set_)[buffer];
    return entry.panels && entry.key == key ? entry.panels.get() : nullptr;
  }
  void add(size_t buffer, const PanelsKey& key, std::shared_ptr<const Panels> panels) {
    if (!changed_) {
      changed_ = set_ ? std::make_shared<KeptPanels::Set>(*set_)
                      : std::make_shared<KeptPanels::Set>(buffers_);
      set_ = changed_;
    }
    (*changed_)[buffer] = {key, std::move(panels)};
  }
  // For the calls that follow.
  void leave() {
    if (changed_) kept_.put(std::move(changed_));
  }

 private:
  KeptPanels& kept_;
  size_t buffers_;
  std::shared_ptr<const KeptPanels::Set> set_;
  std::shared_ptr<KeptPanels::Set> changed_;  // the same as set_, until leave()
};

}  // namespace vitro::backend
