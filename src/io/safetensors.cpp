// Maps a safetensors file and makes tensors over it, after safetensors_header.cpp has checked the
// header.
#include "vitro/io/safetensors.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>

#include "io/elements.h"
#include "io/mapped_file.h"
#include "io/safetensors_header.h"
#include "io/shown.h"
#include "vitro/base/cat.h"
#include "vitro/base/error.h"
#include "vitro/base/nearest.h"
#include "vitro/core/reach.h"

namespace vitro::io {

static_assert(std::endian::native == std::endian::little, "files are mapped without conversion");

namespace {

Tensor copy_of(const SafetensorsEntry& entry, DType dtype) {
  Tensor made = Tensor::empty(entry.sizes, dtype);
  if (!entry.bytes.empty())
    std::memcpy(made.storage().data(), entry.bytes.data(), entry.bytes.size());
  return made;
}

}  // namespace

Result<Safetensors> Safetensors::read(const std::string& path) {
  auto mapped = MappedFile::open(path);
  if (!mapped) return mapped.failure();
  const std::span<const std::byte> file = (*mapped)->bytes();
  if (file.size() < header_begin)
    return Failure{
        cat(path, ": byte ", file.size(), ": the file ends within the length of its header")};
  uint64_t length = 0;
  std::memcpy(&length, file.data(), sizeof length);
  if (length > longest_header || length > file.size() - header_begin)
    return Failure{cat(path, ": byte 0: a header of ", length, " bytes does not fit: the file has ",
                       file.size(), " bytes, and headers have at most ", longest_header)};
  const size_t data_begin = header_begin + length;
  auto header = parse_header({reinterpret_cast<const char*>(file.data()) + header_begin, length},
                             file.size() - data_begin);
  if (!header) return Failure{cat(path, ": ", header.why())};

  Safetensors result;
  result.path_ = path;
  result.metadata_ = std::move(header->metadata);
  for (HeaderEntry& e : header->entries) {
    std::span<const std::byte> bytes(file.data() + data_begin + e.begin, e.end - e.begin);
    result.entries_.push_back({std::move(e.name), std::string(e.dtype->name), std::move(e.sizes),
                               data_begin + e.begin, bytes});
  }
  result.by_name_.resize(result.entries_.size());
  std::iota(result.by_name_.begin(), result.by_name_.end(), 0U);
  std::ranges::sort(result.by_name_, {},
                    [&](uint32_t i) -> std::string_view { return result.entries_[i].name; });
  result.file_ = *std::move(mapped);
  return result;
}

const SafetensorsEntry* Safetensors::find(std::string_view name) const {
  auto name_of = [&](uint32_t i) -> std::string_view { return entries_[i].name; };
  auto found = std::ranges::lower_bound(by_name_, name, {}, name_of);
  return found == by_name_.end() || name_of(*found) != name ? nullptr : &entries_[*found];
}

Failure Safetensors::no_tensor(std::string_view name) const {
  std::vector<std::string> known;
  std::string names;
  for (size_t i = 0; i < entries_.size(); ++i) {
    known.push_back(entries_[i].name);
    if (i < 5) names += cat(i == 0 ? ", which begin with " : ", ", shown(entries_[i].name));
  }
  const std::string_view meant = nearest(name, known);
  if (!meant.empty()) names = cat("; did you mean ", shown(meant), "?");
  return {cat(path_, ": has no tensor ", shown(name), " among its ", entries_.size(), names)};
}

Result<Tensor> Safetensors::tensor(std::string_view name) const {
  const SafetensorsEntry* entry = find(name);
  if (!entry) return no_tensor(name);
  std::optional<DType> dtype = format_dtype(entry->dtype)->ours;
  if (!dtype)
    return Failure{cat(path_, ": tensor ", shown(name), " has dtype ", entry->dtype,
                       ", which vitro does not support")};
  if (*dtype == DType::boolean) {
    if (const auto odd = first_odd_boolean(entry->bytes))
      return Failure{cat(path_, ": byte ", entry->begin + *odd, ": tensor ", shown(name), ": got ",
                         static_cast<int>(entry->bytes[*odd]), " for a boolean, needed 0 or 1")};
  }
  Storage storage;
  if (entry->begin % static_cast<uint64_t>(bytes_of(*dtype)) == 0 && !entry->bytes.empty())
    storage = file_->storage_apart(entry->begin, entry->bytes.size());
  if (!storage) return copy_of(*entry, *dtype);
  return Tensor::over(std::move(storage), *dtype, entry->sizes,
                      contiguous_strides(name, entry->sizes));
}

Result<std::vector<NamedTensor>> Safetensors::tensors() const {
  std::vector<NamedTensor> out;
  for (const uint32_t i : by_name_) {
    Result<Tensor> one = tensor(entries_[i].name);
    if (!one) return one.failure();
    out.push_back({entries_[i].name, *std::move(one)});
  }
  return out;
}

}  // namespace vitro::io
