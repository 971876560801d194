// `vitro trace find FILE`: lists events by name, time and place, or with --sql by any condition.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <functional>
#include <memory>

#include "trace.h"
#include "trace_sql.h"
#include "vitro/analyze/events.h"

namespace vitro::cli {
namespace {

struct FindSetting {
  TraceSetting trace;
  std::string file, sql, min_dur, max_dur, from, to;
  analyze::Query query;
  analyze::FoundOptions options;
};

int refuse(const std::string& why) {
  std::fprintf(stderr, "vitro: find: %s\n", why.c_str());
  return bad_usage;
}

int run(FindSetting& setting) {
  if (setting.file == "-" && setting.options.arguments)
    return refuse("--args needs a file, because it is read again; got standard input");
  const auto trace = open_trace(setting.file, setting.trace);
  if (!trace) return unreadable;
  if (!setting.sql.empty()) {
    const auto answer = ask_sql(*trace, setting.sql);
    return answer ? print_answer(*answer, setting.trace) : refuse(answer.why());
  }
  const int64_t begin = analyze::begin_of(*trace);
  struct Time {
    const std::string& text;
    int64_t since;
    int64_t& to;
  };
  analyze::Query& query = setting.query;
  for (const Time& time :
       {Time{setting.min_dur, 0, query.min_dur}, Time{setting.max_dur, 0, query.max_dur},
        Time{setting.from, begin, query.from}, Time{setting.to, begin, query.to}}) {
    if (time.text.empty()) continue;
    const auto ns = analyze::read_time(time.text);
    if (!ns) return refuse(ns.why());
    time.to = time.since + *ns;
  }
  const auto answer = analyze::answer_found(*trace, analyze::find(*trace, query), setting.options);
  if (answer) return print_answer(*answer, setting.trace);
  std::fprintf(stderr, "vitro: %s\n", answer.why().c_str());
  return unreadable;
}

std::function<int()> declare(CLI::App& app) {
  auto setting = std::make_shared<FindSetting>();
  analyze::Query& query = setting->query;
  add_file(app, "file", setting->file);
  app.add_option("--name", query.name,
                 "a regular expression (POSIX extended, \\d), matched anywhere in the name");
  app.add_option("--category", query.category, "as in the file: kernel, cpu_op");
  app.add_option("--thread", query.thread, "the tid, or part of the thread's name");
  app.add_option("--pid,--process", query.processes,
                 "the pid, or the process's name or labels; may be repeated");
  app.add_option("--min-dur", setting->min_dur, "minimum duration: 12us, 1.5ms, 2s");
  app.add_option("--max-dur", setting->max_dur, "maximum duration");
  app.add_option("--from", setting->from, "ends after this time from the beginning of the trace");
  app.add_option("--to", setting->to, "begins before this time");
  app.add_option("--id", query.ids, "event numbers, as given in findings")->delimiter(',');
  app.add_flag("--longest", setting->options.longest_first, "the longest first");
  app.add_flag("--args", setting->options.arguments, "also print the arguments");
  app.add_option("--sql", setting->sql, sql_about);
  setting->trace.declare(app);
  return [setting] { return run(*setting); };
}

const AddTraceCommand find("find", "List events by name, duration, thread, number, or with SQL",
                           declare);

}  // namespace
}  // namespace vitro::cli
