// The part of a file of `vitro compile` that a package of torch.export does not have: plans and
// modules for each instruction set that it was compiled for, and what the calls were compiled with.
//   auto file = CompiledFile::open("model.vitro");       // a Result; null: a file without that
//   part if (*file) jit::add_entry_source(*file);
// In the archive, below the folder of the package's entries if it has one:
//   vitro/compiled          what follows, a line each: `struct CompiledHeader`
//   vitro/ISA/KEY.plan      vitro/ISA/KEY.so
//   vitro/ISA/panels/KEY    weights as kernels read them (packed_weights.h), mapped in place
// The modules are native code, which is run: open only files that you trust.
// Threads: any number may use it.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "backend/jit/entry_source.h"
#include "backend/jit/target.h"
#include "compile/pipeline.h"
#include "io/mapped_file.h"
#include "io/zip_archive.h"
#include "io/zip_writer.h"
#include "vitro/base/result.h"

namespace vitro::exported {

struct CompiledTarget {
  std::string isa, triple, features;
  bool bf16_tiles = false;
};

struct CompiledHeader {
  std::string build;  // base/build_id.h
  std::string model;  // its name in the package
  std::string name;   // as in CompileOptions
  bool exact = false;
  // Of a file without weights: the package that has them, and what it was.
  std::string package, identity;
  std::vector<CompiledTarget> targets;
};

class CompiledFile final : public jit::EntrySource {
 public:
  // Failure: it is damaged, or it fits neither this machine nor this library.
  static Result<std::shared_ptr<const CompiledFile>> open(const std::string& path);

  const CompiledHeader& header() const { return header_; }
  // The file with the program and the weights.
  const std::string& package() const { return package_; }
  std::optional<std::string> find(std::string_view key, jit::EntryKind kind) const override;
  // Mapped as long as the file lives; nothing if they are not there.
  std::optional<std::span<const std::byte>> panels(std::string_view key) const;

 private:
  Result<Done> choose_target();
  Result<Done> verify() const;  // the entries for this machine, except panels
  Result<Done> find_package();

  std::shared_ptr<const io::MappedFile> file_;
  io::ZipArchive archive_;
  std::string folder_;  // of the entries for this machine, with the "/"
  std::string package_;
  CompiledHeader header_;
};

// The target of an instruction set for machines like this one; nothing if there is none of the
// name.
std::optional<kernels::Isa> isa_named(std::string_view name);
CompiledTarget compiled_target(kernels::Isa isa);

// Tells packages apart: digits over the names, sizes and checksums of all entries.
Result<std::string> identity_of(const std::string& package);

// The path of a package as a file keeps it: absolute, or from the folder of the file if it is
// below.
std::string path_from(const std::string& file, const std::string& package);

// What a file has for one of the header's targets.  Panels, by key, must live until it is written.
struct TargetEntries {
  pipeline::TargetCode code;
  std::map<std::string, std::span<const std::byte>> panels;
};

// Writes a file: the entries of the package, unless the header says where it is, then those of the
// targets, in the order of the header's.  Error: it cannot be written.
void write_compiled_file(const std::string& path, const std::string& package,
                         const CompiledHeader& header, std::span<const TargetEntries> targets);

}  // namespace vitro::exported
