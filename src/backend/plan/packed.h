// Panels of parameters, packed once and kept while the parameter is as it was.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "vitro/base/hash.h"
#include "vitro/core/tensor.h"

namespace vitro::backend {

// Memory with the panels of a matrix.
class Panels {
 public:
  explicit Panels(int64_t bytes);
  ~Panels();
  Panels(const Panels&) = delete;
  void* data() const { return data_; }

 private:
  void* data_;
  size_t bytes_;
};

// What panels were made of: whoever has the same key has the same panels.
struct PanelsKey {
  uint64_t storage = 0, version = 0;
  int64_t offset = 0;  // bytes
  Hash layout;         // of the kernel's text and of the sizes
  auto operator<=>(const PanelsKey&) const = default;
};

// The panels for the key; made by `fill` when nobody holds them.  They live as long as somebody
// holds them.  Threads: any; two that ask for the same panels at once may both make them.
std::shared_ptr<const Panels> find_or_pack(const PanelsKey& key, int64_t bytes,
                                           const std::function<void(void*)>& fill);

// The key of a tensor's panels; false where its storage was handed out for writing, so that nothing
// can be kept.
bool panels_key(const Tensor& tensor, const Hash& layout, PanelsKey* key);

}  // namespace vitro::backend
