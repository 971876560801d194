// The rows of `vitro bench` as a table, as JSON and as a picture.
#include <algorithm>
#include <cstdio>
#include <numeric>

#include "bench.h"
#include "comparison.h"
#include "vitro/base/cat.h"
#include "vitro/base/counted.h"
#include "vitro/report/chart.h"
#include "vitro/report/json.h"
#include "vitro/report/svg.h"
#include "vitro/report/table.h"
#include "vitro/report/units.h"

namespace vitro::cli {
namespace {

double quantile(const std::vector<double>& sorted, double at) {
  const double place = at * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<size_t>(place);
  const size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (place - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

std::string decimals(double x, int count) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", count, x);
  return text;
}

std::string rate_text(double rate) {
  return rate >= 1000 ? report::count_text(rate)
         : rate >= 1  ? decimals(rate, 2)
                      : short_number(rate);
}

std::string time_or_dash(const std::optional<double>& ns) {
  return ns ? report::time_text(*ns) : "-";
}

bool has_power(const std::vector<BenchRow>& rows) {
  return std::ranges::any_of(rows, [](const BenchRow& row) { return row.watts.has_value(); });
}

std::vector<report::Column> columns(const BenchSetting& setting, bool power) {
  std::vector<report::Column> out = {
      {setting.compare ? "Contender" : "Mode", report::Align::left}, {"Batch"}, {"Threads"}};
  if (setting.compare) {
    out.insert(out.end(), {{"First result"}, {"Again"}, {"Least"}, {"p50"}, {"p90"}, {"p99"}});
    out.insert(out.end(), {{"Ratio"}, {"Per second"}, {"Resident"}});
  } else {
    out.insert(out.end(), {{"Calls"}, {"First call"}, {"p50"}, {"p90"}, {"p99"}});
    out.insert(out.end(), {{"Per second"}, {"Resident"}});
  }
  if (power) out.push_back({"Power"});
  if (setting.compare) out.push_back({"Results", report::Align::left});
  return out;
}

std::string batch_text(const BenchRow& row) {
  return row.batch == 0 ? "-" : cat(row.batch);
}

std::vector<report::Cell> cells(const BenchSetting& setting, const BenchRow& row, bool power) {
  using report::time_text;
  std::vector<report::Cell> out = {row.mode, batch_text(row), cat(row.threads)};
  const auto add = [&](std::initializer_list<std::string> texts) {
    out.insert(out.end(), texts.begin(), texts.end());
  };
  const bool failed = !row.failure.empty();
  if (failed) {
    for (int i = 0; i < (power ? 10 : 9); ++i) out.emplace_back("-");
  } else if (setting.compare) {
    add({time_text(row.first_result()), time_or_dash(row.again), time_text(row.least)});
    add({time_text(row.p50), time_text(row.p90), time_text(row.p99)});
    add({row.ratio ? decimals(*row.ratio, 2) : "-"});
  } else {
    add({cat(row.calls), time_text(row.first), time_text(row.p50), time_text(row.p90)});
    add({time_text(row.p99)});
  }
  if (!failed) add({rate_text(row.per_second()), report::bytes_text(row.resident)});
  if (!failed && power) add({row.watts ? cat(decimals(*row.watts, 1), " W") : "-"});
  if (setting.compare)
    add({failed ? "not measured" : !row.differs ? "-" : row.differs->empty() ? "agree" : "differ"});
  return out;
}

std::string who(const BenchRow& row) {
  return cat(row.mode, row.batch == 0 ? "" : cat(", batch ", row.batch), ", ", row.threads,
             row.threads == 1 ? " thread" : " threads");
}

void print_notes(const BenchSetting& setting, const std::vector<BenchRow>& rows) {
  for (const BenchRow& row : rows) {
    if (!row.failure.empty())
      std::printf("%s: not measured: %s\n", who(row).c_str(), row.failure.c_str());
    if (row.differs && !row.differs->empty())
      std::printf("%s: %s\n", who(row).c_str(), row.differs->c_str());
  }
  if (setting.compare)
    std::printf(
        "Ratio: a contender's least time of a round over that of compiled, the median of %s\n",
        counted(static_cast<uint64_t>(setting.rounds), "round").c_str());
}

void json_optional(report::Json& json, std::string_view name, const std::optional<double>& x) {
  json.key(name);
  if (x) {
    json.value(*x);
  } else {
    json.null();
  }
}

void json_comparison(report::Json& json, const BenchRow& row) {
  json_optional(json, "convert_ns", row.convert);
  json_optional(json, "again_ns", row.again);
  json_optional(json, "ratio", row.ratio);
  json.key("agrees");
  if (row.differs) {
    json.value(row.differs->empty()).member("differs", *row.differs);
  } else {
    json.null();
  }
}

void json_row(report::Json& json, const BenchSetting& setting, const BenchRow& row) {
  json.begin_object().member("mode", row.mode).key("batch");
  if (row.batch == 0) {
    json.null();
  } else {
    json.value(row.batch);
  }
  json.member("threads", row.threads);
  if (!row.failure.empty()) {
    json.member("failure", row.failure).end();
    return;
  }
  json.member("calls", row.calls);
  json.member("load_ns", row.load).member("first_call_ns", row.first);
  json.member("least_ns", row.least).member("p50_ns", row.p50).member("p90_ns", row.p90);
  json.member("p99_ns", row.p99).member("mean_ns", row.mean);
  json.key("round_least_ns").begin_array();
  for (const double one : row.round_least) json.value(one);
  json.end().member("per_second", row.per_second()).member("resident_bytes", row.resident);
  json_optional(json, "watts", row.watts);
  if (setting.compare) json_comparison(json, row);
  json.end();
}

}  // namespace

void set_statistics(BenchRow& row, std::vector<double> times) {
  row.calls = times.size();
  row.mean = std::accumulate(times.begin(), times.end(), 0.0) / static_cast<double>(times.size());
  std::ranges::sort(times);
  row.least = times.front();
  row.p50 = quantile(times, 0.5);
  row.p90 = quantile(times, 0.9);
  row.p99 = quantile(times, 0.99);
}

void print_bench_table(const BenchSetting& setting, const std::vector<BenchRow>& rows) {
  const bool power = has_power(rows);
  report::Table table(columns(setting, power));
  for (const BenchRow& row : rows) table.row(cells(setting, row, power));
  std::fputs(table.text().c_str(), stdout);
  print_notes(setting, rows);
}

void print_bench_json(const BenchSetting& setting, const std::vector<BenchRow>& rows) {
  report::TextOutput text;
  report::Json json(text, 2);
  json.begin_object().member("file", setting.file).key("rows").begin_array();
  for (const BenchRow& row : rows) json_row(json, setting, row);
  json.end().end();
  text.finish();
  std::printf("%s\n", text.text().c_str());
}

void draw_bench(const BenchSetting& setting, const std::vector<BenchRow>& rows) {
  constexpr double width = 800, label = 240, line_height = 24, top = 40;
  const double bottom = top + line_height * static_cast<double>(rows.size());
  double longest = 0;
  for (const BenchRow& row : rows) longest = std::max(longest, row.p99);
  const report::Axis axis{.low = 0, .high = longest / 1e6, .from = label, .to = width - 30};
  const std::unique_ptr<report::Output> out = report::create_file(setting.svg);
  report::Svg svg(*out, {.width = width, .height = bottom + 50, .title = "Latency"});
  svg.text({10, 20}, cat(setting.file, ": latency, p50 (bar) to p99 (line)"));
  for (const double tick : axis.ticks()) {
    svg.line({axis.at(tick), top}, {axis.at(tick), bottom}, "grid");
    svg.text({axis.at(tick), bottom + 16}, cat(tick), report::Anchor::middle, "muted");
  }
  svg.text({width / 2, bottom + 36}, "ms", report::Anchor::middle, "muted");
  std::vector<std::string> modes;  // a colour for each
  for (size_t i = 0; i < rows.size(); ++i) {
    const BenchRow& row = rows[i];
    const double y = top + line_height * static_cast<double>(i);
    svg.text({10, y + 16}, who(row));
    if (std::ranges::find(modes, row.mode) == modes.end()) modes.push_back(row.mode);
    const auto colour = std::ranges::find(modes, row.mode) - modes.begin();
    if (!row.failure.empty()) {
      svg.text_in({label + 6, y, width - label - 30, line_height}, row.failure, "muted");
      continue;
    }
    const double p50 = axis.at(row.p50 / 1e6), p99 = axis.at(row.p99 / 1e6);
    svg.rect({label, y + 4, p50 - label, line_height - 8}, cat("fill", colour),
             cat(who(row), ": ", report::time_text(row.p50)));
    svg.line({p50, y + line_height / 2}, {p99, y + line_height / 2}, "axis");
  }
  svg.finish();
  out->finish();
}

}  // namespace vitro::cli
