// Parses schemas by recursive descent over one line (`parse_schema`), prints them, and derives the
// in-place form of an op.
#include "vitro/core/schema.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "vitro/base/cat.h"

namespace vitro {
namespace {

constexpr std::array<std::string_view, 12> kind_names{
    "Tensor", "Scalar",     "int",    "SymInt", "float",        "bool",
    "str",    "ScalarType", "Layout", "Device", "MemoryFormat", "Generator"};

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Result<Schema> schema() {
    Schema out;
    out.name = word();
    if (out.name.empty()) fail("the name of an op");
    if (take('.')) out.overload = word();
    arguments(out.arguments);
    spaces();
    if (!take("->")) fail("'->'");
    results(out.results);
    spaces();
    if (at_ != text_.size()) fail("the end");
    if (!why_.empty()) return Failure{why_};
    return out;
  }

 private:
  void arguments(std::vector<SchemaArgument>& out) {
    if (!expect('(')) return;
    bool keyword_only = false;
    if (spaces(), take(')')) return;
    out.reserve(static_cast<size_t>(std::ranges::count(text_, ',')) + 1);
    do {
      spaces();
      if (take('*')) {
        keyword_only = true;
        continue;
      }
      out.push_back(argument());
      out.back().keyword_only = keyword_only;
    } while (why_.empty() && (spaces(), take(',')));
    expect(')');
  }

  SchemaArgument argument() {
    SchemaArgument out;
    out.type = type(out.alias);
    spaces();
    out.name = word();
    if (out.name.empty()) fail("the name of an argument");
    if (take('=')) out.default_text = default_text();
    return out;
  }

  void results(std::vector<SchemaResult>& out) {
    spaces();
    if (!take('(')) {
      out.push_back(result());
      return;
    }
    if (spaces(), take(')')) return;
    do {
      out.push_back(result());
    } while (why_.empty() && (spaces(), take(',')));
    expect(')');
  }

  SchemaResult result() {
    SchemaResult out;
    spaces();
    out.type = type(out.alias);
    spaces();
    out.name = word();
    return out;
  }

  ArgType type(Alias& alias) {
    ArgType out;
    const std::string_view name = word();
    const auto* found = std::find(kind_names.begin(), kind_names.end(), name);
    if (found == kind_names.end()) return fail(cat("a type, got '", name, "'")), out;
    out.kind = static_cast<ArgKind>(found - kind_names.begin());
    if (take('(')) alias = alias_set();
    out.optional = take('?');
    if (take('[')) {
      out.list = true;
      out.optional_elements = std::exchange(out.optional, false);
      while (at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_])))
        out.length = out.length * 10 + (text_[at_++] - '0');
      expect(']');
      out.optional = take('?');
    }
    return out;
  }

  Alias alias_set() {
    Alias out;
    if (at_ < text_.size() && std::islower(static_cast<unsigned char>(text_[at_])))
      out.set = text_[at_++];
    else
      fail("the letter of an alias set");
    out.written = take('!');
    out.into_list = take(" -> *");
    expect(')');
    return out;
  }

  // The text up to the comma or bracket that ends the argument.
  std::string default_text() {
    const size_t begin = at_;
    int depth = 0;
    for (char quote = 0; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (quote) {
        if (c == quote) quote = 0;
      } else if (c == '"' || c == '\'') {
        quote = c;
      } else if (c == '[') {
        ++depth;
      } else if (depth == 0 && (c == ',' || c == ')')) {
        break;
      } else if (c == ']') {
        --depth;
      }
    }
    if (at_ == begin) fail("a default");
    return std::string(text_.substr(begin, at_ - begin));
  }

  std::string_view word() {
    const size_t begin = at_;
    while (at_ < text_.size() && is_word(text_[at_])) ++at_;
    return text_.substr(begin, at_ - begin);
  }
  void spaces() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  bool take(char c) {
    const bool is_there = at_ < text_.size() && text_[at_] == c;
    at_ += is_there ? 1 : 0;
    return is_there;
  }
  bool take(std::string_view what) {
    if (!text_.substr(at_).starts_with(what)) return false;
    at_ += what.size();
    return true;
  }
  bool expect(char c) {
    if (take(c)) return true;
    fail(cat("'", c, "'"));
    return false;
  }
  // Keeps the first failure.
  void fail(std::string_view expected) {
    if (why_.empty())
      why_ = cat("schema \"", text_, "\": needs ", expected, " at character ", at_ + 1);
  }

  std::string_view text_;
  size_t at_ = 0;
  std::string why_;
};

std::string alias_text(const Alias& alias) {
  if (!alias.set) return {};
  return cat('(', alias.set, alias.written ? "!" : "", alias.into_list ? " -> *" : "", ')');
}

void append_type(std::string& out, const ArgType& type, const Alias& alias) {
  out.append(name_of(type.kind)).append(alias_text(alias));
  if (type.list) {
    if (type.optional_elements) out.push_back('?');
    out.push_back('[');
    if (type.length != 0) append_to(out, type.length);
    out.push_back(']');
  }
  if (type.optional) out.push_back('?');
}

void append_result(std::string& out, const SchemaResult& result) {
  append_type(out, result.type, result.alias);
  if (!result.name.empty()) out.append(" ").append(result.name);
}

}  // namespace

std::string_view name_of(ArgKind kind) {
  return kind_names[static_cast<size_t>(kind)];
}

const SchemaArgument* Schema::argument(std::string_view wanted) const {
  for (const SchemaArgument& one : arguments) {
    if (one.name == wanted) return &one;
  }
  return nullptr;
}

Result<Schema> parse_schema(std::string_view text) {
  return Parser(text).schema();
}

std::optional<Schema> in_place_form(const Schema& functional) {
  const auto chooses_result = [](const SchemaArgument& argument) {
    return argument.type.kind == ArgKind::dtype || argument.type.kind == ArgKind::layout ||
           argument.type.kind == ArgKind::memory_format;
  };
  const auto& given = functional.arguments;
  if (given.empty() || given[0].name != "self" || given[0].type != ArgType{} ||
      functional.results.size() != 1 || std::any_of(given.begin(), given.end(), chooses_result))
    return std::nullopt;
  Schema out = functional;
  out.name += '_';
  out.arguments[0].alias = out.results[0].alias = {.set = 'a', .written = true};
  return out;
}

void append_to(std::string& out, const ArgType& type) {
  append_type(out, type, {});
}

void append_to(std::string& out, const SchemaArgument& argument) {
  append_type(out, argument.type, argument.alias);
  out.append(" ").append(argument.name);
  if (argument.default_text) out.append("=").append(*argument.default_text);
}

void append_to(std::string& out, const Schema& schema) {
  out.append(schema.full_name()).push_back('(');
  bool keyword_only = false;
  for (const SchemaArgument& argument : schema.arguments) {
    if (&argument != schema.arguments.data()) out.append(", ");
    if (argument.keyword_only && !std::exchange(keyword_only, true)) out.append("*, ");
    append_to(out, argument);
  }
  out.append(") -> ");
  const bool brackets = schema.results.size() != 1 || !schema.results[0].name.empty();
  if (brackets) out.push_back('(');
  for (const SchemaResult& result : schema.results) {
    if (&result != schema.results.data()) out.append(", ");
    append_result(out, result);
  }
  if (brackets) out.push_back(')');
}

}  // namespace vitro
