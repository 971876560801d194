#include "vitro/core/attributes.h"

#include <charconv>

#include "vitro/base/cat.h"

namespace vitro::attribute {
namespace {

template <class T>
bool read_number(std::string_view text, T& v) {
  const auto end = std::from_chars(text.data(), text.data() + text.size(), v);
  return end.ec == std::errc{} && end.ptr == text.data() + text.size();
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

// Positions of commas outside of brackets and quotes, or nothing where brackets do not pair.
std::optional<std::vector<size_t>> top_level_commas(std::string_view text) {
  std::vector<size_t> commas;
  int depth = 0;
  bool quoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted && c == '\\') {
      ++i;
    } else if (c == '"') {
      quoted = !quoted;
    } else if (!quoted && (c == '[' || c == '(')) {
      ++depth;
    } else if (!quoted && (c == ']' || c == ')')) {
      if (--depth < 0) return std::nullopt;
    } else if (!quoted && depth == 0 && c == ',') {
      commas.push_back(i);
    }
  }
  if (depth != 0 || quoted) return std::nullopt;
  return commas;
}

template <class List, class Read>
bool read_list(std::string_view text, List& v, Read read_one) {
  if (text.size() < 2 || text.front() != '[' || text.back() != ']') return false;
  text = trimmed(text.substr(1, text.size() - 2));
  v.clear();
  if (text.empty()) return true;
  auto commas = top_level_commas(text);
  if (!commas) return false;
  commas->push_back(text.size());
  size_t begin = 0;
  for (const size_t end : *commas) {
    typename List::value_type one{};
    if (!read_one(trimmed(text.substr(begin, end - begin)), one)) return false;
    v.push_back(one);
    begin = end + 1;
  }
  return true;
}

std::optional<std::string> unquoted(std::string_view text) {
  if (text.size() < 2 || (text.front() != '"' && text.front() != '\'') ||
      text.back() != text.front())
    return std::nullopt;
  std::string out;
  for (size_t i = 1; i + 1 < text.size(); ++i) {
    if (text[i] == '\\') ++i;
    out.push_back(text[i]);
  }
  return out;
}

}  // namespace

bool same(const Sizes& a, const Sizes& b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    if (!identical(a[i], b[i])) return false;
  }
  return true;
}

void add(Hasher& h, bool v) {
  h.add(v);
}
void add(Hasher& h, int64_t v) {
  h.add(v);
}
void add(Hasher& h, double v) {
  h.add(v);
}
void add(Hasher& h, const std::string& v) {
  h.add(v);
}
void add(Hasher& h, DType v) {
  h.add(v);
}
void add(Hasher& h, Size v) {
  h.add(v.is_symbolic());
  if (v.is_symbolic()) return h.add(v.expr().text());
  h.add(v.hint());
}
void add(Hasher& h, const Dims& v) {
  h.add(v.size());
  for (const int64_t d : v) h.add(d);
}
void add(Hasher& h, const Scalar& v) {
  add_to(h, v);
}
void add(Hasher& h, const Sizes& v) {
  h.add(v.size());
  for (const Size s : v) add(h, s);
}

void print(std::string& out, bool v) {
  append_to(out, v);
}
void print(std::string& out, int64_t v) {
  append_to(out, v);
}
void print(std::string& out, double v) {
  append_to(out, v);
}
void print(std::string& out, const std::string& v) {
  out.push_back('"');
  for (const char c : v) {
    if (c == '"' || c == '\\') out.push_back('\\');
    out.push_back(c);
  }
  out.push_back('"');
}
void print(std::string& out, DType v) {
  append_to(out, v);
}
void print(std::string& out, Size v) {
  append_to(out, v);
}
void print(std::string& out, const Dims& v) {
  append_to(out, v);
}
void print(std::string& out, const Scalar& v) {
  append_to(out, v);
}
void print(std::string& out, const Sizes& v) {
  append_to(out, v);
}

