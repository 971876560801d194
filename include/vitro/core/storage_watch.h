// Who keeps something that is made of a storage's bytes (packed weights) hears when it is gone.
//   set_storage_watcher(forget);   watch_storage(tensor.storage());
// A storage that nobody watches pays one load of a bit for it.  Threads: any; the watcher is called
// on the thread that let go last, without a lock held.
#pragma once

#include "vitro/core/storage.h"

namespace vitro {

using StorageWatcher = void (*)(uint64_t id);

// One for the process; the last one set.
void set_storage_watcher(StorageWatcher watcher);
// The watcher hears of this storage's end, once.
void watch_storage(const Storage& storage);

}  // namespace vitro
