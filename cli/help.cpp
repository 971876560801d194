// `vitro help [COMMAND …]` and `vitro trace help [COMMAND]`: print the same as --help.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app.h"
#include "command.h"
#include "trace.h"
#include "vitro/base/cat.h"
#include "vitro/base/error.h"
#include "vitro/base/nearest.h"

namespace vitro::cli {
namespace {

// The command of that name; throws Error if there is none.
const CLI::App* below(const CLI::App& app, const std::string& path, const std::string& word) {
  std::vector<std::string> names;
  for (const CLI::App* each : app.get_subcommands({})) {
    if (each->get_name() == word) return each;
    names.push_back(each->get_name());
  }
  const std::string_view meant = nearest(word, names);
  throw_error(cat("help: `", path, "` has no command '", word, "'",
                  meant.empty() ? "" : cat("; did you mean ", meant, "?")));
}

int show(std::vector<std::string> words) {
  std::function<int()> unused;
  const auto app = make_app(unused);
  const CLI::App* at = app.get();
  if (!words.empty() && words.front() == app->get_name()) words.erase(words.begin());
  std::string path = app->get_name(), before;
  for (const std::string& word : words) {
    at = below(*at, path, word);
    before = path;
    path += cat(" ", word);
  }
  return std::fputs(at->help(before).c_str(), stdout) < 0 ? failed : 0;
}

std::function<int()> declare(CLI::App& app, std::vector<std::string> first) {
  auto words = std::make_shared<std::vector<std::string>>();
  app.add_option("command", *words,
                 cat("as in `vitro ", first.empty() ? "help trace" : "trace help",
                     " gaps`; without a command: the list of commands"));
  return [words, first = std::move(first)] {
    std::vector<std::string> all = first;
    all.insert(all.end(), words->begin(), words->end());
    return show(std::move(all));
  };
}

constexpr const char* about = "Show how to use vitro or one of its commands, like --help";
const AddCommand help("help", about, [](CLI::App& app) { return declare(app, {}); });
const AddTraceCommand trace_help("help", "Show how to use one of these commands, like --help",
                                 [](CLI::App& app) { return declare(app, {"trace"}); });

}  // namespace
}  // namespace vitro::cli
