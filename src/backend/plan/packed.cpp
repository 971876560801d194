#include "backend/plan/packed.h"

#include <map>
#include <mutex>

#include "runtime/cpu/allocator.h"
#include "vitro/events/memory.h"

namespace vitro::backend {
namespace {

struct Known {
  std::mutex lock;
  std::map<PanelsKey, std::weak_ptr<const Panels>> panels;
};

Known& known() {
  static auto* one = new Known;
  return *one;
}

// Entries whose panels are gone; called with the lock held.
void sweep(Known& k) {
  std::erase_if(k.panels, [](const auto& entry) { return entry.second.expired(); });
}

}  // namespace

Panels::Panels(int64_t bytes)
    : data_(runtime::cpu_allocator().allocate(static_cast<size_t>(bytes))),
      bytes_(static_cast<size_t>(bytes)) {
  events::categorise(data_, events::MemoryCategory::parameter);
}

Panels::~Panels() {
  runtime::cpu_allocator().free(data_, bytes_);
}

std::shared_ptr<const Panels> find_or_pack(const PanelsKey& key, int64_t bytes,
                                           const std::function<void(void*)>& fill) {
  Known& k = known();
  {
    std::lock_guard hold(k.lock);
    const auto at = k.panels.find(key);
    if (at != k.panels.end()) {
      if (auto panels = at->second.lock()) return panels;
    }
  }
  auto made = std::make_shared<const Panels>(bytes);
  fill(made->data());
  std::lock_guard hold(k.lock);
  sweep(k);
  k.panels[key] = made;
  return made;
}

bool panels_key(const Tensor& tensor, const Hash& layout, PanelsKey* key) {
  const Storage& storage = tensor.storage();
  if (storage.exposed()) return false;
  *key = {storage.id(), storage.version(), tensor.impl()->offset * bytes_of(tensor.dtype()),
          layout};
  return true;
}

}  // namespace vitro::backend
