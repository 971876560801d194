// Chooses the events of a page and writes them as lists of numbers, so that 50,000 take about half a
// megabyte.
#include "single_events.h"

#include <algorithm>
#include <array>
#include <bit>

#include "analyze/model/arguments.h"
#include "analyze/model/index.h"
#include "base/sort_list.h"
#include "vitro/base/cat.h"
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

using Counts = std::array<size_t, length_classes>;

// The least class of which all events, and all longer ones, fit.
size_t least_class(const Counts& counts, size_t most, size_t& left) {
  size_t least = counts.size();
  left = most;
  while (least > 0 && counts[least - 1] <= left) left -= counts[--least];
  return least;
}

class Choice {
 public:
  Choice(const TraceIndex& index, std::span<const uint32_t> tracks)
      : index_(index), tracks_(tracks), doings_(index) {
    each([&](EventId e, bool device) { ++counts_[device][length_class(dur(e))]; });
  }

  SingleEvents longest(size_t most, std::span<const EventId> wanted) {
    size_t left = 0, least[2];
    least[1] = least_class(counts_[1], most / 2, left);
    least[0] = least_class(counts_[0], most - most / 2 + left, left);
    least[1] = least_class(counts_[1], most / 2 + left, left);  // what hosts do not need
    SingleEvents out;
    each([&](EventId e, bool device) {
      if (length_class(dur(e)) >= least[device] || std::ranges::binary_search(wanted, e)) {
        out.events.push_back(e);
      } else {
        ++out.left_out;
      }
    });
    if (out.left_out > 0) out.shortest = shortest_of(std::max(least[0], least[1]));
    return out;
  }

 private:
  int64_t dur(EventId e) const { return index_.trace().dur()[e]; }

  template <class Use>
  void each(Use use) const {
    const Timeline& timeline = index_->timeline();
    for (const uint32_t t : tracks_)
      for (const EventId e : timeline.track(t))
        if (doings_[e] != Doing::nothing) use(e, index_->classes().is_device_work(e));
  }

  const TraceIndex& index_;
  std::span<const uint32_t> tracks_;
  const Doings doings_;
  Counts counts_[2]{};  // of hosts, of devices
};

}  // namespace

SingleEvents single_events(const TraceIndex& index, std::span<const uint32_t> tracks, size_t most,
                           std::span<const EventId> wanted) {
  std::vector<EventId> sorted(wanted.begin(), wanted.end());
  std::ranges::sort(sorted);
  return Choice(index, tracks).longest(most, sorted);
}

std::string json_of(const SingleEvents& shown, const TraceIndex& index, int64_t begin) {
  const Trace& trace = index.trace();
  const Doings doings(index);
  std::vector<uint64_t> names;  // with what they do, each once
  const auto name_of = [&](EventId e) {
    return uint64_t{trace.name_ids()[e]} * doing_count + static_cast<uint64_t>(doings[e]);
  };
  for (const EventId e : shown.events) names.push_back(name_of(e));
  sort_list(names);
  names.erase(std::ranges::unique(names).begin(), names.end());
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
    json.value(std::ranges::lower_bound(names, name_of(e)) - names.begin()).value(int64_t{e} - before);
    json.value(launch == Links::nobody ? 0 : int64_t{launch} + 1);
    at = trace.ts()[e];
    before = e;
  }
  if (track != UINT32_MAX) json.end();
  json.end().member("left", shown.left_out).member("shortest", shown.shortest);
  json.key("names").begin_array();
  for (const uint64_t name : names) {
    json.begin_array().value(report::shorten(trace.names()[name / doing_count], widest_name));
    json.value(name % doing_count).end();
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
    std::ranges::replace_if(
        line, [](char c) { return static_cast<unsigned char>(c) < 0x20; }, ' ');
    lines += line + "}\n";
  });
  return done ? lines : std::string();
}

}  // namespace vitro::analyze
