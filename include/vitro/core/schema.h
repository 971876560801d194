// The signatures of ops in ATen's schema language (native_functions.yaml):
//   add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor
// A name and an overload; arguments with type, name and default, those after `*` keyword-only;
// results.  `Tensor(a)` shares memory with the arguments and results of the same letter,
// `Tensor(a!)` is written, `Tensor(a -> *)` shares it with the elements of a list of results.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "vitro/base/result.h"

namespace vitro {

enum class ArgKind : uint8_t {
  tensor,
  scalar,  // a number of any kind
  integer,
  sym_int,  // an integer that may be a symbol
  floating,
  boolean,
  text,
  dtype,
  layout,
  device,
  memory_format,
  generator,
};
std::string_view name_of(ArgKind kind);  // as ATen spells it: Tensor, Scalar, int, SymInt, ...

// T, T?, T[], T[2], T?[], T[]?.
struct ArgType {
  ArgKind kind = ArgKind::tensor;
  bool optional = false;  // may be None
  bool list = false;
  bool optional_elements = false;  // of a list: T?[]
  int64_t length = 0;              // n of T[n]: one value stands for n equal ones; 0: any length
  bool operator==(const ArgType&) const = default;
};

struct Alias {
  char set = 0;  // 0: shares memory with nothing
  bool written = false, into_list = false;
  bool operator==(const Alias&) const = default;
};

struct SchemaArgument {
  std::string name;
  ArgType type;
  std::optional<std::string> default_text;  // as written: 1, -1, [], None, False, "none"
  bool keyword_only = false;
  Alias alias;
  bool operator==(const SchemaArgument&) const = default;
};

struct SchemaResult {
  std::string name;  // often empty
  ArgType type;
  Alias alias;
  bool operator==(const SchemaResult&) const = default;
};

struct Schema {
  std::string name, overload;  // "add", "Tensor"
  std::vector<SchemaArgument> arguments;
  std::vector<SchemaResult> results;

  std::string full_name() const { return overload.empty() ? name : name + '.' + overload; }
  // Whether a call writes its result into the first argument: add_.
  bool in_place() const { return !arguments.empty() && arguments[0].alias.written; }
  // Null if there is no argument of that name.
  const SchemaArgument* argument(std::string_view name) const;
  bool operator==(const Schema&) const = default;
};

// A failure says what was expected, and at which character.
Result<Schema> parse_schema(std::string_view text);

// The form that writes the result into `self`, named as in ATen: for add.Tensor it is
// add_.Tensor(Tensor(a!) self, ...) -> Tensor(a!).  nullopt if there cannot be one: the first
// argument is not a tensor `self`, there is not exactly one result, or an argument chooses the
// result's dtype, layout or memory format.
std::optional<Schema> in_place_form(const Schema& functional);

void append_to(std::string& out, const ArgType& type);
void append_to(std::string& out, const SchemaArgument& argument);
// parse_schema reads the text back as the same schema.
void append_to(std::string& out, const Schema& schema);

}  // namespace vitro
