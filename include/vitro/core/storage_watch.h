// Tells caches of data derived from a storage's bytes (packed weights) when the storage is gone.
//   set_storage_watcher(forget);   watch_storage(tensor.storage());
// Costs one load for a storage that is not watched.  Threads: any; the watcher is called on the
// thread that drops the last reference, without a lock held.
#pragma once

#include "vitro/core/storage.h"

namespace vitro {

using StorageWatcher = void (*)(uint64_t id);

// Sets the watcher of the process, replacing the previous one.
void set_storage_watcher(StorageWatcher watcher);
// The watcher will be called once with the id of this storage, when it is destroyed.
void watch_storage(const Storage& storage);

}  // namespace vitro
