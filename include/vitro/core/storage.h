// Reference-counted memory that tensors share.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "vitro/base/unique_function.h"
#include "vitro/core/device.h"

namespace vitro {

// Allocates and frees the memory of a device, aligned to at least 64 bytes.  `allocate` throws
// Error if there is not enough.  Threads: any.
class Allocator {
 public:
  virtual ~Allocator() = default;
  virtual void* allocate(size_t bytes) = 0;
  virtual void free(void* data, size_t bytes) = 0;
};

// The allocator of a device; for the CPU operator new until `runtime` registers its own.  Error if
// there is none.
Allocator& allocator_of(Device device);
void set_allocator(Device device, Allocator* allocator);

class Storage {
 public:
  Storage() = default;
  static Storage allocate(size_t bytes, Device device);
  // Wraps memory that is owned elsewhere; `release` is called once, by the thread that drops the
  // last reference.  Adopt memory once and share the storage: compiled functions, like PyTorch's,
  // assume that different storages do not overlap.
  static Storage adopt(void* data, size_t bytes, Device device, UniqueFunction release);

  Storage(const Storage& o) : block_(o.block_) { retain(); }
  Storage(Storage&& o) noexcept : block_(std::exchange(o.block_, nullptr)) {}
  Storage& operator=(Storage o) noexcept {
    std::swap(block_, o.block_);
    return *this;
  }
  ~Storage() { release(); }

  explicit operator bool() const { return block_ != nullptr; }
  // A device address.
  void* data() const { return block_->data; }
  size_t bytes() const { return block_->bytes; }
  Device device() const { return block_->device; }
  // Never reused in the process: for caches keyed by storage.
  uint64_t id() const { return block_->id; }
  // Counts the writes by ops, and the writable pointers handed out.  Caches of data derived from
  // the bytes (packed weights) compare it.
  uint64_t version() const { return block_->version.load(std::memory_order_acquire); }
  void bump_version() const { block_->version.fetch_add(1, std::memory_order_acq_rel); }
  // Counts the writes by ops in the order in which the program calls them: a compiled function
  // counts a call that writes before its kernels run.  To notice that a value saved for a gradient
  // is no longer what it was.
  uint32_t writes() const { return block_->writes.load(std::memory_order_acquire); }
  void add_writes(uint32_t count) const {
    block_->writes.fetch_add(count, std::memory_order_acq_rel);
  }
  // Whether it was allocated in the scope of an InferenceMode.
  bool is_inference() const { return block_->is_inference; }
  // True once a writable pointer was handed out: the version then proves nothing, as writes through
  // the pointer do not change it.
  bool exposed() const { return block_->exposed.load(std::memory_order_acquire); }
  void set_exposed(bool on) const { block_->exposed.store(on, std::memory_order_release); }
  uint32_t use_count() const { return block_ ? block_->refs.load(std::memory_order_acquire) : 0; }
  friend bool operator==(const Storage& a, const Storage& b) { return a.block_ == b.block_; }

 private:
  struct Block {
    std::atomic<uint32_t> refs{1};
    std::atomic<bool> exposed{false};
    bool is_inference = false;
    Device device;
    void* data = nullptr;
    size_t bytes = 0;
    uint64_t id = 0;
    std::atomic<uint64_t> version{0};
    std::atomic<uint32_t> writes{0};
    Allocator* allocator = nullptr;
    UniqueFunction release;
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
