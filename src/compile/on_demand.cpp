// Makes a one-node graph of a call, with joined dimensions and symbolic sizes; compiles it, or
// interprets its loop if there is no compiler; caches it by the form of the call.
#include "compile/on_demand.h"

#include <algorithm>
#include <array>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "backend/compile.h"
#include "backend/schedule/reductions.h"
#include "eager/copy.h"
#include "eager/loop.h"
#include "vitro/base/called_as.h"
#include "vitro/base/code.h"
#include "vitro/base/error.h"
#include "vitro/events/rare.h"
#include "vitro/graph/graph.h"
#include "vitro/graph/pass.h"
#include "vitro/ops/create.h"
#include "vitro/runtime/copy.h"

namespace vitro::pipeline {
namespace {

using sym::Expr;

// A size or stride that a compiled op is specialized for: a number, a symbol (possibly known to be
// small or to be large), or for strides `dense`, the stride of contiguous elements.
struct Extent {
  enum class Kind : uint8_t { number, symbol, few, many, dense } kind = Kind::number;
  int64_t value = 0;  // the number, or the symbol's index
  bool is_symbol() const { return kind != Kind::number && kind != Kind::dense; }
  uint64_t word() const { return static_cast<uint64_t>(kind) << 60 | static_cast<uint64_t>(value); }
};
using Extents = SmallVector<Extent, 6>;
constexpr Extent dense{Extent::Kind::dense, 0};

struct TensorForm {
  DType dtype = DType::f32;
  Extents sizes, strides;
};

// A call as a compiled op sees it: what it is specialized for, and the values of its symbols
// and inputs.
class Form {
 public:
  Form(const OpCall& call, std::span<const Tensor> outs);

  // The key of a compiled op, among those of one op with the same attributes.
  std::span<const uint64_t> words() const { return words_; }
  // The call's attributes. Sizes of results, in those of sorts and programs, are symbols.
  AttrsView attrs() const { return attrs_ ? attrs_.view() : call_.attrs; }
  // Values of the symbols, in the order of the graph; inputs likewise.
  std::span<const int64_t> values() const { return values_; }
  std::span<const Operand> inputs() const { return inputs_; }
  // The graph: inputs, the op, and for each result a write into an input.
  graph::Graph graph() const;
  // Whether a put writes to its first operand: that operand is the result.
  bool puts_in_place() const {
    return call_.op->put && outs_[0].impl() == call_.operands[0].tensor().impl();
  }
  // After the run: copies results that could not be written to their destination.
  void copy_results() const;

 private:
  void join_dimensions();
  TensorForm joined_form(const eager::StridedLoop& loop, size_t operand, const Tensor& t,
                         bool has_all) const;
  void keep_dimensions();
  bool is_of_target(const Tensor& t, size_t d) const;
  void add(TensorForm form);
  Extent symbol(int64_t value, Extent::Kind kind = Extent::Kind::symbol);
  Extent size_symbol(int64_t size);
  Expr symbol_of(Extent extent) const;
  Size size_of(Extent extent) const;
  TensorMeta meta_of(const TensorForm& form) const;
  const Tensor& here(const Tensor& t);

