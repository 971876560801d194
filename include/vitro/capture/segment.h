// Between capture and compile: a segment is what lies between two breaks; whoever compiles it hands
// back something to run.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "vitro/base/code.h"
#include "vitro/graph/build_report.h"
#include "vitro/graph/graph.h"

namespace vitro::capture {

// Thrown by run() where what was compiled is no good for any call: from then on the segment's ops
// run one by one.
class Unusable : public std::runtime_error {
 public:
  Unusable(const Code& why, const std::string& what) : std::runtime_error(what), code(&why) {}
  const Code* code;
};
// In a catch block: what was thrown, an exception or not, says.
std::string what_was_thrown();

// A segment that can be run.  Threads: run() may be called by many threads at once.
class CompiledSegment {
 public:
  virtual ~CompiledSegment() = default;
  // `inputs`: tensors and numbers in order of the graph's inputs; `symbols`: this call's values of
  // graph.symbols(). `outputs`: one tensor per graph output without `writes`, in order, dense or
  // with the strides of its meta, and none in the memory of an input that is written; values with
  // `writes` are written into their inputs before it returns.  Whatever it throws, the inputs are
  // as they were: the caller runs the ops one by one, which tells a mistake in the data (an index
  // out of range) from a failure of what was compiled.
  virtual void run(std::span<const Operand> inputs, std::span<const int64_t> symbols,
                   std::span<Tensor> outputs) = 0;
  // What was asked about the graph's symbols while it was made, beyond what the graph's ops asked:
  // run() is only for calls where it holds.
  virtual std::span<const sym::Guard> guards() const { return {}; }
  // How many kernels a call launches, for reports; those that pack parameters once do not count.
  virtual int kernel_count() const = 0;
  // How it was made, or null where nobody kept that.  Lives as long as the segment.
  virtual const BuildReport* report() const { return nullptr; }
};

// Makes segments runnable.  `compile` registers the real one; without one, graphs are interpreted
// through eager.
class SegmentRunner {
 public:
  virtual ~SegmentRunner() = default;
  // `name`: "N/M", compiled function number and segment number.  Never throws for a failure of the
  // compiler: the reason goes to `why` and null comes back (then the segment is interpreted and the
  // reason kept).
  virtual std::shared_ptr<CompiledSegment> compile(const graph::Graph& graph,
                                                   const std::string& name, std::string* why) = 0;
  // The runner that makes only rewrites that keep every bit; null where this one is it.
  virtual std::shared_ptr<SegmentRunner> exact() { return nullptr; }
};

}  // namespace vitro::capture
