// Readers of IDX, CSV and text files.
#include "vitro/datasets/files.h"

#include <zlib.h>

#include <array>
#include <bit>
#include <charconv>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <system_error>

#include "vitro/base/cat.h"
#include "vitro/ops/create.h"

namespace vitro::data {
namespace {

// The dtypes of IDX, by the third byte of a file.
struct IdxDtype {
  uint8_t code;
  DType dtype;
};
constexpr IdxDtype idx_dtypes[] = {{0x08, DType::u8},  {0x09, DType::i8},  {0x0B, DType::i16},
                                   {0x0C, DType::i32}, {0x0D, DType::f32}, {0x0E, DType::f64}};

std::optional<DType> idx_dtype(uint8_t code) {
  for (const IdxDtype& known : idx_dtypes)
    if (known.code == code) return known.dtype;
  return std::nullopt;
}

uint32_t big_endian(std::string_view bytes) {
  uint32_t value = 0;
  for (const char c : bytes.substr(0, 4)) value = value << 8 | static_cast<uint8_t>(c);
  return value;
}

// Copies elements of `width` bytes, each with its bytes in the reverse order.
void copy_reversed(std::string_view from, char* to, size_t width) {
  for (size_t at = 0; at < from.size(); at += width)
    for (size_t i = 0; i < width; ++i) to[at + i] = from[at + width - 1 - i];
}

struct CsvReader {
  const std::string& path;
  const CsvOptions& options;
  std::string_view rest;
  int64_t line = 0;

  Failure failure(const auto&... why) const {
    return {cat("read_csv: ", std::string_view(path), ":", line, ": ", why...)};
  }