bool read(std::string_view text, const SymbolNamed&, int64_t& v) {
  return read_number(text, v);
}
bool read(std::string_view text, const SymbolNamed&, double& v) {
  return read_number(text, v);
}
bool read(std::string_view text, const SymbolNamed& symbols, Size& v) {
  int64_t number = 0;
  if (read_number(text, number)) return v = Size(number), true;
  const auto expr = sym::parse(text, symbols);
  if (!expr || !expr->defined()) return false;
  v = Size(0, *expr);
  return true;
}
bool read(std::string_view text, const SymbolNamed& symbols, Scalar& v) {
  int64_t whole = 0;
  double number = 0;
  if (text == "true" || text == "false") return v = Scalar(text == "true"), true;
  if (read_number(text, whole)) return v = Scalar(whole), true;
  if (read_number(text, number)) return v = Scalar(number), true;
  Size size;
  if (!read(text, symbols, size)) return false;
  v = Scalar(size);
  return true;
}
bool read(std::string_view text, const SymbolNamed& symbols, Sizes& v) {
  return read_list(text, v, [&](std::string_view one, Size& s) { return read(one, symbols, s); });
}

bool read(std::string_view text, const SymbolNamed& symbols, ArgValue& v) {
  if (text == "none" || text == "None") return v = std::monostate(), true;
  if (text == "True" || text == "False") return v = Scalar(text == "True"), true;
  if (const auto quoted = unquoted(text)) return v = *quoted, true;
  if (const auto dtype = dtype_named(text)) return v = *dtype, true;
  if (text.starts_with('[')) {
    const auto read_one = [&](std::string_view one, Scalar& n) { return read(one, symbols, n); };
    return read_list(text, v.emplace<std::vector<Scalar>>(), read_one);
  }
  return read(text, symbols, v.emplace<Scalar>());
}

void map_sizes(Scalar& v, const SizeMap& f) {
  if (v.is_symbolic()) v = Scalar(f(v.size()));
}

void record(events::ValueWriter& out, bool v) {
  out.boolean(v);
}
void record(events::ValueWriter& out, int64_t v) {
  out.integer(v);
}
void record(events::ValueWriter& out, double v) {
  out.floating(v);
}
void record(events::ValueWriter& out, const std::string& v) {
  out.text(v);
}
void record(events::ValueWriter& out, DType v) {
  out.text(name_of(v));
}
void record(events::ValueWriter& out, Size v) {
  out.integer(v.hint());
}
void record(events::ValueWriter& out, const Dims& v) {
  out.integers({v.data(), v.size()});
}
void record(events::ValueWriter& out, const Sizes& v) {
  SmallVector<int64_t, 8> values;
  for (const Size size : v) values.push_back(size.hint());
  out.integers({values.data(), values.size()});
}
void record(events::ValueWriter& out, const Scalar& v) {
  switch (v.kind()) {
    case Scalar::Kind::boolean:
      out.boolean(v.as_bool());
      break;
    case Scalar::Kind::integer:
      out.integer(v.size().hint());
      break;
    case Scalar::Kind::floating:
      out.floating(v.as_double());
      break;
  }
}

Result<std::vector<NamedText>> split(std::string_view text) {
  std::vector<NamedText> parts;
  if (trimmed(text).empty()) return parts;
  auto commas = top_level_commas(text);
  if (!commas) return Failure{cat("brackets or quotes do not pair in \"", text, "\"")};
  commas->push_back(text.size());
  size_t begin = 0;
  for (const size_t end : *commas) {
    const std::string_view part = trimmed(text.substr(begin, end - begin));
    const size_t sign = part.find('=');
    if (sign == std::string_view::npos) return Failure{cat("needs name=value, got \"", part, "\"")};
    parts.push_back({part.substr(0, sign), part.substr(sign + 1)});
    begin = end + 1;
  }
  return parts;
}

}  // namespace vitro::attribute
