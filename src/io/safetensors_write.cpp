// Writes tensors as a safetensors file, aligned for mapping; the file appears complete or not at
// all.
#include <algorithm>
#include <tuple>

#include "io/elements.h"
#include "io/safetensors_header.h"
#include "io/shown.h"
#include "report/utf8.h"
#include "vitro/base/error.h"
#include "vitro/io/safetensors.h"
#include "vitro/report/json.h"
#include "vitro/report/output.h"

namespace vitro::io {
namespace {

constexpr uint64_t data_alignment = 64;  // of the first byte after the header

void check(const std::string& path, const std::vector<NamedTensor>& sorted) {
  std::vector<std::string_view> names;
  for (const auto& [name, tensor] : sorted) {
    VITRO_CHECK(tensor.defined(), path, ": tensor ", shown(name), " is not defined");
    VITRO_CHECK(report::is_utf8(name) && name != metadata_name, path, ": ", shown(name),
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
    VITRO_CHECK(!__builtin_add_overflow(begin, element_bytes(tensor), &end),
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

}  // namespace

void write_safetensors(const std::string& path, std::vector<NamedTensor> tensors,
                       const std::map<std::string, std::string>& metadata) {
  check(path, tensors);
  for (const auto& [key, value] : metadata)
    VITRO_CHECK(report::is_utf8(key) && report::is_utf8(value), path, ": metadata ", shown(key),
                " is not UTF-8");
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