  const OpCall& call_;
  std::span<const Tensor> outs_;
  Device device_;
  Attrs attrs_;
  // Whether dimensions whose strides allow it in all operands are joined, and numbers are inputs.
  bool joins_ = false;
  std::vector<TensorForm> forms_;  // of tensor operands, then of results if joins_
  SmallVector<uint64_t, 32> words_;
  SmallVector<int64_t, 8> values_;
  SmallVector<Extent, 8> symbols_;  // whose values are in values_
  std::vector<Operand> inputs_;
  std::vector<Tensor> copies_;  // used as inputs; at most two per operand
};

// Whether the attributes name a memory format, one of the dimensions that the call has.
bool names_format(const OpCall& call) {
  return call.attrs.type && call.attrs.type == ops::def<ops::Clone>().attrs &&
         call.attrs.as<ops::CloneAttrs>().memory_format != ops::MemoryFormat::preserve;
}

// For ops whose result does not depend on positions: dimensions may be joined.
bool may_join(const OpCall& call) {
  const PointwiseInfo* info = call.op->pointwise;
  if (!info || info->uses_index || info->first_is_shape || names_format(call)) return false;
  return call.operands.size() < eager::StridedLoop::most &&
         std::any_of(
             call.operands.begin(), call.operands.end(),
             [](const Operand& operand) { return operand.is_tensor(); });
}

Form::Form(const OpCall& call, std::span<const Tensor> outs)
    : call_(call), outs_(outs), device_(outs[0].device()), joins_(may_join(call)) {
  inputs_.reserve(call.operands.size() + outs.size());
  copies_.reserve(2 * call.operands.size() + outs.size());
  words_.push_back(slot_of(device_));
  joins_ ? join_dimensions() : keep_dimensions();
}

// A host tensor used as a number can be combined with tensors of any device.
const Tensor& Form::here(const Tensor& t) {
  return t.device() == device_ ? t : copies_.emplace_back(to(t, device_));
}

Extent Form::symbol(int64_t value, Extent::Kind kind) {
  const Extent made{kind, static_cast<int64_t>(values_.size())};
  values_.push_back(value);
  symbols_.push_back(made);
  return made;
}

// Scans use different schedules for a few, or short, rows.
Extent Form::size_symbol(int64_t size) {
  if (!call_.op->scan) return symbol(size);
  return symbol(size, size < backend::rows_of_scan ? Extent::Kind::few : Extent::Kind::many);
}

Expr Form::symbol_of(Extent extent) const {
  switch (extent.kind) {
    case Extent::Kind::few:
      return Expr::symbol(cat("few", extent.value), {2, backend::rows_of_scan - 1});
    case Extent::Kind::many:
      return Expr::symbol(cat("many", extent.value), {backend::rows_of_scan, sym::largest_size});
    case Extent::Kind::symbol:
    case Extent::Kind::number:
    case Extent::Kind::dense:
      break;
  }
  return Expr::symbol(cat("s", extent.value));
}

// Numeric strides other than 0 become symbols.
void Form::add(TensorForm form) {
  words_.push_back(static_cast<uint64_t>(form.dtype) << 8 | form.sizes.size());
  for (const Extent e : form.sizes) words_.push_back(e.word());
  for (Extent& e : form.strides) {
    if (e.kind == Extent::Kind::number && e.value != 0) e = symbol(e.value);
    words_.push_back(e.word());
  }
  forms_.push_back(std::move(form));
}

void Form::join_dimensions() {
  const Ints& sizes = outs_[0].impl()->sizes;
  std::array<eager::Strided, eager::StridedLoop::most> strided = {eager::strided(outs_[0], sizes)};
  size_t count = 1;
  for (const Operand& operand : call_.operands) {
    if (operand.is_tensor()) strided[count++] = eager::strided(operand.tensor(), sizes);
  }
  const eager::StridedLoop loop(sizes, {strided.data(), count});
  // The first symbols are the sizes of the loop, innermost first.
  for (size_t d = 0; d < loop.rank(); ++d) symbol(loop.size(d));
  count = 1;
  bool has_all = false;  // whether an operand has the dimensions that all repeat
  for (const Operand& operand : call_.operands) {
    words_.push_back(static_cast<uint64_t>(operand.kind()));
    if (operand.is_tensor()) {
      const bool is_first = !has_all && operand.tensor().rank() > 0;
      has_all = has_all || is_first;
      add(joined_form(loop, count++, operand.tensor(), is_first));
      inputs_.emplace_back(here(operand.tensor()));
    } else if (operand.is_number()) {
      words_.push_back(static_cast<uint64_t>(operand.number().kind()));
      inputs_.emplace_back(operand.number().hint());
    }
  }
  add(joined_form(loop, 0, outs_[0], false));
  inputs_.emplace_back(outs_[0]);
}

// An operand has size 1 along a dimension in which it is broadcast.  If all are, the first operand
// with dimensions, which `has_all`, has stride 0 instead; tensors without dimensions keep having
// none, as they promote like numbers.
TensorForm Form::joined_form(const eager::StridedLoop& loop, size_t operand, const Tensor& t,
                             bool has_all) const {
  TensorForm form{t.dtype(), {}, {}};
  if (t.rank() == 0) return form;
  const auto all_repeat = [&](size_t d) {
    for (size_t o = 1; o < loop.operands(); ++o) {
      if (loop.stride(d, o) != 0) return false;
    }
    return true;
  };
  const int64_t bytes = bytes_of(t.dtype());
  int64_t beside = bytes;
  for (size_t d = 0; d < loop.rank(); ++d) {
    const int64_t stride = loop.stride(d, operand);
    const bool moves = stride != 0;
    const bool counts = moves || (has_all && all_repeat(d));
    form.sizes.push_back(counts ? Extent{Extent::Kind::symbol, static_cast<int64_t>(d)}
                                : Extent{Extent::Kind::number, 1});
    form.strides.push_back(
        moves ? (stride == beside ? dense : Extent{Extent::Kind::number, stride / bytes})
              : (counts ? Extent{} : dense));
    if (moves) beside = stride * loop.size(d);
  }
  if (loop.rank() == 0) {
    form.sizes.push_back({Extent::Kind::number, 1});
    form.strides.push_back(dense);
  }
  std::reverse(form.sizes.begin(), form.sizes.end());
  std::reverse(form.strides.begin(), form.strides.end());
  return form;
}

// What a put writes has the sizes of its target but along the indexed dimensions. With symbols of
// their own, positions in it would be divided into indices for each element.
bool Form::is_of_target(const Tensor& t, size_t d) const {
  return call_.op->put && !forms_.empty() &&
         forms_[0].sizes.size() == static_cast<size_t>(t.rank()) &&
         forms_[0].sizes[d].is_symbol() &&
         t.impl()->sizes[d] == call_.operands[0].tensor().impl()->sizes[d];
}

// Operands are contiguous, copied if necessary; their sizes of 2 or more are symbols.
void Form::keep_dimensions() {
  // Code for windows depends on the sizes of the weights, and on the channels.
  const bool windows = call_.op->contraction && call_.op->contraction->windows;
  for (const Operand& operand : call_.operands) {
    words_.push_back(static_cast<uint64_t>(operand.kind()));
    if (operand.is_number()) {
      words_.push_back(static_cast<uint64_t>(operand.number().kind()));
      words_.push_back(operand.number().bits());
    } else if (operand.is_tensor()) {
      const Tensor& t = copies_.emplace_back(eager::dense_copy(here(operand.tensor())));
      TensorForm form{t.dtype(), {}, Extents(static_cast<size_t>(t.rank()), dense)};
      for (const int64_t size : t.impl()->sizes) {
        const size_t d = form.sizes.size();
        const bool fixed = windows && (&operand != call_.operands.data() || d == 1);
        form.sizes.push_back(fixed || size < 2    ? Extent{Extent::Kind::number, size}
                             : is_of_target(t, d) ? forms_[0].sizes[d]
                                                  : size_symbol(size));
      }
      add(std::move(form));
      inputs_.emplace_back(t);
    }
  }
  if (call_.op->sort || call_.op->pointwise || call_.op->composite) {
    attrs_ = Attrs(call_.attrs).map_sizes([&](Size size) {
      return size.hint() < 2 ? Size(size.hint()) : size_of(symbol(size.hint()));
    });
  }
  words_.push_back(puts_in_place());
  if (puts_in_place()) return;
  for (const Tensor& out : outs_) {
    words_.push_back(static_cast<uint64_t>(out.dtype()));
    inputs_.emplace_back(copies_.emplace_back(
        out.is_contiguous() ? out : Tensor::empty(out.impl()->sizes, out.dtype(), device_)));
  }
}

Size Form::size_of(Extent extent) const {
  if (!extent.is_symbol()) return extent.value;
  return {values_[static_cast<size_t>(extent.value)], symbol_of(extent)};
}

TensorMeta Form::meta_of(const TensorForm& form) const {
  TensorMeta meta{form.dtype, device_, {}, Sizes(form.sizes.size())};
  for (const Extent size : form.sizes) meta.sizes.push_back(size_of(size));
  Size beside = 1;
  for (size_t d = form.sizes.size(); d-- > 0;) {
    const bool is_dense = form.strides[d].kind == Extent::Kind::dense;
    meta.strides[d] = is_dense ? beside : size_of(form.strides[d]);
    if (form.strides[d].kind != Extent::Kind::number) beside = meta.strides[d] * meta.sizes[d];
  }
  return meta;
}

graph::Graph Form::graph() const {
  graph::Graph g;
  std::vector<Expr> symbols;
  for (const Extent symbol : symbols_) symbols.push_back(symbol_of(symbol));
  g.set_symbols(std::move(symbols), {values_.begin(), values_.end()});
  std::vector<graph::Arg> args;
  auto form = forms_.begin();
  for (const Operand& operand : call_.operands) {
    const std::string name = cat("x", args.size());
    graph::Arg& arg = args.emplace_back();
    if (operand.is_tensor()) {
      arg = graph::Value{g.add_input(name, meta_of(*form++)), 0};
    } else if (operand.is_number() && joins_) {
      const TensorMeta meta{operand.number().dtype(), cpu, {}, {}};
      arg = graph::Value{g.add_input(name, meta, graph::InputKind::number), 0};
    } else if (operand.is_number()) {
      arg = operand.number().hint();
    }
  }
  const graph::NodeId node = g.add(*call_.op, std::move(args), Attrs(attrs()));
  if (puts_in_place()) {
    g.add_output({node, 0}, 0);
    return g;
  }
  for (uint32_t i = 0; i < outs_.size(); ++i) {
    graph::Value value{node, i};
    const DType dtype = outs_[i].dtype();
    if (g.meta(value).dtype != dtype) {
      const ops::DTypeAttrs to{dtype};
      value = {g.add(ops::def<ops::ToCopy>(), {value}, Attrs(ops::attrs_view<ops::ToCopy>(to))), 0};
    }
    TensorMeta meta = joins_ ? meta_of(*form++) : g.meta(value);
    meta.dtype = dtype;
    if (!joins_) meta.strides = contiguous_strides(meta.sizes);
    g.add_output(value, static_cast<int>(g.inputs().size()));
    g.add_input("out", meta);
  }
  return g;
}

void Form::copy_results() const {
  if (joins_ || puts_in_place()) return;
  for (size_t i = 0; i < outs_.size(); ++i) {
    const Tensor& written = inputs_[inputs_.size() - outs_.size() + i].tensor();
    if (written.impl() != outs_[i].impl()) eager::copy_elements(written, outs_[i]);
  }
}

// A compiled one-node graph.
struct CompiledOp {
  std::unique_ptr<backend::Executable> executable;
  std::vector<Expr> symbols;
  std::vector<sym::Guard> guards;

