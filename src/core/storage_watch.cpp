#include "core/storage_watch.h"

#include <array>
#include <mutex>
#include <unordered_set>

#include "vitro/core/storage_watch.h"

namespace vitro {
namespace {

// The watched ids, and a filter of bits by which other storages skip the lock.
class Watched {
 public:
  void add(uint64_t id) {
    std::lock_guard hold(lock_);
    ids_.insert(id);
    word(id).fetch_or(bit(id), std::memory_order_relaxed);
  }
  bool may_have(uint64_t id) { return word(id).load(std::memory_order_relaxed) & bit(id); }
  bool remove(uint64_t id) {
    std::lock_guard hold(lock_);
    return ids_.erase(id) != 0;
  }

 private:
  static constexpr size_t words = 1024;
  std::atomic<uint64_t>& word(uint64_t id) { return bits_[id / 64 % words]; }
  static uint64_t bit(uint64_t id) { return uint64_t{1} << id % 64; }

  std::mutex lock_;
  std::unordered_set<uint64_t> ids_;
  std::array<std::atomic<uint64_t>, words> bits_ = {};
};

Watched& watched() {
  static auto* one = new Watched;
  return *one;
}
std::atomic<StorageWatcher>& watcher() {
  static auto* one = new std::atomic<StorageWatcher>{nullptr};
  return *one;
}

}  // namespace

void set_storage_watcher(StorageWatcher to) {
  watcher().store(to, std::memory_order_release);
}

void watch_storage(const Storage& storage) {
  watched().add(storage.id());
}

void tell_watcher(uint64_t id) {
  if (!watched().may_have(id) || !watched().remove(id)) return;
  if (const StorageWatcher tell = watcher().load(std::memory_order_acquire)) tell(id);
}

}  // namespace vitro
