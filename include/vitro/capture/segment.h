// The interface between capture and compile: a backend compiles a segment's graph into something
// that runs.
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

// Thrown by run() if the compiled segment cannot be used in any call; from then on its ops run one
// by one.
class Unusable : public std::runtime_error {
 public:
  Unusable(const Code& why, const std::string& what) : std::runtime_error(what), code(&why) {}
  const Code* code;
};
// In a catch block: the message of what was thrown, which need not be a std::exception.
std::string what_was_thrown();

// A segment that can be run.  Threads: run() may be called concurrently.
class CompiledSegment {
 public:
  virtual ~CompiledSegment() = default;
  // `inputs`: tensors and numbers in the order of the graph's inputs; `symbols`: this call's values
  // of graph.symbols().  `outputs`: one tensor per graph output without `writes`, in order, dense
  // or with the strides of its meta, none in the memory of an input that is written.  Values with
  // `writes` are written into their inputs before it returns.  If it throws, the inputs are
  // unchanged: the caller then runs the ops one by one, which separates an error in the data (an
  // index out of range) from a failure of the compiled code.
  virtual void run(std::span<const Operand> inputs, std::span<const int64_t> symbols,
                   std::span<Tensor> outputs) = 0;
  // Guards on the graph's symbols that compilation added to those of the graph's ops.  run() may
  // only be called if they hold.
  virtual std::span<const sym::Guard> guards() const { return {}; }
  // Kernels that a call launches, for reports, excluding those that pack parameters once.
  virtual int kernel_count() const = 0;
  // How it was built; null if not kept.  Lives as long as the segment.
  virtual const BuildReport* report() const { return nullptr; }
};

// Compiles segments.  `compile` registers the default one; without it, graphs are interpreted
// through eager.
class SegmentCompiler {
 public:
  virtual ~SegmentCompiler() = default;
  // `name`: "f/0", the name of the compiled function and the segment's number.  Never throws for a
  // compiler failure: sets `*why` and returns null, and the segment is interpreted.
  virtual std::shared_ptr<CompiledSegment> compile(const graph::Graph& graph,
                                                   const std::string& name, std::string* why) = 0;
  // What `compile` would give, if it was kept by an earlier process and takes little time to load;
  // otherwise null.  Never throws.
  virtual std::shared_ptr<CompiledSegment> load(const graph::Graph& /*graph*/,
                                                const std::string& /*name*/) {
    return nullptr;
  }
  // The compiler that only makes rewrites that preserve every bit; null if this one does.
  virtual std::shared_ptr<SegmentCompiler> exact() { return nullptr; }
};

}  // namespace vitro::capture
