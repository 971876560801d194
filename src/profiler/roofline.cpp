// Draws the roofline plot of a profile's kernels as SVG; used by write_roofline() and `vitro
// profile --roofline`.
#include "vitro/profiler/roofline.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <map>

#include "base/sort_list.h"
#include "vitro/base/cat.h"
#include "vitro/base/counted.h"
#include "vitro/report/chart.h"
#include "vitro/report/output.h"
#include "vitro/report/svg.h"
#include "vitro/report/units.h"

namespace vitro {
namespace {

// All launches of one kernel.
struct Kernel {
  std::string_view name;
  uint64_t calls = 0, bytes = 0, flops = 0;
  double ns = 0, least_ns = 0;

  double intensity() const { return static_cast<double>(flops) / static_cast<double>(bytes); }
  double gflops() const { return static_cast<double>(flops) / ns; }
  bool has_place() const { return flops > 0 && bytes > 0 && ns > 0; }
};

// Sorted by time, the longest first.
std::vector<Kernel> kernels_of(const Profile& profile, const Peaks& peaks) {
  std::map<std::string_view, Kernel> by_name;
  for (const Track& track : profile.tracks) {
    for (const Slice& slice : track.slices) {
      if (slice.kind != SliceKind::kernel) continue;
      Kernel& kernel = by_name[slice.name()];
      kernel.name = slice.name();
      ++kernel.calls;
      kernel.bytes += slice.bytes;
      kernel.flops += slice.flops;
      kernel.ns += static_cast<double>(slice.duration());
      kernel.least_ns += peaks.least_ns(slice.bytes, slice.flops);
    }
  }
  std::vector<Kernel> kernels;
  for (const auto& [name, kernel] : by_name) kernels.push_back(kernel);
  sort_list(kernels, std::greater(), &Kernel::ns);
  return kernels;
}

std::string number(double v) {
  char text[32];
  std::snprintf(text, sizeof text, v < 10 ? "%.2g" : "%.0f", v);
  return text;
}

constexpr double width = 900, height = 560;
constexpr report::Box field{70, 50, 800, 430};
constexpr size_t most_labels = 16;

class Picture {
 public:
  Picture(report::Output& out, const Peaks& peaks, std::vector<Kernel> kernels)
      : peaks_(peaks),
        kernels_(std::move(kernels)),
        svg_(out, {.width = width,
                   .height = height,
                   .title = "Roofline",
                   .style = ":root{width:100%;height:auto}"}) {
    choose_range();
  }

  void draw() {
    svg_.text({field.x, 24},
              cat("Roofline of ", peaks_.processor, ", ", counted(peaks_.threads, "thread")));
    report::draw_axes(svg_, {x_, "operations per byte", number}, {y_, "GFLOP/s", number});
    for (size_t i = 0; i < peaks_.levels.size(); ++i) draw_level(i);
    for (size_t i = 0; i < peaks_.rates.size(); ++i) draw_rate(i);
    for (const Kernel& kernel : kernels_) draw_point(kernel);
    draw_labels();
    draw_footer();
    svg_.finish();
  }

 private:
  // Bounds of all kernels and all ridges.
  void choose_range() {
    double low_x = 0.1, high_x = 10, low_y = 10, high_y = 1;
    for (const Kernel& k : kernels_) {
      if (!k.has_place()) continue;
      low_x = std::min(low_x, k.intensity());
      high_x = std::max(high_x, k.intensity());
      low_y = std::min(low_y, k.gflops());
      high_y = std::max(high_y, k.gflops());
    }
    for (const Peaks::Rate& rate : peaks_.rates) {
      high_y = std::max(high_y, rate.all);
      high_x = std::max(high_x, rate.all / peaks_.levels.back().all);
    }
    x_ = {low_x / 2, high_x * 2, field.x, field.x + field.width, true};
    y_ = {low_y / 2, high_y * 2, field.y + field.height, field.y, true};
  }

  double highest_rate() const {
    return std::ranges::max_element(peaks_.rates, {}, &Peaks::Rate::all)->all;
  }

