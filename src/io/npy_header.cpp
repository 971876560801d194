// Parses the Python literal that describes an array, with errors that name the byte, and writes it.
#include "io/npy_header.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>
#include <utility>

#include "io/little_endian.h"
#include "io/shown.h"
#include "vitro/base/cat.h"
#include "vitro/base/error.h"

namespace vitro::io {
namespace {

constexpr std::string_view magic = "\x93NUMPY";
constexpr size_t longest_header = size_t{1} << 20;
constexpr size_t largest_rank = 64;
constexpr size_t alignment = 64;

struct NumpyDType {
  std::string_view code;  // without the byte order
  DType ours;
};
constexpr NumpyDType dtypes[] = {
    {"f4", DType::f32}, {"f8", DType::f64},   {"f2", DType::f16},     {"i1", DType::i8},
    {"i2", DType::i16}, {"i4", DType::i32},   {"i8", DType::i64},     {"u1", DType::u8},
    {"c8", DType::c64}, {"c16", DType::c128}, {"b1", DType::boolean},
};

// What to do about an array of another dtype.
std::string advice(std::string_view descr) {
  const char kind = descr.size() > 1 ? descr[1] : ' ';
  switch (kind) {
    case 'O':
      return "Python objects, stored as a pickle, and no pickle is executed: save an array of "
             "numbers";
    case 'V':
      return "raw bytes, perhaps bfloat16 or float8 of ml_dtypes, which .npy cannot tell apart: "
             "save x.astype('float32'), or a safetensors file";
    case 'u':
      return "unsigned integers that Vitro lacks: save x.astype('int64')";
    case 'f':
    case 'c':
      return "numbers of a precision that Vitro lacks: save x.astype('float64') or 'complex128'";
    case 'U':
    case 'S':
    case 'a':
      return "texts: save numbers";
    case 'M':
    case 'm':
      return "times: save x.astype('int64')";
    default:
      return "no numbers that Vitro knows";
  }
}

// Reads the parts of a Python literal.  The first error stays.
class Literal {
 public:
  Literal(std::string_view text, size_t begin) : text_(text), begin_(begin) {}

  bool ok() const { return why_.empty(); }
  const std::string& why() const { return why_; }

  // Consumes the character if it is next.
  bool take(char c) {
    skip_space();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void need(char c, std::string_view what) {
    if (!take(c)) fail(cat("needed ", what));
  }
  bool next_is(char c) {
    skip_space();
    return at_ < text_.size() && text_[at_] == c;
  }

  std::string_view string() {
    skip_space();
    const char quote = at_ < text_.size() ? text_[at_] : ' ';
    const size_t end = quote == '\'' || quote == '"' ? text_.find(quote, at_ + 1) : text_.npos;
    if (end == text_.npos) return fail("needed a text in quotes"), "";
    const std::string_view inner = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return inner;
  }
  bool boolean() {
    skip_space();
    for (const auto& [word, value] : {std::pair<std::string_view, bool>{"True", true},
                                      std::pair<std::string_view, bool>{"False", false}}) {
      if (!text_.substr(at_).starts_with(word)) continue;
      at_ += word.size();
      return value;
    }
    return fail("needed True or False"), false;
  }
  int64_t size() {
    skip_space();
    int64_t number = 0;
    const char* const first = text_.data() + at_;
    const auto [end, error] = std::from_chars(first, text_.data() + text_.size(), number);
    if (error == std::errc::result_out_of_range) return fail("a size is too large"), 0;
    if (error != std::errc() || number < 0) return fail("needed a size from 0"), 0;
    at_ += static_cast<size_t>(end - first);
    take('L');  // of Python 2
    return number;
  }
  bool at_end() {
    skip_space();
    return at_ == text_.size();
  }
  size_t position() const { return at_; }
  void fail(const std::string& why) { fail_at(at_, why); }
  void fail_at(size_t position, const std::string& why) {
    if (ok()) why_ = cat("byte ", begin_ + position, ": ", why);
  }

 private:
  void skip_space() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t'))
      ++at_;
  }