  // Whether the guards from compilation hold.
  bool serves(std::span<const int64_t> values) const {
    const auto value_of = [&](Expr symbol) {
      return values[static_cast<size_t>(std::find(symbols.begin(), symbols.end(), symbol) -
                                        symbols.begin())];
    };
    return std::all_of(guards.begin(), guards.end(),
                       [&](const sym::Guard& guard) { return guard.holds(value_of); });
  }
};

const Code interpreted{
    "V0608", "an op is interpreted, element by element",
    "Eager has no precompiled kernel of the op for this dtype, and none could be compiled now: the "
    "compiler library is missing, or compiling failed. The op is computed by a loop interpreter: "
    "the results are correct, but it takes hundreds of times as long.",
    "", "Put libvitro-cc.so beside libvitro.so, or do what the reason says."};

// Warns once per op.
void say(const OpCall& call, const std::string& why) {
  events::keep(events::Fallback{std::string(interpreted.id), cat(call.op->name, ": ", why),
                                call.where.line() ? file_and_line(call.where) : std::string()});
  static std::mutex lock;
  static std::unordered_set<const OpDef*>& said = *new std::unordered_set<const OpDef*>;
  const std::lock_guard hold(lock);
  if (!said.insert(call.op).second) return;
  events::keep(events::Message{
      "eager", events::Level::warning,
      cat(call.op->name, " is interpreted, which is slow (", interpreted.id, "): ", why)});
}

std::shared_ptr<const CompiledOp> compile_op(const OpCall& call, const Form& form) {
  const CalledAs nobody{Called()};  // the compiler's messages name ops themselves
  auto made = std::make_shared<CompiledOp>();
  sym::GuardSink asked;
  const graph::Graph g = call.op->composite ? graph::decompose(form.graph()) : form.graph();
  backend::BuildOptions options;
  options.name = call.op->name;
  auto executable = backend::compile(g, options);
  if (!executable) {
    say(call, executable.why());
    options.interpret = true;
    executable = backend::compile(g, options);
    VITRO_CHECK(executable, call.op->name, ": ", executable.why());
  }
  made->executable = *std::move(executable);
  made->symbols = g.symbols();
  made->guards = asked.take();
  return made;
}

// The compiled ops of one form, which differ in their guards.
class CompiledOps {
 public:
  std::shared_ptr<const CompiledOp> find_or_make(const OpCall& call, const Form& form) {
    const std::lock_guard hold(lock_);
    for (const auto& compiled : compiled_) {
      if (compiled->serves(form.values())) return compiled;
    }
    if (compiled_.size() == most) compiled_.erase(compiled_.begin());
    return compiled_.emplace_back(compile_op(call, form));
  }

