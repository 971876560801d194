// A package of torch.export.save, `model.pt2`: its entries checked, the text of its programs, and
// its weights mapped in place.  What the programs say is for others to read.
//   auto package = Package::open("model.pt2");
//   if (!package) return package.failure();
//   auto model = package->model();                       // of one model, or by name
//   Result<Tensor> weight = model->weight("encoder.weight");
// Both layouts are read: `models/NAME.json` in a folder (torch 2.8 and later), and
// `serialized_exported_program.json` (torch 2.4 to 2.7).  Nothing of a package is executed: pickled
// tensors of older layouts go through unpickle.h.
// Failures begin with the path of the file and name the entry.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "vitro/base/result.h"
#include "vitro/core/tensor.h"

namespace vitro::io {

class PackageArchive;

// A parameter, buffer or constant, as the package describes it.
struct PackageTensor {
  std::string name;  // "encoder.layer.0.weight"
  bool is_parameter = false;
};

// One program of a package.  Copies share the archive; valid after its Package, too.  Threads: any
// number may use it.
class PackageModel {
 public:
  std::string name;                // "model" unless the exporter gave names
  std::string_view program_json;   // the text of models/NAME.json, its checksum verified
  bool has_sample_inputs = false;  // (args, kwargs) of the export; they may be damaged
  // Parameters and persistent buffers; lifted constants and the other buffers.  In the order of the
  // file, each name once.
  std::vector<PackageTensor> weights, constants;

  // The tensor over the file's bytes, without a copy (with one if a foreign writer has not aligned
  // them).  Tensors whose storage the exported module shared share memory here: a write to one
  // shows in the others, in every later call of these functions for this Package, and never in the
  // file.  A PackageTensor that cannot be had (a dtype that Vitro lacks, a view outside its
  // storage, a pickled subclass) is a Failure of its own here and not one of the package.
  Result<Tensor> weight(std::string_view tensor_name) const;
  Result<Tensor> constant(std::string_view tensor_name) const;

  // The tensors of the sample inputs: those of the positional arguments, then those of the keyword
  // ones, each in the order of torch's flattened arguments; other leaves are left out.  Failure if
  // there are no sample inputs, or if they are damaged or need Python classes.
  Result<std::vector<Tensor>> sample_tensors() const;

 private:
  friend class Package;
  std::shared_ptr<const PackageArchive> archive_;
  size_t index_ = 0;
};

class Package {
 public:
  // Reads the directory of the archive, the lists of weights and the programs' texts; weights are
  // touched when they are used.  A Failure says what the file is instead (a package of AOTInductor,
  // TorchScript, a checkpoint of torch.save, safetensors, ONNX, ...) and what to do.
  // The file must not be truncated while it is open: the system kills programs that touch the
  // missing part.  check() tells in time.
  static Result<Package> open(const std::string& path);

  const std::string& path() const;
  const std::vector<PackageModel>& models() const { return models_; }
  // The model of this name; without a name the only one.
  Result<PackageModel> model(std::string_view name = {}) const;

  // "0" for a folder with models; the version of the schema ("8.2") in the layout before.
  const std::string& archive_version() const;
  // Whether the layout is that of torch 2.4 to 2.7.
  bool is_flat() const;
  // Digits over the names and the bytes of all entries, equal for equal packages; empty if the
  // writer gave none.
  const std::string& serialization_id() const;
  // Files that the exporter added (`extra_files`), by name.
  const std::vector<std::string>& extra_files() const;
  Result<std::string_view> extra_file(std::string_view name) const;

  // Whether the file is still as large as when it was opened.
  Result<Done> check() const;
  // Compares the checksums of all entries, for which it reads the file completely.
  Result<Done> verify() const;

 private:
  std::shared_ptr<const PackageArchive> archive_;
  std::vector<PackageModel> models_;
};

}  // namespace vitro::io
