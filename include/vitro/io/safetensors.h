// Reads and writes safetensors files: named tensors, mapped into memory as they lie in the file.
//   auto file = io::Safetensors::read("model.safetensors");
//   if (!file) return file.failure();
//   Result<Tensor> weight = file->tensor("encoder.weight");
//   io::write_safetensors("copy.safetensors", {{"encoder.weight", *weight}});
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "vitro/base/result.h"
#include "vitro/core/tensor.h"

namespace vitro::io {

// One tensor of a file, with whatever dtype the format knows.
struct SafetensorsEntry {
  std::string name;
  std::string dtype;  // the format's word: "F32", "BF16", "F8_E4M3", ...
  std::vector<int64_t> sizes;
  uint64_t begin = 0;                // its place in the file
  std::span<const std::byte> bytes;  // contiguous, little-endian; lives as long as the Safetensors
};

// An open file.  The whole of it is checked when it is read: header, places, sizes.  Copies share
// the mapping.  Threads: any number may read.
class Safetensors {
 public:
  // A broken or hostile file is a Failure with the byte where it goes wrong.  The file must not be
  // shortened by others while it is open: the system ends programs that read what is gone.
  static Result<Safetensors> read(const std::string& path);

  const std::string& path() const { return path_; }
  const std::vector<SafetensorsEntry>& entries() const { return entries_; }  // in order of place
  const std::map<std::string, std::string>& metadata() const { return metadata_; }
  const SafetensorsEntry* find(std::string_view name) const;  // null: there is none

  // The tensor over the mapped bytes, without a copy.  It may be written to: the file stays as it
  // is, and so do other tensors of the same name.  The mapping lives as long as any of its tensors.
  // Failure where there is no such name, or Vitro has no such dtype.
  Result<Tensor> tensor(std::string_view name) const;

 private:
  struct Mapping;
  Failure no_tensor(std::string_view name) const;

  std::string path_;
  std::shared_ptr<const Mapping> mapping_;
  std::vector<SafetensorsEntry> entries_;
  std::vector<uint32_t> by_name_;  // entries in order of their names
  std::map<std::string, std::string> metadata_;
};

struct NamedTensor {
  std::string name;
  Tensor tensor;
};

// Writes a file that appears whole or not at all.  Tensors of any layout are written contiguous,
// those with wide elements first and then by name: the same tensors give the same bytes.
// Error where a name is there twice or is no UTF-8, or the file cannot be written.
void write_safetensors(const std::string& path, std::vector<NamedTensor> tensors,
                       const std::map<std::string, std::string>& metadata = {});

}  // namespace vitro::io
