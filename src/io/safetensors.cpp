// Maps a safetensors file and makes tensors over it, after safetensors_header.cpp has checked the
// header.
#include "vitro/io/safetensors.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <numeric>

#include "io/safetensors_header.h"
#include "vitro/base/cat.h"
#include "vitro/base/error.h"
#include "vitro/base/nearest.h"
#include "vitro/core/reach.h"

namespace vitro::io {

static_assert(std::endian::native == std::endian::little, "files are mapped without conversion");

namespace {

// Mapped pages of a file, private ones, so that writes to tensors stay in this process.
struct Pages {
  void* data;
  size_t bytes;

  Pages(int file, uint64_t begin, size_t size)
      : data(mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE, file,
                  static_cast<off_t>(begin))),
        bytes(size) {}
  Pages(const Pages&) = delete;
  ~Pages() {
    if (*this) munmap(data, bytes);
  }
  explicit operator bool() const { return data != MAP_FAILED; }
};

}  // namespace

// The open file and all of its pages, which nobody writes.
class Safetensors::Mapping {
 public:
  explicit Mapping(int file, size_t size) : file_(file), all_(file, 0, size) {}
  Mapping(const Mapping&) = delete;
  ~Mapping() { close(file_); }
  std::byte* data() const { return static_cast<std::byte*>(all_.data); }
  size_t bytes() const { return all_.bytes; }

  static Result<std::shared_ptr<const Mapping>> open(const std::string& path) {
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) return Failure{cat(path, ": cannot be opened: ", std::strerror(errno))};
    struct stat status{};
    const bool regular = fstat(file, &status) == 0 && S_ISREG(status.st_mode);
    const auto size = static_cast<size_t>(regular ? status.st_size : 0);
    if (size < header_begin) {
      close(file);
      if (!regular) return Failure{cat(path, ": is not a regular file")};
      return Failure{cat(path, ": byte ", size, ": the file ends within the length of its header")};
    }
    auto mapping = std::make_shared<const Mapping>(file, size);
    if (!mapping->all_) return Failure{cat(path, ": cannot be mapped: ", std::strerror(errno))};
    return mapping;
  }

  // Pages of its own for a tensor, so that tensors share no memory even if they have one name; null
  // if there can be no more mappings.
  Storage mapped_apart(uint64_t begin, size_t size) const {
    const uint64_t before = begin % static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
    auto pages = std::make_shared<const Pages>(file_, begin - before, before + size);
    if (!*pages) return {};
    std::byte* const data = static_cast<std::byte*>(pages->data) + before;
    Storage made = Storage::adopt(data, size, cpu, [pages] {});
    made.set_exposed(false);  // no one else has a pointer into private pages
    return made;
  }

 private:
  int file_;
  Pages all_;
};

namespace {

Tensor copy_of(const SafetensorsEntry& entry, DType dtype) {
  Tensor made = Tensor::empty(entry.sizes, dtype);
  if (!entry.bytes.empty())
    std::memcpy(made.storage().data(), entry.bytes.data(), entry.bytes.size());
  return made;
}

}  // namespace

Result<Safetensors> Safetensors::read(const std::string& path) {
  auto mapping = Mapping::open(path);
  if (!mapping) return mapping.failure();
  const Mapping& file = **mapping;
  uint64_t length = 0;
  std::memcpy(&length, file.data(), sizeof length);
  if (length > longest_header || length > file.bytes() - header_begin)
    return Failure{cat(path, ": byte 0: a header of ", length, " bytes does not fit: the file has ",
                       file.bytes(), " bytes, and headers have at most ", longest_header)};
  const size_t data_begin = header_begin + length;
  auto header = parse_header({reinterpret_cast<const char*>(file.data()) + header_begin, length},
                             file.bytes() - data_begin);
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
  result.mapping_ = *std::move(mapping);
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
    auto odd = std::ranges::find_if(entry->bytes, [](std::byte b) { return b > std::byte{1}; });
    if (odd != entry->bytes.end())
      return Failure{cat(path_, ": byte ",
                         entry->begin + static_cast<uint64_t>(odd - entry->bytes.begin()),
                         ": tensor ", shown(name), ": got ", static_cast<int>(*odd),
                         " for a boolean, needed 0 or 1")};
  }
  Storage storage;
  if (entry->begin % static_cast<uint64_t>(bytes_of(*dtype)) == 0 && !entry->bytes.empty())
    storage = mapping_->mapped_apart(entry->begin, entry->bytes.size());
  if (!storage) return copy_of(*entry, *dtype);
  return Tensor::over(std::move(storage), *dtype, entry->sizes,
                      contiguous_strides(name, entry->sizes));
}

}  // namespace vitro::io
