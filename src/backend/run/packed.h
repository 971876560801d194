// Panels of parameters, packed once and kept while the parameter is unchanged.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "vitro/base/hash.h"
#include "vitro/core/tensor.h"

namespace vitro::backend {

// Owns device memory with the panels of a matrix.
class Panels {
 public:
  Panels(int64_t bytes, Device device);
  ~Panels();
  Panels(const Panels&) = delete;
  void* data() const { return data_; }

 private:
  Allocator& memory_;
  void* data_;
  size_t bytes_;
};

// Identifies panels by their source: equal keys mean equal panels.
struct PanelsKey {
  uint64_t storage = 0, version = 0;
  int64_t offset = 0;  // bytes
  Hash layout = {};    // of packing and sizes
  auto operator<=>(const PanelsKey&) const = default;
};

// Returns the tensor's panels for the key; calls `fill` to pack them if nobody holds them.  They
// live as long as a pointer to them.  Any thread; concurrent calls for the same key may both pack.
std::shared_ptr<const Panels> find_or_pack(const PanelsKey& key, const Tensor& of, int64_t bytes,
                                           const std::function<void(void*)>& fill);

class KeptPanels;
// Registers and unregisters `kept`.  While registered, it drops the panels of a storage when that
// is destroyed, or when panels of a newer version are packed.
void tell_of_storages(KeptPanels& kept);
void tell_no_more(KeptPanels& kept);
// Makes all registered ones drop the storage's panels of other versions.
void forget_before(const PanelsKey& key);

// Sets the key of a tensor's panels; false if its storage was exposed for writing, so that panels
// cannot be kept.
bool panels_key(const Tensor& tensor, const Hash& layout, PanelsKey* key);

}  // namespace vitro::backend
