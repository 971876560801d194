// Arrays of .npy files, alone or in a .npz archive: mapped where they can be used in place, copied
// where they are compressed, in the other byte order or not aligned.
#include "vitro/io/npy.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "io/elements.h"
#include "io/mapped_file.h"
#include "io/npy_header.h"
#include "io/shown.h"
#include "io/zip_archive.h"
#include "io/zip_writer.h"
#include "vitro/base/cat.h"
#include "vitro/base/error.h"
#include "vitro/base/function_ref.h"
#include "vitro/core/reach.h"
#include "vitro/report/output.h"

namespace vitro::io {
namespace {

using Bytes = std::span<const std::byte>;
constexpr std::string_view suffix = ".npy";

// Reverses the bytes of each number; a complex one is two.
void swap_bytes(std::byte* data, size_t bytes, DType dtype) {
  const auto width = static_cast<size_t>(bytes_of(real_of(dtype)));
  for (size_t i = 0; i < bytes; i += width) std::reverse(data + i, data + i + width);
}

Ints strides_of(const NpyHeader& header) {
  if (!header.fortran) return contiguous_strides("read_npy", header.sizes);
  const std::vector<int64_t> turned(header.sizes.rbegin(), header.sizes.rend());
  Ints strides = contiguous_strides("read_npy", turned);
  std::reverse(strides.begin(), strides.end());
  return strides;
}

// The tensor of a file's bytes; `in_place` gives a storage over a range of them, or none.
Result<Tensor> tensor_of(Bytes file, FunctionRef<Storage(uint64_t, size_t)> in_place) {
  const auto header = parse_npy_header(file);
  if (!header) return header.failure();
  const Bytes data = file.subspan(header->data_begin, header->data_bytes);
  if (header->dtype == DType::boolean) {
    if (const auto odd = first_odd_boolean(data))
      return Failure{cat("byte ", header->data_begin + *odd, ": got ", static_cast<int>(data[*odd]),
                         " for a boolean, needed 0 or 1")};
  }
  if (data.empty()) return Tensor::empty(header->sizes, header->dtype);
  const auto address = reinterpret_cast<uintptr_t>(data.data());
  Storage storage;
  if (!header->swapped && address % static_cast<uintptr_t>(bytes_of(header->dtype)) == 0)
    storage = in_place(header->data_begin, data.size());
  if (!storage) {
    storage = Storage::allocate(data.size(), cpu);
    auto* const copy = static_cast<std::byte*>(storage.data());
    std::ranges::copy(data, copy);
    if (header->swapped) swap_bytes(copy, data.size(), header->dtype);
  }
  return Tensor::over(std::move(storage), header->dtype, header->sizes, strides_of(*header));
}

Result<Tensor> array_of(const MappedFile& file, const ZipArchive& archive, const ZipEntry& entry) {
  if (entry.method == zip::stored) {
    if (auto right = archive.verify(entry); !right) return right.failure();
    const Bytes bytes = archive.stored(entry).value();
    const auto before = static_cast<uint64_t>(bytes.data() - archive.file().data());
    return tensor_of(
        bytes, [&](uint64_t begin, size_t size) { return file.storage(before + begin, size); });
  }
  if (auto possible = archive.check_size(entry); !possible) return possible.failure();
  const Storage unpacked = Storage::allocate(entry.size, cpu);
  const std::span<std::byte> bytes(static_cast<std::byte*>(unpacked.data()), entry.size);
  if (auto done = archive.unpack(entry, bytes); !done) return done.failure();
  return tensor_of(bytes, [&](uint64_t begin, size_t size) {
    return Storage::adopt(bytes.data() + begin, size, cpu, [unpacked] {});
  });
}

// What a file is that should be an archive of arrays and is not.
Failure not_npz(const MappedFile& file, const Failure& why) {
  if (parse_npy_header(file.bytes()))
    return {cat(file.path(), ": is a .npy file of one array: use read_npy")};
  return {cat(file.path(), ": is not a .npz archive: ", why.why)};
}

void write_array(report::Output& out, const Tensor& tensor) {
  std::vector<int64_t> sizes;
  for (const Size size : tensor.sizes()) sizes.push_back(size.value());
  out.write(npy_header(tensor.dtype(), sizes));
  write_elements(out, tensor);
}

void check_writable(const std::string& path, const std::vector<NamedTensor>& tensors) {
  std::vector<std::string_view> names;
  for (const auto& [name, tensor] : tensors) {
    VITRO_CHECK(tensor.defined(), path, ": tensor ", shown(name), " is not defined");
    const std::string why = entry_name_problem(cat(name, suffix));
    VITRO_CHECK(why.empty() && !name.empty(), path, ": ", shown(name),
                " cannot be the name of an array: it ", why.empty() ? "is empty" : why);
    names.push_back(name);
  }
  std::ranges::sort(names);
  const auto twice = std::ranges::adjacent_find(names);
  VITRO_CHECK(twice == names.end(), path, ": the name ", shown(*twice), " is used by two tensors");
}

}  // namespace

Result<Tensor> read_npy(const std::string& path) {
  const auto file = MappedFile::open(path);
  if (!file) return file.failure();
  if (begins_as_zip((*file)->bytes()))
    return Failure{cat(path, ": is a zip archive: use read_npz if it is a .npz file")};
  auto tensor = tensor_of(
      (*file)->bytes(), [&](uint64_t begin, size_t size) { return (*file)->storage(begin, size); });
  if (!tensor) return Failure{cat(path, ": ", tensor.why())};
  return tensor;
}

Result<std::vector<NamedTensor>> read_npz(const std::string& path) {
  const auto file = MappedFile::open(path);
  if (!file) return file.failure();
  const auto archive = ZipArchive::over((*file)->bytes());
  if (!archive) return not_npz(**file, archive.failure());
  std::vector<NamedTensor> arrays;
  for (const ZipEntry& entry : archive->entries()) {
    if (!entry.name.ends_with(suffix))
      return Failure{cat(path, ": entry ", shown(entry.name),
                         " is not an array: a .npz archive has only entries NAME.npy")};
    auto tensor = array_of(**file, *archive, entry);
    if (!tensor) return Failure{cat(path, ": ", shown(entry.name), ": ", tensor.why())};
    const std::string_view name = entry.name.substr(0, entry.name.size() - suffix.size());
    arrays.push_back({std::string(name), *std::move(tensor)});
  }
  return arrays;
}

void write_npy(const std::string& path, const Tensor& tensor) {
  VITRO_CHECK(tensor.defined(), path, ": the tensor is not defined");
  const auto out = report::create_file(path);
  write_array(*out, tensor);
  out->finish();
}

void write_npz(const std::string& path, const std::vector<NamedTensor>& tensors) {
  check_writable(path, tensors);
  const auto out = report::create_file(path);
  ZipWriter zip(*out);
  for (const auto& [name, tensor] : tensors)
    zip.add(cat(name, suffix), [&](report::Output& entry) { write_array(entry, tensor); });
  zip.finish();
  out->finish();
}

}  // namespace vitro::io
