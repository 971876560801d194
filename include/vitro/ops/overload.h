// Ops called by ATen's names: what a model file, Python or a test knows of them.
//   std::vector<Tensor> y = ops::call("add.Tensor", {x, y}, {{"alpha", Scalar(2)}});
//   ops::call("softmax", {x}, {{"dim", Scalar(-1)}});        // the overload that takes these
// Every op has its overloads from its record; beside them stand functions that are written with
// ops (reshape, softmax.int, split).
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <source_location>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "vitro/base/result.h"
#include "vitro/base/verdict.h"
#include "vitro/core/arg_value.h"
#include "vitro/core/op.h"
#include "vitro/core/schema.h"

namespace vitro::ops {

// A function that users call, with one value for each argument of the schema.
struct Function {
  std::vector<Tensor> (*call)(const Schema& schema, std::span<const ArgValue> arguments,
                              std::source_location where) = nullptr;
  size_t takes = 0;  // so many of the arguments, the first ones
};

// What an argument of a schema is in a call of the op.
enum class Role : uint8_t {
  operand,    // the next one
  operands,   // as many of the next ones as the list has
  attribute,  // the member of that name
  unused,  // has no place in the call: left at its default, or none that changes what is computed
};

struct Overload {
  Schema schema;
  std::string_view doc;
  const OpDef* op = nullptr;  // null: a function written with ops
  Function function;          // none: the call is one call of `op`
  std::vector<Role> roles{};  // of each argument of the schema; empty without an op
};

// All, in the order of the list of ops, then functions.  Those of one name stand side by side.
const std::vector<Overload>& overloads();
// The schemas of one op, which its calls (a node of a graph is one) are written by.
std::span<const Overload> overloads(const OpDef& op);
// Of "add", or the one of "add.Tensor"; empty: there is none.
std::span<const Overload> overloads(std::string_view name);
const Overload* overload(std::string_view full_name);  // "add.Tensor"; null: there is none

// The sentence about a name that no op has, with the one that was probably meant.
std::string no_such_op(std::string_view name);

// What its default says; None where it has none.
ArgValue default_value(const SchemaArgument& argument);

// For each argument of the schema the value that it takes, by its number among those given by
// position and then those given by name; none: its default.  Failure in PyTorch's words: which
// argument is missing, unknown or given twice.
Result<std::vector<std::optional<size_t>>> match(const Schema& schema, size_t positional,
                                                 std::span<const std::string_view> names);
// Whether an argument of that type can have the value, and the sentence about one that cannot.  No
// truth value is an integer: it is for another overload, as in PyTorch.
bool takes(const ArgType& type, const ArgValue& value);
Failure wrong_type(const Schema& schema, size_t argument, std::string_view got);
// The same, of an argument that takes none but these words; without any it is that about the type.
Failure wrong_word(const Schema& schema, size_t argument, std::span<const std::string_view> words,
                   std::string_view got);
// The sentence about arguments that no overload of an op takes, with the reason of each.
std::string none_takes(std::string_view name, const std::vector<std::string>& reasons);
// Yes, or which value an argument without a place in the call must have.
Verdict can_ignore(const Schema& schema, const SchemaArgument& argument, const ArgValue& value);

// One value for each argument of the schema: those given by position, then by name, then
// defaults.  Failure in PyTorch's words: which argument is missing, unknown or of another type.
Result<std::vector<ArgValue>> arrange(const Schema& schema, std::span<const ArgValue> positional,
                                      std::span<const NamedArg> named);

// Runs it; as many tensors as the schema has results, or the list that it gives.  Error where
// arguments do not fit, or one that Vitro does not implement is not left at its default.
std::vector<Tensor> call(const Overload& overload, std::span<const ArgValue> positional,
                         std::span<const NamedArg> named = {},
                         std::source_location where = std::source_location::current());
// By full name, or by name: the first overload that takes the arguments.  Error where none does.
std::vector<Tensor> call(std::string_view name, std::initializer_list<ArgValue> positional,
                         std::initializer_list<NamedArg> named = {},
                         std::source_location where = std::source_location::current());
std::vector<Tensor> call(std::string_view name, std::span<const ArgValue> positional,
                         std::span<const NamedArg> named,
                         std::source_location where = std::source_location::current());

}  // namespace vitro::ops
