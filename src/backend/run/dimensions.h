// What an executable comes to for the values of the symbols of a call: how much each launch has to
// do, where temporaries lie, which sizes the outputs have.
#pragma once

#include <functional>
#include <vector>

#include "backend/run/executable.h"

namespace vitro::backend {

using Number = std::function<int64_t(Expr)>;  // what an expression comes to in a call

struct Executable::Dimensions {
  struct Out {
    Ints sizes, strides;
  };
  struct Run {
    runtime::Grid grid;
    int64_t bytes = 0, flops = 0;
    Hash layout;                   // of the panels that it packs
    std::vector<int64_t> offsets;  // of the launch's buffers, in bytes
    std::vector<Out> tensors;      // of a kernel of the user's: those among operands, the results
    uint64_t streams = 0;          // bit b: buffer b is written past the caches
  };
  static Run run_of(const Launch& launch, const Number& number,
                    const runtime::DeviceRuntime& device, int64_t workers);
  std::vector<int64_t> symbols;
  std::vector<Run> runs;         // of launches
  std::vector<int64_t> offsets;  // of buffers: in the arena
  std::vector<int64_t> bytes;    // of buffers
  std::vector<Out> outputs;
  int64_t arena = 0, temporaries = 0;
};

}  // namespace vitro::backend
