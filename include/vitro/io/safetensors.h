// Reads and writes safetensors files: named tensors, mapped directly from the file.
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
#include "vitro/core/named_tensor.h"
#include "vitro/core/tensor.h"

namespace vitro::io {

using vitro::NamedTensor;

class MappedFile;

// One tensor of a file, of any dtype of the format.
struct SafetensorsEntry {
  std::string name;
  std::string dtype;  // the format's name: "F32", "BF16", "F8_E4M3", ...
  std::vector<int64_t> sizes;
  uint64_t begin = 0;                // its position in the file
  std::span<const std::byte> bytes;  // contiguous, little-endian; valid as long as the Safetensors
};

// An open file, checked completely when opened: header, positions, sizes.  Copies share the
// mapping. Threads: any number may read.
class Safetensors {
 public:
  // A corrupt or hostile file is a Failure with the byte of the error.  The file must not be
  // truncated by others while it is open: the system kills programs that read the missing part.
  static Result<Safetensors> read(const std::string& path);

  const std::string& path() const { return path_; }
  const std::vector<SafetensorsEntry>& entries() const { return entries_; }  // in order of position
  const std::map<std::string, std::string>& metadata() const { return metadata_; }
  const SafetensorsEntry* find(std::string_view name) const;  // null if there is none

  // The tensor over mapped bytes, without a copy.  It may be written to: the file and other tensors
  // do not change, not even those of the same name.  It may outlive this.
  // Failure if there is no such name, or if Vitro does not support its dtype.
  Result<Tensor> tensor(std::string_view name) const;
  // All of them, in order of their names.
  Result<std::vector<NamedTensor>> tensors() const;

 private:
  Failure no_tensor(std::string_view name) const;

  std::string path_;
  std::shared_ptr<const MappedFile> file_;
  std::vector<SafetensorsEntry> entries_;
  std::vector<uint32_t> by_name_;  // entries in order of their names
  std::map<std::string, std::string> metadata_;
};

// Writes a file that appears complete or not at all.  Tensors of any layout are written
// contiguously, sorted by element width, widest first, then by name: the same tensors give the same
// bytes. Throws Error if a name is duplicate or not UTF-8, or if the file cannot be written.
void write_safetensors(const std::string& path, std::vector<NamedTensor> tensors,
                       const std::map<std::string, std::string>& metadata = {});

}  // namespace vitro::io
