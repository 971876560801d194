// Generates random graphs op by op: draws operands and attributes, and drops what the op refuses.
#include "graph/random_graph.h"

#include <algorithm>
#include <limits>
#include <random>

#include "vitro/base/error.h"
#include "vitro/base/module_path.h"
#include "vitro/ops/all.h"
#include "vitro/ops/overload.h"
#include "vitro/ops/shapes.h"

namespace vitro::graph {
namespace {

class Make {
 public:
  Make(uint64_t seed, const RandomOptions& options) : random_(seed), options_(options) {}

  Graph run() {
    const std::vector<sym::Expr> symbols{sym::Expr::symbol("s0"), sym::Expr::symbol("s1")};
    if (options_.symbols) g_.set_symbols(symbols, {5, 7});
    for (int i = 0; i < 3; ++i) add_input(symbols);
    for (int i = 0; i < options_.nodes * 20 && made_ < options_.nodes; ++i) {
      if (i == options_.nodes / 2) add_input(symbols);  // inputs may come after nodes
      try_op();
    }
    for (int i = 0; i < 3; ++i) g_.add_output(any_value());
    return std::move(g_);
  }

 private:
  uint64_t below(uint64_t n) { return random_() % n; }

  void add_input(const std::vector<sym::Expr>& symbols) {
    static constexpr DType dtypes[] = {DType::f32, DType::f32, DType::f64,    DType::f16,
                                       DType::i64, DType::i32, DType::boolean};
    const Size choices[] = {
        3, 4, 1, Size(5, symbols[0]), Size(7, symbols[1]), Size(15, symbols[0] * 3)};
    Sizes sizes;
    for (uint64_t d = below(4); d > 0; --d)
      sizes.push_back(choices[below(options_.symbols ? 6 : 3)]);
    TensorMeta meta = ops::dense(dtypes[below(7)], cpu, sizes);
    if (below(4) == 0 && sizes.size() == 2) std::swap(meta.strides[0], meta.strides[1]);
    const bool number = below(8) == 0 && g_.size() > 0;  // the first input is a tensor
    if (number) meta = ops::dense(below(2) == 0 ? DType::f64 : DType::i64, cpu, {});
    const auto kind = number          ? InputKind::number
                      : below(3) == 0 ? InputKind::parameter
                                      : InputKind::argument;
    g_.add_input("in", meta, kind, place());
  }

  SourceLocation place() {
    static constexpr std::string_view files[] = {"", "a.cpp", "dir/b c.cpp", "d\"#\n.cpp"};
    static const uint32_t module = intern_module_path("encoder.layer one.2");
    SourceLocation out;
    out.file = files[below(4)];
    if (below(2) == 0) out.line = static_cast<uint32_t>(below(1000));
    if (below(3) == 0) out.module = module;
    return out;
  }

  Scalar number() {
    const double inf = std::numeric_limits<double>::infinity();
    const Scalar plain[] = {0, 1, 2, -1, 0.0, -0.0, 1.0, 0.5, true, false};
    const Scalar odd[] = {std::numeric_limits<double>::quiet_NaN(),
                          -std::numeric_limits<double>::quiet_NaN(),
                          Scalar::from_bits(Scalar::Kind::floating, 0x7ff8000000000123),
                          inf,
                          -inf,
                          1e300,
                          0.1,
                          INT64_MIN,
                          INT64_MAX,
                          std::numeric_limits<double>::denorm_min()};
    if (options_.odd_numbers && below(3) == 0) return odd[below(10)];
    if (options_.symbols && below(6) == 0)
      return Size(5, g_.symbols()[0]) * static_cast<int64_t>(below(4)) + 1;
    return plain[below(10)];
  }

  Value any_value() {
    for (;;) {
      const NodeId id{static_cast<uint32_t>(below(g_.size()))};
      if (g_[id].is_input() && g_[id].input == InputKind::number) continue;
      return {id, static_cast<uint32_t>(below(g_[id].results.size()))};
    }
  }

  Arg any_arg() {
    if (below(4) == 0) return number();
    return Value{NodeId{static_cast<uint32_t>(below(g_.size()))}, 0};
  }

  template <class T, size_t n>
  const T& one_of(const T (&all)[n]) {
    return all[below(n)];
  }

