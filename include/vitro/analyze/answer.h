// The result of an analysis, ready to be shown: tables of typed cells, and findings.
//   Answer answer = info(trace);
//   std::cout << to_text(answer);  to_json(answer, out);  to_csv(answer, out);
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "vitro/analyze/trace.h"
#include "vitro/report/output.h"

namespace vitro::analyze {

// The unit of a column's numbers; JSON and CSV give raw numbers in these units.
enum class Unit : uint8_t { text, count, ns, bytes, percent, number };

struct AnswerColumn {
  // Literals, or texts that AnswerTable::keeps.
  std::string_view name;   // in JSON and CSV: "self_ns"
  std::string_view title;  // in text: "Self"
  Unit unit = Unit::text;
  bool is_sentence = false;  // shown in full as text; names are shortened to their differences
};

// A text, an integer or another number; nothing if there is no value.
using AnswerCell = std::variant<std::monostate, std::string, int64_t, double>;

// As a person reads it: "1.234ms", "-" for nothing.
std::string cell_text(const AnswerCell& cell, Unit unit);
// 0 for a text and for nothing.
double cell_number(const AnswerCell& cell);

// How a page draws a table.
struct AnswerPlot {
  enum class Kind : uint8_t {
    nothing,
    shares,   // a bar for each of the first rows: its share of `y`, named by `x`
    columns,  // a bar for each row, in their order: `y` by `x`
    line,     // `y` over the number `x`, with straight lines between rows
    levels,   // `y` over the number `x`, each value lasting until the next row
  };
  Kind kind = Kind::nothing;
  std::string_view x, y;    // names of columns
  std::string_view series;  // for `line` and `levels`: the column whose texts separate lines
};

struct AnswerTable {
  std::string_view name;  // a literal
  std::string title;
  std::vector<AnswerColumn> columns;
  std::vector<std::vector<AnswerCell>> rows;
  AnswerPlot plot = {};
  bool is_record = false;  // one row of facts, shown to people as a line per column
  // Of a table with very many rows, those after `rows`: their number, and what makes them, one by
  // one, for as long as `use` returns true.  The trace must still be there.  Throws Error if its
  // file has to be read again and cannot be.
  using UseRow = std::function<bool(std::vector<AnswerCell> row)>;
  uint64_t more = 0;
  std::function<void(const UseRow& use)> each_more = {};
  std::shared_ptr<const std::vector<std::string>> keeps = {};  // names of columns
};

// How a potential saving follows from the file.
enum class Confidence : uint8_t {
  measured,  // the time is known to be lost there: a device was idle, nothing else was to be done
  likely,    // known to be spent there; how much of it can be saved depends on what is changed
  possible,  // inferred, or the file does not show the cause
};
std::string_view name_of(Confidence confidence);

// A potential saving, with the events it is based on.
struct Finding {
  std::string key;       // the same for the same finding in another trace
  std::string sentence;  // the observation
  std::string advice;    // what to do
  // The least and the most that could be saved: for time also in percent of the measured window
  // (trace.h), for memory in bytes and in percent of the device's peak.
  int64_t low_ns = 0, high_ns = 0;
  double low_percent = 0, high_percent = 0;
  std::vector<EventId> events;  // that show it
  int64_t low_bytes = 0, high_bytes = 0;
  // The time that it is about, disjoint and in order; if there are very many pieces, small gaps are
  // filled.
  std::vector<Window> when = {};
  // In a list of findings (questions.h): an earlier one that covers at least half of this one's
  // time; empty: none.
  std::string shares_with = {};
  int64_t shared_ns = 0;
  Confidence confidence = Confidence::likely;

  bool is_of_memory() const { return high_bytes > 0; }
  // What is likely to be saved: the least, and a share of the rest: a half, a quarter or a
  // sixteenth, depending on the confidence.
  int64_t likely_ns() const {
    const int parts = confidence == Confidence::measured ? 2
                      : confidence == Confidence::likely ? 4
                                                         : 16;
    return low_ns + (high_ns - low_ns) / parts;
  }
};

struct Answer {
  std::string name;  // name of the analysis
  std::vector<AnswerTable> tables;
  std::vector<Finding> findings;           // what is likely to be saved first (sort_findings)
  double flawed_percent = 0;               // malformed events of the file
  double together_percent = 0;             // from doctor(): what all findings could save at most
  std::vector<std::string> verdicts = {};  // from doctor(): what limits each device
};

struct TextOptions {
  bool colours = false;
  size_t row_limit = 30;  // per table; 0: all
  // What a file must contain for the question; shown if no table has a row.
  std::string_view needs = {};
};
std::string to_text(const Answer& answer, const TextOptions& options = {});
// One object: the tables by name, each a list of objects with a member per column, and the
// findings.
void to_json(const Answer& answer, report::Output& out);
// One table as CSV.  Several are combined into one: its first column, "table", names the table of
// each row, its others are the columns of all tables, left empty where a table lacks the column.
// Without tables, the findings.
void to_csv(const Answer& answer, report::Output& out);

// The answer with only this table ("findings": only the findings).  Throws Error if there is no
// table of that name.
Answer only_table(Answer answer, std::string_view name);

}  // namespace vitro::analyze
