// Makes files in memory of the bytes, as a whole and as a part of a package, and reads all that
// they hold.
#include "io/read_any.h"

#include <string>

#include "io/elements.h"
#include "io/memory_file.h"
#include "io/pt2/package.h"
#include "io/pt2/program.h"
#include "io/zip_writer.h"
#include "vitro/base/cat.h"
#include "vitro/base/error.h"
#include "vitro/io/npy.h"
#include "vitro/io/safetensors.h"

namespace vitro::io {
namespace {

// Sums bytes, so that each must be there.
class Touched final : public report::Output {
 protected:
  void drain(std::string_view bytes) override {
    for (const char c : bytes) sum_ = sum_ + static_cast<unsigned char>(c);
  }

 private:
  volatile unsigned sum_ = 0;
};

// Tensors that are larger than the file, by strides of 0, are only looked at in part.
void touch(const Tensor& tensor) {
  constexpr int64_t most = 1 << 20;
  if (element_bytes(tensor) > most) return;
  Touched out;
  write_elements(out, tensor);
  out.finish();
}

template <class T>
void touch(const Result<T>& result) {
  VITRO_CHECK(result || !result.why().empty(), "a refusal has no reason");
  if (!result) return;
  if constexpr (std::is_same_v<T, Tensor>) {
    touch(*result);
  } else if constexpr (std::is_same_v<T, std::vector<Tensor>>) {
    for (const Tensor& tensor : *result) touch(tensor);
  }
}

void touch_names(const Program& program) {
  Touched out;
  for (const std::string& path : argument_paths(program)) out.write(path);
  for (const std::string& path : leaf_paths(program.out, "")) out.write(path);
  out.finish();
}

void read_package(const std::string& path) {
  const auto package = Package::open(path);
  touch(package);
  if (!package) return;
  for (const PackageModel& model : package->models()) {
    for (const PackageTensor& tensor : model.weights) touch(model.weight(tensor.name));
    for (const PackageTensor& tensor : model.constants) touch(model.constant(tensor.name));
    touch(model.weight("no such name"));
    touch(model.sample_tensors());
    const auto program = parse_program(model.program_json, model.name);
    touch(program);
    if (program) touch_names(*program);
  }
  for (const std::string& name : package->extra_files()) touch(package->extra_file(name));
  touch(package->verify());
}

std::string archive_of(
    std::initializer_list<std::pair<std::string_view, std::string_view>> entries) {
  report::TextOutput out;
  ZipWriter zip(out);
  for (const auto& [name, content] : entries) zip.add(name, content);
  zip.finish();
  out.finish();
  return out.text();
}

// The bytes as the list of weights of a package, as its program, and as the pickle of one.
void read_as_part(std::string_view bytes) {
  const std::string_view data = "0123456789abcdef0123456789abcdef";
  const std::string listed = archive_of({{"m/archive_format", "pt2"},
                                         {"m/archive_version", "0"},
                                         {"m/models/model.json", "{}"},
                                         {"m/data/weights/weight_0", data},
                                         {"m/data/weights/weight_1", ""},
                                         {"m/data/weights/model_weights_config.json", bytes}});
  read_package(MemoryFile(listed).path());
  const std::string called = archive_of(
      {{"m/archive_format", "pt2"}, {"m/archive_version", "0"}, {"m/models/model.json", bytes}});
  read_package(MemoryFile(called).path());
  const std::string checkpoint =
      archive_of({{"a/data.pkl", bytes}, {"a/data/0", data}, {"a/data/1", ""}});
  const std::string pickled = archive_of({{"serialized_exported_program.json", "{}"},
                                          {"serialized_state_dict.pt", checkpoint},
                                          {"serialized_example_inputs.pt", checkpoint},
                                          {"version", "8.2"}});
  read_package(MemoryFile(pickled).path());
}

}  // namespace

void read_any(std::string_view bytes) {
  const MemoryFile file(bytes);
  read_package(file.path());
  touch(read_npy(file.path()));
  if (const auto arrays = read_npz(file.path())) {
    for (const auto& [name, tensor] : *arrays) touch(tensor);
  }
  if (const auto tensors = Safetensors::read(file.path())) {
    for (const SafetensorsEntry& entry : tensors->entries()) touch(tensors->tensor(entry.name));
  }
  read_as_part(bytes);
}

}  // namespace vitro::io
