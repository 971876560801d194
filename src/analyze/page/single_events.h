// The single events that the timeline of a page can show: at most as many as a browser draws
// smoothly, the longest of devices and of hosts, and those that findings are based on.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "activity.h"

namespace vitro::analyze {

struct SingleEvents {
  std::vector<EventId> events;  // by track, in order of time, outer ones first
  size_t left_out = 0;
  int64_t shortest =
      0;  // nanoseconds: all of this length or longer are there, work of devices from
  // an eighth of it on
};

// Of these tracks, at most `most` and `wanted`.
SingleEvents single_events(const TraceIndex& index, std::span<const uint32_t> tracks, size_t most,
                           std::span<const EventId> wanted);

// As JSON, for timeline.js: times count from `begin`.
std::string json_of(const SingleEvents& shown, const TraceIndex& index, int64_t begin);

// A line for each with its number and arguments, as an object of JSON; nothing if the file cannot
// be read again or is too large for that.
std::string arguments_of(const SingleEvents& shown, const Trace& trace);

}  // namespace vitro::analyze
