#include "graph/metas.h"

#include <algorithm>

#include "vitro/base/error.h"
#include "vitro/ops/shapes.h"

namespace vitro::graph {
namespace {

// Operands as a shape rule sees them.  Numbers that vary stand in by a 0 of their kind.
class Arguments {
 public:
  Arguments(const Graph& g, std::span<const Arg> args)
      : stand_ins_(args.size()), list_(args.size()) {
    for (size_t i = 0; i < args.size(); ++i) {
      if (const auto* number = std::get_if<Scalar>(&args[i])) {
        list_[i].number = number;
      } else if (const auto* value = std::get_if<Value>(&args[i])) {
        set(i, g, *value);
      }
    }
  }
  std::span<const Argument> list() const { return list_; }

 private:
  void set(size_t i, const Graph& g, Value value) {
    const TensorMeta& meta = g.meta(value);
    const Node& node = g[value.node];
    if (!node.is_input() || node.input != InputKind::number) {
      list_[i].meta = &meta;
      return;
    }
    const auto kind = is_bool(meta.dtype)       ? Scalar::Kind::boolean
                      : is_floating(meta.dtype) ? Scalar::Kind::floating
                                                : Scalar::Kind::integer;
    stand_ins_[i] = Scalar::from_bits(kind, 0);
    list_[i].number = &stand_ins_[i];
  }

