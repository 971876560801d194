// `vitro trace cut FILE -o OUT`: writes a part of a trace (a time range, a step, a process or a
// rank) as a separate trace.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <memory>

#include "trace.h"
#include "vitro/analyze/events.h"
#include "vitro/analyze/merge.h"
#include "vitro/base/cat.h"
#include "vitro/report/units.h"

namespace vitro::cli {
namespace {

struct CutSetting {
  TraceSetting trace;
  std::string file, out, from, to;
  std::vector<std::string> processes;
  std::optional<int64_t> step, rank;
};

int refuse(const std::string& why) {
  std::fprintf(stderr, "vitro: cut: %s\n", why.c_str());
  return bad_usage;
}

// False, with the reason printed, if there is no such step.
bool take_step(const analyze::Trace& trace, int64_t number, analyze::CutOptions& options) {
  const auto steps = analyze::profiler_steps(trace);
  const auto step = std::ranges::find(steps, number, &analyze::Step::number);
  if (step != steps.end()) {
    options.from = step->begin;
    options.to = step->end;
    return true;
  }
  std::string all;
  for (const analyze::Step& each : steps) all += cat(all.empty() ? "" : ", ", each.number);
  refuse(cat("there is no ProfilerStep#", number, " in the file; ",
             all.empty() ? "it has no steps: use --from and --to" : cat("it has ", all)));
  return false;
}

// The file of the rank, chosen from a folder; nothing, with the reason printed, if there is none.
std::optional<std::string> file_of(const CutSetting& setting) {
  if (setting.file == "-") {
    refuse("needs a file, because it is read twice; got standard input");
    return std::nullopt;
  }
  if (!std::filesystem::is_directory(setting.file)) return setting.file;
  if (!setting.rank) {
    refuse(cat(setting.file, " is a folder: choose one of its traces with --rank"));
    return std::nullopt;
  }
  const std::vector<std::string> files = analyze::trace_files({setting.file});
  std::string unread;
  for (size_t i = 0; i < files.size(); ++i) {
    const auto trace = analyze::Trace::open(files[i], {.keep = !setting.trace.no_cache});
    if (!trace) unread += cat("; ", trace.why());
    if (trace && analyze::rank_of(*trace, files[i], i) == *setting.rank) return files[i];
  }
  refuse(cat(setting.file, ": none of its ", files.size(), " traces is of rank ", *setting.rank,
             unread));
  return std::nullopt;
}

// False, with the reason printed, if nothing in the file is of the rank.
bool take_rank(const analyze::Trace& trace, const CutSetting& setting,
               analyze::CutOptions& options) {
  if (std::filesystem::is_directory(setting.file)) return true;
  options.processes = analyze::processes_of_rank(trace, *setting.rank);
  if (!options.processes.empty()) return true;
  refuse(cat(setting.file, ": no process in it is of rank ", *setting.rank,
             ": no process name or label and no distributedInfo gives it; `vitro trace merge "
             "--ranks` writes them, --pid selects a process"));
  return false;
}

int run(const CutSetting& setting) {
  analyze::CutOptions options{.processes = setting.processes};
  const auto file = file_of(setting);
  if (!file) return bad_usage;
  const auto trace = open_trace(*file, setting.trace);
  if (!trace) return unreadable;
  if (setting.rank && !take_rank(*trace, setting, options)) return bad_usage;
  const int64_t begin = analyze::begin_of(*trace);
  for (const auto& [text, to] :
       {std::pair(&setting.from, &options.from), {&setting.to, &options.to}}) {
    if (text->empty()) continue;
    const auto time = analyze::read_time(*text);
    if (!time) return refuse(time.why());
    *to = begin + *time;
  }
  if (setting.step && !take_step(*trace, *setting.step, options)) return bad_usage;
  if (options.from != analyze::none && options.to != analyze::none && options.from >= options.to)
    return refuse(cat("--from ", setting.from, " is not before --to ", setting.to));
  auto out = report::create_file(setting.out);
  const auto done = analyze::cut(*trace, options, *out);
  if (!done) {
    std::fprintf(stderr, "vitro: %s\n", done.why().c_str());
    return unreadable;
  }
  const uint64_t bytes = out->written();
  out->finish();
  for (const analyze::Note& note : done->mended)
    std::fprintf(stderr, "vitro: %s: %s\n", setting.file.c_str(), note.text.c_str());
  std::printf("%s: %llu of %zu events, %s", setting.out.c_str(),
              static_cast<unsigned long long>(done->events), trace->size(),
              report::bytes_text(static_cast<double>(bytes)).c_str());
  if (done->arrow_ends > 0)
    std::printf("; %llu arrow ends left out, whose other ends are not in the part",
                static_cast<unsigned long long>(done->arrow_ends));
  std::printf("\n");
  return 0;
}

std::function<int()> declare(CLI::App& app) {
  auto setting = std::make_shared<CutSetting>();
  add_file(app, "file", setting->file,
           "trace: .json, .pftrace, packed or not; with --rank also a folder of traces");
  app.add_option("-o,--output,--out", setting->out,
                 "the new trace; compressed if the name ends in .gz or .zst")
      ->required();
  app.add_option(
      "--from", setting->from,
      "events that end after this time from the beginning of the trace: 12us, 1.5ms, 2s");
  app.add_option("--to", setting->to, "events that begin before this time");
  app.add_option("--step", setting->step, "the time of ProfilerStep#N")
      ->excludes("--from")
      ->excludes("--to");
  app.add_option("--pid,--process", setting->processes,
                 "only this process: its pid, name or labels; may be repeated");
  app.add_option(
         "--rank", setting->rank,
         "only this rank: its trace in a folder, or its processes in a file of several ranks")
      ->excludes("--pid");
  app.add_flag("--no-cache", setting->trace.no_cache,
               "do not cache the file for the next question");
  return [setting] { return run(*setting); };
}

const AddTraceCommand cut("cut", "Write a time range, a step, a process or a rank as a small trace",
                          declare);

}  // namespace
}  // namespace vitro::cli