  // A value for an argument of this type; the shape rule may refuse it.
  ArgValue value_of(const ArgType& type, std::span<const std::string_view> choices) {
    using Ints = std::vector<Scalar>;
    static constexpr DType dtypes[] = {DType::f32, DType::f16, DType::i64, DType::f64};
    static const Ints lists[] = {{},        {0},    {1}, {-1},       {1, 0}, {0, 1},
                                 {2, 0, 1}, {3, 4}, {3}, {4, 3, -1}, {4},    {0, 2}};
    const bool symbolic = options_.symbols && type.kind == ArgKind::sym_int && below(4) == 0;
    const Scalar s0 = Size(5, sym::Expr::symbol("s0"));
    if (type.list) return symbolic ? Ints{below(2) == 0 ? s0 : Scalar(3), s0} : one_of(lists);
    switch (type.kind) {
      case ArgKind::dtype:
        return one_of(dtypes);
      case ArgKind::boolean:
        return Scalar(below(2) == 0);
      case ArgKind::floating:
        return Scalar(0.25 * static_cast<double>(below(5)));
      case ArgKind::text:
      case ArgKind::memory_format:
        return choices.empty() ? ArgValue() : std::string(choices[below(choices.size())]);
      case ArgKind::scalar:
        return number();
      default:
        return symbolic ? s0 : Scalar(static_cast<int64_t>(below(5)) - 1);
    }
  }

  // Attributes of one of the op's overloads; half of those with a default have it.
  Attrs attributes(const OpDef& op) {
    const auto all = ops::overloads(op);
    const ops::Overload& overload = all[below(all.size())];
    const std::shared_ptr<void> made = op.attrs->make();
    for (size_t i = 0; i < overload.roles.size(); ++i) {
      const SchemaArgument& argument = overload.schema.arguments[i];
      if (overload.roles[i] != ops::Role::attribute) continue;
      const bool left_out = argument.default_text && below(2) == 0;
      const ArgValue value = left_out ? ops::default_value(argument)
                                      : value_of(argument.type, op.attrs->choices(argument.name));
      (void)op.attrs->assign(made.get(), argument.name, value);
    }
    return Attrs(made, op.attrs);
  }

  // A pointwise op accepts numbers for Tensor arguments; other ops rely on their schema's types.
  Arg operand(const OpDef& op, size_t place) {
    if (op.kind == OpKind::pointwise && !op.attrs) return place == 0 ? any_value() : any_arg();
    const ops::Overload& overload = ops::overloads(op)[0];
    for (size_t i = 0; i < overload.roles.size(); ++i) {
      if (overload.roles[i] != ops::Role::operand || place-- != 0) continue;
      const bool is_number = overload.schema.arguments[i].type.kind == ArgKind::scalar;
      return is_number ? Arg(number()) : Arg(any_value());
    }
    return any_value();
  }

  // Composites of data sizes are captured as their ops, as their programs may ask for the sizes.
  bool is_never_captured(const OpDef& op, const std::vector<Arg>& args) const {
    return op.kind == OpKind::composite && std::ranges::any_of(args, [&](const Arg& arg) {
             const auto* value = std::get_if<Value>(&arg);
             return value && std::ranges::any_of(g_.meta(*value).sizes, [](Size size) {
                      return size.is_symbolic() && sym::is_data(size.expr());
                    });
           });
  }

  void try_op() {
    const OpDef& op = *ops::all()[below(ops::all().size())];
    if (op.kind == OpKind::opaque) return;
    const Attrs attrs = op.attrs ? attributes(op) : Attrs();
    const uint64_t most = op.max_operands == 255 ? 3 : op.max_operands;
    std::vector<Arg> args(op.min_operands + below(most - op.min_operands + 1));
    for (size_t i = 0; i < args.size(); ++i) args[i] = operand(op, i);
    if (is_never_captured(op, args)) return;
    try {
      (void)g_.add(op, std::move(args), attrs, place());
      ++made_;
    } catch (const Error&) {  // the op refuses this draw
    }
  }

  std::mt19937_64 random_;
  RandomOptions options_;
  Graph g_;
  int made_ = 0;
};

}  // namespace

Graph random_graph(uint64_t seed, const RandomOptions& options) {
  return Make(seed, options).run();
}

}  // namespace vitro::graph
