// What the models of a package share: the mapped file, its directory, the records of all tensors,
// and the storages that were made of them.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "io/mapped_file.h"
#include "io/pt2/checkpoint.h"
#include "io/pt2/package.h"
#include "io/pt2/tensor_record.h"
#include "io/zip_archive.h"

namespace vitro::io {

// The tensors of one list, by name.
class TensorList {
 public:
  TensorList() = default;
  // `kind` is what messages call its tensors: "weight".
  TensorList(std::string_view kind, std::vector<TensorRecord> records);

  const std::vector<TensorRecord>& records() const { return records_; }
  // Failure, without a path, that suggests a name if there is none.
  Result<const TensorRecord*> find(std::string_view name) const;

 private:
  std::string_view kind_;
  std::vector<TensorRecord> records_;
  std::vector<uint32_t> by_name_;
};

// Threads: any number may use it once it is complete.
class PackageArchive {
 public:
  static Result<std::shared_ptr<PackageArchive>> open(const std::string& path);

  const std::string& path() const { return file->path(); }
  Failure failure(const std::string& why) const;
  // The text of an entry, whose checksum is right; of a file that is not there, a Failure.
  Result<std::string_view> text(std::string_view name, uint64_t largest) const;
  // The weights or constants of a model: from a list, or from a pickled dict.
  Result<TensorList> list(std::string_view kind, const std::string& config,
                          const std::string& pickle);
  Result<Tensor> tensor(const TensorList& list, std::string_view name) const;
  // The tensors of an entry that is a file of torch.save with (args, kwargs).
  Result<std::vector<Tensor>> samples(const ZipEntry& entry) const;

  std::shared_ptr<const MappedFile> file;
  ZipArchive archive;
  std::string root;  // the folder of all entries, with the "/"; empty in the flat layout
  bool flat = false;
  std::string version, serialization_id;
  std::vector<std::string> extra_files;
  std::string extra_folder;
  struct Model {
    TensorList weights, constants;
    const ZipEntry* samples;  // null: none
  };
  std::deque<Model> models;
  std::deque<Checkpoint> checkpoints;

 private:
  Result<Storage> storage(const TensorRecord& record) const;
  Result<Tensor> make(const TensorRecord& record) const;

  mutable std::mutex lock_;
  mutable std::map<const std::byte*, Storage> storages_;  // by the first byte; under the lock
};

}  // namespace vitro::io
