// Tells what rows of other profilers have; load.cpp gives their events categories.
#include "analyze/store/row_kinds.h"
#include "kineto/names.h"

#include <algorithm>
#include <cctype>

namespace vitro::analyze {
namespace {

bool begins(std::string_view text, std::initializer_list<std::string_view> prefixes) {
  return std::ranges::any_of(prefixes, [&](std::string_view p) { return text.starts_with(p); });
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// cuLaunchKernel, cudaMemcpyAsync, hipLaunchKernel
bool is_call(std::string_view name) {
  for (const std::string_view library : {"cuda", "cu", "hip"}) {
    if (name.starts_with(library) && name.size() > library.size() &&
        std::isupper(static_cast<unsigned char>(name[library.size()])))
      return true;
  }
  return false;
}

}  // namespace

RowKind kind_of(const TrackInfo& row) {
  const std::string_view process = row.process, thread = row.thread;
  if (process.starts_with("/device:")) {
    const bool is_gpu = process.starts_with("/device:GPU");
    return thread.starts_with(is_gpu ? "Stream" : "XLA Ops") ? RowKind::work : RowKind::ranges;
  }
  if (process.starts_with("/host:")) return RowKind::threads;
  if (process.starts_with("GPU") && process.size() > 3 &&
      std::ranges::all_of(process.substr(3), is_digit))
    return RowKind::work;
  if (process == "COPY") return RowKind::copies;
  if (process == "CPU HIP API" || process == "CPU HSA API") return RowKind::calls;
  return RowKind::unknown;
}

std::string_view category_in(RowKind row, std::string_view name) {
  switch (row) {
    case RowKind::unknown:
      return {};
    case RowKind::work:
      return begins(name, {"Memcpy", "memcpy", "CopyDevice", "CopyHost"}) ? "gpu_memcpy"
             : begins(name, {"Memset", "memset"})                         ? "gpu_memset"
                                                                          : "kernel";
    case RowKind::copies:
      return "gpu_memcpy";
    case RowKind::ranges:
      return "gpu_user_annotation";
    case RowKind::calls:
      return "cuda_runtime";
    case RowKind::threads:
      return is_call(name)           ? "cuda_runtime"
             : name.starts_with('$') ? "python_function"
                                     : kineto::category::annotation;
  }
  return {};
}

}  // namespace vitro::analyze
