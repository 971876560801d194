// Draws the timeline of a trace as rows of stacked activity, with a script for keyboard and
// pointer; part of the report.
#include "overview.h"

#include <algorithm>
#include <cmath>

#include "activity.h"
#include "analyze/model/index.h"
#include "base/sort_list.h"
#include "vitro/base/cat.h"
#include "vitro/report/chart.h"
#include "vitro/report/plot.h"
#include "vitro/report/units.h"

namespace vitro::analyze {
namespace {

constexpr size_t columns = 800, rows = 24, most_tracks = 32;

constexpr std::string_view style =
    ".tracks{position:relative;margin:1em 0 2em}"
    ".track{display:grid;grid-template-columns:15em minmax(0,1fr);gap:.8em;align-items:center;"
    "padding:2px 0;border-bottom:1px solid var(--grid)}"
    ".track .name{white-space:nowrap;overflow:hidden;text-overflow:ellipsis;font-size:12px}"
    ".track svg{width:100%;height:26px;display:block}"
    ".track .band{position:relative;height:18px;font-size:12px;color:var(--muted);overflow:hidden}"
    ".track .band span{position:absolute;top:0;bottom:0;border-left:1px solid var(--muted);"
    "padding-left:3px;overflow:hidden;white-space:nowrap}"
    ".track .time{position:relative;height:1.5em;font-size:12px;color:var(--muted)}"
    ".track .time span{position:absolute;transform:translateX(-50%);white-space:nowrap}"
    ".track .time span:first-child{transform:none}"
    ".track .about{display:none;grid-column:1/-1;margin:.2em 0;font-size:12px;white-space:pre-line}"
    ".track:focus .about,.track:hover .about{display:block}"
    ".track .cursor{stroke:var(--text);stroke-width:2;vector-effect:non-scaling-stroke}"
    "@media (max-width:600px){.track{grid-template-columns:minmax(0,1fr);gap:0}"
    ".track .time span.odd{display:none}}";

// A row describes the column at the pointer or cursor, read from its own outlines.
constexpr std::string_view script = R"js((() => {
const tracks = document.querySelector('.tracks');
if (!tracks) return;
const {begin, ns, columns, rows} = Object.fromEntries(Object.entries(tracks.dataset).map(([name, text]) => [name, +text]));
const names = [...document.querySelectorAll('#timeline .keys span')].map(e => e.textContent);
const shows = new Map();
const time = t => t < 1e3 ? Math.round(t) + 'ns' : t < 1e6 ? (t / 1e3).toFixed(3) + 'us' :
  t < 1e9 ? (t / 1e6).toFixed(3) + 'ms' : (t / 1e9).toFixed(3) + 's';
for (const track of tracks.querySelectorAll('.track[tabindex]')) {
  const svg = track.querySelector('svg'), about = track.querySelector('.about'), whole = about.textContent;
  const line = document.createElementNS(svg.namespaceURI, 'line');
  line.setAttribute('class', 'cursor');
  let at = -1;
  const described = column => {
    const each = ns / columns;
    let text = whole.split('\n')[0] + '\nat ' + time(column * each) + ' to ' + time((column + 1) * each) + ':', any = false;
    for (const path of svg.querySelectorAll('path')) {
      for (const m of path.getAttribute('d').matchAll(/M(\d+) \d+h(\d+)v(\d+)/g)) {
        if (column < +m[1] || column >= +m[1] + +m[2]) continue;
        text += '\n' + names[path.getAttribute('class').slice(4)] + ' ' + Math.round(100 * m[3] / rows) + '%';
        any = true;
      }
    }
    return any ? text : text + '\nnothing';
  };
  const show = column => {
    at = column;
    about.textContent = at < 0 ? whole : described(at);
    if (at < 0) return line.remove();
    for (const [name, value] of [['x1', at + 0.5], ['x2', at + 0.5], ['y1', 0], ['y2', rows]]) line.setAttribute(name, value);
    svg.append(line);
  };
  shows.set(track.id, show);
  track.addEventListener('keydown', event => {
    const step = event.shiftKey ? 20 : 1;
    const to = {ArrowRight: at + step, ArrowLeft: (at < 0 ? columns : at) - step, Home: 0, End: columns - 1, Escape: -1}[event.key];
    if (to === undefined || event.ctrlKey || event.altKey || event.metaKey) return;
    show(event.key === 'Escape' ? -1 : Math.max(0, Math.min(columns - 1, to)));
    event.preventDefault();
  });
  track.addEventListener('focusout', () => show(-1));
  svg.addEventListener('pointermove', event => {
    const box = svg.getBoundingClientRect();
    show(Math.max(0, Math.min(columns - 1, Math.floor(columns * (event.clientX - box.left) / box.width))));
  });
  svg.addEventListener('pointerleave', () => show(-1));
}
for (const link of document.querySelectorAll('a[data-at]')) {
  const id = link.dataset.track;
  link.addEventListener('click', event => {
    if (!shows.has(id)) return;
    event.preventDefault();
    const track = document.getElementById(id);
    track.focus();
    track.scrollIntoView({block: 'center'});
    shows.get(id)(Math.max(0, Math.min(columns - 1, Math.floor(columns * (link.dataset.at - begin) / ns))));
  });
}
})();
)js";

