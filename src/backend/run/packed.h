// Panels of parameters, packed once and kept while the parameter is unchanged.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "vitro/base/hash.h"
#include "vitro/core/tensor.h"

namespace vitro::backend {

// Device memory with the panels of a matrix, or with other results of parameters.
class KeptMemory {
 public:
  KeptMemory(int64_t bytes, Device device);
  // Of a file, which `owner` keeps; it is not written.
  KeptMemory(std::span<const std::byte> bytes, std::shared_ptr<const void> owner);
  ~KeptMemory();
  KeptMemory(const KeptMemory&) = delete;
  void* data() const { return data_; }
  std::span<const std::byte> bytes() const { return {static_cast<const std::byte*>(data_), size_}; }

 private:
  Allocator* memory_;  // null: of a file
  std::shared_ptr<const void> owner_;
  void* data_;
  size_t size_;
};

// Identifies panels by their source: equal keys mean equal panels.
struct PanelsKey {
  uint64_t storage = 0, version = 0;
  int64_t offset = 0;  // bytes
  Hash layout = {};    // of packing and sizes
  auto operator<=>(const PanelsKey&) const = default;
};

// Panels that come with a file, used instead of packing.  Threads: any.
class PanelsSource {
 public:
  virtual ~PanelsSource() = default;
  // Null: it does not have them, of this size.
  virtual std::shared_ptr<const KeptMemory> find(const PanelsKey& key, int64_t bytes) const = 0;
};
// Panels are found in it as long as it lives.
void add_panels_source(const std::shared_ptr<const PanelsSource>& source);

using KeyedPanels = std::pair<PanelsKey, std::shared_ptr<const KeptMemory>>;
// All panels of a storage that are in memory, in the order of their keys.
std::vector<KeyedPanels> panels_of(uint64_t storage);

// Returns the tensor's panels for the key; calls `fill` to pack them if nobody holds them.  They
// live as long as a pointer to them.  Any thread; concurrent calls for the same key may both pack.
std::shared_ptr<const KeptMemory> find_or_pack(const PanelsKey& key, const Tensor& of,
                                               int64_t bytes,
                                               const std::function<void(void*)>& fill);

// Keeps something of parameters.  While registered, it drops what it keeps of a storage when that
// is destroyed, or when something of a newer version is kept.
class StorageListener {
 public:
  // Drops what is kept of a storage, except of `but_version`.  Versions count from 0.
  virtual void forget(uint64_t storage, uint64_t but_version) = 0;

 protected:
  ~StorageListener() = default;
};
void tell_of_storages(StorageListener& listener);
void tell_no_more(StorageListener& listener);
// Makes all registered ones drop what they keep of the storage's other versions.
void forget_others(uint64_t storage, uint64_t version);

// Sets the key of a tensor's panels; false if its storage was exposed for writing, so that panels
// cannot be kept.
bool panels_key(const Tensor& tensor, const Hash& layout, PanelsKey* key);

}  // namespace vitro::backend
