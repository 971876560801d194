// Finds what the gradients of a call need to be saved, and describes the gradient of an op.
#include <algorithm>
#include <memory>
#include <optional>

#include "autograd/shapes.h"
#include "autograd/uses.h"
#include "vitro/autograd/vjp.h"
#include "vitro/base/cat.h"
#include "vitro/base/error.h"
#include "vitro/core/formula.h"
#include "vitro/ops/overload.h"
#include "vitro/ops/shapes.h"

namespace vitro::autograd {

Saved saved_for(const OpCall& call, std::span<const bool> wanted) {
  const Uses uses = uses_of(call, wanted);
  Saved out;
  for (const Use use : uses.operands) out.operands.push_back(use == Use::elements);
  for (const Use use : uses.results) out.results.push_back(use == Use::elements);
  return out;
}

namespace {

// Intercepts the op call that an overload makes, and finds what is saved for it.
class Find : public Shapes {
 public:
  explicit Find(const OpDef& op) : op_(op) {}
  void call(const OpCall& call, std::span<Tensor> results) override {
    if (call.op == &op_) {
      const auto wanted = std::make_unique<bool[]>(call.operands.size());
      std::fill_n(wanted.get(), call.operands.size(), true);
      found = saved_for(call, {wanted.get(), call.operands.size()});
    }
    Shapes::call(call, results);
  }
  std::optional<Saved> found;

 private:
  const OpDef& op_;
};

// The tensors of an example call: a schema does not say which ones its op accepts.
struct Kind {
  std::span<const DType> dtypes;  // in order; the last one repeats
  size_t rank;                    // of the first tensor
  size_t less;                    // how much smaller the rank of the others is
  bool all;                       // whether to pass optional ones
  std::optional<int64_t> number;  // the value of integer arguments; none: dimensions
  size_t shorter;                 // how much shorter than that rank lists of numbers are
  int64_t size;                   // of each dimension
};

// A value for an argument that is not a tensor and has no default.
ArgValue example(const OpDef& op, const SchemaArgument& argument, const Kind& kind) {
  const ArgType& type = argument.type;
  const size_t rank = kind.rank;
  if (kind.number && type.list) {
    const size_t free = rank > kind.shorter ? rank - kind.shorter : 0;
    const size_t length = type.length == 0 ? free : static_cast<size_t>(type.length);
    return std::vector<Scalar>(length, Scalar(*kind.number));
  }
  const bool whole = type.kind == ArgKind::integer || type.kind == ArgKind::sym_int;
  if (kind.number && whole) return Scalar(*kind.number);
  if (type.list) {  // sizes are 1; dimensions are all that there are
    std::vector<Scalar> all;
    for (size_t d = 0; d < rank; ++d)
      all.emplace_back(type.kind == ArgKind::integer ? static_cast<int64_t>(d) : 1);
    return all;
  }
  const auto words =
      op.attrs ? op.attrs->choices(argument.name) : std::span<const std::string_view>();
  if (!words.empty()) return std::string(words.back());
  if (type.kind == ArgKind::boolean) return Scalar(false);
  if (type.kind == ArgKind::scalar) return Scalar(0.5);
  return type.optional ? ArgValue() : ArgValue(Scalar(0));
}

// Arguments that are tensors of equal sizes.
std::vector<NamedArg> example(Shapes& shapes, const ops::Overload& overload, const Kind& kind) {
  size_t next = 0;
  const auto tensor = [&] {
    const DType dtype = kind.dtypes[std::min(next, kind.dtypes.size() - 1)];
    const size_t rank = kind.rank - (next++ > 0 ? kind.less : 0);
    return shapes.tensor(ops::dense(dtype, cpu, Sizes(rank, Size(kind.size))));
  };
  std::vector<NamedArg> out;
  for (const SchemaArgument& argument : overload.schema.arguments) {
    const bool is_tensor = argument.type.kind == ArgKind::tensor;
    if (argument.default_text && !(is_tensor && kind.all)) continue;
    if (is_tensor && argument.type.list) {
      const Tensor first = tensor();
      out.push_back({argument.name, std::vector<Tensor>{first, tensor()}});
    } else if (is_tensor) {
      out.push_back({argument.name, tensor()});
    } else {
      out.push_back({argument.name, example(*overload.op, argument, kind)});
    }
  }
  return out;
}

std::optional<Saved> found_for(const ops::Overload& overload, const Kind& kind) {
  Find find(*overload.op);
  const std::vector<NamedArg> arguments = example(find, overload, kind);
  try {
    const Using use(&find);
    (void)ops::call(overload, {}, arguments);
  } catch (const Error&) {
    return std::nullopt;
  }
  return find.found;
}

// For the first example that the overload accepts.
std::optional<Saved> found_for(const ops::Overload& overload) {
  constexpr DType f = DType::f64, i = DType::i64, b = DType::boolean, pivots = DType::i32;
  constexpr DType dtypes[][4] = {{f, f, f, f}, {f, i, f, f}, {b, f, f, f},     {f, b, f, f},
                                 {f, i, i, f}, {f, f, i, f}, {f, pivots, f, f}};
  constexpr std::optional<int64_t> numbers[] = {std::nullopt, 1, 0};
  for (const int64_t size : {1, 2}) {
    for (const size_t shorter : {0, 2}) {  // 2: a number for each spatial dimension
      for (const auto& number : numbers) {
        for (const bool all : {true, false}) {
          for (const size_t less : {0, 1}) {
            for (const auto& some : dtypes) {
              for (const size_t rank : {1, 2, 3, 4, 0}) {
                if (rank < less) continue;
                const Kind kind{some, rank, less, all, number, shorter, size};
                if (const auto found = found_for(overload, kind)) return found;
              }
            }
          }
        }
      }
    }
  }
  return std::nullopt;
}

// The names of the saved values as in the schema.
std::string names(const ops::Overload& overload, const Saved& saved) {
  std::string out;
  const auto add = [&](std::string_view name) { out += cat(out.empty() ? "" : ", ", name); };
  const size_t all = saved.operands.size();
  const auto single = static_cast<size_t>(std::ranges::count(overload.roles, ops::Role::operand));
  size_t operand = 0;
  for (size_t i = 0; i < overload.roles.size(); ++i) {
    const bool is_list = overload.roles[i] == ops::Role::operands;
    if (!is_list && overload.roles[i] != ops::Role::operand) continue;
    const size_t end = std::min(all, operand + (is_list ? all - std::min(all, single) : 1));
    bool any = false;
    for (; operand < end; ++operand) any |= saved.operands[operand];
    if (any) add(overload.schema.arguments[i].name);
  }
  for (size_t k = 0; k < saved.results.size() && k < overload.schema.results.size(); ++k) {
    const std::string& name = overload.schema.results[k].name;
    if (saved.results[k]) add(!name.empty() ? name : k == 0 ? "result" : cat("result", k));
  }
  return out;
}

}  // namespace

std::string describe(const OpDef& op) {
  const Verdict can = is_differentiable(op);
  if (!can) return cat("none: ", can.why);
  std::string out = op.gradient->formula ? "a formula" : "through its program";
  for (const ops::Overload& overload : ops::overloads(op)) {
    if (overload.schema.in_place()) continue;
    const std::optional<Saved> saved = found_for(overload);
    if (!saved) continue;
    const std::string kept = names(overload, *saved);
    return out + (kept.empty() ? "; saves nothing" : cat("; saves ", kept));
  }
  return out;
}

}  // namespace vitro::autograd
