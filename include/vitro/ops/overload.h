// Calls of ops by ATen's names, for model files, Python and tests.
//   std::vector<Tensor> y = ops::call("add.Tensor", {x, y}, {{"alpha", Scalar(2)}});
//   ops::call("softmax", {x}, {{"dim", Scalar(-1)}});        // the overload that takes these
//   Scalar rows = std::get<Scalar>(ops::evaluate("sym_size.int", {x, Scalar(0)})[0]);
// The overloads of an op come from its definition. There are also functions that are written with
// ops (reshape, softmax.int, split), and some whose result is a number (sym_size.int): a size or
// stride, in a compiled function as an expression over its symbols, or an element.
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

// A public function that takes one value for each argument of the schema.
struct BoundFunction;  // src/ops/bind.h
class Function {
 public:
  constexpr Function() = default;
  constexpr explicit Function(const BoundFunction& bound) : bound_(&bound) {}
  explicit operator bool() const { return bound_ != nullptr; }
  // Exactly one of these, that of the schema's results.
  std::vector<Tensor> call(const Schema& schema, std::span<const ArgValue> arguments,
                           std::source_location where) const;
  Scalar number(const Schema& schema, std::span<const ArgValue> arguments,
                std::source_location where) const;
  size_t takes() const;  // the number of leading arguments that it takes

 private:
  const BoundFunction* bound_ = nullptr;
};

// The meaning of a schema's argument in a call of the op.
enum class Role : uint8_t {
  operand,    // the next operand
  operands,   // a list: as many of the next operands as it has elements
  attribute,  // the attribute of the same name
  unused,     // not passed on: must have its default, or a value that does not change the result
};

struct Overload {
  Schema schema;
  std::string_view doc;
  const OpDef* op = nullptr;  // null: a function written with ops
  Function function;          // none: a call of `op`
  std::vector<Role> roles{};  // one for each argument of the schema; empty if `op` is null
};

// All overloads: ops in the order of the list, then functions. Overloads of a name are adjacent.
const std::vector<Overload>& overloads();
// The schemas of one op: those in which its calls (nodes of graphs) are written.
std::span<const Overload> overloads(const OpDef& op);
// The overloads of "add", or only "add.Tensor"; empty if there are none.
std::span<const Overload> overloads(std::string_view name);
const Overload* overload(std::string_view full_name);  // "add.Tensor"; null if there is none

// Whether ATen has an overload of this full name.  It lacks Vitro's own ops, functions that torch
// writes in Python, and an op of the library transformers.
bool is_in_aten(const Schema& schema);

// The error message for an unknown name; suggests a similar one.
std::string no_such_op(std::string_view name);

// The default of the argument; None if it has none.
ArgValue default_value(const SchemaArgument& argument);

// For each argument of the schema, the index of its value among those given by position followed by
// those given by name; nullopt: the default. Failure in PyTorch's words: an argument is missing,
// unknown or given twice.
Result<std::vector<std::optional<size_t>>> match(const Schema& schema, size_t positional,
                                                 std::span<const std::string_view> names);
// Whether an argument of the type can have the value, and the message if it cannot. As in PyTorch,
// a bool is not an integer, so that it selects another overload.
bool takes(const ArgType& type, const ArgValue& value);
Failure wrong_type(const Schema& schema, size_t argument, std::string_view got);
// The same for an argument restricted to these words; without words it is wrong_type().
Failure wrong_word(const Schema& schema, size_t argument, std::span<const std::string_view> words,
                   std::string_view got);
// The error message if no overload takes the arguments, with the reason for each overload.
std::string none_takes(std::string_view name, const std::vector<std::string>& reasons);
// Yes, or the value that an argument of role `unused` must have.
Verdict can_ignore(const Schema& schema, const SchemaArgument& argument, const ArgValue& value);

// One value for each argument of the schema: by position, then by name, then defaults. Failure in
// PyTorch's words: an argument is missing, unknown or of another type.
Result<std::vector<ArgValue>> arrange(const Schema& schema, std::span<const ArgValue> positional,
                                      std::span<const NamedArg> named);

// Whether the results are numbers (SymInt, Scalar, bool), not tensors.
bool returns_number(const Schema& schema);

// Calls the overload; returns as many tensors as the schema has results, or the list that is its
// result. Error if arguments do not fit, if one that Vitro does not implement differs from its
// default, or if the result is a number.
std::vector<Tensor> call(const Overload& overload, std::span<const ArgValue> positional,
                         std::span<const NamedArg> named = {},
                         std::source_location where = std::source_location::current());
// By full name, or by name: the first overload that takes the arguments. Error if there is none.
std::vector<Tensor> call(std::string_view name, std::initializer_list<ArgValue> positional,
                         std::initializer_list<NamedArg> named = {},
                         std::source_location where = std::source_location::current());
std::vector<Tensor> call(std::string_view name, std::span<const ArgValue> positional,
                         std::span<const NamedArg> named,
                         std::source_location where = std::source_location::current());

// The same for any result: one value for each result of the schema, a tensor, a list of tensors or
// a number, as another call takes it.
std::vector<ArgValue> evaluate(const Overload& overload, std::span<const ArgValue> positional,
                               std::span<const NamedArg> named = {},
                               std::source_location where = std::source_location::current());
std::vector<ArgValue> evaluate(std::string_view name, std::initializer_list<ArgValue> positional,
                               std::initializer_list<NamedArg> named = {},
                               std::source_location where = std::source_location::current());
std::vector<ArgValue> evaluate(std::string_view name, std::span<const ArgValue> positional,
                               std::span<const NamedArg> named,
                               std::source_location where = std::source_location::current());

}  // namespace vitro::ops
