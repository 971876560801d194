// Draws the timeline of a trace as rows of stacked activity, with a script for keyboard and
// pointer; part of the report.
#include "overview.h"

#include <algorithm>
#include <cmath>

#include "activity.h"
#include "analyze/model/index.h"
#include "base/sort_list.h"
#include "report/page_text.h"
#include "single_events.h"
#include "vitro/base/cat.h"
#include "vitro/report/plot.h"
#include "vitro/report/units.h"

namespace vitro::report {
extern const PageText timeline_css, timeline_js;
}

namespace vitro::analyze {
namespace {

constexpr size_t columns = 800, rows = 24, most_tracks = 32, most_events = 50'000;

int64_t per_column_of(const Activity& activity) {
  return activity.window.length() / static_cast<int64_t>(columns) + 1;
}

std::string percent_of(int64_t part, int64_t whole) {
  return report::percent_text(static_cast<double>(part), static_cast<double>(whole));
}

// The upper end of each activity in a column, in rows from the bottom.
std::array<int, doing_count> heights(const Times& times, int64_t per_column) {
  std::array<int, doing_count> ends{};
  int64_t sum = 0;
  for (size_t i = 0; i < doing_count; ++i) {
    sum += times[i];
    const double part = static_cast<double>(sum) / static_cast<double>(per_column);
    ends[i] = static_cast<int>(std::ceil(std::min(part, 1.0) * static_cast<double>(rows) - 0.01));
  }
  return ends;
}

// The outline of one activity over all columns; adjacent columns of equal height are one piece.
std::string path_of(const std::vector<std::array<int, doing_count>>& ends, size_t doing) {
  std::string path;
  const auto low = [&](size_t c) { return doing == 0 ? 0 : ends[c][doing - 1]; };
  for (size_t c = 0; c < ends.size();) {
    size_t next = c + 1;
    while (next < ends.size() && low(next) == low(c) && ends[next][doing] == ends[c][doing]) ++next;
    const int height = ends[c][doing] - low(c);
    if (height > 0) {
      path += cat("M", c, " ", static_cast<int>(rows) - ends[c][doing], "h", next - c, "v", height,
                  "h-", next - c, "z");
    }
    c = next;
  }
  return path;
}

std::string tooltip_of(const TrackActivity& track, const std::string& label, int64_t window) {
  std::string text = cat(label, "\nbusy ", percent_of(track.busy(), window));
  for (size_t i = 0; i < doing_count; ++i) {
    if (track.times[i] == 0) continue;
    text += cat("\n", name_of(static_cast<Doing>(i)), " ", percent_of(track.times[i], window));
  }
  return text;
}

void draw_track(report::Html& page, const Trace& trace, const Activity& activity,
                const TrackActivity& track) {
  const std::string label = label_of(trace.tracks()[track.track]);
  const int64_t window = activity.window.length(), per_column = per_column_of(activity);
  std::vector<std::array<int, doing_count>> ends;
  for (const Times& times : track.columns) ends.push_back(heights(times, per_column));
  const std::string about = tooltip_of(track, label, window);
  page.open("div", {{"class", "track"},
                    {"id", cat("track-", track.track)},
                    {"tabindex", "0"},
                    {"role", "group"},
                    {"aria-label", about}});
  page.element("span", cat(percent_of(track.busy(), window), " ", label),
               {{"class", "name"}, {"title", about}});
  const double width = static_cast<double>(window) / static_cast<double>(per_column);
  page.picture({.width = width, .height = rows, .title = about, .stretched = true},
               [&](report::Svg& svg) {
                 for (size_t i = 0; i < doing_count; ++i) {
                   const std::string path = path_of(ends, i);
                   if (!path.empty())
                     svg.open("path", {{"class", cat("fill", i)}, {"d", path}}).close();
                 }
               });
  page.close();
}

// The busiest of the tracks, in their order.
std::vector<const TrackActivity*> chosen(const Activity& activity) {
  std::vector<const TrackActivity*> list;
  for (const TrackActivity& track : activity.tracks) list.push_back(&track);
  if (list.size() <= most_tracks) return list;
  sort_list(list, std::ranges::greater(), &TrackActivity::busy);
  list.resize(most_tracks);
  std::ranges::sort(list);
  return list;
}

}  // namespace

std::string label_of(const TrackInfo& track) {
  const std::string process = !track.labels.empty()    ? track.labels
                              : !track.process.empty() ? track.process
                                                       : cat("process ", track.pid);
  const std::string thread = track.thread.empty() ? track.tid : track.thread;
  return cat(process, ": ", thread);
}

std::string overview_style() {
  return text_of(report::timeline_css);
}

void draw_overview(report::Html& page, const TraceIndex& index, const OverviewOptions& options) {
  const Activity activity = activity_of(index, columns);
  page.open("section id=\"timeline\"").heading("Timeline");
  if (activity.tracks.empty()) {
    page.paragraph("No event has a duration.").close();
    return;
  }
  const std::vector<const TrackActivity*> shown = chosen(activity);
  std::string what =
      cat("What each thread and stream was doing: the share of each activity, where the innermost "
          "event "
          "counts, above its events. Percentages are of all the ",
          report::time_text(static_cast<double>(activity.window.length())), ".");
  if (shown.size() < activity.tracks.size())
    what += cat(" ", activity.tracks.size() - shown.size(), " less busy tracks are left out.");
  page.paragraph(what);
  std::vector<std::string> names;
  for (size_t i = 0; i < doing_count; ++i) names.emplace_back(name_of(static_cast<Doing>(i)));
  report::draw_keys(page, names);
  const int64_t begin = activity.window.begin;
  page.open("div", {{"class", "tracks"},
                    {"data-file", options.file},
                    {"data-ns", cat(activity.window.length())},
                    {"data-each", cat(per_column_of(activity))},
                    {"data-shift", cat(begin - index->windows().front().window.begin)}});
  for (const TrackActivity* track : shown) draw_track(page, index.trace(), activity, *track);
  std::vector<uint32_t> tracks;
  for (const TrackActivity* track : shown) tracks.push_back(track->track);
  const SingleEvents events = single_events(index, tracks, most_events, options.events);
  page.packed("events", json_of(events, index, begin));
  page.packed("arguments", arguments_of(events, index.trace()));
  page.close().close().script(text_of(report::view_js) + text_of(report::timeline_js));
}

}  // namespace vitro::analyze
