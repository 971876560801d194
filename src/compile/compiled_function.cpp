// Backends of the user's, and marks on tensors.
#include <mutex>

#include "capture/layout.h"
#include "vitro/base/error.h"
#include "vitro/compile/compile.h"
#include "vitro/events/rare.h"

namespace vitro {
namespace {

// Made by the user's backend when it first runs, with the inputs of then.
class UserSegment final : public capture::CompiledSegment {
 public:
  UserSegment(std::shared_ptr<const BackendFunction> backend, graph::Graph graph, std::string name)
      : backend_(std::move(backend)), graph_(std::move(graph)), name_(std::move(name)) {}

  void run(std::span<const Operand> inputs, std::span<const int64_t> symbols,
           std::span<Tensor> outputs) override {
    std::call_once(once_, [&] { make(inputs); });
    if (plain_) return plain_->run(inputs, symbols, outputs);
    const std::vector<Tensor> values = run_(inputs);
    VITRO_CHECK(values.size() == graph_.outputs().size(), name_, ": the backend's function gave ",
                values.size(), " tensors for a graph of ", graph_.outputs().size(), " outputs");
    size_t next = 0;
    for (size_t i = 0; i < values.size(); ++i) {
      if (graph_.outputs()[i].writes < 0) outputs[next++] = values[i];
    }
    for (size_t i = 0; i < values.size(); ++i) {
      const int writes = graph_.outputs()[i].writes;
      if (writes >= 0)
        capture::copy_elements(values[i], inputs[static_cast<size_t>(writes)].tensor());
    }
  }
  int kernel_count() const override { return 0; }

 private:
  void make(std::span<const Operand> inputs) {
    try {
      run_ = (*backend_)(graph_, inputs);
    } catch (const std::exception& e) {
      plain_ = capture::interpreted_segment(graph_);
      events::keep(events::Fallback{"V0601", e.what(), {}});
      events::keep(
          events::Message{"compile", events::Level::warning,
                          cat(name_, ": the backend failed, the graph runs op by op: ", e.what())});
    }
  }

  std::shared_ptr<const BackendFunction> backend_;
  graph::Graph graph_;
  std::string name_;
  std::once_flag once_;
  GraphFunction run_;
  std::shared_ptr<capture::CompiledSegment> plain_;
};

class UserRunner final : public capture::SegmentRunner {
 public:
  explicit UserRunner(BackendFunction backend)
      : backend_(std::make_shared<const BackendFunction>(std::move(backend))) {}
  std::shared_ptr<capture::CompiledSegment> compile(const graph::Graph& graph,
                                                    const std::string& name,
                                                    std::string*) override {
    return std::make_shared<UserSegment>(backend_, graph, name);
  }

 private:
  std::shared_ptr<const BackendFunction> backend_;
};

}  // namespace

void mark_dynamic(const Tensor& tensor, int64_t dim) {
  const int64_t rank = tensor.rank(), at = dim < 0 ? dim + rank : dim;
  VITRO_CHECK(at >= 0 && at < rank && at < 32, "mark_dynamic: dimension ", dim,
              " is out of range for a tensor of rank ", rank);
  tensor.impl()->dynamic_dims |= 1U << at;
}

void register_backend(std::string name, BackendFunction backend) {
  capture::register_runner(std::move(name), std::make_shared<UserRunner>(std::move(backend)));
}

std::vector<std::string> list_backends() {
  return capture::backend_names();
}

}  // namespace vitro
