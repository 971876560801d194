// A file of torch.save: a zip archive with one pickle and the storages of its tensors.  Older
// packages hold their weights in such files.
//   Result<Checkpoint> checkpoint = Checkpoint::over(bytes);
//   Result<std::vector<TensorRecord>> tensors = checkpoint->state_dict();
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "io/pt2/tensor_record.h"
#include "io/pt2/unpickle.h"
#include "io/zip_archive.h"
#include "vitro/base/result.h"

namespace vitro::io {

// Threads: any number may read.
class Checkpoint {
 public:
  // The bytes must outlive it.  Failures have no path.
  static Result<Checkpoint> over(std::span<const std::byte> bytes);

  const Pickle& pickle() const { return pickle_; }
  // The archive that holds the storages.
  const ZipArchive& archive() const { return *archive_; }

  // A tensor of the pickle.
  TensorRecord record(const PickledTensor& tensor, std::string name) const;
  // The tensors of a dict from names to tensors, in its order; records stay valid as long as this.
  Result<std::vector<TensorRecord>> state_dict() const;

 private:
  std::shared_ptr<const ZipArchive> archive_;
  std::string root_;  // of its entries, with the "/"
  Pickle pickle_;
};

// The folder in which all entries of an archive of PyTorch are, with the "/": that of the first.
// Empty if there is none.
std::string_view root_of(const ZipArchive& archive);

}  // namespace vitro::io
