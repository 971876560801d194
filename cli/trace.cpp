// `vitro trace QUESTION FILE`: reads a trace and prints the answer.  Makes a command of each
// analysis (vitro/analyze/questions.h), with the options that all of them share.
#include "trace.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <utility>

#include "large_arrays.h"
#include "temporary_folder.h"
#include "trace_nsys.h"
#include "trace_rocprofiler.h"
#include "vitro/analyze/questions.h"
#include "vitro/base/cat.h"
#include "vitro/report/table.h"

namespace vitro::cli {
namespace {

std::vector<Command>& trace_commands() {
  static auto* all = new std::vector<Command>;
  return *all;
}

// The command line for one analysis.
struct Question {
  explicit Question(const analyze::Analysis& which) : analysis(which) {}

  int run() const {
    analyze::Parameters parameters(analysis);
    for (const auto& [name, text] : texts) parameters.set(name, text);
    for (const auto& [name, set] : flags)
      if (set) parameters.set(name, "yes");
    if (analysis.ask_file) {
      const auto answer = analysis.ask_file(file);
      if (answer && *answer) return print_answer(**answer, setting);
      if (!answer) return refuse(answer.why());
    }
    const auto trace = open_trace(file, setting);
    if (!trace) return unreadable;
    return print_answer(analysis.ask(analyze::TraceIndex(*trace), parameters), setting,
                        analyze::needs_of(analysis, *trace));
  }

  static int refuse(const std::string& why) {
    std::fprintf(stderr, "vitro: %s\n", why.c_str());
    return unreadable;
  }

