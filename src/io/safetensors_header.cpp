// Parses the JSON header of a safetensors file and checks it against the size of the data; errors
// name the byte.
#include "io/safetensors_header.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <tuple>
#include <unordered_set>
#include <utility>

#include "io/shown.h"
#include "vitro/base/cat.h"
#include "vitro/base/error.h"

namespace vitro::io {
namespace {

constexpr size_t largest_rank = 64;

constexpr FormatDType dtypes[] = {
    {"F32", 32, DType::f32},
    {"F64", 64, DType::f64},
    {"F16", 16, DType::f16},
    {"BF16", 16, DType::bf16},
    {"I8", 8, DType::i8},
    {"I16", 16, DType::i16},
    {"I32", 32, DType::i32},
    {"I64", 64, DType::i64},
    {"U8", 8, DType::u8},
    {"BOOL", 8, DType::boolean},
    {"U16", 16, std::nullopt},
    {"U32", 32, std::nullopt},
    {"U64", 64, std::nullopt},
    {"C64", 64, DType::c64},
    {"F8_E4M3", 8, std::nullopt},
    {"F8_E5M2", 8, std::nullopt},
    {"F8_E8M0", 8, std::nullopt},
    {"F8_E4M3FNUZ", 8, std::nullopt},
    {"F8_E5M2FNUZ", 8, std::nullopt},
    {"F6_E2M3", 6, std::nullopt},
    {"F6_E3M2", 6, std::nullopt},
    {"F4", 4, std::nullopt},
};

// Feeds the text to the parser and tracks its position.
struct Cursor {
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  const char* at;
  const char** reached;

  reference operator*() const { return *at; }
  Cursor& operator++() {
    *reached = ++at;
    return *this;
  }
  friend bool operator==(const Cursor& a, const Cursor& b) { return a.at == b.at; }
  friend bool operator!=(const Cursor& a, const Cursor& b) { return a.at != b.at; }
};

// Receives the parser's events.  Nesting is at most two deep, so that no input can cost more memory
// than its own length.
class Events final : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit Events(const char* begin) : begin_(begin), reached_(begin) {}

  const char** reached() { return &reached_; }
  Header take() { return std::move(header_); }
  const std::string& why() const { return why_; }

  bool key(string_t& name) override {
    key_ = std::move(name);
    if (in_ == In::metadata) {
      return !header_.metadata.contains(key_) ||
             fail(cat(shown(key_), " occurs twice in the metadata"));
    }
    if (in_ == In::root) {
      entry_ = {};
      entry_.name = key_;
      entry_.stated_at = position();
      stated_ = {};
      return names_.insert(key_).second || fail(cat("tensor ", shown(key_), " is defined twice"));
    }
    bool* stated = key_ == "dtype"          ? &stated_.dtype
                   : key_ == "shape"        ? &stated_.shape
                   : key_ == "data_offsets" ? &stated_.offsets
                                            : nullptr;
    if (!stated)
      return fail(cat("got ", shown(key_), of_entry(), ", needed dtype, shape or data_offsets"));
    if (std::exchange(*stated, true)) return fail(cat(key_, of_entry(), " is given twice"));
    return true;
  }

  bool start_object(size_t) override {
    if (in_ == In::outside) return enter(In::root);
    if (in_ == In::root) return enter(key_ == metadata_name ? In::metadata : In::entry);
    return unexpected("an object");
  }
  bool end_object() override {
    if (in_ == In::entry) {
      if (!stated_.dtype || !stated_.shape || !stated_.offsets)
        return fail(cat("tensor ", shown(entry_.name), " needs dtype, shape and data_offsets"));
      header_.entries.push_back(std::move(entry_));
    }
    return enter(in_ == In::root ? In::outside : In::root);
  }

  bool start_array(size_t) override {
    if (in_ == In::entry && key_ == "shape") return enter(In::shape);
    if (in_ == In::entry && key_ == "data_offsets") return enter(In::offsets);
    return unexpected("a list");
  }
  bool end_array() override {
    if (in_ == In::offsets) {
      if (offsets_.size() != 2)
        return fail(cat("got ", offsets_.size(), " data_offsets", of_entry(), ", needed 2"));
      entry_.begin = offsets_[0];
      entry_.end = offsets_[1];
      offsets_.clear();
    }
    return enter(In::entry);
  }

  bool string(string_t& text) override {
    if (in_ == In::metadata) {
      header_.metadata.emplace(key_, std::move(text));
      return true;
    }
    if (in_ != In::entry || key_ != "dtype") return unexpected("a text");
    entry_.dtype = format_dtype(text);
    return entry_.dtype || fail(cat("the format has no dtype ", shown(text), of_entry()));
  }
  bool number_unsigned(number_unsigned_t n) override {
    if (in_ == In::shape) {
      if (n > INT64_MAX) return fail(cat("a size of ", n, of_entry(), " is too large"));
      entry_.sizes.push_back(static_cast<int64_t>(n));
      return entry_.sizes.size() <= largest_rank ||
             fail(cat("more than ", largest_rank, " dimensions", of_entry()));
    }
    if (in_ != In::offsets) return unexpected("a number");
    offsets_.push_back(n);
    return offsets_.size() <= 2 || fail(cat("more than 2 data_offsets", of_entry()));
  }

