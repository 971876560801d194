#include "exported/packed_weights.h"

#include <cstdint>

#include "io/zip_writer.h"
#include "vitro/base/hash.h"

namespace vitro::exported {

LoadedWeights::LoadedWeights(std::span<const ModelWeight> weights) {
  for (const ModelWeight& one : weights) {
    const Storage& storage = one.tensor.storage();
    if (storage) known_.try_emplace(storage.id(), Known{one.name, storage.version(), storage});
  }
}

std::string LoadedWeights::key_of(const backend::PanelsKey& panels) const {
  const auto found = known_.find(panels.storage);
  if (found == known_.end()) return {};
  const Known& known = found->second;
  if (panels.version != known.version || known.storage.exposed()) return {};
  Hasher h;
  h.add(known.name), h.add(panels.offset), h.add(panels.layout);
  return h.finish().hex();
}

NamedPanels LoadedWeights::panels() const {
  NamedPanels out;
  for (const auto& [storage, known] : known_)
    for (const auto& [key, panels] : backend::panels_of(storage))
      if (std::string name = key_of(key); !name.empty()) out.emplace(std::move(name), panels);
  return out;
}

std::shared_ptr<const backend::KeptMemory> FilePanels::find(const backend::PanelsKey& key,
                                                            int64_t bytes) const {
  const std::string name = weights_.key_of(key);
  if (name.empty()) return nullptr;
  const auto found = file_->panels(name);
  if (!found || static_cast<int64_t>(found->size()) != bytes) return nullptr;
  if (reinterpret_cast<uintptr_t>(found->data()) % io::ZipWriter::alignment != 0) return nullptr;
  return std::make_shared<const backend::KeptMemory>(*found, file_);
}

}  // namespace vitro::exported
