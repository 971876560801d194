// The memory timeline as an HTML page: a plot of memory by category, the categories at the peak,
// and the ops and ranges that allocated what was live then.

#include <algorithm>
#include <functional>
#include <map>
#include <unordered_map>

#include "base/sort_list.h"
#include "profiler/memory_changes.h"
#include "vitro/base/cat.h"
#include "vitro/report/chart.h"
#include "vitro/report/html.h"
#include "vitro/report/units.h"

namespace vitro {
namespace {

using report::Point;

constexpr double width = 1160, height = 420, left = 90, right = 20, top = 60, below = 50;
constexpr size_t columns = static_cast<size_t>(width - left - right);
constexpr size_t rows_at_peak = 20;

int64_t total(const BytesByCategory& sums) {
  int64_t bytes = 0;
  for (const int64_t sum : sums) bytes += sum;
  return bytes;
}

// A column of pixels shows its moment of most live memory.
struct Column {
  bool any = false;
  BytesByCategory most{};
};

struct Plot {
  int64_t begin = 0, end = 0;  // nanoseconds
  std::vector<Column> columns;
  int64_t peak_at = 0;
  BytesByCategory peak{}, last{};

  explicit Plot(const Profile& profile);

 private:
  void show(size_t column, const BytesByCategory& sums);
};

Plot::Plot(const Profile& profile)
    : begin(profile.begin), end(std::max(profile.end, profile.begin + 1)), columns(vitro::columns) {
  const auto column_at = [&](int64_t at) {
    const double part = static_cast<double>(at - begin) / static_cast<double>(end - begin);
    return static_cast<size_t>(std::clamp(part, 0.0, 1.0) *
                               static_cast<double>(columns.size() - 1));
  };
  last = preexisting_bytes(profile);
  peak = last;
  peak_at = begin;
  size_t column = 0;
  show(0, last);
  each_memory_change(profile, [&](const TrackChange& entry) {
    const size_t now = column_at(entry.change->at);
    while (column < now) show(++column, last);
    last[static_cast<size_t>(entry.category())] += entry.change->bytes;
    show(now, last);
    if (total(last) <= total(peak)) return;
    peak = last;
    peak_at = entry.change->at;
  });
  while (column + 1 < columns.size()) show(++column, last);
}

void Plot::show(size_t column, const BytesByCategory& sums) {
  Column& shown = columns[column];
  if (shown.any && total(shown.most) >= total(sums)) return;
  shown = {true, sums};
}

void draw(const Plot& plot, report::Svg& svg) {
  const auto duration = static_cast<double>(plot.end - plot.begin);
  const report::Axis time{.low = 0, .high = duration, .from = left, .to = width - right};
  const auto most = static_cast<double>(std::max<int64_t>(total(plot.peak), 1));
  double unit = 1;  // the largest of KiB, MiB… not above the peak
  while (most >= unit * 1024) unit *= 1024;
  const report::Axis units{.low = 0, .high = most / unit, .from = height - below, .to = top};
  const auto y_of = [&](int64_t bytes) { return units.at(static_cast<double>(bytes) / unit); };
  std::vector<int64_t> under(plot.columns.size());
  std::vector<std::string> names;
  for (size_t category = 0; category < timeline_categories; ++category) {
    const std::string_view name = name_of(static_cast<TimelineCategory>(category));
    names.emplace_back(name);
    std::vector<Point> outline, base;
    bool any = false;
    for (size_t i = 0; i < plot.columns.size(); ++i) {
      const double x = left + static_cast<double>(i);
      const int64_t of_category = std::max<int64_t>(plot.columns[i].most[category], 0);
      any |= of_category != 0;
      base.push_back({x, y_of(under[i])});
      under[i] += of_category;
      outline.push_back({x, y_of(under[i])});
    }
    outline.insert(outline.end(), base.rbegin(), base.rend());
    if (any) svg.polygon(outline, cat("fill", category), name);
  }
  const auto time_text = [](double ns) { return report::time_text(ns); };
  const auto bytes_text = [unit](double n) { return report::bytes_text(n * unit); };
  report::draw_axes(svg, {time, "time", time_text}, {units, "", bytes_text});
  report::draw_legend(svg, {left, 24}, names);
}

// Bytes live at the peak, by the op or range that allocated them.
std::map<std::string, int64_t> holders(const Profile& profile, int64_t until) {
  struct Holder {
    int64_t bytes;
    std::string_view in;
  };
  std::unordered_map<uint64_t, Holder> live;
  each_memory_change(profile, [&](const TrackChange& entry) {
    const MemoryChange& change = *entry.change;
    if (change.at > until) return;
    if (change.bytes < 0) {
      live.erase(change.address);
      return;
    }
    const bool inside = change.slice != Slice::none;
    live[change.address] = {change.bytes,
                            inside ? entry.track->slices[change.slice].name() : "(outside)"};
  });
  std::map<std::string, int64_t> sums;
  for (const auto& [address, held] : live) sums[std::string(held.in)] += held.bytes;
  return sums;
}

using Rows = std::vector<std::vector<std::string>>;

Rows category_rows(const Plot& plot) {
  Rows rows;
  const auto all = static_cast<double>(total(plot.peak));
  for (size_t i = 0; i < timeline_categories; ++i) {
    const auto peak = static_cast<double>(plot.peak[i]), last = static_cast<double>(plot.last[i]);
    if (peak == 0 && last == 0) continue;
    rows.push_back({std::string(name_of(static_cast<TimelineCategory>(i))),
                    report::bytes_text(peak), report::percent_text(peak, all),
                    report::bytes_text(last)});
  }
  return rows;
}

Rows holder_rows(const Profile& profile, const Plot& plot) {
  const auto sums = holders(profile, plot.peak_at);
  std::vector<std::pair<std::string, int64_t>> sorted(sums.begin(), sums.end());
  sort_list(sorted, std::greater(), [](const auto& entry) { return entry.second; });
  sorted.resize(std::min(sorted.size(), rows_at_peak));
  Rows rows;
  for (const auto& [name, bytes] : sorted)
    rows.push_back({name, report::bytes_text(static_cast<double>(bytes))});
  return rows;
}

}  // namespace

void write_memory_page(const Profile& profile, std::string_view title, report::Output& out) {
  const Plot plot(profile);
  report::Html page(out, title);
  page.paragraph(cat("Peak: ", report::bytes_text(static_cast<double>(total(plot.peak))), " at ",
                     report::time_text(static_cast<double>(plot.peak_at - plot.begin)), " of ",
                     report::time_text(static_cast<double>(plot.end - plot.begin)), "."));
  page.picture({.width = width, .height = height, .title = std::string(title)},
               [&](report::Svg& svg) { draw(plot, svg); });
  page.heading("By category");
  page.table({"category", "at the peak", "share", "at the end"}, category_rows(plot));
  page.heading("Live at the peak, by where it was allocated");
  page.table({"name", "bytes"}, holder_rows(profile, plot));
  page.finish();
}

}  // namespace vitro
