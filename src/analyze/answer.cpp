#include "vitro/analyze/answer.h"

#include <algorithm>
#include <cstdio>

#include "vitro/base/cat.h"
#include "vitro/report/json.h"
#include "vitro/report/table.h"
#include "vitro/report/units.h"

namespace vitro::analyze {
namespace {

std::string decimals(double number, const char* format) {
  char text[48];
  std::snprintf(text, sizeof text, format, number);
  return text;
}

std::string table_text(const AnswerTable& table, const TextOptions& options) {
  if (table.rows.empty()) return cat(table.title, ": none\n");
  std::vector<report::Column> columns;
  constexpr size_t widest = 60;
  for (const AnswerColumn& column : table.columns) {
    const bool text = column.unit == Unit::text;
    columns.push_back({column.title, text ? report::Align::left : report::Align::right, widest});
  }
  report::Table out(std::move(columns));
  const size_t limit = options.row_limit == 0 ? table.rows.size() : options.row_limit;
  for (size_t r = 0; r < std::min(limit, table.rows.size()); ++r) {
    std::vector<report::Cell> cells;
    for (size_t c = 0; c < table.columns.size(); ++c)
      cells.emplace_back(cell_text(table.rows[r][c], table.columns[c].unit));
    out.row(std::move(cells));
  }
  std::string text = cat(table.title, "\n", out.text(options.colours));
  if (table.rows.size() > limit) text += cat(table.rows.size() - limit, " more rows\n");
  return text;
}

std::string range_text(const Finding& finding) {
  const std::string low = decimals(finding.low_percent, "%.1f");
  const std::string high = decimals(finding.high_percent, "%.1f %%");
  return finding.low_percent == finding.high_percent ? high : cat(low, " to ", high);
}

std::string events_text(const Finding& finding, std::string_view before) {
  std::string text;
  for (const EventId event : finding.events) text += cat(text.empty() ? before : " ", event);
  return text;
}

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + '"';
}

std::string csv_text(const AnswerCell& cell) {
  if (const auto* text = std::get_if<std::string>(&cell)) return csv_field(*text);
  if (const auto* whole = std::get_if<int64_t>(&cell)) return cat(*whole);
  if (const auto* other = std::get_if<double>(&cell)) return cat(*other);
  return {};
}

void write_findings_csv(const std::vector<Finding>& findings, report::Output& out) {
  out.write("key,low_percent,high_percent,low_ns,high_ns,sentence,advice,events\n");
  for (const Finding& f : findings) {
    out.write(cat(csv_field(f.key), ",", f.low_percent, ",", f.high_percent, ",", f.low_ns, ",",
                  f.high_ns, ",", csv_field(f.sentence), ",", csv_field(f.advice), ",",
                  events_text(f, ""), "\n"));
  }
}

void write_cell(report::Json& json, const AnswerCell& cell) {
  if (const auto* text = std::get_if<std::string>(&cell)) {
    json.value(*text);
  } else if (const auto* whole = std::get_if<int64_t>(&cell)) {
    json.value(*whole);
  } else if (const auto* other = std::get_if<double>(&cell)) {
    json.value(*other);
  } else {
    json.null();
  }
}

}  // namespace

double cell_number(const AnswerCell& cell) {
  if (const auto* whole = std::get_if<int64_t>(&cell)) return static_cast<double>(*whole);
  if (const auto* other = std::get_if<double>(&cell)) return *other;
  return 0;
}

std::string cell_text(const AnswerCell& cell, Unit unit) {
  if (std::holds_alternative<std::monostate>(cell)) return "-";
  if (const auto* text = std::get_if<std::string>(&cell)) return *text;
  switch (unit) {
    case Unit::ns:
      return report::time_text(cell_number(cell));
    case Unit::bytes:
      return report::bytes_text(cell_number(cell));
    case Unit::percent:
      return decimals(cell_number(cell), "%.1f %%");
    case Unit::number:
      return decimals(cell_number(cell), "%.3g");
    case Unit::count:
    case Unit::text:
      break;
  }
  if (const auto* whole = std::get_if<int64_t>(&cell)) return cat(*whole);
  return decimals(cell_number(cell), "%.3g");
}

std::string to_text(const Answer& answer, const TextOptions& options) {
  std::string text;
  for (const AnswerTable& table : answer.tables) {
    if (!text.empty()) text += '\n';
    text += table_text(table, options);
  }
  for (const Finding& finding : answer.findings) {
    text += cat("\n* ", finding.sentence, "\n  could win ", range_text(finding),
                " of the step: ", finding.advice, "\n  [", finding.key,
                events_text(finding, "; events "), "]\n");
  }
  return text;
}

void to_json(const Answer& answer, report::Output& out) {
  report::Json json(out, 3);
  json.begin_object().member("analysis", answer.name);
  for (const AnswerTable& table : answer.tables) {
    json.key(table.name).begin_array();
    for (const auto& row : table.rows) {
      json.begin_object();
      for (size_t c = 0; c < table.columns.size(); ++c)
        write_cell(json.key(table.columns[c].name), row[c]);
      json.end();
    }
    json.end();
  }
  json.key("findings").begin_array();
  for (const Finding& finding : answer.findings) {
    json.begin_object().member("key", finding.key).member("sentence", finding.sentence);
    json.member("advice", finding.advice);
    json.member("low_ns", finding.low_ns).member("high_ns", finding.high_ns);
    json.member("low_percent", finding.low_percent);
    json.member("high_percent", finding.high_percent).key("events").begin_array();
    for (const EventId event : finding.events) json.value(event);
    json.end().end();
  }
  json.end().end();
  out.write('\n');
}

void to_csv(const Answer& answer, report::Output& out) {
  if (answer.tables.empty()) return write_findings_csv(answer.findings, out);
  for (const AnswerTable& table : answer.tables) {
    if (answer.tables.size() > 1) out.write(cat("# ", table.name, "\n"));
    for (size_t c = 0; c < table.columns.size(); ++c)
      out.write(cat(c == 0 ? "" : ",", csv_field(table.columns[c].name)));
    out.write('\n');
    for (const auto& row : table.rows) {
      for (size_t c = 0; c < row.size(); ++c) out.write(cat(c == 0 ? "" : ",", csv_text(row[c])));
      out.write('\n');
    }
  }
}

}  // namespace vitro::analyze
