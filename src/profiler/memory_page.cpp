// The memory timeline as an HTML page: the allocations over time, for memory.js to draw, the
// categories at the peak, and the ops and ranges that allocated what was live then.

#include <algorithm>
#include <functional>
#include <unordered_map>

#include "base/sort_list.h"
#include "profiler/memory_changes.h"
#include "report/page_text.h"
#include "vitro/base/cat.h"
#include "vitro/report/html.h"
#include "vitro/report/json.h"
#include "vitro/report/plot.h"
#include "vitro/report/units.h"

namespace vitro::report {
extern const PageText memory_css, memory_js;
}

namespace vitro {
namespace {

using report::Point;

constexpr size_t most_areas = 3000, columns = 1000;

int64_t total(const BytesByCategory& sums) {
  int64_t bytes = 0;
  for (const int64_t sum : sums) bytes += sum;
  return bytes;
}

// Times count from the begin of the recording.
struct Allocation {
  int64_t begin, end = -1;  // -1: not freed
  int64_t bytes;
  TimelineCategory category;
  std::string_view in, freed_in = {};
};

std::string_view place_of(const TrackChange& entry) {
  const uint32_t slice = entry.change->slice;
  return slice == Slice::none ? "(outside)" : entry.track->slices[slice].name();
}

struct Recording {
  std::vector<Allocation> allocations;
  std::vector<std::pair<int64_t, int64_t>> others;  // bytes of memory that was there before
  int64_t length, peak_at = 0;
  BytesByCategory peak{}, last{};

  explicit Recording(const Profile& profile);
};

Recording::Recording(const Profile& profile)
    : length(std::max<int64_t>(profile.end - profile.begin, 1)) {
  last = peak = preexisting_bytes(profile);
  others.emplace_back(0, total(last));
  std::unordered_map<uint64_t, size_t> live;
  each_memory_change(profile, [&](const TrackChange& entry) {
    const MemoryChange& change = *entry.change;
    const int64_t at = std::clamp<int64_t>(change.at - profile.begin, 0, length);
    last[static_cast<size_t>(entry.category())] += change.bytes;
    if (total(last) > total(peak)) {
      peak = last;
      peak_at = at;
    }
    const auto found = live.find(change.address);
    if (change.bytes >= 0) {
      live[change.address] = allocations.size();
      allocations.push_back({.begin = at,
                             .bytes = change.bytes,
                             .category = entry.category(),
                             .in = place_of(entry)});
    } else if (found != live.end()) {
      allocations[found->second].end = at;
      allocations[found->second].freed_in = place_of(entry);
      live.erase(found);
    } else {
      others.emplace_back(at, change.bytes);
    }
  });
}

// The largest allocations, for memory.js; the sum of the others in each of `columns`.
std::string json_of(Recording recording) {
  std::vector<Allocation>& all = recording.allocations;
  sort_list(all, std::greater(), &Allocation::bytes);
  for (size_t i = most_areas; i < all.size(); ++i) {
    recording.others.emplace_back(all[i].begin, all[i].bytes);
    if (all[i].end >= 0) recording.others.emplace_back(all[i].end, -all[i].bytes);
  }
  all.resize(std::min(all.size(), most_areas));
  sort_list(recording.others);
  std::vector<std::string_view> names;
  for (const Allocation& each : all) names.insert(names.end(), {each.in, each.freed_in});
  sort_list(names);
  names.erase(std::ranges::unique(names).begin(), names.end());
  const auto number_of = [&](std::string_view name) {
    return std::ranges::lower_bound(names, name) - names.begin();
  };
  report::TextOutput out;
  report::Json json(out);
  json.begin_object()
      .member("ns", recording.length)
      .member("peak", recording.peak_at)
      .key("list")
      .begin_array();
  for (const Allocation& each : all) {
    if (each.end == each.begin) continue;
    json.value(each.begin).value(each.end).value(each.bytes);
    json.value(static_cast<int>(each.category));
    json.value(number_of(each.in)).value(number_of(each.freed_in));
  }
  json.end().key("others").begin_array();
  int64_t sum = 0;
  const int64_t column = recording.length / static_cast<int64_t>(columns) + 1;
  for (size_t i = 0; i < recording.others.size(); ++i) {
    const auto [at, bytes] = recording.others[i];
    sum += bytes;
    if (i + 1 < recording.others.size() && recording.others[i + 1].first / column == at / column)
      continue;
    json.begin_array().value(at / column * column).value(sum).end();
  }
  json.end().key("names").begin_array();
  for (const std::string_view name : names) json.value(name);
  json.end().end();
  out.finish();
  return out.text();
}

using Rows = std::vector<std::vector<report::HtmlCell>>;

report::HtmlCell bytes_cell(double bytes) {
  return {report::bytes_text(bytes), bytes};
}

Rows category_rows(const Recording& plot) {
  Rows rows;
  const auto all = static_cast<double>(total(plot.peak));
  for (size_t i = 0; i < timeline_categories; ++i) {
    const auto peak = static_cast<double>(plot.peak[i]), last = static_cast<double>(plot.last[i]);
    if (peak == 0 && last == 0) continue;
    rows.push_back({{std::string(name_of(static_cast<TimelineCategory>(i)))},
                    bytes_cell(peak),
                    {report::percent_text(peak, all), peak},
                    bytes_cell(last)});
  }
  return rows;
}

}  // namespace

void write_memory_page(const Profile& profile, std::string_view title, report::Output& out) {
  const Recording recording(profile);
  report::Html page(out, {.title = std::string(title),
                          .style = report::plot_style() + text_of(report::memory_css)});
  const auto bytes = static_cast<double>(total(recording.peak));
  page.paragraph(cat("Peak: ", report::bytes_text(bytes), " at ",
                     report::time_text(static_cast<double>(recording.peak_at)), " of ",
                     report::time_text(static_cast<double>(recording.length)), "."));
  std::vector<std::string> names;
  for (size_t i = 0; i < timeline_categories; ++i)
    names.emplace_back(name_of(static_cast<TimelineCategory>(i)));
  report::draw_keys(page, names);
  page.element("canvas tabindex=\"0\" role=\"img\" aria-label=\"Memory over time\"", "");
  page.element("dl class=\"event\" aria-live=\"polite\"", "");
  page.element(
      "p",
      "Click an allocation, or walk from the largest with the arrow keys. Drag, pinch, Ctrl "
      "and the wheel, or W S A D zoom and move, F zooms to the allocation, 0 shows all.",
      {{"class", "muted"}});
  page.heading("By category");
  page.sortable_table("By category",
                      {{"category"}, {"at the peak", true}, {"share", true}, {"at the end", true}},
                      category_rows(recording));
  page.heading("Live at the peak, by where it was allocated");
  page.open("div id=\"peak\"").close();
  page.packed("allocations", json_of(recording));
  page.script(text_of(report::view_js) + text_of(report::memory_js)).finish();
}

}  // namespace vitro
