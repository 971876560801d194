// `vitro trace QUESTION FILE`: reads a trace and answers.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>

#include "command.h"
#include "vitro/analyze/check.h"
#include "vitro/analyze/gaps.h"
#include "vitro/analyze/info.h"
#include "vitro/analyze/ops.h"
#include "vitro/report/table.h"

namespace vitro::cli {
namespace {

constexpr int unreadable = 3;

struct Setting {
  std::string file;
  bool json = false, csv = false, no_cache = false;
  size_t rows = 30;
};

// A question, its sentence, and who answers it.
struct Question {
  const char *name, *about;
  analyze::Answer (*ask)(const analyze::Trace& trace);
};
constexpr Question questions[] = {
    {"info", "What is in the file: its size and span, kinds of events, threads and streams, losses",
     [](const analyze::Trace& trace) { return analyze::answer(analyze::info(trace)); }},
    {"ops", "Where the host's time went: ops, annotations, functions, runtime calls by name",
     analyze::answer_ops},
    {"kernels", "Where the devices' time went: kernels, copies and fills by name",
     analyze::answer_kernels},
    {"gaps",
     "Why devices were idle: late launches, latency between kernels; what a device graph saves",
     analyze::answer_gaps},
    {"check", "Is the trace well formed: nesting, both ends of arrows, launches of kernels",
     analyze::answer_check},
};

void print(const analyze::Answer& answer, const Setting& setting) {
  if (!setting.json && !setting.csv) {
    const analyze::TextOptions options{report::wants_colours(STDOUT_FILENO), setting.rows};
    std::fputs(analyze::to_text(answer, options).c_str(), stdout);
    return;
  }
  report::TextOutput out;
  setting.json ? analyze::to_json(answer, out) : analyze::to_csv(answer, out);
  out.finish();
  std::fputs(out.text().c_str(), stdout);
}

int run(const Question& question, const Setting& setting) {
  const auto trace = analyze::Trace::open(setting.file, {.keep = !setting.no_cache});
  if (!trace) {
    std::fprintf(stderr, "vitro: %s\n", trace.why().c_str());
    return unreadable;
  }
  for (const analyze::Note& note : trace->notes()) {
    std::fprintf(stderr, "vitro: %s: at byte %llu: %s\n", setting.file.c_str(),
                 static_cast<unsigned long long>(note.offset), note.text.c_str());
  }
  print(question.ask(*trace), setting);
  return 0;
}

std::function<int()> declare(CLI::App& app) {
  auto setting = std::make_shared<Setting>();
  auto chosen = std::make_shared<const Question*>(nullptr);
  app.require_subcommand(1);
  for (const Question& question : questions) {
    CLI::App* sub = app.add_subcommand(question.name, question.about);
    sub->add_option("file", setting->file,
                    "trace: .json, .json.gz, .json.zst, .zip; - reads standard input")
        ->required();
    sub->add_flag("--json", setting->json, "print one JSON object");
    sub->add_flag("--csv", setting->csv, "print the tables as CSV")->excludes("--json");
    sub->add_flag("--no-cache", setting->no_cache,
                  "keep nothing of the file for the next question");
    sub->add_option("--rows", setting->rows, "rows of each table as text, 0: all")
        ->capture_default_str();
    sub->callback([&question, chosen] { *chosen = &question; });
  }
  return [setting, chosen] { return run(**chosen, *setting); };
}

const AddCommand trace("trace", "Read a trace of a profiler and answer questions about it",
                       declare);

}  // namespace
}  // namespace vitro::cli
