// Ops called by ATen's names: what a model file, Python or a test knows of them.
//   std::vector<Tensor> y = ops::call("add.Tensor", {x, y}, {{"alpha", Scalar(2)}});
//   ops::call("softmax", {x}, {{"dim", Scalar(-1)}});        // the overload that takes these
// Every op has its overloads from its record; beside them stand functions that are written with
// ops (reshape, softmax.int, split).
#pragma once

#include <initializer_list>
#include <source_location>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "vitro/base/result.h"
#include "vitro/core/arg_value.h"
#include "vitro/core/op.h"
#include "vitro/core/schema.h"

namespace vitro::ops {

// A function that users call, with one value for each argument of a schema.
struct Function {
  std::vector<Tensor> (*call)(std::span<const ArgValue> arguments,
                              std::source_location where) = nullptr;
  size_t takes = 0;  // so many of the arguments, the first ones
};

struct Overload {
  Schema schema;
  std::string_view doc;
  const OpDef* op = nullptr;  // null: a function written with ops
  Function function;          // none: the call is one call of `op`
};

// All, in the order of the list of ops, then functions.  Those of one name stand side by side.
const std::vector<Overload>& overloads();
// Of "add", or the one of "add.Tensor"; empty: there is none.
std::span<const Overload> overloads(std::string_view name);
const Overload* overload(std::string_view full_name);  // "add.Tensor"; null: there is none

// The sentence about a name that no op has, with the one that was probably meant.
std::string no_such_op(std::string_view name);

// What its default says; None where it has none.
ArgValue default_value(const SchemaArgument& argument);

// Whether a value is of an argument's type.
bool fits(const ArgType& type, const ArgValue& value);

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