  std::vector<Scalar> stand_ins_;
  std::vector<Argument> list_;
};

}  // namespace

bool fits(const TensorMeta& a, const TensorMeta& b) {
  return a.dtype == b.dtype && a.device == b.device && attribute::same(a.sizes, b.sizes) &&
         attribute::same(a.strides, b.strides);
}

bool same(const TensorMeta& a, const TensorMeta& b) {
  return fits(a, b) && identical(a.offset, b.offset);
}

void add_to(Hasher& h, const TensorMeta& meta) {
  h.add(meta.dtype);
  h.add(meta.device.kind);
  h.add(meta.device.index);
  attribute::add(h, meta.sizes);
  attribute::add(h, meta.strides);
  attribute::add(h, meta.offset);
}

std::vector<TensorMeta> infer(const Graph& g, const OpDef& op, std::span<const Arg> args,
                              AttrsView attrs) {
  VITRO_CHECK(
      args.size() >= op.min_operands && (op.max_operands == 255 || args.size() <= op.max_operands),
      op.name, ": got ", args.size(), " operands, needs ", static_cast<int>(op.min_operands),
      op.max_operands == op.min_operands ? "" : " or more");
  VITRO_CHECK(attrs.type == op.attrs, op.name, ": ",
              op.attrs ? "needs its attributes" : "takes no attributes");
  const Arguments arguments(g, args);
  std::vector<TensorMeta> results;
  ShapeCall call{op.name, arguments.list(), attrs, results};
  op.shape(call);
  return results;
}

OpProgram program_of(const OpDef& op, DType result) {
  if (op.composite) return op.composite->expand;
  return op.contraction && !is_floating(result) ? op.contraction->whole : nullptr;
}

DType common_dtype(const Graph& g, const Node& node) {
  return ops::common_dtype(Arguments(g, node.args).list(), *node.op->pointwise,
                           node.results[0].dtype);
}

constexpr int64_t largest_search = int64_t{1} << 40, values_searched = 64, most_guesses = 4096;

namespace {

std::vector<SymbolValues::KnownSize> symbolic_sizes(const Graph& g) {
  std::vector<SymbolValues::KnownSize> out;
  for (const Node& node : g.nodes()) {
    each_size(node, [&](Size size) {
      if (size.is_symbolic()) out.emplace_back(size.expr(), size.value());
    });
  }
  return out;
}

}  // namespace

SymbolValues::SymbolValues(const Graph& g) {
  if (g.symbols().empty()) return;
  for (const Node& node : g.nodes()) {
    if (values_.size() >= g.symbols().size()) return;
    each_size(node, [this](Size size) {
      if (size.is_symbolic()) note_size(size.expr(), size.value());
    });
  }
  for (const sym::Expr symbol : g.symbols()) {
    if (!find(symbol)) search(symbol, g);
  }
  SymbolValues whole = *this;
  int64_t guesses = most_guesses;
  if (whole.guess(g, symbolic_sizes(g), guesses)) *this = std::move(whole);
}

// Symbols of which the graph only holds products: the first values with which all sizes are what
// they are.  False where `guesses` run out.
bool SymbolValues::guess(const Graph& g, std::span<const KnownSize> sizes, int64_t& guesses) {
  for (const auto& [expr, number] : sizes) note_size(expr, number);
  const auto symbol = std::find_if(g.symbols().begin(), g.symbols().end(),
                                   [this](sym::Expr e) { return !find(e); });
  const auto contradicts = [this](const KnownSize& size) {
    const auto symbols = sym::symbols_of(size.first);
    const bool known =
        std::all_of(symbols.begin(), symbols.end(), [this](sym::Expr e) { return find(e); });
    return known && (*this)(size.first) != size.second;
  };
  if (std::any_of(sizes.begin(), sizes.end(), contradicts)) return false;
  if (symbol == g.symbols().end()) return true;
  for (int64_t value = std::max<int64_t>(sym::range_of(*symbol).low, 1); --guesses > 0; ++value) {
    SymbolValues trial = *this;
    trial.note(*symbol, value);
    if (!trial.guess(g, sizes, guesses)) continue;
    *this = std::move(trial);
    return true;
  }
  return false;
}

// A symbol of which the graph only holds quotients: the first value that all of them allow.
void SymbolValues::search(sym::Expr symbol, const Graph& g) {
  std::vector<KnownSize> sizes = symbolic_sizes(g);
  std::erase_if(
      sizes, [symbol](const auto& s) { return sym::symbols_of(s.first) != std::vector{symbol}; });
  if (sizes.empty()) return;
  const auto at = [](sym::Expr expr, int64_t value) {
    return sym::evaluate(expr, [value](sym::Expr) { return value; });
  };
  const auto& [first, wanted] = sizes.front();
  int64_t low = std::max<int64_t>(sym::range_of(symbol).low, 0), step = 1;
  while (step < largest_search && at(first, low + step) < wanted) step *= 2;
  for (; step > 0; step /= 2) {
    while (at(first, low + step) < wanted) low += step;
  }
  for (int64_t value = low; value < low + values_searched; ++value) {
    const bool all = std::all_of(sizes.begin(), sizes.end(),
                                 [&](const auto& s) { return at(s.first, value) == s.second; });
    if (all) return note(symbol, value);
  }
}

void SymbolValues::note(sym::Expr symbol, int64_t value) {
  if (!find(symbol)) values_.emplace_back(symbol, value);
}

void SymbolValues::note_size(sym::Expr expr, int64_t value) {
  if (expr.is_symbol()) return note(expr, value);
  sym::Expr unknown;
  std::vector<std::pair<sym::Expr, sym::Expr>> known;
  for (const sym::Expr symbol : sym::symbols_of(expr)) {
    if (const int64_t* found = find(symbol)) {
      known.emplace_back(symbol, sym::Expr(*found));
    } else if (std::exchange(unknown, symbol).defined()) {
      return;
    }
  }
  if (!unknown.defined()) return;
  const auto linear = sym::as_linear(sym::substitute(expr, known), unknown);
  if (!linear) return;
  const auto factor = linear->coefficient.constant(), rest = linear->rest.constant();
  if (factor && rest && *factor != 0) note(unknown, (value - *rest) / *factor);
}

void SymbolValues::note_hints(const TensorMeta& meta) {
  for (const Size size : meta.sizes) {
    if (size.is_symbolic()) note_size(size.expr(), size.value());
  }
}

const int64_t* SymbolValues::find(sym::Expr symbol) const {
  const auto found = std::find_if(values_.begin(), values_.end(),
                                  [&](const auto& pair) { return pair.first == symbol; });
  return found == values_.end() ? nullptr : &found->second;
}

int64_t SymbolValues::operator()(sym::Expr expr) const {
  return sym::evaluate(expr, [this](sym::Expr symbol) {
    const int64_t* found = find(symbol);
    VITRO_CHECK(found, "graph: nothing gives a value to the symbol ", symbol);
    return *found;
  });
}

std::vector<int64_t> hints(const Graph& g) {
  const SymbolValues known(g);
  std::vector<int64_t> out;
  for (const sym::Expr symbol : g.symbols()) {
    const int64_t* found = known.find(symbol);
    out.push_back(found ? *found : std::max<int64_t>(sym::range_of(symbol).low, 0));
  }
  return out;
}

void each_size(const Node& node, const std::function<void(Size)>& f) {
  for (const TensorMeta& meta : node.results) {
    for (const Size size : meta.sizes) f(size);
    for (const Size stride : meta.strides) f(stride);
    f(meta.offset);
  }
  for (const Arg& arg : node.args) {
    const auto* number = std::get_if<Scalar>(&arg);
    if (number && number->is_symbolic()) f(Size(number->as_int(), number->expr()));
  }
  (void)node.attrs.map_sizes([&](Size size) { return f(size), size; });
}

void map_sizes(Node& node, const SizeMap& f) {
  for (Arg& arg : node.args) {
    if (auto* number = std::get_if<Scalar>(&arg)) attribute::map_sizes(*number, f);
  }
  node.attrs = node.attrs.map_sizes(f);
  for (TensorMeta& meta : node.results) {
    attribute::map_sizes(meta.sizes, f);
    attribute::map_sizes(meta.strides, f);
    attribute::map_sizes(meta.offset, f);
  }
}

}  // namespace vitro::graph
