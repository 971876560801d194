// Two user backends for random programs: one interprets the graph, the other violates the contract
// of backends in as many ways as `Misdeed` has values.
#include "backends.h"

#include <algorithm>
#include <atomic>
#include <stdexcept>

#include "vitro/compile/compile.h"
#include "vitro/graph/graph.h"
#include "vitro/ops/all.h"

namespace vitro::fuzz {
namespace {

std::atomic<uint64_t> done{0};

enum class Misdeed : uint8_t {
  error_while_made,
  number_while_made,
  no_function,
  error_while_run,
  bug_while_run,
  number_while_run,
  too_few,
  too_many,
  undefined,
  other_dtype,
  other_sizes,
  other_rank,
  count
};

// The results with one defect. An empty list is returned as it is unless a result is added to it.
std::vector<Tensor> spoilt(std::vector<Tensor> results, Misdeed misdeed) {
  if (results.empty() && misdeed != Misdeed::too_many) return results;
  done.fetch_add(1);
  switch (misdeed) {
    case Misdeed::too_few:
      results.pop_back();
      break;
    case Misdeed::too_many:
      results.push_back(zeros({2}));
      break;
    case Misdeed::undefined:
      results.back() = Tensor();
      break;
    case Misdeed::other_dtype:
      results.back() =
          to(results.back(), results.back().dtype() == DType::u8 ? DType::f64 : DType::u8);
      break;
    case Misdeed::other_sizes:
      results.back() = cat({flatten(results.back()), zeros({1}, results.back().dtype())});
      break;
    default:
      results.back() = unsqueeze(results.back(), 0);
  }
  return results;
}

// Whether the last result has a data size, which is then what the result says.
bool ends_with_data_size(const graph::Graph& graph) {
  if (graph.outputs().empty()) return false;
  const Sizes& sizes = graph.meta(graph.outputs().back().value).sizes;
  return std::ranges::any_of(
      sizes, [](Size size) { return size.is_symbolic() && sym::is_data(size.expr()); });
}

GraphFunction misbehaving(const graph::Graph& graph) {
  auto misdeed = static_cast<Misdeed>(graph.size() % static_cast<size_t>(Misdeed::count));
  if (misdeed == Misdeed::other_sizes && ends_with_data_size(graph)) misdeed = Misdeed::other_rank;
  if (misdeed <= Misdeed::no_function) done.fetch_add(1);
  if (misdeed == Misdeed::error_while_made) throw std::runtime_error("not today");
  if (misdeed == Misdeed::number_while_made) throw 7;
  if (misdeed == Misdeed::no_function) return {};
  return [graph, misdeed](std::span<const Operand> inputs, std::span<const int64_t> symbols) {
    if (misdeed <= Misdeed::number_while_run) done.fetch_add(1);
    if (misdeed == Misdeed::error_while_run) throw std::runtime_error("not now");
    if (misdeed == Misdeed::bug_while_run) throw std::logic_error("not ever");
    if (misdeed == Misdeed::number_while_run) throw 7;
    return spoilt(graph::interpret(graph, inputs, symbols), misdeed);
  };
}

}  // namespace

std::string interpreting_backend() {
  static const std::string name = [] {
    register_backend("interprets", [](const graph::Graph& graph, std::span<const Operand>) {
      return GraphFunction(
          [graph](std::span<const Operand> inputs, std::span<const int64_t> symbols) {
            return graph::interpret(graph, inputs, symbols);
          });
    });
    return std::string("interprets");
  }();
  return name;
}

std::string misbehaving_backend() {
  static const std::string name = [] {
    register_backend("misbehaves", [](const graph::Graph& graph, std::span<const Operand>) {
      return misbehaving(graph);
    });
    return std::string("misbehaves");
  }();
  return name;
}

uint64_t misdeeds() {
  return done.load();
}

}  // namespace vitro::fuzz
