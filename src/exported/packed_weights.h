// The panels that kernels read instead of a model's weights (backend/run/packed.h), to and from a
// compiled file, where a weight's name stands for its memory.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "backend/run/packed.h"
#include "exported/compiled_file.h"
#include "vitro/exported/model.h"

namespace vitro::exported {

// By the keys of their entries.
using NamedPanels = std::map<std::string, std::shared_ptr<const backend::KeptMemory>>;

// The memory of weights as it was loaded, by the numbers of storages; of a storage that several
// share the name of the first one.
class LoadedWeights {
 public:
  LoadedWeights() = default;
  explicit LoadedWeights(std::span<const ModelWeight> weights);

  // The key of an entry with these panels; empty if they are of other memory, or of another
  // version: it was written since.
  std::string key_of(const backend::PanelsKey& panels) const;
  // All that are in memory.
  NamedPanels panels() const;

 private:
  struct Known {
    std::string name;
    uint64_t version;
    Storage storage;
  };
  std::unordered_map<uint64_t, Known> known_;
};

// The panels of a file, for the weights that were loaded with it.
class FilePanels final : public backend::PanelsSource {
 public:
  FilePanels(std::shared_ptr<const CompiledFile> file, LoadedWeights weights)
      : file_(std::move(file)), weights_(std::move(weights)) {}
  std::shared_ptr<const backend::KeptMemory> find(const backend::PanelsKey& key,
                                                  int64_t bytes) const override;

 private:
  std::shared_ptr<const CompiledFile> file_;
  LoadedWeights weights_;
};

}  // namespace vitro::exported
