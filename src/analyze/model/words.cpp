#include "analyze/model/words.h"

#include <algorithm>
#include <cstdio>

#include "vitro/base/cat.h"
#include "vitro/report/table.h"
#include "vitro/report/units.h"

namespace vitro::analyze {
namespace {

std::string_view trimmed(std::string_view text) {
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

}  // namespace

std::string stream_name(const TrackInfo& track) {
  const std::string_view name = trimmed(track.thread);
  return cat(name.empty() ? cat("stream ", track.tid) : std::string(name), " of ",
             device_name(track));
}

std::string device_name(const TrackInfo& track) {
  return track.labels.empty() ? cat("device ", track.pid) : track.labels;
}

std::string thread_name(const TrackInfo& track) {
  const std::string_view name = trimmed(track.thread);
  return name.empty() ? cat("thread ", track.tid) : std::string(name);
}

std::string short_name(std::string_view name) {
  constexpr size_t widest = 80;
  return report::shorten(name, widest);
}

std::string stable_name(std::string_view name) {
  constexpr std::string_view mark = " at 0x";
  std::string out;
  for (size_t at = 0; at < name.size();) {
    const size_t address = name.find(mark, at);
    out += name.substr(at, address - at);
    if (address == std::string_view::npos) break;
    at = name.find_first_not_of("0123456789abcdefABCDEF", address + mark.size());
  }
  return out;
}

bool holds(std::string_view name, std::initializer_list<std::string_view> parts) {
  return std::ranges::any_of(
      parts, [&](std::string_view part) { return name.find(part) != std::string_view::npos; });
}

int64_t nearest_rank(std::span<const int64_t> sorted, size_t percent) {
  return sorted[std::max<size_t>((sorted.size() * percent + 99) / 100, 1) - 1];
}

double percent(int64_t part, int64_t whole) {
  return whole > 0 ? 100.0 * static_cast<double>(part) / static_cast<double>(whole) : 0;
}

std::string percent_text(int64_t part, int64_t whole) {
  char text[32];
  std::snprintf(text, sizeof text, "%.0f %%", percent(part, whole));
  return text;
}

std::string time_text(int64_t ns) {
  return report::time_text(static_cast<double>(ns));
}

}  // namespace vitro::analyze
