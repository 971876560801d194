#include "core/storage_table.h"

namespace vitro {

void StorageTable::add(uint64_t storage, uint32_t number) {
  if (++count_ * 2 > entries_.size()) {
    std::vector<Entry> old(entries_.size() * 2);
    old.swap(entries_);
    count_ = 1;
    for (const Entry& e : old) {
      if (e.epoch == epoch_) add(e.storage, e.number);
    }
  }
  size_t i = place_of(storage);
  while (entries_[i].epoch == epoch_) i = (i + 1) & (entries_.size() - 1);
  entries_[i] = {storage, epoch_, number};
}

}  // namespace vitro
