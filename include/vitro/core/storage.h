// Memory that tensors share, counted.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>

#include "vitro/core/device.h"

namespace vitro {

// Where a device's memory comes from.  Threads: any.  `allocate` throws Error when there is none;
// 64-byte aligned at least.
class Allocator {
 public:
  virtual ~Allocator() = default;
  virtual void* allocate(size_t bytes) = 0;
  virtual void free(void* data, size_t bytes) = 0;
};

// The allocator of a device; plain aligned memory for the CPU until `runtime` registers its own.
Allocator& allocator_of(Device device);
void set_allocator(Device device, Allocator* allocator);

class Storage {
 public:
  Storage() = default;
  static Storage allocate(size_t bytes, Device device);
  // Memory of somebody else's; `release` is called once, from whatever thread lets go last.  Adopt
  // memory once and share the storage: compiled functions, as PyTorch's, take two storages for two
  // memories.
  static Storage adopt(void* data, size_t bytes, Device device, std::function<void()> release);

  Storage(const Storage& o) : block_(o.block_) { retain(); }
  Storage(Storage&& o) noexcept : block_(std::exchange(o.block_, nullptr)) {}
  Storage& operator=(Storage o) noexcept {
    std::swap(block_, o.block_);
    return *this;
  }
  ~Storage() { release(); }

  explicit operator bool() const { return block_ != nullptr; }
  // An address of the device.
  void* data() const { return block_->data; }
  size_t bytes() const { return block_->bytes; }
  Device device() const { return block_->device; }
  // A number that no other storage ever had: for caches keyed by storage.
  uint64_t id() const { return block_->id; }
  // Counts the writes made through ops.  Whoever keeps something derived from the bytes (packed
  // weights) compares it.
  uint64_t version() const { return block_->version.load(std::memory_order_acquire); }
  void bump_version() const { block_->version.fetch_add(1, std::memory_order_acq_rel); }
  // True once a writable pointer was handed out: then the version proves nothing, until freeze()
  // takes that back.
  bool exposed() const { return block_->exposed.load(std::memory_order_acquire); }
  void set_exposed(bool on) const { block_->exposed.store(on, std::memory_order_release); }
  uint32_t use_count() const { return block_ ? block_->refs.load(std::memory_order_acquire) : 0; }
  friend bool operator==(const Storage& a, const Storage& b) { return a.block_ == b.block_; }

 private:
  struct Block {
    std::atomic<uint32_t> refs{1};
    std::atomic<bool> exposed{false};
    Device device;
    void* data = nullptr;
    size_t bytes = 0;
    uint64_t id = 0;
    std::atomic<uint64_t> version{0};
    Allocator* allocator = nullptr;
    std::function<void()> release;
  };
  static uint64_t next_id();
  void retain() const {
    if (block_) block_->refs.fetch_add(1, std::memory_order_relaxed);
  }
  void release() {
    if (block_ && block_->refs.fetch_sub(1, std::memory_order_acq_rel) == 1) destroy(block_);
  }
  static void destroy(Block* block);
  Block* block_ = nullptr;
};

}  // namespace vitro
