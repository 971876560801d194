// Writes the HTML report: findings, timeline, and all analyses with plots and tables; used by
// `vitro trace report`.
#include <algorithm>

#include "analyze/findings/apart.h"
#include "analyze/model/index.h"
#include "overview.h"
#include "plots.h"
#include "report/page_text.h"
#include "vitro/analyze/events.h"
#include "vitro/analyze/questions.h"
#include "vitro/analyze/report.h"
#include "vitro/base/cat.h"
#include "vitro/base/counted.h"
#include "vitro/report/html.h"
#include "vitro/report/plot.h"
#include "vitro/report/table.h"
#include "vitro/report/units.h"

namespace vitro::report {
extern const PageText report_css;
}

namespace vitro::analyze {
namespace {

constexpr size_t most_rows = 200, open_rows = 12, widest_cell = 160;

std::string time_text(int64_t ns) {
  return report::time_text(static_cast<double>(ns));
}

std::string number_text(double number) {
  return cell_text(number, Unit::percent);
}

std::string range_text(const std::string& low, const std::string& high) {
  return low == high ? high : cat(low, " to ", high);
}

std::string worth_text(const Finding& f) {
  const std::string share = range_text(number_text(f.low_percent), number_text(f.high_percent));
  if (!f.is_of_memory())
    return cat(share, " of the measured time (",
               range_text(time_text(f.low_ns), time_text(f.high_ns)), ")");
  const auto bytes = [](int64_t n) { return report::bytes_text(static_cast<double>(n)); };
  return cat(share, " of the memory (", range_text(bytes(f.low_bytes), bytes(f.high_bytes)), ")");
}

class Page {
 public:
  Page(const TraceIndex& index, std::string_view name, report::Output& out)
      : index_(index),
        trace_(index.trace()),
        name_(name),
        begin_(index->windows().front().window.begin),
        html_(out,
              {.title = std::string(name),
               .style = cat(report::plot_style(), overview_style(), text_of(report::report_css))}) {
  }

  void write() {
    const std::vector<Answer> answers = ask_all(index_);
    html_.element("a class=\"skip\" href=\"#findings\"", "Skip to the findings");
    for (const std::string& verdict : verdicts(index_))
      html_.element("p class=\"verdict\"", cat(verdict, "."));
    summary();
    contents();
    const Answer all = doctor(answers);
    std::vector<EventId> events;
    for (const Finding& each : all.findings)
      events.insert(events.end(), each.events.begin(), each.events.end());
    draw_overview(html_, index_, {.file = name_, .events = events});
    findings(all);
    for (size_t i = 0; i < answers.size(); ++i) answer(analyses()[i], answers[i]);
    html_.element("footer class=\"muted\"", "Made by `vitro trace report`.");
    html_.finish();
  }

 private:
  void summary() {
    const Window window = index_->window();
    const size_t steps = index_->steps().size();
    std::string text = cat(time_text(window.length()), " measured");
    if (steps > 0) text += cat(" in ", counted(steps, "step"));
    text +=
        cat(", ", counted(trace_.size(), "event"), " on ", counted(trace_.tracks().size(), "track"),
            ", ", report::bytes_text(static_cast<double>(trace_.file_bytes())), ".");
    html_.paragraph(text);
    for (const Note& note : trace_.notes())
      html_.paragraph(cat("Incomplete: at byte ", note.offset, ": ", note.text));
  }

  void contents() {
    html_.open("nav aria-label=\"Contents\"").open("ul");
    link("timeline", "Timeline");
    link("findings", "Findings");
    for (const Analysis& analysis : analyses()) link(analysis.name, analysis.name);
    html_.close().close();
  }

  void link(std::string_view id, std::string_view text) {
    html_.open("li").element("a", text, {{"href", cat("#", id)}}).close();
  }

  void findings(const Answer& all) {
    html_.open("section id=\"findings\" tabindex=\"-1\"").heading("Findings");
    if (all.findings.empty())
      html_.paragraph(
          "No potential saving of at least half a percent of the measured time was found.");
    if (all.findings.size() > 1)
      html_.paragraph(
          cat("What is likely to be saved comes first. If several cover the same time, "
              "the later one says so; together they could save at most ",
              number_text(all.together_percent), "."));
    for (const Finding& each : all.findings) finding(each);
    html_.close();
  }

  void finding(const Finding& finding) {
    html_.open("article", {{"class", "finding"}, {"id", finding.key}});
    html_.element("p class=\"sentence\"", finding.sentence);
    html_.paragraph(cat("Potential saving: ", worth_text(finding), " (",
                        name_of(finding.confidence), "); ", finding.advice, "."));
    if (!finding.shares_with.empty()) {
      html_.open("p").element("span",
                              cat(time_text(finding.shared_ns), " of this time is shared with "));
      html_.element("a", finding.shares_with, {{"href", cat("#", finding.shares_with)}}).close();
    }
    html_.element("p", "",
                  {{"class", "bar"},
                   {"style", cat("--low:", report::pixels(finding.low_percent),
                                 "%;--high:", report::pixels(finding.high_percent), "%")}});
    evidence(finding);
    html_.element("p class=\"muted\"", finding.key).close();
  }

