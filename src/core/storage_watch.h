// The side of include/vitro/core/storage_watch.h that storages call.
#pragma once

#include <cstdint>

namespace vitro {

// Calls the watcher if the storage, which is being destroyed, is watched.
void tell_watcher(uint64_t id);

}  // namespace vitro
