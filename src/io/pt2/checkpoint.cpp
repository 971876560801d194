// Turns the tensors of a pickle into records of entries of the archive around it.
#include "io/pt2/checkpoint.h"

#include <algorithm>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "io/shown.h"
#include "report/printable.h"
#include "vitro/base/cat.h"

namespace vitro::io {
namespace {

struct StorageClass {
  std::string_view name, dtype;
};
constexpr StorageClass classes[] = {
    {"FloatStorage", "float32"},
    {"DoubleStorage", "float64"},
    {"HalfStorage", "float16"},
    {"BFloat16Storage", "bfloat16"},
    {"CharStorage", "int8"},
    {"ShortStorage", "int16"},
    {"IntStorage", "int32"},
    {"LongStorage", "int64"},
    {"ByteStorage", "uint8"},
    {"BoolStorage", "bool"},
    {"ComplexFloatStorage", "complex64"},
    {"ComplexDoubleStorage", "complex128"},
};

std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

std::string_view root_of(const ZipArchive& archive) {
  if (archive.entries().empty()) return {};
  const std::string_view first = archive.entries().front().name;
  return first.substr(0, first.find('/') + 1);
}

Result<Checkpoint> Checkpoint::over(std::span<const std::byte> bytes) {
  auto archive = ZipArchive::over(bytes);
  if (!archive) return archive.failure();
  Checkpoint made;
  made.archive_ = std::make_shared<const ZipArchive>(*std::move(archive));
  made.root_ = root_of(*made.archive_);
  const ZipEntry* const pickle = made.archive_->find(cat(made.root_, "data.pkl"));
  if (!pickle) return Failure{"it is not a file of torch.save: it has no entry data.pkl"};
  if (const ZipEntry* const order = made.archive_->find(cat(made.root_, "byteorder"))) {
    const auto text = made.archive_->stored(*order);
    if (!text) return text.failure();
    if (text_of(*text) != "little")
      return Failure{cat("its byte order is ", shown(text_of(*text)),
                         ", and only little can be read: save it on a little-endian machine")};
  }
  if (auto right = made.archive_->verify(*pickle); !right) return right.failure();
  auto values = unpickle(made.archive_->stored(*pickle).value());
  if (!values) return values.failure();
  made.pickle_ = *std::move(values);
  return made;
}

TensorRecord Checkpoint::record(const PickledTensor& tensor, std::string name) const {
  TensorRecord record;
  record.name = std::move(name);
  record.is_parameter = tensor.is_parameter;
  record.archive = archive_.get();
  std::string_view dtype = tensor.dtype;
  if (dtype.empty()) {
    const auto* const found = std::ranges::find(classes, tensor.storage_class, &StorageClass::name);
    if (found == std::end(classes)) {
      record.problem = cat("its storage is a ", shown(tensor.storage_class),
                           ", whose dtype Vitro does not support");
      return record;
    }
    dtype = found->dtype;
  }
  record.storage = archive_->find(cat(root_, "data/", tensor.storage_key));
  if (!record.storage) {
    record.problem = cat("its storage ", shown(tensor.storage_key), " is not there");
    return record;
  }
  set_view(record, tensor.sizes, tensor.strides, tensor.offset);
  if (record.problem.empty()) set_dtype(record, *schema_dtype(dtype));
  return record;
}

Result<std::vector<TensorRecord>> Checkpoint::state_dict() const {
  const PickleValue& dict = pickle_.root();
  if (dict.kind != PickleValue::Kind::dict)
    return Failure{"its pickle is not a dict of tensors by their names"};
  std::vector<TensorRecord> records;
  std::unordered_set<std::string_view> names;
  for (size_t i = 0; i + 1 < dict.items.size(); i += 2) {
    const PickleValue &key = pickle_.at(dict.items[i]), &value = pickle_.at(dict.items[i + 1]);
    if (key.kind != PickleValue::Kind::text)
      return Failure{"its pickle has a key that is not a text"};
    if (!names.insert(key.text).second)
      return Failure{cat("two tensors have the name ", shown(key.text))};
    if (value.kind == PickleValue::Kind::tensor) {
      records.push_back(
          record(pickle_.tensors[static_cast<size_t>(value.number)], report::printable(key.text)));
    } else {
      TensorRecord& other = records.emplace_back();
      other.name = report::printable(key.text);
      other.problem = "it is not a tensor";
    }
  }
  return records;
}

}  // namespace vitro::io
