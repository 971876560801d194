// Reads the JSON that says, for each tensor of a model, which entry holds its storage and how it
// views it.
#include "io/pt2/weights_config.h"

#include <simdjson.h>

#include <algorithm>
#include <string>
#include <utility>

#include "io/shown.h"
#include "report/printable.h"
#include "vitro/base/cat.h"

namespace vitro::io {
namespace {

namespace json = simdjson::dom;

// {"as_int": 3}, how sizes are written.
bool read_size(json::element from, int64_t& size) {
  return from["as_int"].get(size) == simdjson::SUCCESS;
}

bool is_true(json::element from, const char* key) {
  bool value = false;
  return from[key].get(value) == simdjson::SUCCESS && value;
}

bool read_sizes(json::element meta, const char* key, std::vector<int64_t>& sizes) {
  json::array list;
  if (meta[key].get(list) != simdjson::SUCCESS) return false;
  for (const json::element one : list) {
    int64_t size = 0;
    if (!read_size(one, size)) return false;
    sizes.push_back(size);
  }
  return true;
}

void read_meta(TensorRecord& record, json::element meta) {
  constexpr int64_t strided = 7;
  int64_t number = 0, layout = strided, offset = 0;
  if (meta["dtype"].get(number) != simdjson::SUCCESS)
    return void(record.problem = "its dtype is not given as a number");
  const SchemaDType* const dtype = schema_dtype(number);
  if (!dtype) return void(record.problem = cat("it has dtype ", number, ", an unknown number"));
  if (meta["layout"].get(layout) == simdjson::SUCCESS && layout != strided)
    return void(record.problem = cat("it has layout ", layout,
                                     " (sparse or of a library), and only strided tensors (7) can "
                                     "be read: make it dense before the export"));
  std::vector<int64_t> sizes, strides;
  if (!read_sizes(meta, "sizes", sizes) || !read_sizes(meta, "strides", strides) ||
      meta["storage_offset"].error() != simdjson::SUCCESS ||
      !read_size(meta["storage_offset"].value_unsafe(), offset))
    return void(record.problem = "its sizes, strides or offset are missing or not numbers");
  set_view(record, std::move(sizes), std::move(strides), offset);
  if (record.problem.empty()) set_dtype(record, *dtype);
}

void read_payload(TensorRecord& record, json::element payload, const ZipArchive& archive,
                  std::string_view folder) {
  std::string_view path;
  if (payload["path_name"].get(path) != simdjson::SUCCESS)
    return void(record.problem = "its path_name is missing");
  record.is_parameter = is_true(payload, "is_param");
  const auto meta = payload["tensor_meta"];
  if (is_true(payload, "use_pickle") || !meta.is_object())
    return void(record.problem = cat("it is a Python object or a tensor of a class of its own, "
                                     "stored as a pickle in ",
                                     shown(path), ", and no pickle is executed"));
  record.archive = &archive;
  // Lists and pickles of the archive are no storages.
  if (!path.ends_with(".pt") && !path.ends_with(".json"))
    record.storage = archive.find(cat(folder, path));
  if (!record.storage)
    return void(record.problem = cat("the package has no entry ", shown(cat(folder, path))));
  read_meta(record, meta.value_unsafe());
}

Result<Done> check_unique(const std::vector<TensorRecord>& records) {
  std::vector<std::string_view> names;
  names.reserve(records.size());
  for (const TensorRecord& record : records) names.push_back(record.name);
  std::ranges::sort(names);
  const auto twice = std::ranges::adjacent_find(names);
  if (twice == names.end()) return Done{};
  return Failure{cat("two tensors have the name ", shown(*twice))};
}

}  // namespace

Result<std::vector<TensorRecord>> read_weights_config(std::string_view text,
                                                      const ZipArchive& archive,
                                                      std::string_view folder) {
  json::parser parser;
  json::element root;
  if (const auto error = parser.parse(text.data(), text.size()).get(root))
    return Failure{cat("it is not JSON: ", simdjson::error_message(error))};
  json::object config;
  if (!root.is_object() || root["config"].get(config) != simdjson::SUCCESS)
    return Failure{R"(it needs an object {"config": {...}})"};
  std::vector<TensorRecord> records;
  records.reserve(config.size());
  for (const auto& [name, payload] : config) {
    TensorRecord& record = records.emplace_back();
    record.name = report::printable(name);
    read_payload(record, payload, archive, folder);
  }
  if (auto unique = check_unique(records); !unique) return unique.failure();
  return records;
}

}  // namespace vitro::io
