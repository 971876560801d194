// Names of streams, devices and threads in answers, and their statistics: shares, percentiles,
// times.
#pragma once

#include <cstdint>
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

// The nearest-rank percentile.  Needs: values, not empty, sorted.
int64_t nearest_rank(std::span<const int64_t> sorted, size_t percent);

double percent(int64_t part, int64_t whole);            // 0 if `whole` is 0
std::string percent_text(int64_t part, int64_t whole);  // "38 %"
std::string time_text(int64_t ns);                      // "5.100ms"

}  // namespace vitro::analyze
