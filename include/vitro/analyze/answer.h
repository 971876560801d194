// What an analysis found, ready to be shown: tables of typed cells, and findings.
//   Answer answer = info(trace);
//   std::cout << to_text(answer);  to_json(answer, out);  to_csv(answer, out);
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "vitro/analyze/steps.h"
#include "vitro/analyze/trace.h"
#include "vitro/report/output.h"

namespace vitro::analyze {

// What the numbers of a column are; JSON and CSV give them as they are, in these units.
enum class Unit : uint8_t { text, count, ns, bytes, percent, number };

struct AnswerColumn {
  std::string name;   // as JSON and CSV call it: "self_ns"
  std::string title;  // as text calls it: "Self"
  Unit unit = Unit::text;
  bool is_sentence = false;  // text shows it whole; of names it shows what tells them apart
};

// A text, a whole number or another; nothing where there is no value.
using AnswerCell = std::variant<std::monostate, std::string, int64_t, double>;

// As a person reads it: "1.234ms", "-" for nothing.
std::string cell_text(const AnswerCell& cell, Unit unit);
// 0 of a text and of nothing.
double cell_number(const AnswerCell& cell);

// How a page draws a table.
struct AnswerPlot {
  enum class Kind : uint8_t {
    nothing,
    shares,   // a bar for each of the first rows: how much `y`, of what `x` names
    columns,  // a bar for each row, side by side in their order: `y` by `x`
    line,     // `y` over the number `x`, straight from row to row
    levels,   // `y` over the number `x`, where a value lasts until the next row
  };
  Kind kind = Kind::nothing;
  std::string x, y;    // names of columns
  std::string series;  // of `line` and `levels`: the column whose texts tell lines apart
};

struct AnswerTable {
  std::string name, title;
  std::vector<AnswerColumn> columns;
  std::vector<std::vector<AnswerCell>> rows;
  AnswerPlot plot = {};
  bool is_record = false;  // one row of facts: people read a line for each column
};

// Something that could be won, with what it rests on.
struct Finding {
  std::string key;       // the same for the same finding in another trace
  std::string sentence;  // what is the case
  std::string advice;    // what to do
  // The least and the most that could be won: time, and in percent of what was measured (steps.h);
  // of memory bytes, and in percent of what the device held at most.
  int64_t low_ns = 0, high_ns = 0;
  double low_percent = 0, high_percent = 0;
  std::vector<EventId> events;  // that show it
  int64_t low_bytes = 0, high_bytes = 0;
  // The time that it is about, in order and apart; where there is very much of it, with small gaps
  // filled.
  std::vector<Window> when = {};
  // Where findings stand together (doctor.h): the one before this one that is about the same time,
  // half of this one's or more; empty: none.
  std::string shares_with = {};
  int64_t shared_ns = 0;

  bool is_of_memory() const { return high_bytes > 0; }
};

struct Answer {
  std::string name;  // of the analysis
  std::vector<AnswerTable> tables;
  std::vector<Finding> findings;  // what could win most comes first
  double flawed_percent = 0;      // of the events of the file: those that are not as they should be
  double together_percent = 0;    // of doctor(): what all findings could win at most
};

struct TextOptions {
  bool colours = false;
  size_t row_limit = 30;  // of a table; 0: all
  // What a file needs to hold for the question; said where no table has a row.
  std::string_view needs = {};
};
std::string to_text(const Answer& answer, const TextOptions& options = {});
// One object: the tables by name, each a list of objects by column, and the findings.
void to_json(const Answer& answer, report::Output& out);
// One table as CSV.  More than one: as one, whose first column, "table", says of which a row is,
// and whose others are those of all of them; of a table that has no such column the field is empty.
// Without tables the findings.
void to_csv(const Answer& answer, report::Output& out);

// The answer with this table alone ("findings": with the findings alone).  Error where it has none
// of that name.
Answer only_table(Answer answer, std::string_view name);

}  // namespace vitro::analyze
