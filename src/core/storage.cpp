#include "vitro/core/storage.h"

#include <atomic>
#include <new>

#include "core/storage_watch.h"
#include "vitro/base/error.h"
#include "vitro/core/interpreter.h"
#include "vitro/core/per_device.h"

namespace vitro {
namespace {

class PlainMemory : public Allocator {
 public:
  void* allocate(size_t bytes) override {
    void* data = ::operator new(bytes, std::align_val_t{64}, std::nothrow);
    if (!data) throw Error(cat("cpu: cannot allocate ", bytes, " bytes"));
    return data;
  }
  void free(void* data, size_t) override { ::operator delete(data, std::align_val_t{64}); }
};

PerDevice<Allocator>& allocators() {
  static auto* all = [] {
    // Kept when it is replaced: it still owns earlier blocks.
    static auto* plain = new PlainMemory;
    auto* made = new PerDevice<Allocator>;
    made->set(cpu, plain);
    return made;
  }();
  return *all;
}

}  // namespace

Allocator& allocator_of(Device device) {
  Allocator* found = allocators().find(device);
  VITRO_CHECK(found, "no allocator is registered for device ", device);
  return *found;
}

void set_allocator(Device device, Allocator* allocator) {
  allocators().set(device, allocator);
}

uint64_t Storage::next_id() {
  static std::atomic<uint64_t> last{0};
  return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

Storage Storage::allocate(size_t bytes, Device device) {
  Allocator& from = allocator_of(device);
  Storage made;
  made.block_ = new Block;
  made.block_->id = next_id();
  made.block_->is_inference = InferenceMode::is_enabled();
  made.block_->device = device;
  made.block_->allocator = &from;
  made.block_->data = from.allocate(bytes);
  made.block_->bytes = bytes;
  return made;
}

Storage Storage::adopt(void* data, size_t bytes, Device device, UniqueFunction release) {
  Storage made;
  made.block_ = new Block;
  made.block_->id = next_id();
  made.block_->is_inference = InferenceMode::is_enabled();
  made.block_->device = device;
  made.block_->data = data;
  made.block_->bytes = bytes;
  made.block_->release = std::move(release);
  made.block_->exposed = true;
  return made;
}

void Storage::destroy(Block* block) {
  if (block->allocator && block->data) block->allocator->free(block->data, block->bytes);
  if (block->release) block->release();
  tell_watcher(block->id);
  delete block;
}

}  // namespace vitro
