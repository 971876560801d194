// Formats an Answer as text, JSON or CSV; every command of `vitro trace` that answers a question
// prints through it.
#include "vitro/analyze/answer.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "analyze/findings/apart.h"
#include "report/printable.h"
#include "vitro/base/cat.h"
#include "vitro/base/error.h"
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

std::string record_text(const AnswerTable& table, const TextOptions& options) {
  report::Table out({{"What", report::Align::left}, {"Value", report::Align::left}});
  for (size_t c = 0; c < table.columns.size(); ++c)
    out.row(
        {std::string(table.columns[c].title), cell_text(table.rows[0][c], table.columns[c].unit)});
  return cat(table.title, "\n", out.text(options.colours));
}

// The cells of a column as text, row by row.
std::vector<std::string> column_texts(const AnswerTable& table, size_t column, size_t rows) {
  constexpr size_t widest = 60;
  std::vector<std::string> texts;
  for (size_t r = 0; r < rows; ++r)
    texts.push_back(cell_text(table.rows[r][column], table.columns[column].unit));
  if (!table.columns[column].is_sentence) shorten_apart(texts, widest);
  return texts;
}

// Calls use(row) for each row.
template <class Use>
void each_row(const AnswerTable& table, Use use) {
  for (const auto& row : table.rows) use(row);
  if (table.more == 0) return;
  table.each_more([&](const std::vector<AnswerCell>& row) {
    use(row);
    return true;
  });
}

// The table with at least as many of its rows, if it has them.
AnswerTable with_rows(AnswerTable table, size_t rows) {
  table.each_more([&](std::vector<AnswerCell> row) {
    table.rows.push_back(std::move(row));
    --table.more;
    return table.rows.size() < rows;
  });
  return table;
}

std::string table_text(const AnswerTable& table, const TextOptions& options) {
  if (table.rows.empty()) return cat(table.title, ": none\n");
  if (table.is_record) return record_text(table, options);
  const size_t all = table.rows.size() + table.more;
  const size_t rows = std::min(options.row_limit == 0 ? all : options.row_limit, all);
  if (rows > table.rows.size()) return table_text(with_rows(table, rows), options);
  std::vector<report::Column> columns;
  std::vector<std::vector<std::string>> texts;
  for (size_t c = 0; c < table.columns.size(); ++c) {
    const bool text = table.columns[c].unit == Unit::text;
    columns.push_back(
        {std::string(table.columns[c].title), text ? report::Align::left : report::Align::right});
    texts.push_back(column_texts(table, c, rows));
  }
  report::Table out(std::move(columns));
  for (size_t r = 0; r < rows; ++r) {
    std::vector<report::Cell> cells;
    for (const auto& column : texts) cells.emplace_back(column[r]);
    out.row(std::move(cells));
  }
  std::string text = cat(table.title, "\n", out.text(options.colours));
  if (all > rows) text += cat(all - rows, " more rows\n");
  return text;
}

std::string range_text(const Finding& finding) {
  const std::string low = decimals(finding.low_percent, "%.1f");
  const std::string high = decimals(finding.high_percent, "%.1f");
  const std::string range = low == high ? high : cat(low, " to ", high);
  if (!finding.is_of_memory()) return cat(range, " % of the measured time");
  return cat(range, " % of the memory (up to ",
             report::bytes_text(static_cast<double>(finding.high_bytes)), ")");
}

std::string shared_text(const Finding& finding) {
  if (finding.shares_with.empty()) return {};
  return cat("\n  ", report::time_text(static_cast<double>(finding.shared_ns)),
             " of this time is shared with ", finding.shares_with);
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
  out.write(
      "key,low_percent,high_percent,low_ns,high_ns,low_bytes,high_bytes,sentence,advice,events,"
      "shares_with,shared_ns,confidence\n");
  for (const Finding& f : findings) {
    out.write(cat(csv_field(f.key), ",", f.low_percent, ",", f.high_percent, ",", f.low_ns, ",",
                  f.high_ns, ",", f.low_bytes, ",", f.high_bytes, ",", csv_field(f.sentence), ",",
                  csv_field(f.advice), ",", events_text(f, ""), ",", csv_field(f.shares_with), ",",
                  f.shared_ns, ",", name_of(f.confidence), "\n"));
  }
}

void write_row(const std::vector<std::string>& fields, report::Output& out) {
  for (size_t c = 0; c < fields.size(); ++c) out.write(cat(c == 0 ? "" : ",", fields[c]));
  out.write('\n');
}

void write_table_csv(const AnswerTable& table, report::Output& out) {
  std::vector<std::string> fields;
  for (const AnswerColumn& column : table.columns)
    fields.push_back(csv_field(std::string(column.name)));
  write_row(fields, out);
  each_row(table, [&](const std::vector<AnswerCell>& row) {
    fields.clear();
    for (const AnswerCell& cell : row) fields.push_back(csv_text(cell));
    write_row(fields, out);
  });
}