  // The fields of the next line; false at the end of the file.
  bool next(std::vector<std::string>& fields) {
    if (rest.empty()) return false;
    ++line;
    fields.assign(1, "");
    for (bool quoted = false; !rest.empty();) {
      const char c = rest.front();
      rest.remove_prefix(1);
      if (quoted) {
        quoted = c != '"' || rest.starts_with('"');
        if (c == '"' && quoted) rest.remove_prefix(1);
        if (quoted) fields.back() += c;
      } else if (c == '\n') {
        break;
      } else if (c == options.separator) {
        fields.emplace_back();
      } else if (c == '"' && fields.back().empty()) {
        quoted = true;
      } else if (c != '\r') {
        fields.back() += c;
      }
    }
    return true;
  }
};

std::string_view trimmed(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t"), end = text.find_last_not_of(" \t");
  return begin == text.npos ? std::string_view() : text.substr(begin, end - begin + 1);
}

// The number in a field; NaN for an empty one.
std::optional<double> number_in(std::string_view field) {
  field = trimmed(field);
  if (field.empty()) return std::numeric_limits<double>::quiet_NaN();
  if (field.front() == '+') field.remove_prefix(1);
  double value = 0;
  const char* end = field.data() + field.size();
  const auto [at, error] = std::from_chars(field.data(), end, value);
  if (error != std::errc() || at != end) return std::nullopt;
  return value;
}

}  // namespace

Result<std::string> read_bytes(const std::string& path) {
  const std::unique_ptr<gzFile_s, int (*)(gzFile)> file(gzopen(path.c_str(), "rb"), gzclose);
  if (!file)
    return Failure{cat(std::string_view(path), ": cannot be opened: ", std::strerror(errno))};
  std::string out;
  std::array<char, 1 << 16> chunk;
  for (;;) {
    const int got = gzread(file.get(), chunk.data(), chunk.size());
    if (got > 0) out.append(chunk.data(), static_cast<size_t>(got));
    if (static_cast<size_t>(got) == chunk.size()) continue;
    int number = Z_OK;
    const char* why = gzerror(file.get(), &number);
    if (got < 0 || number != Z_OK) {
      return Failure{cat(std::string_view(path),
                         ": cannot be read: ", number == Z_ERRNO ? std::strerror(errno) : why)};
    }
    return out;
  }
}

Result<Tensor> read_idx(const std::string& path) {
  const Result<std::string> file = read_bytes(path);
  const auto failure = [&](const auto&... why) {
    return Failure{cat("read_idx: ", std::string_view(path), ": ", why...)};
  };
  if (!file) return Failure{"read_idx: " + file.why()};
  std::string_view bytes = *file;
  if (bytes.size() < 4 || bytes[0] != 0 || bytes[1] != 0)
    return failure("not an IDX file: it does not begin with two bytes of 0");
  const auto code = static_cast<uint8_t>(bytes[2]);
  const std::optional<DType> dtype = idx_dtype(code);
  if (!dtype) return failure("its elements are of the unknown kind ", int{code});
  const auto rank = static_cast<uint8_t>(bytes[3]);
  bytes.remove_prefix(4);
  if (bytes.size() < size_t{4} * rank)
    return failure("it ends within the sizes of its ", int{rank}, " dimensions");
  const auto width = static_cast<size_t>(bytes_of(*dtype));
  SmallVector<int64_t, 6> sizes;
  size_t elements = 1;
  for (int i = 0; i < rank; ++i) {
    const uint32_t size = big_endian(bytes);
    bytes.remove_prefix(4);
    sizes.push_back(size);
    elements = size != 0 && elements > SIZE_MAX / 8 / size ? SIZE_MAX / 8 : elements * size;
  }
  if (bytes.size() != elements * width)
    return failure("it has ", bytes.size(), " bytes of elements, ", *dtype, sizes, " needs ",
                   elements * width);
  try {
    const Tensor out = Tensor::empty(sizes, *dtype);
    copy_reversed(bytes, static_cast<char*>(out.data()), width);
    return out;
  } catch (const Error& e) {  // sizes that no tensor has
    return failure(e.message());
  }
}

Result<Csv> read_csv(const std::string& path, const CsvOptions& options) {
  const Result<std::string> file = read_bytes(path);
  if (!file) return Failure{"read_csv: " + file.why()};
  CsvReader reader{path, options, *file};
  if (reader.rest.starts_with("\xEF\xBB\xBF")) reader.rest.remove_prefix(3);  // of UTF-8
  Csv out;
  std::vector<std::string> fields;
  std::vector<double> values;
  std::optional<size_t> columns;
  int64_t rows = 0;
  while (reader.next(fields)) {
    if (fields.size() == 1 && trimmed(fields[0]).empty()) continue;
    if (columns && fields.size() != *columns)
      return reader.failure("the line has ", fields.size(), " fields, the ones before it have ",
                            *columns);
    const bool names = !columns && options.header;
    columns = fields.size();
    if (names) {
      out.names = fields;
      continue;
    }
    ++rows;
    for (size_t i = 0; i < fields.size(); ++i) {
      const std::optional<double> value = number_in(fields[i]);
      if (!value || (*value != *value && !is_floating(options.dtype)))
        return reader.failure("field ", i + 1, " is \"", std::string_view(fields[i]),
                              "\", which is not a number of ", options.dtype);
      values.push_back(*value);
    }
  }
  out.values =
      to(Tensor::from(values, {rows, static_cast<int64_t>(columns.value_or(0))}), options.dtype);
  return out;
}

Characters characters_of(std::string_view text) {
  std::array<int64_t, 256> number{};
  Characters out;
  for (const char c : text) number[static_cast<uint8_t>(c)] = 1;
  for (size_t byte = 0; byte < number.size(); ++byte) {
    if (number[byte] == 0) continue;
    number[byte] = static_cast<int64_t>(out.alphabet.size());
    out.alphabet += static_cast<char>(byte);
  }
  std::vector<int64_t> numbers;
  numbers.reserve(text.size());
  for (const char c : text) numbers.push_back(number[static_cast<uint8_t>(c)]);
  out.numbers = Tensor::from(numbers, {static_cast<int64_t>(numbers.size())});
  return out;
}

}  // namespace vitro::data