  bool null() override { return unexpected("null"); }
  bool boolean(bool) override { return unexpected("a boolean"); }
  bool number_integer(number_integer_t) override { return unexpected("a negative number"); }
  bool number_float(number_float_t, const string_t&) override {
    return unexpected("a fraction or a number that is too large");
  }
  bool binary(binary_t&) override { return unexpected("bytes"); }
  bool parse_error(size_t, const std::string& token, const nlohmann::detail::exception&) override {
    return fail(cat("the header is not JSON near ", shown(token)));
  }

 private:
  enum class In { outside, root, metadata, entry, shape, offsets };

  bool enter(In next) {
    in_ = next;
    return true;
  }
  uint64_t position() const { return header_begin + static_cast<uint64_t>(reached_ - begin_); }
  std::string of_entry() const { return cat(" of tensor ", shown(entry_.name)); }
  bool fail(const std::string& why) {
    why_ = cat("byte ", position(), ": ", why);
    return false;
  }
  bool unexpected(std::string_view got) {
    switch (in_) {
      case In::outside:
        return fail(cat("got ", got, ", needed an object of tensors"));
      case In::root:
        return fail(cat("got ", got, " for ", shown(key_), ", needed an object"));
      case In::metadata:
        return fail(cat("got ", got, " for ", shown(key_), " in the metadata, needed a text"));
      case In::entry:
        return fail(cat("got ", got, " for ", key_, of_entry()));
      case In::shape:
        return fail(cat("got ", got, " in the shape", of_entry(), ", needed integers from 0"));
      case In::offsets:
        return fail(cat("got ", got, " in data_offsets", of_entry(), ", needed integers from 0"));
    }
    return false;
  }

  const char* begin_;
  const char* reached_;
  In in_ = In::outside;
  std::string key_, why_;
  HeaderEntry entry_;
  struct {
    bool dtype = false, shape = false, offsets = false;
  } stated_;
  std::vector<uint64_t> offsets_;
  std::unordered_set<std::string> names_;
  Header header_;
};

std::string at(uint64_t byte, const HeaderEntry& entry) {
  return cat("byte ", byte, ": tensor ", shown(entry.name), ": ");
}

// Empty, or the error in the size of one tensor.
std::string size_problem(const HeaderEntry& e, uint64_t data_bytes) {
  if (e.begin > e.end || e.end > data_bytes)
    return cat(at(e.stated_at, e), "data_offsets ", e.begin, " to ", e.end, " are outside the ",
               data_bytes, " bytes of data");
  uint64_t bits = e.dtype->bits, limit = INT64_MAX;
  bool empty = false;
  for (int64_t size : e.sizes) {
    empty |= size == 0;
    auto factor = static_cast<uint64_t>(std::max<int64_t>(size, 1));
    if (bits > limit / factor)
      return cat(at(e.stated_at, e), "its shape needs more than 2^60 bytes");
    bits *= factor;
  }
  if (empty) bits = 0;
  if (bits % 8 != 0) return cat(at(e.stated_at, e), "its ", bits, " bits are not a multiple of 8");
  if (bits / 8 == e.end - e.begin) return {};
  return cat(at(e.stated_at, e), "data_offsets give it ", e.end - e.begin,
             " bytes, but its shape needs ", bits / 8, " of ", e.dtype->name);
}

// Empty, or the place where the tensors do not cover the data exactly once.
std::string cover_problem(const std::vector<HeaderEntry>& entries, uint64_t data_begin,
                          uint64_t data_bytes) {
  uint64_t covered = 0;
  for (const HeaderEntry& e : entries) {
    if (e.begin < covered)
      return cat(at(data_begin + e.begin, e), "overlaps the tensor before it, which ends at byte ",
                 data_begin + covered);
    if (e.begin > covered)
      return cat(at(data_begin + covered, e), e.begin - covered,
                 " bytes before it do not belong to a tensor");
    covered = e.end;
  }
  if (covered == data_bytes) return {};
  return cat("byte ", data_begin + covered, ": ", data_bytes - covered,
             " bytes at the end do not belong to a tensor");
}

}  // namespace

const FormatDType* format_dtype(std::string_view name) {
  const auto* found = std::ranges::find(dtypes, name, &FormatDType::name);
  return found == std::end(dtypes) ? nullptr : found;
}

const FormatDType& format_dtype(DType dtype) {
  const auto* found = std::ranges::find(dtypes, std::optional(dtype), &FormatDType::ours);
  VITRO_ASSERT(found != std::end(dtypes), dtype);
  return *found;
}

Result<Header> parse_header(std::string_view json, uint64_t data_bytes) {
  if (!json.starts_with('{'))
    return Failure{cat("byte ", header_begin, ": the header does not begin with {")};
  const char *begin = json.data(), *end = begin + json.size();
  Events events(begin);
  if (!nlohmann::json::sax_parse(Cursor{begin, events.reached()}, Cursor{end, events.reached()},
                                 &events))
    return Failure{events.why()};
  Header header = events.take();
  for (const HeaderEntry& e : header.entries)
    if (std::string problem = size_problem(e, data_bytes); !problem.empty())
      return Failure{std::move(problem)};
  std::ranges::sort(header.entries, [](const HeaderEntry& a, const HeaderEntry& b) {
    return std::tie(a.begin, a.end, a.name) < std::tie(b.begin, b.end, b.name);
  });
  std::string problem = cover_problem(header.entries, header_begin + json.size(), data_bytes);
  if (!problem.empty()) return Failure{std::move(problem)};
  return header;
}

}  // namespace vitro::io
