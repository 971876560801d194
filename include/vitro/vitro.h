// Includes everything that a program needs.
//   auto fast = vitro::compile([](const vitro::Tensor& x) { return vitro::sin(vitro::cos(x)); });
//   vitro::Tensor y = fast(x);
// Read examples/01_cos_sin.cpp, then the headers below in this order.
#pragma once

#if __cplusplus < 202002L
#error "Vitro needs C++20: compile with -std=c++20"
#endif

#include "vitro/compile/compile.h"
#include "vitro/core/generator.h"
#include "vitro/core/print.h"
#include "vitro/core/tensor.h"
#include "vitro/debug/debug_folder.h"
#include "vitro/debug/explain.h"
#include "vitro/debug/logs.h"
#include "vitro/exported/export.h"
#include "vitro/exported/model.h"
#include "vitro/init.h"
#include "vitro/io/npy.h"
#include "vitro/io/safetensors.h"
#include "vitro/nn.h"
#include "vitro/ops/activation_functions.h"
#include "vitro/ops/all.h"
#include "vitro/ops/arithmetic.h"
#include "vitro/ops/complex.h"
#include "vitro/ops/distance.h"
#include "vitro/ops/fft.h"
#include "vitro/ops/layout.h"
#include "vitro/ops/linear_algebra.h"
#include "vitro/ops/loss.h"
#include "vitro/ops/norm_backward.h"
#include "vitro/ops/overload.h"
#include "vitro/ops/rearrange.h"
#include "vitro/ops/recurrent.h"
#include "vitro/ops/segments.h"
#include "vitro/ops/special.h"
#include "vitro/ops/special_functions.h"
#include "vitro/ops/statistics.h"
#include "vitro/profiler/compile_times.h"
#include "vitro/profiler/marks.h"
#include "vitro/profiler/profiler.h"
#include "vitro/profiler/roofline.h"
#include "vitro/report/json.h"
#include "vitro/report/output.h"
#include "vitro/runtime/memory.h"
#include "vitro/runtime/parallel.h"
#include "vitro/version.h"
