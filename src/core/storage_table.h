// A hash table from storages to numbers.  clear() only counts up, so that reuse does not allocate.
//   StorageTable table;   table.add(x.storage().id(), 3);   *table.find(x.storage().id()) == 3
// Threads: one at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "vitro/core/storage.h"

namespace vitro {

class StorageTable {
 public:
  StorageTable() : entries_(64) {}
  void clear() {
    ++epoch_;
    count_ = 0;
  }
  bool is_empty() const { return count_ == 0; }
  // The number of that storage, or null; valid until the next call of `add`.
  const uint32_t* find(uint64_t storage) const {
    for (size_t i = place_of(storage);; i = (i + 1) & (entries_.size() - 1)) {
      const Entry& e = entries_[i];
      if (e.epoch != epoch_) return nullptr;
      if (e.storage == storage) return &e.number;
    }
  }
  // `storage` must not be in the table.
  void add(uint64_t storage, uint32_t number);
  // Whether the storage was already in the table; adds it otherwise.  False for an empty Storage.
  bool seen(const Storage& storage) {
    if (!storage) return false;
    if (find(storage.id())) return true;
    add(storage.id(), 0);
    return false;
  }

 private:
  struct Entry {
    uint64_t storage = 0, epoch = 0;
    uint32_t number = 0;
  };
  // Ids of storages are often consecutive.  Multiplying spreads them, as runs of used entries would
  // make probing slow.
  size_t place_of(uint64_t storage) const {
    return storage * 0x9e3779b97f4a7c15 >> 32 & (entries_.size() - 1);
  }

  std::vector<Entry> entries_;  // the size is a power of two
  uint64_t epoch_ = 1;
  size_t count_ = 0;
};

}  // namespace vitro
