#include "vitro/core/storage.h"

#include <array>
#include <new>

#include "core/storage_watch.h"
#include "vitro/base/error.h"

namespace vitro {
namespace {

class PlainMemory : public Allocator {
 public:
  void* allocate(size_t bytes) override {
    void* data = ::operator new(bytes, std::align_val_t{64}, std::nothrow);
    VITRO_CHECK(data, "cpu: no memory for ", bytes, " bytes");
    return data;
  }
  void free(void* data, size_t) override { ::operator delete(data, std::align_val_t{64}); }
};

std::array<std::atomic<Allocator*>, device_slots>& slots() {
  static auto* all = [] {
    // Kept when another takes its place: blocks may be its.
    static auto* plain = new PlainMemory;
    auto* made = new std::array<std::atomic<Allocator*>, device_slots>{};
    (*made)[slot_of(cpu)] = plain;
    return made;
  }();
  return *all;
}

}  // namespace

Allocator& allocator_of(Device device) {
  Allocator* found = slots()[slot_of(device)].load(std::memory_order_acquire);
  VITRO_CHECK(found, "no memory for device ", device, ": nobody has registered it");
  return *found;
}

void set_allocator(Device device, Allocator* allocator) {
  slots()[slot_of(device)].store(allocator, std::memory_order_release);
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
  made.block_->device = device;
  made.block_->allocator = &from;
  made.block_->data = from.allocate(bytes);
  made.block_->bytes = bytes;
  return made;
}

Storage Storage::adopt(void* data, size_t bytes, Device device, std::function<void()> release) {
  Storage made;
  made.block_ = new Block;
  made.block_->id = next_id();
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
