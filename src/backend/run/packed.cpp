// All panels in memory, by their keys, and the files that have more.
#include "backend/run/packed.h"

#include <cstring>
#include <functional>
#include <map>
#include <mutex>
#include <unordered_set>

#include "base/living.h"
#include "vitro/core/storage_watch.h"
#include "vitro/events/memory.h"

namespace vitro::backend {
namespace {

struct Known {
  std::mutex lock;
  std::map<PanelsKey, std::weak_ptr<const KeptMemory>> panels;
  std::mutex listeners_lock;  // held while they are called; acquired before their own locks
  std::unordered_set<StorageListener*> listeners;
};

Known& known() {
  static auto* one = [] {
    set_storage_watcher([](uint64_t id) { forget_others(id, UINT64_MAX); });
    return new Known;
  }();
  return *one;
}

Living<const PanelsSource>& sources() {
  static auto& all = *new Living<const PanelsSource>;
  return all;
}

std::shared_ptr<const KeptMemory> of_sources(const PanelsKey& key, int64_t bytes) {
  for (const auto& source : sources().all())
    if (auto found = source->find(key, bytes)) return found;
  return nullptr;
}

// Packing leaves out lanes of the last panel, which must have no bytes of other data: panels are
// written to files.  Without such lanes they are as large as the matrix.
void clear(const KeptMemory& panels, const Tensor& of) {
  const bool has_lanes =
      static_cast<int64_t>(panels.bytes().size()) != of.numel().hint() * bytes_of(of.dtype());
  if (has_lanes && of.device() == cpu) std::memset(panels.data(), 0, panels.bytes().size());
}

// Removes entries whose panels are gone; requires the lock.
void sweep(Known& k) {
  std::erase_if(k.panels, [](const auto& entry) { return entry.second.expired(); });
}

}  // namespace

KeptMemory::KeptMemory(int64_t bytes, Device device)
    : memory_(&allocator_of(device)),
      data_(memory_->allocate(static_cast<size_t>(bytes))),
      size_(static_cast<size_t>(bytes)) {
  events::categorise(data_, events::MemoryCategory::parameter);
}

KeptMemory::KeptMemory(std::span<const std::byte> bytes, std::shared_ptr<const void> owner)
    : memory_(nullptr),
      owner_(std::move(owner)),
      data_(const_cast<std::byte*>(bytes.data())),
      size_(bytes.size()) {}

KeptMemory::~KeptMemory() {
  if (memory_) memory_->free(data_, size_);
}

void add_panels_source(const std::shared_ptr<const PanelsSource>& source) {
  sources().add(source);
}

std::vector<KeyedPanels> panels_of(uint64_t storage) {
  Known& k = known();
  std::vector<KeyedPanels> out;
  std::lock_guard hold(k.lock);
  for (auto at = k.panels.lower_bound({.storage = storage});
       at != k.panels.end() && at->first.storage == storage; ++at)
    if (auto panels = at->second.lock()) out.emplace_back(at->first, std::move(panels));
  return out;
}

void tell_of_storages(StorageListener& listener) {
  std::lock_guard hold(known().listeners_lock);
  known().listeners.insert(&listener);
}

void tell_no_more(StorageListener& listener) {
  std::lock_guard hold(known().listeners_lock);
  known().listeners.erase(&listener);
}

void forget_others(uint64_t storage, uint64_t version) {
  Known& k = known();
  std::lock_guard hold(k.listeners_lock);
  for (StorageListener* listener : k.listeners) listener->forget(storage, version);
}

std::shared_ptr<const KeptMemory> find_or_pack(const PanelsKey& key, const Tensor& of,
                                               int64_t bytes,
                                               const std::function<void(void*)>& fill) {
  Known& k = known();
  {
    std::lock_guard hold(k.lock);
    const auto at = k.panels.find(key);
    if (at != k.panels.end()) {
      if (auto panels = at->second.lock()) return panels;
    }
  }
  std::shared_ptr<const KeptMemory> made = of_sources(key, bytes);
  if (!made) {
    made = std::make_shared<const KeptMemory>(bytes, of.device());
    clear(*made, of);
    fill(made->data());
  }
  watch_storage(of.storage());
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
