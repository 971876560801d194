// Draws tables as bars or lines according to their plot specification (answer.h); part of the
// report.
#include "plots.h"

#include <algorithm>
#include <map>

#include "analyze/findings/apart.h"
#include "base/sort_list.h"
#include "vitro/base/cat.h"
#include "vitro/base/error.h"
#include "vitro/report/plot.h"

namespace vitro::analyze {
namespace {

using Kind = AnswerPlot::Kind;
using Rows = std::vector<std::vector<AnswerCell>>;

constexpr size_t most_shares = 12, most_series = 8, widest_name = 50;

size_t place_of(const AnswerTable& table, std::string_view column) {
  const auto found = std::ranges::find(table.columns, column, &AnswerColumn::name);
  VITRO_ASSERT(found != table.columns.end(), table.name, ": the plot's column ", column,
               " is not a column of the table");
  return static_cast<size_t>(found - table.columns.begin());
}

std::string text_of(double number, Unit unit) {
  return cell_text(number, unit);
}

bool adds_up(Unit unit) {
  return unit == Unit::ns || unit == Unit::bytes || unit == Unit::count;
}

// "void at::native::fill<int>(…)": "fill<int>(…)", since what kernels share says little.
std::string_view without_scopes(std::string_view name) {
  if (!name.starts_with("void ")) return name;
  name.remove_prefix(5);
  for (size_t end = 0; (end = name.find_first_of(":<( ")) < name.size() && name[end] == ':';)
    name.remove_prefix(std::min(end + 2, name.size()));
  return name;
}

void draw_shares(report::Html& page, const AnswerTable& table) {
  const size_t x = place_of(table, table.plot.x), y = place_of(table, table.plot.y);
  const Unit unit = table.columns[y].unit;
  std::vector<report::Share> shares;
  double others = 0;
  size_t left_out = 0;
  for (const auto& row : table.rows) {
    const double value = cell_number(row[y]);
    if (value == 0) continue;
    if (shares.size() < most_shares) {
      shares.push_back({cell_text(row[x], table.columns[x].unit), value, cell_text(row[y], unit)});
    } else {
      others += value;
      ++left_out;
    }
  }
  if (left_out > 0 && adds_up(unit))
    shares.push_back({cat(left_out, " others"), others, text_of(others, unit)});
  std::vector<std::string> names;
  for (const report::Share& share : shares) names.emplace_back(without_scopes(share.name));
  shorten_apart(names, widest_name);
  for (size_t i = 0; i < names.size(); ++i) shares[i].shown = std::move(names[i]);
  report::draw_shares(page, cat(table.title, ": ", table.columns[y].title), shares,
                      unit == Unit::percent ? 100 : 0);
}

// Lines by the text of their column; if there are too many, those with the most points.
std::vector<report::PlotSeries> series_of(const AnswerTable& table) {
  const size_t x = place_of(table, table.plot.x), y = place_of(table, table.plot.y);
  const bool many = !table.plot.series.empty();
  const size_t name = many ? place_of(table, table.plot.series) : 0;
  std::vector<report::PlotSeries> all;
  std::map<std::string, size_t> place;
  for (const auto& row : table.rows) {
    const std::string key = many ? cell_text(row[name], Unit::text) : "";
    const auto [found, fresh] = place.try_emplace(key, all.size());
    if (fresh) all.push_back({key, {}});
    all[found->second].points.push_back({cell_number(row[x]), cell_number(row[y])});
  }
  if (all.size() > most_series) {
    sort_list(all, std::ranges::greater(), [](const auto& s) { return s.points.size(); });
    all.resize(most_series);
  }
  for (report::PlotSeries& each : all) sort_list(each.points, {}, &report::Point::x);
  return all;
}

std::vector<report::PlotSeries> columns_of(const AnswerTable& table) {
  const size_t y = place_of(table, table.plot.y);
  report::PlotSeries one;
  for (const auto& row : table.rows)
    one.points.push_back({static_cast<double>(one.points.size()), cell_number(row[y])});
  return {one};
}

report::PlotOptions options_of(const AnswerTable& table) {
  const size_t x = place_of(table, table.plot.x);
  const Unit unit_x = table.columns[x].unit;
  const Unit unit_y = table.columns[place_of(table, table.plot.y)].unit;
  report::PlotOptions options;
  options.title = cat(table.title, ": ", table.columns[place_of(table, table.plot.y)].title);
  options.binary = unit_y == Unit::bytes;
  options.y_text = [unit_y](double v) { return text_of(v, unit_y); };
  options.x_text = [unit_x](double v) { return text_of(v, unit_x); };
  if (table.plot.kind == Kind::levels) options.kind = report::PlotOptions::Kind::levels;
  if (table.plot.kind != Kind::columns) return options;
  options.kind = report::PlotOptions::Kind::columns;
  options.x_text = [x, unit_x, &rows = table.rows](double v) {
    const auto row = static_cast<size_t>(v);
    return row < rows.size() ? cell_text(rows[row][x], unit_x) : std::string();
  };
  return options;
}

}  // namespace

void draw_plot(report::Html& page, const AnswerTable& table) {
  if (table.rows.empty()) return;
  switch (table.plot.kind) {
    case Kind::nothing:
      return;
    case Kind::shares:
      return draw_shares(page, table);
    case Kind::columns:
      return report::draw_plot(page, options_of(table), columns_of(table));
    case Kind::line:
    case Kind::levels:
      return report::draw_plot(page, options_of(table), series_of(table));
  }
}

}  // namespace vitro::analyze