  std::string_view text_;
  size_t begin_, at_ = 0;
  std::string why_;
};

void parse_descr(Literal& in, NpyHeader& header) {
  if (in.next_is('['))
    return in.fail("the array has several fields: save each as an array of its own");
  const size_t begin = in.position();
  const std::string_view descr = in.string();
  if (!in.ok()) return;
  const char order = descr.empty() ? ' ' : descr[0];
  const auto* found =
      std::ranges::find(dtypes, descr.substr(std::min<size_t>(1, descr.size())), &NumpyDType::code);
  if (found == std::end(dtypes) || (order != '<' && order != '>' && order != '|'))
    return in.fail_at(begin,
                      cat("the array's dtype ", shown(descr), " stands for ", advice(descr)));
  header.dtype = found->ours;
  header.swapped = order == '>' && bytes_of(found->ours) > 1;
}

void parse_shape(Literal& in, NpyHeader& header) {
  in.need('(', "sizes in parentheses");
  while (in.ok() && !in.take(')')) {
    header.sizes.push_back(in.size());
    if (header.sizes.size() > largest_rank)
      in.fail(cat("the array has more than ", largest_rank, " dimensions"));
    if (!in.take(',') && !in.next_is(')')) in.fail("needed , or ) after a size");
  }
}

// The dict, which has each of its three keys once.
void parse_dict(Literal& in, NpyHeader& header) {
  bool descr = false, order = false, shape = false;
  in.need('{', "a dict");
  while (in.ok() && !in.take('}')) {
    const std::string_view key = in.string();
    bool* const seen = key == "descr"           ? &descr
                       : key == "fortran_order" ? &order
                       : key == "shape"         ? &shape
                                                : nullptr;
    if (!in.ok()) return;
    if (!seen || std::exchange(*seen, true))
      return in.fail(cat("got the key ", shown(key), ", needed descr, fortran_order and shape"));
    in.need(':', ": after a key");
    if (seen == &descr) parse_descr(in, header);
    if (seen == &order) header.fortran = in.boolean();
    if (seen == &shape) parse_shape(in, header);
    if (in.ok() && !in.take(',') && !in.next_is('}')) in.fail("needed , or } after a value");
  }
  if (in.ok() && !in.at_end()) in.fail("there is more after the dict");
  if (in.ok() && !(descr && order && shape)) in.fail("needed descr, fortran_order and shape");
}

std::string size_problem(const NpyHeader& header, uint64_t rest) {
  int64_t bytes = bytes_of(header.dtype);
  bool fits = true, none = false;
  for (const int64_t size : header.sizes) {
    none = none || size == 0;
    fits = !__builtin_mul_overflow(bytes, std::max<int64_t>(size, 1), &bytes) && fits;
  }
  if (!fits) return cat("byte ", header.data_begin, ": the sizes need more than 2^63 bytes");
  const uint64_t needed = none ? 0 : static_cast<uint64_t>(bytes);
  if (needed == rest) return {};
  return cat("byte ", header.data_begin, ": the sizes need ", needed, " bytes of ", header.dtype,
             ", and the file has ", rest, needed > rest ? ": it is truncated" : "");
}

}  // namespace

Result<NpyHeader> parse_npy_header(std::span<const std::byte> file) {
  const std::string_view text(reinterpret_cast<const char*>(file.data()), file.size());
  if (!text.starts_with(magic))
    return Failure{"byte 0: it does not begin as a .npy file does, with \\x93NUMPY"};
  if (text.size() < 12) return Failure{cat("byte ", text.size(), ": it ends in its header")};
  const int major = static_cast<int>(file[6]), minor = static_cast<int>(file[7]);
  if (major < 1 || major > 3 || minor != 0)
    return Failure{cat("byte 6: it has version ", major, ".", minor,
                       " of the format, and 1.0 to 3.0 can be read")};
  const size_t begin = major == 1 ? 10 : 12;
  const size_t length =
      major == 1 ? number_at<uint16_t>(file, 8) : size_t{number_at<uint32_t>(file, 8)};
  if (length > longest_header)
    return Failure{cat("byte 8: its header of ", length, " bytes is longer than ", longest_header)};
  if (length > text.size() - begin)
    return Failure{cat("byte ", text.size(), ": it ends in its header")};
  Literal in(text.substr(begin, length), begin);
  NpyHeader header;
  parse_dict(in, header);
  if (!in.ok()) return Failure{in.why()};
  header.data_begin = begin + length;
  if (std::string why = size_problem(header, text.size() - header.data_begin); !why.empty())
    return Failure{std::move(why)};
  header.data_bytes = text.size() - header.data_begin;
  return header;
}

std::string npy_header(DType dtype, std::span<const int64_t> sizes) {
  const auto* found = std::ranges::find(dtypes, dtype, &NumpyDType::ours);
  VITRO_CHECK(found != std::end(dtypes), "NumPy has no ", dtype,
              "; convert the tensor first, to(x, DType::f32)");
  const char order = bytes_of(dtype) > 1 ? '<' : '|';
  std::string text =
      cat("{'descr': '", order, found->code, "', 'fortran_order': False, 'shape': (");
  for (const int64_t size : sizes) text += cat(size, sizes.size() == 1 ? "," : ", ");
  if (sizes.size() > 1) text.resize(text.size() - 2);
  text += "), }";
  constexpr size_t before = 10;
  text.append(alignment - 1 - (before + text.size()) % alignment, ' ');
  text += '\n';
  const auto length = static_cast<uint16_t>(text.size());
  return cat(magic, std::string_view("\1\0", 2),
             std::string_view(reinterpret_cast<const char*>(&length), sizeof length), text);
}

}  // namespace vitro::io
