// Opens the archive of a package and makes its tensors: one storage for each entry, which all
// tensors of that entry share.
#include "io/pt2/package_archive.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>

#include "io/elements.h"
#include "io/pt2/foreign.h"
#include "io/pt2/weights_config.h"
#include "io/shown.h"
#include "vitro/base/cat.h"
#include "vitro/base/error.h"
#include "vitro/base/nearest.h"
#include "vitro/core/reach.h"

namespace vitro::io {
namespace {

constexpr uint64_t largest_list = uint64_t{64} << 20;
constexpr uintptr_t alignment = 16;  // of the widest dtype

// The tensors of a tree, as torch flattens it.  Empty, or why not: a value may contain itself.
std::string flatten(const Pickle& pickle, std::vector<const PickledTensor*>& tensors) {
  constexpr size_t largest_tree = 100'000;
  std::vector<uint32_t> left = {pickle.root_index};
  for (size_t visited = 0; !left.empty(); ++visited) {
    if (visited > largest_tree || left.size() > largest_tree)
      return "their tree has too many values";
    const PickleValue& value = pickle.at(left.back());
    left.pop_back();
    if (value.kind == PickleValue::Kind::tensor)
      tensors.push_back(&pickle.tensors[static_cast<size_t>(value.number)]);
    if (value.kind == PickleValue::Kind::dict) {
      for (size_t i = value.items.size(); i >= 2; i -= 2) left.push_back(value.items[i - 1]);
    } else {
      left.insert(left.end(), value.items.rbegin(), value.items.rend());
    }
  }
  return {};
}

}  // namespace

TensorList::TensorList(std::string_view kind, std::vector<TensorRecord> records)
    : kind_(kind), records_(std::move(records)), by_name_(records_.size()) {
  std::iota(by_name_.begin(), by_name_.end(), 0U);
  std::ranges::sort(by_name_, {}, [&](uint32_t i) -> std::string_view { return records_[i].name; });
}

Result<const TensorRecord*> TensorList::find(std::string_view name) const {
  const auto name_of = [&](uint32_t i) -> std::string_view { return records_[i].name; };
  const auto found = std::ranges::lower_bound(by_name_, name, {}, name_of);
  if (found != by_name_.end() && name_of(*found) == name) return &records_[*found];
  std::vector<std::string> known;
  for (const TensorRecord& record : records_) known.push_back(record.name);
  const std::string_view meant = nearest(name, known);
  return Failure{cat("has no ", kind_, " ", shown(name), " among its ", records_.size(),
                     meant.empty() ? "" : cat("; did you mean ", shown(meant), "?"))};
}

Result<std::shared_ptr<PackageArchive>> PackageArchive::open(const std::string& path) {
  auto file = MappedFile::open(path);
  if (!file) return file.failure();
  auto made = std::make_shared<PackageArchive>();
  made->file = *std::move(file);
  if (!begins_as_zip(made->file->bytes())) {
    const std::string kind = foreign_file(made->file->bytes());
    return Failure{cat(path, ": ", kind.empty() ? "is not a package of torch.export.save" : kind)};
  }
  auto archive = ZipArchive::over(made->file->bytes());
  if (!archive) return Failure{cat(path, ": ", archive.why())};
  made->archive = *std::move(archive);
  return made;
}

Failure PackageArchive::failure(const std::string& why) const {
  return {cat(path(), ": ", why)};
}

Result<std::string_view> PackageArchive::text(std::string_view name, uint64_t largest) const {
  const ZipEntry* const entry = archive.find(name);
  if (!entry) return failure(cat("has no entry ", shown(name), "; it may be damaged"));
  if (entry->size > largest)
    return failure(cat("entry ", shown(name), " has ", entry->size, " bytes, and at most ", largest,
                       " are read"));
  if (auto right = archive.verify(*entry); !right) return failure(right.why());
  const auto bytes = archive.stored(*entry);
  return std::string_view(reinterpret_cast<const char*>(bytes->data()), bytes->size());
}

Result<TensorList> PackageArchive::list(std::string_view kind, const std::string& config,
                                        const std::string& pickle) {
  if (archive.find(config)) {
    const auto json = text(config, largest_list);
    if (!json) return json.failure();
    const std::string folder = config.substr(0, config.rfind('/') + 1);
    auto records = read_weights_config(*json, archive, folder);
    if (!records) return failure(cat("entry ", shown(config), ": ", records.why()));
    return TensorList(kind, *std::move(records));
  }
  const ZipEntry* const entry = archive.find(pickle);
  if (!entry || entry->size == 0) return TensorList(kind, {});
  const auto bytes = archive.stored(*entry);
  if (!bytes) return failure(bytes.why());
  auto checkpoint = Checkpoint::over(*bytes);
  if (!checkpoint) return failure(cat("entry ", shown(pickle), ": ", checkpoint.why()));
  checkpoints.push_back(*std::move(checkpoint));
  auto records = checkpoints.back().state_dict();
  if (!records) return failure(cat("entry ", shown(pickle), ": ", records.why()));
  return TensorList(kind, *std::move(records));
}

Result<Tensor> PackageArchive::tensor(const TensorList& list, std::string_view name) const {
  const auto record = list.find(name);
  if (!record) return failure(record.why());
  auto made = make(**record);
  if (!made) return failure(cat("tensor ", shown(name), ": ", made.why()));
  return made;
}

Result<std::vector<Tensor>> PackageArchive::samples(const ZipEntry& entry) const {
  const std::string begin = "the sample inputs: ";
  if (auto whole = file->check(); !whole) return whole.failure();
  if (auto right = archive.verify(entry); !right) return failure(begin + right.why());
  const auto checkpoint = Checkpoint::over(archive.stored(entry).value());
  if (!checkpoint) return failure(begin + checkpoint.why());
  std::vector<const PickledTensor*> found;
  if (std::string why = flatten(checkpoint->pickle(), found); !why.empty())
    return failure(begin + why);
  std::vector<Tensor> tensors;
  for (const PickledTensor* const pickled : found) {
    auto made = make(checkpoint->record(*pickled, ""));
    if (!made) return failure(cat(begin, "tensor ", tensors.size(), ": ", made.why()));
    tensors.push_back(*std::move(made));
  }
  return tensors;
}

// The bytes of an entry as a storage, the same one for each of its tensors.
Result<Storage> PackageArchive::storage(const TensorRecord& record) const {
  if (auto whole = file->check(); !whole) return whole.failure();
  const auto bytes = record.archive->stored(*record.storage);
  if (!bytes) return bytes.failure();
  const std::lock_guard hold(lock_);
  Storage& made = storages_[bytes->data()];
  if (made) return made;
  if (reinterpret_cast<uintptr_t>(bytes->data()) % alignment == 0)
    made =
        file->storage(static_cast<uint64_t>(bytes->data() - file->bytes().data()), bytes->size());
  if (!made) {
    made = Storage::allocate(bytes->size(), cpu);
    std::memcpy(made.data(), bytes->data(), bytes->size());
  }
  return made;
}

Result<Tensor> PackageArchive::make(const TensorRecord& record) const try {
  if (!record.problem.empty()) return Failure{record.problem};
  if (count_of(record.sizes) == 0)
    return Tensor::empty_strided(record.sizes, record.strides, record.dtype);
  const Reach reach = reach_of("view", record.dtype, record.sizes, record.strides, record.offset);
  const uint64_t size = record.storage->size;
  if (static_cast<uint64_t>(reach.end) > size)
    return Failure{cat("its view (sizes ", Ints(record.sizes), ", strides ", Ints(record.strides),
                       ", offset ", record.offset, " of ", record.dtype, ") ends at byte ",
                       reach.end, " of its storage ", shown(record.storage->name), ", which has ",
                       size)};
  const auto made = storage(record);
  if (!made) return made.failure();
  if (record.dtype == DType::boolean) {
    const auto* const data = static_cast<const std::byte*>(made->data());
    const auto odd = first_odd_boolean({data + reach.begin, data + reach.end});
    if (odd)
      return Failure{cat("byte ", static_cast<uint64_t>(reach.begin) + *odd, " of its storage ",
                         shown(record.storage->name), " is not a boolean, 0 or 1")};
  }
  return Tensor::over(*made, record.dtype, record.sizes, record.strides, record.offset);
} catch (const Error& error) {  // numbers beyond 64 bits, or no memory for a copy
  return Failure{std::string(error.message())};
}

}  // namespace vitro::io
