#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <new>
#include <span>
#include <vector>

#include "app.h"
#include "command.h"
#include "vitro/base/cat.h"
#include "vitro/base/error.h"
#include "vitro/base/nearest.h"

namespace vitro::cli {
namespace {

// The commands named so far: "vitro trace".
std::string path_of(const CLI::App& app) {
  std::string path = app.get_name();
  for (const CLI::App* below : app.get_subcommands()) path = cat(path, " ", path_of(*below));
  return path;
}

std::string commands_of(const CLI::App& app) {
  std::string all;
  for (const CLI::App* each : app.get_subcommands({}))
    all += cat(all.empty() ? "" : ", ", each->get_name());
  return all;
}

// Of a first word that is no command where one is needed, or of none: that, and which was meant or
// which there are.  Empty where the words are commands to the end.
std::string wrong_command(const CLI::App& app, std::span<char* const> words) {
  const CLI::App* at = &app;
  for (const std::string_view word : words) {
    const std::vector<const CLI::App*> below = at->get_subcommands({});
    if (below.empty() || word.starts_with("-")) return {};
    const auto known = std::ranges::find(
        below, word, [](const CLI::App* each) -> std::string_view { return each->get_name(); });
    if (known != below.end()) {
      at = *known;
      continue;
    }
    std::vector<std::string> names;
    for (const CLI::App* each : below) names.push_back(each->get_name());
    if (const std::string_view meant = nearest(word, names); !meant.empty())
      return cat("has no command '", word, "'; did you mean ", meant, "?");
    return cat("has no command '", word, "'; it has ", commands_of(*at));
  }
  return at->get_subcommands({}).empty() ? "" : cat("needs a command: ", commands_of(*at));
}

int run(int argc, char** argv) {
  std::function<int()> chosen;
  const auto app = make_app(chosen);
  const std::span<char* const> words(argv + 1, static_cast<size_t>(argc > 0 ? argc - 1 : 0));
  app->failure_message([&](const CLI::App* top, const CLI::Error& e) {
    const std::string path = path_of(*top), wrong = wrong_command(*top, words);
    return cat(path, ": ", wrong.empty() ? e.what() : wrong, "\n`", path, " --help` says more.\n");
  });
  try {
    app->parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app->exit(e) == 0 ? 0 : bad_usage;
  }
  return chosen();
}

// What was printed and did not arrive is no success.
int finish(int code) {
  if (std::fflush(stdout) == 0 && !std::ferror(stdout)) return code;
  std::fprintf(stderr, "vitro: standard output cannot be written: %s\n", std::strerror(errno));
  return code == 0 ? bad_usage : code;
}

}  // namespace
}  // namespace vitro::cli

int main(int argc, char** argv) {
  using namespace vitro::cli;
  try {
    return finish(run(argc, argv));
  } catch (const vitro::Error& e) {  // the caller's mistake
    std::fprintf(stderr, "vitro: %s\n", e.what());
    return bad_usage;
  } catch (const std::bad_alloc&) {
    std::fprintf(stderr, "vitro: no memory is left\n");
    return failed;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "vitro: %s\n", e.what());
    return failed;
  }
}
