// Lays out a package: storages first, lists of the tensors in them, the program, and what says
// which kind of file it is.
#include "io/pt2/package_writer.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <utility>

#include "io/elements.h"
#include "io/pt2/tensor_record.h"
#include "io/zip_writer.h"
#include "vitro/base/cat.h"
#include "vitro/base/error.h"
#include "vitro/report/json.h"
#include "vitro/report/output.h"

namespace vitro::io {
namespace {

// The tensors of one list, `data/weights` or `data/constants`.
class ListWriter {
 public:
  ListWriter(ZipWriter& zip, std::string root, std::string_view folder, std::string_view file)
      : zip_(zip),
        folder_(cat(root, "data/", folder, '/')),
        file_(file),
        config_(cat(folder_, "model_", folder, "_config.json")),
        json_(text_) {
    json_.begin_object().key("config").begin_object();
  }

  // `shared`: other tensors use its storage, so all of that is written, once.
  void add(const PackageWeight& weight, bool shared) {
    const bool whole = shared || !weight.tensor.is_contiguous();
    const std::pair key(weight.tensor.storage().id(), weight.tensor.dtype());
    const auto known = whole ? files_.find(key) : files_.end();
    const std::string file = known != files_.end() ? known->second : cat(file_, count_++);
    if (known == files_.end()) {
      zip_.add(folder_ + file, [&](report::Output& out) {
        whole ? write_storage(out, weight.tensor) : write_elements(out, weight.tensor);
      });
      if (whole) files_.emplace(key, file);
    }
    describe(weight, file, whole ? weight.tensor.impl()->offset : 0);
  }

  void finish() {
    json_.end().end();
    text_.finish();
    zip_.add(config_, text_.text());
  }

 private:
  static void write_storage(report::Output& out, const Tensor& tensor) {
    const Storage& storage = tensor.storage();
    const auto width = static_cast<size_t>(bytes_of(tensor.dtype()));
    out.write({static_cast<const char*>(storage.data()), storage.bytes() / width * width});
  }

  void sizes(std::string_view name, std::span<const int64_t> all) {
    json_.key(name).begin_array();
    for (const int64_t one : all) json_.begin_object().member("as_int", one).end();
    json_.end();
  }

  void describe(const PackageWeight& weight, const std::string& file, int64_t offset) {
    const Tensor& t = weight.tensor;
    const bool is_parameter = weight.kind == SavedWeight::Kind::parameter;
    json_.key(weight.name).begin_object().member("path_name", file);
    json_.member("is_param", is_parameter).member("use_pickle", false);
    json_.key("tensor_meta").begin_object().member("dtype", schema_dtype(t.dtype())->number);
    sizes("sizes", {t.impl()->sizes.data(), t.impl()->sizes.size()});
    json_.member("requires_grad", is_parameter && is_floating(t.dtype()));
    json_.key("device").begin_object().member("type", "cpu").key("index").null().end();
    sizes("strides", {t.impl()->strides.data(), t.impl()->strides.size()});
    json_.key("storage_offset").begin_object().member("as_int", offset).end();
    json_.member("layout", strided_layout).end().end();
  }

  ZipWriter& zip_;
  std::string folder_, file_, config_;
  report::TextOutput text_;
  report::Json json_;
  std::map<std::pair<uint64_t, DType>, std::string> files_;
  size_t count_ = 0;
};

void check(const std::string& path, const std::vector<PackageWeight>& weights) {
  std::set<std::string_view> names;
  for (const PackageWeight& one : weights) {
    VITRO_CHECK(one.tensor.defined() && !one.tensor.is_complex() && one.tensor.device() == cpu,
                path, ": weight ", one.name, " must be a tensor of real numbers on the CPU");
    VITRO_CHECK(!one.name.empty() && names.insert(one.name).second, path,
                ": two weights are called ", one.name);
  }
}

}  // namespace

void write_package(const std::string& path, std::string_view program,
                   const std::vector<PackageWeight>& weights) {
  check(path, weights);
  std::map<uint64_t, int> users;  // of storages
  for (const PackageWeight& one : weights) {
    (void)one.tensor.const_data();  // now, if it is deferred
    ++users[one.tensor.storage().id()];
  }
  const std::string stem = std::filesystem::path(path).stem().string();
  const std::string root = cat(stem.empty() ? "archive" : stem, '/');
  const auto file = report::create_file(path);
  ZipWriter zip(*file);
  for (const bool constants : {false, true}) {
    ListWriter list(zip, root, constants ? "constants" : "weights",
                    constants ? "tensor_" : "weight_");
    for (const PackageWeight& one : weights)
      if ((one.kind == SavedWeight::Kind::constant) == constants)
        list.add(one, users[one.tensor.storage().id()] > 1);
    list.finish();
  }
  zip.add(root + "models/model.json", program);
  for (const auto& [name, content] :
       {std::pair("data/sample_inputs/model.pt", ""), std::pair("archive_format", "pt2"),
        std::pair("archive_version", "0"), std::pair(".data/version", "6\n"),
        std::pair("byteorder", "little")})
    zip.add(root + name, content);
  zip.finish();
  file->finish();
}

}  // namespace vitro::io
