// Panels of parameters, packed once and kept while the parameter is as it was.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "vitro/base/hash.h"
#include "vitro/core/tensor.h"

namespace vitro::backend {

// Memory of a device with the panels of a matrix.
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

// What panels were made of: whoever has the same key has the same panels.
struct PanelsKey {
  uint64_t storage = 0, version = 0;
  int64_t offset = 0;  // bytes
  Hash layout = {};    // of the kernel's text and of the sizes
  auto operator<=>(const PanelsKey&) const = default;
};

// The panels for the key, which are of the tensor; made by `fill` when nobody holds them.  They
// live as long as somebody holds them.  Threads: any; two that ask for the same panels at once may
// both make them.
std::shared_ptr<const Panels> find_or_pack(const PanelsKey& key, const Tensor& of, int64_t bytes,
                                           const std::function<void(void*)>& fill);

class KeptPanels;
// From now on, and no more: it forgets the panels of a storage that is gone or, when panels of its
// new bytes are made, written.
void tell_of_storages(KeptPanels& kept);
void tell_no_more(KeptPanels& kept);
// Everybody forgets the panels of what the storage held before this version.
void forget_before(const PanelsKey& key);

// The key of a tensor's panels; false where its storage was handed out for writing, so that nothing
// can be kept.
bool panels_key(const Tensor& tensor, const Hash& layout, PanelsKey* key);

}  // namespace vitro::backend