// All tables as one: columns in the order in which they first appear.
void write_tables_csv(const std::vector<AnswerTable>& tables, report::Output& out) {
  std::vector<std::string> names{"table"};
  std::vector<std::vector<size_t>> places;  // positions of a table's columns in `names`
  for (const AnswerTable& table : tables) {
    std::vector<size_t>& place = places.emplace_back();
    for (const AnswerColumn& column : table.columns) {
      const auto known = std::find(names.begin() + 1, names.end(), column.name);
      place.push_back(static_cast<size_t>(known - names.begin()));
      if (known == names.end()) names.emplace_back(column.name);
    }
  }
  std::vector<std::string> fields;
  for (const std::string& name : names) fields.push_back(csv_field(name));
  write_row(fields, out);
  for (size_t t = 0; t < tables.size(); ++t) {
    each_row(tables[t], [&](const std::vector<AnswerCell>& row) {
      fields.assign(names.size(), {});
      fields[0] = csv_field(std::string(tables[t].name));
      for (size_t c = 0; c < row.size(); ++c) fields[places[t][c]] = csv_text(row[c]);
      write_row(fields, out);
    });
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

std::string_view name_of(Confidence confidence) {
  constexpr std::array<std::string_view, 3> names{"measured", "likely", "possible"};
  return names[static_cast<size_t>(confidence)];
}

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
  const auto is_empty = [](const AnswerTable& table) { return table.rows.empty(); };
  const bool nothing = !answer.tables.empty() && std::ranges::all_of(answer.tables, is_empty);
  if (nothing && !options.needs.empty()) {
    text = cat("The file contains nothing to answer this. It needs ", options.needs, ".\n");
  } else {
    for (const AnswerTable& table : answer.tables) {
      if (!text.empty()) text += '\n';
      text += table_text(table, options);
    }
  }
  for (const std::string& verdict : answer.verdicts) text += cat(report::printable(verdict), "\n");
  for (const Finding& finding : answer.findings) {
    text += cat("\n* ", report::printable(finding.sentence),
                "\n  potential saving: ", range_text(finding), "; ", finding.advice,
                shared_text(finding), "\n  [", finding.key, "; ", name_of(finding.confidence),
                events_text(finding, "; events "), "]\n");
  }
  return text;
}

void to_json(const Answer& answer, report::Output& out) {
  report::Json json(out, 3);
  json.begin_object().member("analysis", answer.name);
  if (answer.together_percent > 0) json.member("together_percent", answer.together_percent);
  if (!answer.verdicts.empty()) {
    json.key("verdicts").begin_array();
    for (const std::string& verdict : answer.verdicts) json.value(verdict);
    json.end();
  }
  for (const AnswerTable& table : answer.tables) {
    json.key(table.name).begin_array();
    each_row(table, [&](const std::vector<AnswerCell>& row) {
      json.begin_object();
      for (size_t c = 0; c < table.columns.size(); ++c)
        write_cell(json.key(table.columns[c].name), row[c]);
      json.end();
    });
    json.end();
  }
  json.key("findings").begin_array();
  for (const Finding& finding : answer.findings) {
    json.begin_object().member("key", finding.key).member("sentence", finding.sentence);
    json.member("advice", finding.advice);
    json.member("low_ns", finding.low_ns).member("high_ns", finding.high_ns);
    json.member("low_percent", finding.low_percent);
    json.member("high_percent", finding.high_percent);
    json.member("confidence", name_of(finding.confidence));
    if (finding.is_of_memory())
      json.member("low_bytes", finding.low_bytes).member("high_bytes", finding.high_bytes);
    if (!finding.shares_with.empty())
      json.member("shares_with", finding.shares_with).member("shared_ns", finding.shared_ns);
    json.key("events").begin_array();
    for (const EventId event : finding.events) json.value(event);
    json.end().end();
  }
  json.end().end();
  out.write('\n');
}

void to_csv(const Answer& answer, report::Output& out) {
  if (answer.tables.empty()) return write_findings_csv(answer.findings, out);
  answer.tables.size() == 1 ? write_table_csv(answer.tables.front(), out)
                            : write_tables_csv(answer.tables, out);
}

Answer only_table(Answer answer, std::string_view name) {
  std::string all;
  for (const AnswerTable& table : answer.tables) all += cat(table.name, ", ");
  std::vector<AnswerTable> kept;
  for (AnswerTable& table : answer.tables)
    if (table.name == name) kept.push_back(std::move(table));
  VITRO_CHECK(!kept.empty() || name == "findings", answer.name, ": there is no table ", name,
              " for this file; it has ", all, "findings");
  answer.tables = std::move(kept);
  if (name != "findings") answer.findings.clear();
  return answer;
}

}  // namespace vitro::analyze
