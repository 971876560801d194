// Writes tensors as a safetensors file, aligned for mapping; the file appears complete or not at
// all.
#include <utf8proc.h>

#include <algorithm>
#include <tuple>

#include "io/safetensors_header.h"
#include "vitro/base/error.h"
#include "vitro/core/reach.h"
#include "vitro/io/safetensors.h"
#include "vitro/report/json.h"
#include "vitro/report/output.h"

namespace vitro::io {
namespace {

constexpr uint64_t data_alignment = 64;  // of the first byte after the header

bool is_utf8(std::string_view text) {
  const auto* at = reinterpret_cast<const utf8proc_uint8_t*>(text.data());
  for (auto left = static_cast<utf8proc_ssize_t>(text.size()); left > 0;) {
    utf8proc_int32_t code = 0;
    const utf8proc_ssize_t used = utf8proc_iterate(at, left, &code);
    if (used <= 0) return false;
    at += used;
    left -= used;
  }
  return true;
}

int64_t bytes_of_tensor(const Tensor& tensor) {
  const Tensor& real = tensor.is_complex() ? tensor.pairs() : tensor;
  return bytes_for("write_safetensors", real.impl()->sizes, real.dtype());
}

void check(const std::string& path, const std::vector<NamedTensor>& sorted) {
  std::vector<std::string_view> names;
  for (const auto& [name, tensor] : sorted) {
    VITRO_CHECK(tensor.defined(), path, ": tensor ", shown(name), " is not defined");
    VITRO_CHECK(is_utf8(name) && name != metadata_name, path, ": ", shown(name),
                " cannot be the name of a tensor: it must be UTF-8 and not ", metadata_name);
    VITRO_CHECK(tensor.dtype() != DType::c128, path, ": tensor ", shown(name),
                " has dtype c128, which the format does not have; convert it to c64");
    names.push_back(name);
  }
  std::ranges::sort(names);
  auto twice = std::ranges::adjacent_find(names);
  VITRO_CHECK(twice == names.end(), path, ": the name ", shown(*twice), " is used by two tensors");
}

std::string header_of(const std::vector<NamedTensor>& sorted,
                      const std::map<std::string, std::string>& metadata) {
  report::TextOutput text;
  report::Json json(text);
  json.begin_object();
  if (!metadata.empty()) {
    json.key(metadata_name).begin_object();
    for (const auto& [key, value] : metadata) json.member(key, std::string_view(value));
    json.end();
  }
  int64_t begin = 0;
  for (const auto& [name, tensor] : sorted) {
    int64_t end = 0;
    VITRO_CHECK(!__builtin_add_overflow(begin, bytes_of_tensor(tensor), &end),
                "write_safetensors: the tensors up to ", shown(name),
                " have more bytes than fit in 64 bits");
    json.key(name)
        .begin_object()
        .member("dtype", format_dtype(tensor.dtype()).name)
        .key("shape")
        .begin_array();
    for (const Size size : tensor.sizes()) json.value(size.value());
    json.end().key("data_offsets").begin_array().value(begin).value(end).end().end();
    begin = end;
  }
  json.end();
  text.finish();
  std::string header = text.text();
  header.append((data_alignment - (header_begin + header.size()) % data_alignment) % data_alignment,
                ' ');
  return header;
}

std::string_view bytes_at(const std::byte* data, int64_t bytes) {
  return {reinterpret_cast<const char*>(data), static_cast<size_t>(bytes)};
}

// Writes the elements from dimension `dim` on, in order of their indices.
void write_strided(report::Output& out, const std::byte* data, const TensorMeta& meta, size_t dim) {
  const int64_t width = bytes_of(meta.dtype);
  if (dim == meta.sizes.size()) return out.write(bytes_at(data, width));
  const int64_t step = meta.strides[dim].value() * width;
  for (int64_t i = 0; i < meta.sizes[dim].value(); ++i)
    write_strided(out, data + i * step, meta, dim + 1);
}

void write_elements(report::Output& out, const Tensor& tensor) {
  if (tensor.numel().value() == 0) return;
  const auto* data = static_cast<const std::byte*>(tensor.const_data());
  if (tensor.is_contiguous()) return out.write(bytes_at(data, bytes_of_tensor(tensor)));
  write_strided(out, data, tensor.meta(), 0);
}

}  // namespace

void write_safetensors(const std::string& path, std::vector<NamedTensor> tensors,
                       const std::map<std::string, std::string>& metadata) {
  check(path, tensors);
  for (const auto& [key, value] : metadata)
    VITRO_CHECK(is_utf8(key) && is_utf8(value), path, ": metadata ", shown(key), " is not UTF-8");
  std::ranges::sort(tensors, [](const NamedTensor& a, const NamedTensor& b) {
    const int64_t wide_a = bytes_of(a.tensor.dtype()), wide_b = bytes_of(b.tensor.dtype());
    return std::tie(wide_b, a.name) < std::tie(wide_a, b.name);
  });
  const std::string header = header_of(tensors, metadata);
  const uint64_t length = header.size();
  VITRO_CHECK(length <= longest_header, path, ": a header of ", length,
              " bytes is longer than the format's ", longest_header);
  auto out = report::create_file(path);
  out->write({reinterpret_cast<const char*>(&length), sizeof length});
  out->write(header);
  for (const NamedTensor& named : tensors) write_elements(*out, named.tensor);
  out->finish();
}

}  // namespace vitro::io
