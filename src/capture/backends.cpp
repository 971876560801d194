// The registry of backends by name, with aliases; "eager" interprets segments op by op.  Compiled
// functions look up their compiler here when they are made.
#include <algorithm>
#include <functional>
#include <map>
#include <mutex>

#include "capture/layout.h"
#include "vitro/capture/function.h"
#include "vitro/core/interpreter.h"

namespace vitro::capture {
namespace {

struct Compilers {
  std::mutex lock;
  std::map<std::string, std::shared_ptr<SegmentCompiler>, std::less<>> by_name;
  std::map<std::string, std::string, std::less<>> aliases;  // alias to name
};

class Eager final : public SegmentCompiler {
 public:
  std::shared_ptr<CompiledSegment> compile(const graph::Graph& graph, const std::string&,
                                           std::string*) override {
    return interpreted_segment(graph);
  }
};

Compilers& compilers() {
  static auto* one = [] {
    auto* made = new Compilers;
    made->by_name.emplace("eager", std::make_shared<Eager>());
    return made;
  }();
  return *one;
}

class Interpreted final : public CompiledSegment {
 public:
  explicit Interpreted(graph::Graph graph) : graph_(std::move(graph)) {}

  void run(std::span<const Operand> inputs, std::span<const int64_t> symbols,
           std::span<Tensor> outputs) override {
    std::vector<Tensor> values = graph::interpret(graph_, inputs, symbols);
    size_t next = 0;
    for (size_t i = 0; i < values.size(); ++i) {
      if (graph_.outputs()[i].writes < 0) outputs[next++] = values[i];
    }
    for (size_t i = 0; i < values.size(); ++i) {
      const int writes = graph_.outputs()[i].writes;
      if (writes >= 0) copy_elements(values[i], inputs[static_cast<size_t>(writes)].tensor());
    }
  }
  int kernel_count() const override { return 0; }

 private:
  graph::Graph graph_;
};

}  // namespace

std::string what_was_thrown() {
  try {
    throw;
  } catch (const std::exception& e) {
    return e.what();
  } catch (...) {
    return "an object that is not a std::exception was thrown";
  }
}

void register_compiler(std::string name, std::shared_ptr<SegmentCompiler> compiler) {
  Compilers& all = compilers();
  std::lock_guard hold(all.lock);
  all.by_name.insert_or_assign(std::move(name), std::move(compiler));
}

std::shared_ptr<SegmentCompiler> compiler_named(std::string_view name) {
  Compilers& all = compilers();
  std::lock_guard hold(all.lock);
  auto found = all.by_name.find(name);
  if (found == all.by_name.end()) {
    const auto alias = all.aliases.find(name);
    if (alias != all.aliases.end()) found = all.by_name.find(alias->second);
  }
  return found == all.by_name.end() ? nullptr : found->second;
}

void add_backend_alias(std::string alias, std::string name) {
  Compilers& all = compilers();
  std::lock_guard hold(all.lock);
  all.aliases.insert_or_assign(std::move(alias), std::move(name));
}

std::vector<std::string> backend_names() {
  Compilers& all = compilers();
  std::lock_guard hold(all.lock);
  std::vector<std::string> out;
  for (const auto& [name, compiler] : all.by_name) out.push_back(name);
  return out;
}

std::shared_ptr<CompiledSegment> interpreted_segment(graph::Graph graph) {
  return std::make_shared<Interpreted>(std::move(graph));
}

}  // namespace vitro::capture