std::string percent_of(double part) {
  return cat(report::pixels(100 * part), "%");
}

std::string percent_of(int64_t part, int64_t whole) {
  return report::percent_text(static_cast<double>(part), static_cast<double>(whole));
}

// "python 1234: thread 5678".
std::string label_of(const TrackInfo& track) {
  const std::string process = !track.labels.empty()    ? track.labels
                              : !track.process.empty() ? track.process
                                                       : cat("process ", track.pid);
  const std::string thread = track.thread.empty() ? track.tid : track.thread;
  return cat(process, ": ", thread);
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
  const int64_t window = activity.window.length(), per_column = window / columns + 1;
  std::vector<std::array<int, doing_count>> ends;
  for (const Times& times : track.columns) ends.push_back(heights(times, per_column));
  const std::string about = tooltip_of(track, label, window);
  page.open("div", {{"class", "track"},
                    {"id", track_id(track.track)},
                    {"tabindex", "0"},
                    {"role", "group"},
                    {"aria-label", label}});
  page.element("span", cat(percent_of(track.busy(), window), " ", label),
               {{"class", "name"}, {"title", label}});
  page.picture({.width = columns, .height = rows, .title = about, .stretched = true},
               [&](report::Svg& svg) {
                 for (size_t i = 0; i < doing_count; ++i) {
                   const std::string path = path_of(ends, i);
                   if (!path.empty())
                     svg.open("path", {{"class", cat("fill", i)}, {"d", path}}).close();
                 }
               });
  page.element("p", about, {{"class", "about"}, {"aria-live", "polite"}}).close();
}

// The steps within the window, each a band with its number.
void draw_steps(report::Html& page, const std::vector<Step>& steps, const Window& window) {
  if (steps.empty() || steps.size() > columns / 4) return;
  page.open("div", {{"class", "track"}}).element("span", "steps", {{"class", "name"}});
  page.open("div", {{"class", "band"}});
  const auto place = [&](int64_t at) {
    const double part =
        static_cast<double>(at - window.begin) / static_cast<double>(window.length());
    return std::clamp(part, 0.0, 1.0);
  };
  for (const Step& step : steps) {
    const double from = place(step.begin), to = place(step.end);
    page.element("span", cat(step.number),
                 {{"style", cat("left:", percent_of(from), ";width:", percent_of(to - from))},
                  {"title", cat("step ", step.number, ", ",
                                report::time_text(static_cast<double>(step.end - step.begin)))}});
  }
  page.close().close();
}

void draw_times(report::Html& page, const Window& window) {
  page.open("div", {{"class", "track"}}).element("span", "", {{"class", "name"}});
  page.open("div", {{"class", "time"}});
  const report::Axis axis{.low = 0, .high = static_cast<double>(window.length()), .to = 0.97};
  size_t n = 0;
  for (const double tick : axis.ticks(8)) {
    const double part = tick / axis.high;
    if (part > 0.97) continue;
    page.element("span", report::short_number(report::time_text(tick)),
                 {{"class", n++ % 2 == 0 ? "" : "odd"}, {"style", cat("left:", percent_of(part))}});
  }
  page.close().close();
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

std::string track_id(uint32_t track) {
  return cat("track-", track);
}

std::string_view overview_style() {
  return style;
}

void draw_overview(report::Html& page, const TraceIndex& index) {
  const Activity activity = activity_of(index, columns);
  if (activity.tracks.empty()) return;
  page.open("section", {{"id", "timeline"}}).heading("Timeline");
  const std::vector<const TrackActivity*> shown = chosen(activity);
  std::string what = cat(
      "What each thread and stream was doing: the innermost event counts, a full column is fully "
      "busy. Point at a row, tap it or move to it with Tab to see what it did; the arrow keys "
      "(with Shift in larger steps) show what it did at each moment. The percentage is of all the ",
      report::time_text(static_cast<double>(activity.window.length())), ".");
  if (shown.size() < activity.tracks.size())
    what += cat(" ", activity.tracks.size() - shown.size(), " less busy tracks are left out.");
  page.paragraph(what);
  std::vector<std::string> names;
  for (size_t i = 0; i < doing_count; ++i) names.emplace_back(name_of(static_cast<Doing>(i)));
  report::draw_keys(page, names);
  page.open("div", {{"class", "tracks"},
                    {"data-begin", cat(activity.window.begin)},
                    {"data-ns", cat(activity.window.length())},
                    {"data-columns", cat(columns)},
                    {"data-rows", cat(rows)}});
  draw_steps(page, index->steps(), activity.window);
  for (const TrackActivity* track : shown) draw_track(page, index.trace(), activity, *track);
  draw_times(page, activity.window);
  page.close().close().script(script);
}

}  // namespace vitro::analyze