  const analyze::Analysis& analysis;
  TraceSetting setting;
  std::string file;
  std::map<std::string, std::string> texts;
  std::map<std::string, bool> flags;
};

// Accepts numbers of at least `least`; the error for others says what is needed.
template <class Number>
CLI::Validator needs(std::string what, Number least) {
  return CLI::Validator(
      [what = std::move(what), least](const std::string& text) {
        Number number{};
        const bool is_one = CLI::detail::lexical_cast(text, number) && number >= least;
        return is_one ? std::string() : cat("needs ", what, ", got '", text, "'");
      },
      "");
}

void declare(CLI::App& app, const analyze::Parameter& parameter, Question& question) {
  const std::string name(parameter.name), option = "--" + name, about(parameter.about);
  if (parameter.kind == analyze::Parameter::Kind::flag) {
    app.add_flag(option, question.flags[name], about);
    return;
  }
  std::string& text = question.texts[name] = parameter.fallback;
  CLI::Option* added = app.add_option(option, text, about)->capture_default_str();
  if (parameter.kind == analyze::Parameter::Kind::number)
    added->check(needs<int64_t>("an integer", INT64_MIN));
  if (!parameter.choices.empty())
    added->check(CLI::IsMember(
        std::vector<std::string>(parameter.choices.begin(), parameter.choices.end())));
}

std::function<int()> declare(CLI::App& app, const analyze::Analysis& analysis) {
  auto question = std::make_shared<Question>(analysis);
  add_file(app, "file", question->file);
  for (const analyze::Parameter& each : analysis.parameters) declare(app, each, *question);
  question->setting.declare(app);
  return [question] { return question->run(); };
}

std::function<int()> declare_group(CLI::App& app) {
  app.require_subcommand(1);
  app.footer(
      "Exit status: 0 if there is an answer, 1 if --fail-on applies, 2 for wrong usage or if the "
      "answer cannot be written, 3 if the trace cannot be read, 4 if Vitro itself "
      "fails.");
  auto chosen = std::make_shared<std::function<int()>>();
  const auto add = [&](std::string_view name, std::string_view about, const auto& body) {
    CLI::App* sub = app.add_subcommand(std::string(name), std::string(about));
    sub->callback([chosen, run = body(*sub)] { *chosen = run; });
  };
  for (const analyze::Analysis& analysis : analyze::analyses()) {
    add(analysis.name, analysis.about, [&](CLI::App& sub) { return declare(sub, analysis); });
  }
  std::ranges::sort(trace_commands(), {}, &Command::name);
  for (const Command& command : trace_commands()) add(command.name, command.about, command.declare);
  return [chosen] {
    keep_large_arrays_in_files();
    std::signal(SIGXFSZ, SIG_IGN);  // a limit of file sizes is an error like a full disk
    return (*chosen)();
  };
}

// The trace is read again from a file, one for each, that is there until the program ends.
Result<analyze::Trace> open_converted(const std::string& file,
                                      Result<std::string> (*convert)(const std::string&,
                                                                     const std::string&)) {
  static const TemporaryFolder folder;
  static int number = 0;
  const auto path = convert(file, cat(folder.path, "/trace_", number++, ".json"));
  if (!path) return path.failure();
  return analyze::Trace::open(*path, {.keep = false});
}

Result<analyze::Trace> open_any(const std::string& file, bool keep) {
  if (is_database(file)) return open_converted(file, as_trace);
  if (is_rocprofiler(file)) return open_converted(file, rocprofiler_as_trace);
  return analyze::Trace::open(file, {.keep = keep});
}

// An answer may be larger than memory.
class StandardOutput : public report::Output {
 protected:
  void drain(std::string_view bytes) override {
    std::fwrite(bytes.data(), 1, bytes.size(), stdout);
  }
};

bool fails(const analyze::Answer& answer, double percent) {
  if (answer.flawed_percent > 0 && answer.flawed_percent >= percent) return true;
  return std::ranges::any_of(answer.findings, [&](const analyze::Finding& f) {
    return !f.is_of_memory() && f.high_percent >= percent;
  });
}

const AddCommand group("trace", "Read a profiler's trace and answer questions about it",
                       declare_group);

}  // namespace

void TraceSetting::declare(CLI::App& app) {
  app.add_flag("--json", json, "print one JSON object");
  app.add_flag("--csv", csv, "print the tables as CSV")->excludes("--json");
  app.add_option("--table", table, "only this table, by its name in JSON, or findings");
  app.add_flag("--no-cache", no_cache, "do not cache the file for the next question");
  app.add_option("--rows", rows, "rows per table in text output, 0: all")
      ->check(needs<int64_t>("an integer of at least 0", 0))
      ->capture_default_str();
  app.add_option(
         "--fail-on", fail_on,
         "exit with status 1 if a finding's potential saving reaches this percentage of the "
         "measured time, or if this percentage of events is malformed")
      ->check(needs<double>("a percentage of at least 0", 0));
}

CLI::Option* add_file(CLI::App& app, const char* name, std::string& file, const char* about) {
  return app.add_option(name, file, about)->required()->type_name("FILE");
}

std::optional<analyze::Trace> open_trace(const std::string& file, const TraceSetting& setting) {
  auto trace = open_any(file, !setting.no_cache);
  if (!trace) {
    std::fprintf(stderr, "vitro: %s\n", trace.why().c_str());
    return std::nullopt;
  }
  for (const analyze::Note& note : trace->notes()) {
    std::fprintf(stderr, "vitro: %s: at byte %llu: %s\n", file.c_str(),
                 static_cast<unsigned long long>(note.offset), note.text.c_str());
  }
  if (!trace->not_kept().empty()) {
    std::fprintf(stderr, "vitro: %s: not cached for the next question: %s\n", file.c_str(),
                 trace->not_kept().c_str());
  }
  return std::move(*trace);
}

int print_answer(const analyze::Answer& all, const TraceSetting& setting, std::string_view needs) {
  const analyze::Answer answer =
      setting.table.empty() ? all : analyze::only_table(all, setting.table);
  if (!setting.json && !setting.csv) {
    const analyze::TextOptions options{report::wants_colours(STDOUT_FILENO), setting.rows, needs};
    std::fputs(analyze::to_text(answer, options).c_str(), stdout);
  } else {
    StandardOutput out;
    setting.json ? analyze::to_json(answer, out) : analyze::to_csv(answer, out);
    out.finish();
  }
  return setting.fail_on && fails(all, *setting.fail_on) ? has_findings : 0;
}

AddTraceCommand::AddTraceCommand(std::string name, std::string about, Declare declare) {
  trace_commands().push_back({std::move(name), std::move(about), declare});
}

}  // namespace vitro::cli
