// Chooses the events of a page and writes them as lists of numbers, so that 50,000 take about half
// a megabyte.
#include "single_events.h"

#include <algorithm>
#include <array>
#include <bit>

#include "analyze/model/arguments.h"
#include "analyze/model/index.h"
#include "base/sort_list.h"
#include "vitro/base/cat.h"
#include "vitro/base/function_ref.h"
#include "vitro/report/json.h"
#include "vitro/report/table.h"

namespace vitro::analyze {
namespace {

constexpr size_t widest_name = 400, most_argument_bytes = 16 << 20;
constexpr uint64_t largest_file = uint64_t{1} << 30;  // to be read again

// Lengths in classes of an eighth of an octave, so that one pass finds the longest.
constexpr size_t length_classes = 64 * 8;

size_t length_class(int64_t ns) {
  const auto length = static_cast<uint64_t>(std::max<int64_t>(ns, 0)) + 8;
  const int octave = static_cast<int>(std::bit_width(length)) - 4;
  return static_cast<size_t>(octave) * 8 + (length >> octave & 7);
}

int64_t shortest_of(size_t length) {
  return ((8 + static_cast<int64_t>(length % 8)) << (length / 8)) - 8;
}

// Work of devices is shorter than what hosts do, and counts as if it lasted longer.
constexpr int64_t weight_of_work = 8;

}  // namespace

SingleEvents single_events(const TraceIndex& index, std::span<const uint32_t> tracks, size_t most,
                           std::span<const EventId> wanted) {
  std::vector<EventId> sorted(wanted.begin(), wanted.end());
  std::ranges::sort(sorted);
  const Doings doings(index);
  const auto each = [&](FunctionRef<void(EventId, size_t)> use) {
    for (const uint32_t t : tracks) {
      for (const EventId e : index->timeline().track(t)) {
        if (doings[e] == Doing::nothing) continue;
        const int64_t weight = index->classes().is_device_work(e) ? weight_of_work : 1;
        use(e, length_class(weight * index.trace().dur()[e]));
      }
    }
  };
  std::array<size_t, length_classes> counts{};
  each([&](EventId, size_t length) { ++counts[length]; });
  size_t least = counts.size();
  while (least > 0 && counts[least - 1] <= most) most -= counts[--least];
  SingleEvents out;
  each([&](EventId e, size_t length) {
    if (length >= least || std::ranges::binary_search(sorted, e)) {
      out.events.push_back(e);
    } else {
      ++out.left_out;
    }
  });
  if (out.left_out > 0) out.shortest = shortest_of(least);
  return out;
}

std::string json_of(const SingleEvents& shown, const TraceIndex& index, int64_t begin) {
  const Trace& trace = index.trace();
  const Doings doings(index);
  // The number of each name among those written, from 1 on, and an event that has it.
  std::vector<uint32_t> numbers(trace.names().size());
  std::vector<EventId> named;
  report::TextOutput out;
  report::Json json(out);
  json.begin_object().key("rows").begin_object();
  uint32_t track = UINT32_MAX;
  int64_t at = 0, before = 0;
  for (const EventId e : shown.events) {
    if (trace.track_ids()[e] != track) {
      if (track != UINT32_MAX) json.end();
      track = trace.track_ids()[e];
      json.key(cat("track-", track)).begin_array();
      at = begin;
      before = 0;
    }
    const bool is_work = index->classes().is_device_work(e);
    const EventId launch = is_work ? index->origin_of(e) : Links::nobody;
    json.value(trace.ts()[e] - at).value(std::max<int64_t>(trace.dur()[e], 0));
    uint32_t& number = numbers[trace.name_ids()[e]];
    if (number == 0) {
      named.push_back(e);
      number = static_cast<uint32_t>(named.size());
    }
    json.value(number - 1).value(int64_t{e} - before);
    json.value(launch == Links::nobody ? 0 : int64_t{launch} + 1);
    at = trace.ts()[e];
    before = e;
  }
  if (track != UINT32_MAX) json.end();
  json.end().member("left", shown.left_out).member("shortest", shown.shortest);
  json.key("names").begin_array();
  for (const EventId e : named) {
    json.begin_array().value(report::shorten(trace.name(e), widest_name));
    json.value(static_cast<int>(doings[e])).end();
  }
  json.end().key("steps").begin_array();
  for (const Step& step : index->steps()) {
    json.begin_array().value(step.number).value(step.begin - begin);
    json.value(step.end - step.begin).end();
  }
  json.end().end();
  out.finish();
  return out.text();
}

std::string arguments_of(const SingleEvents& shown, const Trace& trace) {
  if (trace.unpacked_bytes() > largest_file) return {};
  std::vector<EventId> events = shown.events;
  std::ranges::sort(events);
  std::string lines, line;
  Arguments arguments;
  const auto done = trace.read_events(events, [&](EventId e, std::string_view text) {
    if (lines.size() > most_argument_bytes || !arguments.read(text) || arguments.all().empty())
      return;
    line = cat(e, " {");
    for (const auto& [name, value] : arguments.all())
      line += cat(line.back() == '{' ? "\"" : ",\"", name, "\":", value);
    std::ranges::replace_if(line, [](char c) { return static_cast<unsigned char>(c) < 0x20; }, ' ');
    lines += line + "}\n";
  });
  return done ? lines : std::string();
}

}  // namespace vitro::analyze
