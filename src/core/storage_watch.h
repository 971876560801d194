// What storages do for include/vitro/core/storage_watch.h.
#pragma once

#include <cstdint>

namespace vitro {

// A storage is gone.
void tell_watcher(uint64_t id);

}  // namespace vitro
