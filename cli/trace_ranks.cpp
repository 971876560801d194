// `vitro trace ranks DIR|FILES`: analyzes the traces of a distributed run, one for each rank.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>

#include "trace.h"
#include "vitro/analyze/compare.h"
#include "vitro/base/error.h"

namespace vitro::cli {
namespace {

struct Setting {
  TraceSetting shown;
  std::vector<std::string> places;
};

// Files of the same rank come from several runs, or one was given twice.
void warn_of_doubles(const analyze::Ranks& ranks) {
  std::map<int64_t, std::vector<std::string>> files;
  for (const analyze::RankTimes& each : ranks.ranks) files[each.rank].push_back(each.file);
  for (const auto& [rank, list] : files) {
    if (list.size() < 2) continue;
    std::fprintf(stderr,
                 "vitro: ranks: %zu files are of rank %lld, such as %s and %s: pass the traces "
                 "of one run\n",
                 list.size(), static_cast<long long>(rank), list[0].c_str(), list[1].c_str());
  }
}

int run(const Setting& setting) {
  std::vector<std::string> files;
  try {
    files = analyze::trace_files(setting.places);
  } catch (const Error& e) {
    std::fprintf(stderr, "vitro: %s\n", e.what());
    return unreadable;
  }
  const analyze::Ranks ranks = analyze::ranks(files, {.keep = !setting.shown.no_cache});
  for (const analyze::Note& note : ranks.unread)
    std::fprintf(stderr, "vitro: %s\n", note.text.c_str());
  if (ranks.ranks.empty()) return unreadable;
  warn_of_doubles(ranks);
  const int code = print_answer(analyze::answer_ranks(ranks), setting.shown);
  return ranks.unread.empty() ? code : unreadable;
}

std::function<int()> declare(CLI::App& app) {
  auto setting = std::make_shared<Setting>();
  app.add_option("traces", setting->places, "a folder of traces, or the traces, one for each rank")
      ->required();
  setting->shown.declare(app);
  return [setting] { return run(*setting); };
}

const AddTraceCommand ranks(
    "ranks", "The ranks of a run: clocks, balance, stragglers, waiting in collectives", declare);

}  // namespace
}  // namespace vitro::cli
