// Implements compile/compile.h: user backends (register_backend), which receive captured graphs,
// and mark_dynamic.
#include <algorithm>
#include <mutex>

#include "capture/codes.h"
#include "capture/layout.h"
#include "graph/metas.h"
#include "vitro/base/error.h"
#include "vitro/compile/compile.h"
#include "vitro/core/reach.h"

namespace vitro {
namespace {

Ints numbers_of(const Sizes& sizes, const graph::SymbolValues& values) {
  Ints out;
  for (const Size s : sizes) out.push_back(s.is_symbolic() ? values(s.expr()) : s.hint());
  return out;
}

// The symbol values of this call: those given, and data sizes taken from the outputs, which have
// the ranks of the graph's.
graph::SymbolValues values_in(const graph::Graph& graph, std::span<const int64_t> symbols,
                              std::span<const Tensor> outputs) {
  graph::SymbolValues values;
  for (size_t i = 0; i < symbols.size(); ++i) values.note(graph.symbols()[i], symbols[i]);
  for (size_t i = 0; i < outputs.size(); ++i) {
    const Sizes& said = graph.meta(graph.outputs()[i].value).sizes;
    for (size_t d = 0; d < said.size(); ++d) {
      const sym::Expr size = said[d].expr();
      if (size.is_symbol() && sym::is_data(size)) values.note(size, outputs[i].impl()->sizes[d]);
    }
  }
  return values;
}

// Whether a tensor has elements, and the rank in the graph's meta of an output: only then do its
// sizes say what the graph's data sizes are.
Verdict has_rank_said(const Tensor& got, const TensorMeta& said) {
  if (!got.defined()) return Verdict::no("is undefined");
  const TensorImpl& t = *got.impl();
  if (t.call != 0 || !t.storage) return Verdict::no("has no elements yet");
  if (static_cast<int>(t.sizes.size()) != said.rank())
    return Verdict::no(
        cat("is ", t.dtype, t.sizes, ", expected ", said.dtype, " of rank ", said.rank()));
  return Verdict::yes();
}

// Whether such a tensor matches the graph's meta of an output.
Verdict is_as_said(const Tensor& got, const TensorMeta& said, const Ints& sizes) {
  const TensorImpl& t = *got.impl();
  if (t.dtype != said.dtype || !attribute::same(t.sizes, sizes) || t.device != said.device)
    return Verdict::no(cat("is ", t.dtype, t.sizes, " on ", t.device, ", expected ", said.dtype,
                           sizes, " on ", said.device));
  const Reach reach = reach_of(t);
  if (reach.begin < 0 || reach.end > static_cast<int64_t>(t.storage.bytes()))
    return Verdict::no("exceeds its storage");
  return Verdict::yes();
}

// A segment made by the user's backend on its first run, with the inputs of that run.
class UserSegment final : public capture::CompiledSegment {
 public:
  UserSegment(std::shared_ptr<const BackendFunction> backend, graph::Graph graph)
      : backend_(std::move(backend)), graph_(std::move(graph)) {}

  void run(std::span<const Operand> inputs, std::span<const int64_t> symbols,
           std::span<Tensor> outputs) override {
    std::call_once(once_, [&] { make(inputs); });
    if (!run_) throw capture::Unusable(capture::not_compiled, why_not_);
    std::vector<Tensor> values = run_(inputs, symbols);
    if (const Verdict said = are_as_said(values, symbols); !said)
      throw capture::Unusable(capture::other_outputs, said.why);
    leave_written_inputs(values, inputs);
    leave_what_is_held(values);
    size_t next = 0;
    for (size_t i = 0; i < values.size(); ++i) {
      const int writes = graph_.outputs()[i].writes;
      if (writes < 0) {
        outputs[next++] = values[i];
      } else {
        capture::copy_elements(values[i], inputs[static_cast<size_t>(writes)].tensor());
      }
    }
  }
  int kernel_count() const override { return 0; }

 private:
  void make(std::span<const Operand> inputs) {
    try {
      run_ = (*backend_)(graph_, inputs);
      if (!run_) why_not_ = "the backend returned no function";
      if (run_ && !run_.takes_symbols()) need_sizes_of_inputs();
    } catch (...) {
      why_not_ = capture::what_was_thrown();
    }
  }

