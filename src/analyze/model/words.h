// Names of streams, devices and threads in answers, and their statistics: shares, percentiles,
// times; what names hold.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "vitro/analyze/trace.h"

namespace vitro::analyze {

std::string stream_name(const TrackInfo& track);  // "stream 7 of GPU 0"
std::string device_name(const TrackInfo& track);  // "GPU 0"; "device 0" where the file has no label
std::string thread_name(const TrackInfo& track);  // "thread 4515 (python)"

// A name for use in a sentence: long ones are cut at the end.
std::string short_name(std::string_view name);

// A name without the parts that vary between runs: "<… object at 0x7f52>" becomes "<… object>".
std::string stable_name(std::string_view name);

// Whether a name has one of these parts.
bool holds(std::string_view name, std::initializer_list<std::string_view> parts);
// Of a call of a torch.nn.Module, as PyTorch's profiler writes it: "nn.Module: Linear_1".
inline constexpr std::string_view module_prefix = "nn.Module: ";
inline bool is_module(std::string_view name) {
  return name.starts_with(module_prefix);
}

// The nearest-rank percentile.  Needs: values, not empty, sorted.
int64_t nearest_rank(std::span<const int64_t> sorted, size_t percent);

double percent(int64_t part, int64_t whole);            // 0 if `whole` is 0
std::string percent_text(int64_t part, int64_t whole);  // "38 %"
std::string time_text(int64_t ns);                      // "5.100ms"

}  // namespace vitro::analyze
