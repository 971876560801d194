// Reads the samples of a family from its .jsonl.gz and .bin.gz files, and compares results with
// them.
#include "op_samples.h"

#include <zlib.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <stdexcept>

namespace vitro::test {
namespace {

using nlohmann::json;

std::string join(const std::vector<int64_t>& list) {
  std::string text = "[";
  for (int64_t n : list) text += (text.size() > 1 ? ", " : "") + std::to_string(n);
  return text + "]";
}

std::string family_path(std::string_view family) {
  return std::string(VITRO_TEST_DATA "/op_samples/").append(family);
}

std::string last_part(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

int64_t product(const std::vector<int64_t>& sizes) {
  int64_t n = 1;
  for (int64_t size : sizes) n *= size;
  return n;
}

std::vector<int64_t> contiguous(const std::vector<int64_t>& sizes) {
  std::vector<int64_t> strides(sizes.size());
  int64_t step = 1;
  for (size_t i = sizes.size(); i-- > 0;) {
    strides[i] = step;
    step *= std::max<int64_t>(sizes[i], 1);
  }
  return strides;
}

using Payload = std::span<const std::byte>;

Payload bytes_at(Payload payload, const json& row, const std::string& dtype, int64_t elements) {
  auto at = row.at("at").get<size_t>();
  auto count = static_cast<size_t>(elements * size_of_dtype(dtype));
  if (at > payload.size() || count > payload.size() - at)
    throw std::runtime_error("a tensor lies outside of the payload");
  return payload.subspan(at, count);
}

SampleTensor tensor_of(Payload payload, const json& row) {
  SampleTensor t;
  t.dtype = row.at("dtype");
  t.sizes = row.at("sizes").get<std::vector<int64_t>>();
  t.strides =
      row.contains("strides") ? row["strides"].get<std::vector<int64_t>>() : contiguous(t.sizes);
  t.offset = row.value("offset", int64_t{0});
  t.buffer = bytes_at(payload, row, t.dtype, row.value("buffer", product(t.sizes)));
  return t;
}

SampleOperand operand_of(Payload payload, const json& row) {
  if (row.is_null()) return std::monostate{};
  if (row.is_object() && row.contains("complex")) return number_of(row);
  if (row.is_object()) return tensor_of(payload, row);
  if (!row.is_array()) return number_of(row);
  std::vector<SampleTensor> list;
  for (const json& item : row)
    list.push_back(item.is_null() ? SampleTensor() : tensor_of(payload, item));
  return list;
}

SampleResult result_of(Payload payload, const json& row) {
  SampleResult r;
  if (row.is_null()) return r;
  r.dtype = row.at("dtype");
  r.sizes = row.at("sizes").get<std::vector<int64_t>>();
  r.elements = bytes_at(payload, row, r.dtype, product(r.sizes));
  r.strides =
      row.contains("strides") ? row["strides"].get<std::vector<int64_t>>() : contiguous(r.sizes);
  if (row.contains("offset")) r.offset = row["offset"].get<int64_t>();
  return r;
}

std::vector<std::byte> read_gz(const std::string& path) {
  const std::unique_ptr<gzFile_s, int (*)(gzFile)> file(gzopen(path.c_str(), "rb"), gzclose);
  if (!file) throw std::runtime_error("cannot open " + path);
  std::vector<std::byte> out;
  constexpr unsigned chunk = 1U << 20;
  for (int got = chunk; got == chunk;) {
    const size_t end = out.size();
    out.resize(end + chunk);
    got = gzread(file.get(), out.data() + end, chunk);
    if (got < 0) throw std::runtime_error("cannot read " + path);
    out.resize(end + static_cast<size_t>(got));
  }
  return out;
}

void describe(std::string& text, const SampleOperand& operand) {
  if (const auto* t = std::get_if<SampleTensor>(&operand)) {
    text += t->is_none() ? " none" : " " + t->dtype + join(t->sizes);
    if (t->strides != contiguous(t->sizes)) text += " strides " + join(t->strides);
  } else if (const auto* list = std::get_if<std::vector<SampleTensor>>(&operand)) {
    for (const SampleTensor& item : *list) describe(text, item);
  } else if (const auto* n = std::get_if<SampleNumber>(&operand)) {
    text += n->kind == SampleNumber::Kind::complex
                ? " " + std::to_string(n->real) + "+" + std::to_string(n->imaginary) + "j"
            : n->kind == SampleNumber::Kind::real ? " " + std::to_string(n->real)
                                                  : " " + std::to_string(n->integer);
  } else {
    text += " none";
  }
}

// A list in which null stands for an absent tensor; empty if the sample has no such list.
std::vector<std::optional<SampleTensor>> tensors_of(Payload payload, const json& row,
                                                    const char* key) {
  std::vector<std::optional<SampleTensor>> out;
  for (const json& one : row.value(key, json::array())) {
    out.emplace_back();
    if (!one.is_null()) out.back() = tensor_of(payload, one);
  }
  return out;
}
std::vector<std::optional<SampleResult>> results_of(Payload payload, const json& row,
                                                    const char* key) {
  std::vector<std::optional<SampleResult>> out;
  for (const json& one : row.value(key, json::array())) {
    out.emplace_back();
    if (!one.is_null()) out.back() = result_of(payload, one);
  }
  return out;
}

OpSample sample_of(Payload payload, const json& row) {
  OpSample s;
  s.op = row.at("op");
  for (const json& operand : row.at("in")) s.operands.push_back(operand_of(payload, operand));
  s.attrs = row.value("attrs", json::object());
  s.error = row.value("error", false);
  s.message = row.value("message", "");
  if (!s.error)
    for (const json& out : row.at("out")) s.results.push_back(result_of(payload, out));
  s.seeds = tensors_of(payload, row, "seeds");
  s.gradients = results_of(payload, row, "gradients");
  s.directions = tensors_of(payload, row, "directions");
  s.second = results_of(payload, row, "second");
  s.slope = row.value("slope", true);
  s.values = row.value("values", true);
  if (row.contains("manual_seed")) s.manual_seed = row["manual_seed"].get<uint64_t>();
  if (row.contains("tol")) s.tolerance = {false, row["tol"][0], row["tol"][1], row["tol"][2]};
  s.where = s.op;
  for (const SampleOperand& operand : s.operands) describe(s.where, operand);
  if (!s.attrs.empty()) s.where += " " + s.attrs.dump();
  return s;
}

// A floating-point element: its value, and its position in the order of all numbers of its dtype.
struct Real {
  double value;
  int64_t place;
};

template <class Bits>
int64_t place_of(Bits bits) {
  constexpr int sign = std::numeric_limits<Bits>::digits - 1;
  auto magnitude = static_cast<int64_t>(bits & static_cast<Bits>(~(Bits{1} << sign)));
  return bits >> sign ? -magnitude : magnitude;
}

double half_value(uint16_t bits) {
  int exponent = bits >> 10 & 31, fraction = bits & 1023;
  double magnitude = exponent == 31  ? (fraction ? std::nan("") : INFINITY)
                     : exponent == 0 ? std::ldexp(fraction, -24)
                                     : std::ldexp(fraction + 1024, exponent - 25);
  return bits >> 15 ? -magnitude : magnitude;
}

template <class T>
T load(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

std::optional<Real> real_at(std::string_view dtype, const std::byte* from) {
  if (dtype == "f32") return Real{load<float>(from), place_of(load<uint32_t>(from))};
  if (dtype == "f64") return Real{load<double>(from), place_of(load<uint64_t>(from))};
  if (dtype == "f16") return Real{half_value(load<uint16_t>(from)), place_of(load<uint16_t>(from))};
  if (dtype == "bf16") {
    auto bits = load<uint16_t>(from);
    auto wide = static_cast<uint32_t>(bits) << 16;
    return Real{std::bit_cast<float>(wide), place_of(bits)};
  }
  return std::nullopt;
}

int64_t integer_at(std::string_view dtype, const std::byte* from) {
  if (dtype == "i8") return load<int8_t>(from);
  if (dtype == "i16") return load<int16_t>(from);
  if (dtype == "i32") return load<int32_t>(from);
  if (dtype == "i64") return load<int64_t>(from);
  return load<uint8_t>(from);
}

bool near(const Real& want, const Real& got, const SampleTolerance& tolerance) {
  if (std::isnan(want.value) || std::isnan(got.value))
    return std::isnan(want.value) && std::isnan(got.value);
  if (tolerance.bits)
    return want.place == got.place && std::signbit(want.value) == std::signbit(got.value);
  // The distance of numbers of opposite signs may overflow int64_t.
  auto apart = static_cast<uint64_t>(want.place) - static_cast<uint64_t>(got.place);
  if (want.place < got.place) apart = -apart;
  if (apart <= static_cast<uint64_t>(tolerance.ulps)) return true;
  return std::isfinite(want.value) &&
         std::abs(want.value - got.value) <=
             tolerance.absolute + tolerance.relative * std::abs(want.value);
}

// The dtype of the parts of a complex dtype; empty for others.
std::string_view part_of(std::string_view dtype) {
  return dtype == "c64" ? "f32" : dtype == "c128" ? "f64" : "";
}

// Complex numbers: each part is, or their distance is small beside the absolute value.
bool near(std::string_view part, const std::byte* want, const std::byte* got,
          const SampleTolerance& tolerance) {
  const auto size = static_cast<size_t>(size_of_dtype(part));
  const Real re = *real_at(part, want), im = *real_at(part, want + size);
  const Real x = *real_at(part, got), y = *real_at(part, got + size);
  if (near(re, x, tolerance) && near(im, y, tolerance)) return true;
  return !tolerance.bits &&
         std::hypot(x.value - re.value, y.value - im.value) <=
             tolerance.absolute + tolerance.relative * std::hypot(re.value, im.value);
}

std::string show(std::string_view dtype, const std::byte* at) {
  if (const std::string_view part = part_of(dtype); !part.empty())
    return show(part, at) + " + i " + show(part, at + size_of_dtype(part));
  char text[40];
  if (auto real = real_at(dtype, at)) {
    std::snprintf(text, sizeof text, "%.17g", real->value);
  } else {
    std::snprintf(text, sizeof text, "%lld", static_cast<long long>(integer_at(dtype, at)));
  }
  return text;
}

}  // namespace

int64_t size_of_dtype(std::string_view dtype) {
  if (dtype == "bool" || dtype == "i8" || dtype == "u8") return 1;
  if (dtype == "f16" || dtype == "bf16" || dtype == "i16") return 2;
  if (dtype == "f32" || dtype == "i32") return 4;
  if (dtype == "f64" || dtype == "i64" || dtype == "c64") return 8;
  if (dtype == "c128") return 16;
  throw std::runtime_error("unknown dtype " + std::string(dtype));
}

SampleNumber number_of(const json& value) {
  using Kind = SampleNumber::Kind;
  if (value.is_boolean()) return {Kind::boolean, value.get<bool>(), 0};
  if (value.is_number_integer()) return {Kind::integer, value.get<int64_t>(), 0};
  if (value.is_string()) {
    auto text = value.get<std::string>();
    return {Kind::real, 0, text == "nan" ? std::nan("") : text == "inf" ? INFINITY : -INFINITY};
  }
  if (value.is_object()) return {Kind::complex, 0, value.at("complex")[0], value.at("complex")[1]};
  return {Kind::real, 0, value.get<double>()};
}

const std::vector<std::string>& OpSamples::families() {
  static const std::vector<std::string> names = {"unary",
                                                 "binary",
                                                 "choosing",
                                                 "reduction",
                                                 "rows",
                                                 "scan",
                                                 "view",
                                                 "joining",
                                                 "indexing",
                                                 "picking",
                                                 "putting",
                                                 "compacting",
                                                 "sorting",
                                                 "product",
                                                 "windows",
                                                 "creation",
                                                 "pooling",
                                                 "neural",
                                                 "algebra",
                                                 "arrays",
                                                 "norms",
                                                 "layers",
                                                 "random",
                                                 "seeded",
                                                 "bags",
                                                 "decompositions",
                                                 "further",
                                                 "special",
                                                 "complex",
                                                 "spectra",
                                                 "complex_decompositions"};
  return names;
}

OpSamples OpSamples::read(std::string_view family) {
  OpSamples all;
  all.add(family_path(family));
  return all;
}

OpSamples OpSamples::read_gradients() {
  OpSamples all;
  for (const std::string_view family :
       {"gradient", "neural_gradient", "layer_gradient", "random_gradient", "bags_gradient",
        "decomposition_gradient", "further_gradient", "special_gradient", "complex_gradient",
        "complex_decomposition_gradient"})
    all.add(family_path(family));
  return all;
}

OpSamples OpSamples::read_files(const std::string& prefix) {
  OpSamples all;
  all.add(prefix);
  return all;
}

void OpSamples::add(const std::string& prefix) {
  const std::vector<std::byte>& payload = payloads_.emplace_back(read_gz(prefix + ".bin.gz"));
  const std::vector<std::byte> bytes = read_gz(prefix + ".jsonl.gz");
  std::string_view lines(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  for (int number = 1; !lines.empty(); ++number) {
    const size_t end = std::min(lines.find('\n'), lines.size());
    const std::string_view line = lines.substr(0, end);
    lines.remove_prefix(std::min(end + 1, lines.size()));
    std::string place = last_part(prefix) + ".jsonl:" + std::to_string(number);
    try {
      samples_.push_back(sample_of(payload, json::parse(line)));
    } catch (const std::exception& e) {
      throw std::runtime_error(place + ": " + e.what());
    }
    samples_.back().where = place + " " + samples_.back().where;
  }
}

std::string difference(const SampleResult& want, std::span<const std::byte> got,
                       const SampleTolerance& tolerance) {
  if (got.size() != want.elements.size())
    return "got " + std::to_string(got.size()) + " bytes, needed " +
           std::to_string(want.elements.size());
  auto width = static_cast<size_t>(size_of_dtype(want.dtype));
  for (size_t at = 0; at < got.size(); at += width) {
    const std::byte *w = want.elements.data() + at, *g = got.data() + at;
    auto real = real_at(want.dtype, w);
    const std::string_view part = part_of(want.dtype);
    if (!part.empty() && near(part, w, g, tolerance)) continue;
    if (real ? near(*real, *real_at(want.dtype, g), tolerance) : std::memcmp(w, g, width) == 0)
      continue;
    return "element " + std::to_string(at / width) + " of " + std::to_string(got.size() / width) +
           ": got " + show(want.dtype, g) + ", needed " + show(want.dtype, w);
  }
  return {};
}

}  // namespace vitro::test