  // A function of the inputs alone would keep using the other symbols' values from when it was
  // made.
  void need_sizes_of_inputs() {
    const std::vector<sym::Expr> unseen = graph::symbols_not_in_sizes(graph_);
    if (unseen.empty()) return;
    why_not_ =
        cat("the backend's function takes no symbols, and no input has the size ", unseen.front());
    run_ = nullptr;
  }

  Verdict are_as_said(const std::vector<Tensor>& values, std::span<const int64_t> symbols) const {
    if (values.size() != graph_.outputs().size())
      return Verdict::no(cat("the backend's function returned ", values.size(),
                             " tensors for a graph of ", graph_.outputs().size(), " outputs"));
    const auto all = [&](auto is_right) {
      for (size_t i = 0; i < values.size(); ++i) {
        const Verdict is = is_right(values[i], graph_.meta(graph_.outputs()[i].value));
        if (!is) return Verdict::no(cat("output ", i, " of the backend's function ", is.why));
      }
      return Verdict::yes();
    };
    if (const Verdict ranks = all(has_rank_said); !ranks) return ranks;
    const graph::SymbolValues numbers = values_in(graph_, symbols, values);
    return all([&](const Tensor& got, const TensorMeta& said) {
      return is_as_said(got, said, numbers_of(said.sizes, numbers));
    });
  }

  // Copies values that share memory with written inputs, so that the writes do not change them.
  void leave_written_inputs(std::vector<Tensor>& values, std::span<const Operand> inputs) const {
    for (const graph::Output& output : graph_.outputs()) {
      if (output.writes < 0) continue;
      const Tensor& written = inputs[static_cast<size_t>(output.writes)].tensor();
      for (Tensor& value : values) {
        if (value.storage() == written.storage())
          value =
              capture::copy_with_strides(value, contiguous_strides("backend", value.impl()->sizes));
      }
    }
  }

  // Copies values that the backend still holds, since it may return or write them again; each
  // result must be a separate tensor.
  void leave_what_is_held(std::vector<Tensor>& values) const {
    for (size_t i = 0; i < values.size(); ++i) {
      const TensorImpl& t = *values[i].impl();
      const bool held = t.refs.load(std::memory_order_acquire) > 1 || t.storage.use_count() > 1;
      if (held && graph_.outputs()[i].writes < 0)
        values[i] = capture::copy_with_strides(values[i], contiguous_strides("backend", t.sizes));
    }
  }

  std::shared_ptr<const BackendFunction> backend_;
  graph::Graph graph_;
  std::once_flag once_;
  GraphFunction run_;
  std::string why_not_;  // if run_ is null
};

class UserCompiler final : public capture::SegmentCompiler {
 public:
  explicit UserCompiler(BackendFunction backend)
      : backend_(std::make_shared<const BackendFunction>(std::move(backend))) {}
  std::shared_ptr<capture::CompiledSegment> compile(const graph::Graph& graph, const std::string&,
                                                    std::string*) override {
    return std::make_shared<UserSegment>(backend_, graph);
  }

 private:
  std::shared_ptr<const BackendFunction> backend_;
};

}  // namespace

void mark_dynamic(const Tensor& tensor, int64_t dim) {
  const int64_t rank = tensor.rank(), at = dim < 0 ? dim + rank : dim;
  VITRO_CHECK(at >= 0 && at < rank, "mark_dynamic: dimension ", dim,
              " is out of range for a tensor of rank ", rank);
  VITRO_CHECK(at < 32, "mark_dynamic: takes one of the first 32 dimensions, got ", dim);
  const Tensor& marked = tensor.is_complex() ? tensor.pairs() : tensor;
  marked.impl()->dynamic_dims |= 1U << at;
}

void register_backend(std::string name, BackendFunction backend) {
  capture::register_compiler(std::move(name), std::make_shared<UserCompiler>(std::move(backend)));
}

std::vector<std::string> list_backends() {
  return capture::backend_names();
}

}  // namespace vitro
