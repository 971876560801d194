#include "vitro/analyze/resident.h"

#include <map>
#include <mutex>
#include <new>
#include <string>
#include <utility>

#include "analyze/store/kept.h"
#include "analyze/store/mapped.h"
#include "vitro/base/error.h"

namespace vitro::analyze {
namespace {

// Mappings in use, by address.
struct Taken {
  std::mutex lock;
  std::map<void*, Mapped> all;
};

Taken& taken() {
  static auto* all = new Taken;
  return *all;
}

}  // namespace

void* take_file_memory(size_t bytes) {
  try {
    auto mapped = Mapped::scratch(folder_to_write(), bytes);
    if (!mapped) return nullptr;
    void* memory = mapped->data();
    std::lock_guard hold(taken().lock);
    taken().all.emplace(memory, *std::move(mapped));
    return memory;
  } catch (const Error&) {  // no writable folder
    return nullptr;
  }
}

bool give_back_file_memory(void* memory) {
  // Destroyed after the lock is released: freeing it may call this function again, as `vitro trace`
  // does for memory at the start of a page.
  std::map<void*, Mapped>::node_type given_back;
  std::lock_guard hold(taken().lock);
  const auto place = taken().all.find(memory);
  if (place == taken().all.end()) return false;
  given_back = taken().all.extract(place);
  return true;
}

}  // namespace vitro::analyze
