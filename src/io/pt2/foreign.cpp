// Recognises files of other kinds by their first bytes, and archives of other kinds by the names of
// their entries.
#include "io/pt2/foreign.h"

#include <simdjson.h>

#include <algorithm>
#include <string_view>

#include "io/little_endian.h"
#include "vitro/base/cat.h"

namespace vitro::io {
namespace {

constexpr std::string_view export_it =
    "save the program with torch.export.save(torch.export.export(model, args), \"model.pt2\")";

struct Magic {
  size_t at;
  std::string_view bytes, kind;
};
constexpr Magic magics[] = {
    {0, "\x80\x02", "is a pickle, perhaps of an old torch.save: it has no program"},
    {0, "\x80\x03", "is a pickle: it has no program"},
    {0, "\x80\x04", "is a pickle: it has no program"},
    {0, "\x80\x05", "is a pickle: it has no program"},
    {0, "\x93NUMPY", "is a NumPy array: it has no program"},
    {0,
     "\x7f"
     "ELF",
     "is machine code: it has no program that can be read"},
    {0, "GGUF", "is a GGUF file: it has weights and no program"},
    {0, "\x89HDF\r\n", "is an HDF5 file, perhaps of Keras: it has no program that can be read"},
    {0, "\x1f\x8b", "is compressed with gzip: unpack it first"},
    {0, "\x28\xb5\x2f\xfd", "is compressed with zstd: unpack it first"},
    {4, "ET12", "is a program of ExecuTorch, which has no source"},
    {4, "TFL3", "is a model of TensorFlow Lite"},
    {0, "version https://git-lfs", "is the placeholder of a large file of Git: run git lfs pull"},
    {0, "{", "is a text that begins as JSON does: a package is a zip archive"},
    {0, "<", "is a text that begins as a web page does: the download may have failed"},
};

// A length of 64 bits, then JSON.
bool is_safetensors(std::span<const std::byte> bytes) {
  return bytes.size() > 9 && number_at<uint64_t>(bytes, 0) < bytes.size() &&
         bytes[8] == std::byte{'{'};
}

// A protobuf whose first fields are the version of the format and the name of the producer.
bool is_onnx(std::span<const std::byte> bytes) {
  return bytes.size() > 4 && bytes[0] == std::byte{0x08} && bytes[1] < std::byte{0x20} &&
         (bytes[2] == std::byte{0x12} || bytes[2] == std::byte{0x3a} ||
          bytes[2] == std::byte{0x42});
}

bool has_under(const ZipArchive& archive, std::string_view folder) {
  return std::ranges::any_of(archive.entries(),
                             [&](const ZipEntry& e) { return e.name.starts_with(folder); });
}

// "cpu/x86_64/AVX2", for which AOTInductor compiled; empty if it does not say.
std::string compiled_for(const ZipArchive& archive) {
  for (const ZipEntry& entry : archive.entries()) {
    if (!entry.name.ends_with("wrapper_metadata.json") || entry.size > 65536) continue;
    const auto bytes = archive.stored(entry);
    if (!bytes) continue;
    simdjson::dom::parser parser;
    simdjson::dom::element root;
    if (parser.parse(reinterpret_cast<const char*>(bytes->data()), bytes->size()).get(root))
      continue;
    std::string target;
    for (const char* key : {"AOTI_DEVICE_KEY", "AOTI_MACHINE", "AOTI_CPU_ISA"}) {
      std::string_view word;
      if (root[key].get(word) || word.empty()) continue;
      target += target.empty() ? "" : "/";
      for (const char c : word.substr(0, 40)) target += c >= ' ' && c <= '~' ? c : '?';
    }
    if (!target.empty()) return cat(" for ", target);
  }
  return {};
}

}  // namespace

std::string foreign_file(std::span<const std::byte> bytes) {
  if (bytes.empty()) return "is empty";
  if (is_safetensors(bytes))
    return cat(
        "is a safetensors file, which has weights and no program: read it with "
        "io::Safetensors, or ",
        export_it);
  if (is_onnx(bytes)) return cat("seems to be an ONNX model, which is not read: ", export_it);
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  for (const Magic& magic : magics) {
    if (text.size() > magic.at && text.substr(magic.at).starts_with(magic.bytes))
      return cat(magic.kind, "; ", export_it);
  }
  return {};
}

std::string foreign_archive(const ZipArchive& archive, std::string_view root) {
  if (has_under(archive, cat(root, "data/aotinductor/")))
    return cat("holds machine code that AOTInductor compiled", compiled_for(archive),
               ", and no program: ", export_it);
  const bool code = has_under(archive, cat(root, "code/"));
  if (archive.find(cat(root, "constants.pkl")) && code)
    return cat("is a TorchScript file (torch.jit.save), which is not read: ", export_it);
  if (archive.find(cat(root, "data.pkl")))
    return cat(
        "is a checkpoint of torch.save, which has weights and no program: load the weights "
        "into the model in Python and ",
        export_it);
  if (has_under(archive, cat(root, "data/executorch/")))
    return cat("is a package of ExecuTorch without a program in ATen: ", export_it);
  if (archive.find("config.json") && archive.find("model.weights.h5"))
    return "is a Keras model, which is not read";
  const bool arrays =
      !archive.entries().empty() && std::ranges::all_of(archive.entries(), [](const ZipEntry& e) {
        return e.name.ends_with(".npy");
      });
  if (arrays) return "is a .npz archive of arrays: read it with io::read_npz";
  return {};
}

}  // namespace vitro::io
