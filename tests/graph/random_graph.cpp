#include "graph/random_graph.h"

#include <algorithm>
#include <limits>
#include <random>

#include "vitro/base/error.h"
#include "vitro/core/module_path.h"
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
    for (int i = 0; i < 4; ++i) add_input(symbols);
    for (int i = 0; i < options_.nodes * 20 && made_ < options_.nodes; ++i) try_op();
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
    const bool number = below(8) == 0 && g_.size() > 0;  // some input is a tensor
    if (number) meta = ops::dense(below(2) == 0 ? DType::f64 : DType::i64, cpu, {});
    const auto kind = number          ? InputKind::number
                      : below(3) == 0 ? InputKind::parameter
                                      : InputKind::argument;
    g_.add_input("in", meta, kind, place());
  }

  Place place() {
    static constexpr std::string_view files[] = {"", "a.cpp", "dir/b c.cpp", "d\"#\n.cpp"};
    static const uint32_t module = intern_module_path("encoder.layer one.2");
    Place out;
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

  // Whether an overload of the op takes these attributes, and needs no others.
  static bool is_taken(const OpDef& op, std::span<const NamedArg> given) {
    const std::shared_ptr<void> attrs = op.attrs->make();
    const auto named = [&](const SchemaArgument& argument) {
      return std::any_of(given.begin(), given.end(),
                         [&](const NamedArg& one) { return one.name == argument.name; });
    };
    const auto takes = [&](const ops::Overload& one) {
      const auto& arguments = one.schema.arguments;
      return std::all_of(given.begin(), given.end(),
                         [&](const NamedArg& each) {
                           const SchemaArgument* argument = one.schema.argument(each.name);
                           return argument && ops::fits(argument->type, each.value);
                         }) &&
             std::all_of(arguments.begin(), arguments.end(), [&](const SchemaArgument& argument) {
               return argument.default_text || named(argument) ||
                      !op.attrs->assign(attrs.get(), argument.name, {});
             });
    };
    const auto overloads = ops::overloads(op.name);
    return std::any_of(overloads.begin(), overloads.end(), takes);
  }

  // Attributes as their text: what an op does not take is refused, and another draw is made.
  Attrs attributes(const OpDef& op) {
    const AttrsType* type = op.attrs;
    static constexpr std::string_view texts[] = {"",
                                                 "",
                                                 "",
                                                 "dim=0",
                                                 "dim=-1",
                                                 "dim=1",
                                                 "dim=[0]",
                                                 "dim=[1], keepdim=true",
                                                 "dim=[]",
                                                 "dims=[1, 0]",
                                                 "dims=[0, 1]",
                                                 "dims=[2, 0, 1]",
                                                 "dim=0, start=1, end=3, step=2",
                                                 "size=[-1]",
                                                 "size=[3, 4]",
                                                 "size=[3, s0]",
                                                 "size=[4, 3, -1]",
                                                 "size=[s0, s0]",
                                                 "dtype=f32",
                                                 "dtype=f16",
                                                 "dtype=i64",
                                                 "dim=0, index=1",
                                                 "normalized_shape=[3]",
                                                 "normalized_shape=[4]",
                                                 "diagonal=1",
                                                 "is_causal=true",
                                                 "dtype=f64"};
    const std::string_view text = texts[below(std::size(texts))];
    if (!options_.symbols && text.find("s0") != text.npos) return {};
    const sym::Expr s0 = sym::Expr::symbol("s0");
    const SymbolNamed symbols = [&](std::string_view name) {
      return name == "s0" ? s0 : sym::Expr();
    };
    const auto parts = attribute::split(text).value();
    std::vector<NamedArg> given;
    for (const attribute::NamedText& part : parts) {
      ArgValue value;
      if (!attribute::read(part.text, symbols, value)) return {};
      given.push_back({part.name, std::move(value)});
    }
    if (!is_taken(op, given)) return {};
    const std::shared_ptr<void> made = type->make();
    for (const NamedArg& one : given) {
      if (type->assign(made.get(), one.name, one.value) != true) return {};
    }
    return Attrs(made, type).map_sizes([](Size s) {
      return s.is_symbolic() ? Size(5, s.expr()) : s;
    });
  }

  void try_op() {
    const OpDef& op = *ops::all()[below(ops::all().size())];
    if (op.kind == OpKind::random || op.kind == OpKind::opaque) return;
    const Attrs attrs = op.attrs ? attributes(op) : Attrs();
    if (op.attrs && !attrs) return;
    const uint64_t most = op.max_operands == 255 ? 3 : op.max_operands;
    std::vector<Arg> args(op.min_operands + below(most - op.min_operands + 1));
    // Elsewhere shape rules rely on getting tensors.
    const bool takes_numbers = op.kind == OpKind::pointwise && !op.attrs;
    for (size_t i = 0; i < args.size(); ++i)
      args[i] = takes_numbers && i != 0 ? any_arg() : Arg(any_value());
    try {
      (void)g_.add(op, std::move(args), attrs, place());
      ++made_;
    } catch (const Error&) {  // this draw does not fit
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