  // GB/s times operations per byte is GFLOP/s: a line of equal slope for every level.
  void draw_level(size_t number_of) {
    const Peaks::Level& level = peaks_.levels[number_of];
    const double first = std::max(x_.low, y_.low / level.all);
    const double last = std::min(x_.high, highest_rate() / level.all);
    if (last <= first) return;
    const report::Point from{x_.at(first), y_.at(first * level.all)};
    const report::Point to{x_.at(last), y_.at(last * level.all)};
    svg_.line(from, to, cat("stroke", number_of % 8));
    const double turn = std::atan2(to.y - from.y, to.x - from.x) * 180 / 3.14159265358979;
    svg_.open("g",
              {{"transform", cat("translate(", report::pixels(from.x), " ", report::pixels(from.y),
                                 ") rotate(", report::pixels(turn), ")")}});
    const double along =
        8 + 110 * static_cast<double>(number_of);  // staggered so that labels do not touch
    svg_.text({along, -4}, cat(level.name, " ", number(level.all), " GB/s"), report::Anchor::start,
              "muted");
    svg_.close();
  }

  void draw_rate(size_t number_of) {
    const Peaks::Rate& rate = peaks_.rates[number_of];
    const double first = std::max(x_.low, rate.all / peaks_.levels.front().all);
    svg_.line({x_.at(first), y_.at(rate.all)}, {x_.at(x_.high), y_.at(rate.all)},
              cat("stroke", (peaks_.levels.size() + number_of) % 8));
    svg_.text({x_.at(x_.high) - 4, y_.at(rate.all) - 4},
              cat(rate.dtype, " ", number(rate.all), " GFLOP/s"), report::Anchor::end, "muted");
  }

  void draw_point(const Kernel& k) {
    if (!k.has_place()) return;
    const std::string tooltip =
        cat(k.name, "\n", counted(k.calls, "call"), ", ", report::time_text(k.ns), "\n",
            number(k.gflops()), " GFLOP/s, ", number(k.gflops() / k.intensity()), " GB/s\n",
            report::percent_text(k.least_ns, k.ns), " of the peak");
    svg_.circle({x_.at(k.intensity()), y_.at(k.gflops())}, 4, "fill0", tooltip);
  }

  // The names of the longest kernels, where there is room.
  void draw_labels() {
    std::vector<report::Box> taken;
    for (const Kernel& k : kernels_) {
      if (!k.has_place() || taken.size() == most_labels) continue;
      const size_t columns = std::min<size_t>(k.name.size(), 28);
      const double w = static_cast<double>(columns + 1) * report::column_width;
      report::Box box{x_.at(k.intensity()) + 7, y_.at(k.gflops()) - 6, w, report::font_size};
      if (box.x + w > field.x + field.width) box.x -= w + 14;
      if (!find_room(box, taken)) continue;
      taken.push_back(box);
      svg_.text_in(box, k.name);
    }
  }

  // Moves a box down or up until it overlaps no other; false if there is no room nearby.
  static bool find_room(report::Box& box, const std::vector<report::Box>& taken) {
    const double wanted = box.y;
    for (const int step : {0, 1, -1, 2, -2, 3, -3}) {
      box.y = wanted + step * (report::font_size + 2);
      const auto covers = [&](const report::Box& b) {
        return box.x < b.x + b.width && b.x < box.x + box.width && box.y < b.y + b.height &&
               b.y < box.y + box.height;
      };
      if (std::ranges::none_of(taken, covers)) return true;
    }
    return false;
  }

  void draw_footer() {
    const auto left_out =
        std::ranges::count_if(kernels_, [](const Kernel& k) { return !k.has_place(); });
    std::string line = counted(kernels_.size(), "kernel");
    if (left_out != 0) line += cat(", ", left_out, " of them without operations and not shown");
    svg_.text({field.x, height - 12}, line, report::Anchor::start, "muted");
  }

  const Peaks& peaks_;
  std::vector<Kernel> kernels_;
  report::Svg svg_;
  report::Axis x_, y_;
};

}  // namespace

void write_roofline(const std::string& path, const Profile& profile, const Peaks& peaks) {
  const auto out = report::create_file(path);
  Picture(*out, peaks, kernels_of(profile, peaks)).draw();
  out->finish();
}

}  // namespace vitro
