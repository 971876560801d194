// Everything about an executable that depends on the values of symbols in a call and on the workers
// of the device: the grid of each launch, the offsets of temporaries, the sizes of outputs.
#pragma once

#include <functional>
#include <vector>

#include "backend/run/executable.h"

namespace vitro::backend {

using Number = std::function<int64_t(Expr)>;  // evaluates an expression for a call

struct Executable::Dimensions {
  struct Out {
    Ints sizes, strides;
  };
  struct Run {
    runtime::Grid grid;
    int64_t bytes = 0, flops = 0;
    Hash layout;                   // of the panels that it packs
    std::vector<int64_t> offsets;  // of the launch's buffers, in bytes
    std::vector<Out> tensors;      // for a user's kernel: tensors among operands, then results
    Attrs attrs;                   // for a user's kernel, in numbers
    uint64_t streams = 0;          // bit b: stores to buffer b bypass the caches
  };
  static Run run_of(const Launch& launch, const Number& number,
                    const runtime::DeviceRuntime& device, int64_t workers);
  std::vector<int64_t> symbols;
  int64_t workers = 1;
  std::vector<Run> runs;         // by launch
  std::vector<int64_t> offsets;  // by buffer: offset in the arena, or in the memory of kept results
  std::vector<int64_t> bytes;    // by buffer
  std::vector<Out> outputs;
  int64_t arena = 0, temporaries = 0, kept_results = 0;  // bytes
};

}  // namespace vitro::backend