 private:
  static constexpr size_t most = 16;
  std::mutex lock_;
  std::vector<std::shared_ptr<const CompiledOp>> compiled_;
};

struct KeyView {
  const OpDef* op;
  AttrsView attrs;
  std::span<const uint64_t> words;
};
struct Key {
  const OpDef* op;
  Attrs attrs;
  std::vector<uint64_t> words;
  explicit Key(const KeyView& key)
      : op(key.op), attrs(key.attrs), words(key.words.begin(), key.words.end()) {}
  operator KeyView() const {
    return {op, attrs.view(), words};
  }  // NOLINT(google-explicit-constructor)
};
struct HashKey {
  using is_transparent = void;
  size_t operator()(const KeyView& key) const {
    Hasher h;
    h.add(static_cast<int64_t>(key.op->index));
    if (key.attrs) key.attrs.type->hash(h, key.attrs.data);
    for (const uint64_t word : key.words) h.add(static_cast<int64_t>(word));
    return h.finish().low;
  }
};
struct EqualKey {
  using is_transparent = void;
  bool operator()(const KeyView& a, const KeyView& b) const {
    return a.op == b.op && std::ranges::equal(a.words, b.words) && a.attrs == b.attrs;
  }
};

class OnDemandCompiler final : public eager::OnDemand {
 public:
  void run(const OpCall& call, std::span<const Tensor> outs) override {
    const Form form(call, outs);
    const auto compiled =
        compiled_ops_of({call.op, form.attrs(), form.words()}).find_or_make(call, form);
    if (form.puts_in_place() && compiled->executable->may_fail_late(form.inputs(), form.values()))
      return put_apart(call, outs[0]);
    compiled->executable->run(form.inputs(), form.values(), {});
    form.copy_results();
  }

 private:
  // An error, such as an index that is out of range, leaves the target as it was.
  void put_apart(const OpCall& call, const Tensor& target) {
    const Tensor made = Tensor::empty(target.impl()->sizes, target.dtype(), target.device());
    run(call, {&made, 1});
    eager::copy_elements(made, target);
  }

  CompiledOps& compiled_ops_of(const KeyView& key) {
    {
      const std::shared_lock hold(lock_);
      if (const auto found = forms_.find(key); found != forms_.end()) return *found->second;
    }
    const std::unique_lock hold(lock_);
    return *forms_.try_emplace(Key(key), std::make_unique<CompiledOps>()).first->second;
  }

  std::shared_mutex lock_;
  std::unordered_map<Key, std::unique_ptr<CompiledOps>, HashKey, EqualKey> forms_;
};

}  // namespace

eager::OnDemand& on_demand() {
  static OnDemandCompiler& compiler = *new OnDemandCompiler;
  return compiler;
}

}  // namespace vitro::pipeline