  void evidence(const Finding& finding) {
    html_.open("details").element("summary",
                                  cat("Based on ", counted(finding.events.size(), "event")));
    AnswerTable events{"evidence",
                       cat("Events of ", finding.key),
                       {{"name", "Name"},
                        {"at_ns", "At", Unit::ns},
                        {"dur_ns", "Lasts", Unit::ns},
                        {"row", "Row"},
                        {"event", "Event", Unit::count}},
                       {}};
    for (const EventId event : finding.events) {
      const int64_t dur = trace_.dur()[event];
      events.rows.push_back({std::string(trace_.name(event)), trace_.ts()[event] - begin_,
                             dur == none ? AnswerCell() : AnswerCell(dur),
                             label_of(trace_.tracks()[trace_.track_ids()[event]]), int64_t{event}});
    }
    rows_of(events);
    html_.close();
  }

  void answer(const Analysis& analysis, const Answer& answer) {
    const auto is_empty = [](const AnswerTable& table) { return table.rows.empty(); };
    const bool empty = std::ranges::all_of(answer.tables, is_empty);
    html_.open("section", {{"id", analysis.name}, {"class", empty ? "empty" : "answer"}});
    if (empty) {
      html_.open("details").element(
          "summary", cat(analysis.name, ": the file contains nothing to answer this"));
      html_.paragraph(cat(analysis.about, "."));
      if (!analysis.needs.empty())
        html_.paragraph(cat("It needs ", needs_of(analysis, trace_), "."));
      html_.close().close();
      return;
    }
    html_.heading(analysis.name).paragraph(cat(analysis.about, "."));
    for (const AnswerTable& each : answer.tables) draw_plot(html_, each);
    for (const AnswerTable& each : answer.tables)
      if (!each.rows.empty()) table(analysis, each);
    html_.close();
  }

  void record(const AnswerTable& table) {
    html_.open("details open=\"open\"").element("summary", table.title).open("dl");
    for (size_t c = 0; c < table.columns.size(); ++c) {
      html_.element("dt", table.columns[c].title);
      html_.element("dd", cell_text(table.rows[0][c], table.columns[c].unit));
    }
    html_.close().close();
  }

  void table(const Analysis& analysis, const AnswerTable& table) {
    if (table.is_record) return record(table);
    const size_t shown = std::min(table.rows.size(), most_rows);
    const std::string rows = counted(table.rows.size(), "row");
    const bool folded = table.rows.size() > open_rows;
    folded ? html_.open("details") : html_.open("details open=\"open\"");
    html_.element("summary", cat(table.title, " (", rows, ")"));
    rows_of(table);
    if (shown < table.rows.size()) {
      html_.paragraph(cat("The first ", shown, " of ", rows, "; to list all: vitro trace ",
                          analysis.name, " ", name_, " --csv"));
    }
    html_.close();
  }

  // Numbers of events lead to the timeline, as do names in evidence.
  void rows_of(const AnswerTable& table) {
    std::vector<report::HtmlColumn> columns;
    std::vector<std::vector<report::HtmlCell>> cells(std::min(table.rows.size(), most_rows));
    for (size_t c = 0; c < table.columns.size(); ++c) {
      const AnswerColumn& column = table.columns[c];
      columns.push_back({std::string(column.title), column.unit != Unit::text});
      std::vector<std::string> texts;
      for (size_t r = 0; r < cells.size(); ++r)
        texts.push_back(cell_text(table.rows[r][c], column.unit));
      shorten_apart(texts, widest_cell);
      for (size_t r = 0; r < cells.size(); ++r) {
        const AnswerCell& cell = table.rows[r][c];
        report::HtmlCell& made = cells[r].emplace_back(std::move(texts[r]));
        if (column.unit == Unit::text) continue;
        const auto* event = std::get_if<int64_t>(&cell);
        made.value = std::holds_alternative<std::monostate>(cell) ? -1e308 : cell_number(cell);
        if (column.name != "event" || !event || *event < 0) continue;
        made.link = cat("#event-", *event, "-", trace_.ts()[static_cast<EventId>(*event)] - begin_);
        if (table.name == "evidence") cells[r].front().link = made.link;
      }
    }
    html_.sortable_table(table.title, columns, cells);
  }

  const TraceIndex& index_;
  const Trace& trace_;
  std::string name_;
  const int64_t begin_;  // of times, as viewers count
  report::Html html_;
};

}  // namespace

void write_report(const TraceIndex& index, std::string_view name, report::Output& out) {
  Page(index, name, out).write();
}

}  // namespace vitro::analyze
