#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <functional>
#include <new>
#include <span>

#include "app.h"
#include "command.h"
#include "usage.h"
#include "vitro/base/error.h"

namespace vitro::cli {
namespace {

int run(int argc, char** argv) {
  std::function<int()> chosen;
  const auto app = make_app(chosen);
  const std::span<char* const> words(argv + 1, static_cast<size_t>(argc > 0 ? argc - 1 : 0));
  app->failure_message(
      [&](const CLI::App* top, const CLI::Error& e) { return usage_error(*top, words, e); });
  try {
    app->parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app->exit(e) == 0 ? 0 : bad_usage;
  }
  return chosen();
}

// Output that could not be written is a failure.
int finish(int code) {
  if (std::fflush(stdout) == 0 && !std::ferror(stdout)) return code;
  std::fprintf(stderr, "vitro: cannot write to standard output: %s\n", std::strerror(errno));
  return code == 0 ? bad_usage : code;
}

}  // namespace
}  // namespace vitro::cli

int main(int argc, char** argv) {
  using namespace vitro::cli;
  try {
    return finish(run(argc, argv));
  } catch (const vitro::Error& e) {  // the caller's error
    std::fprintf(stderr, "vitro: %s\n", e.what());
    return bad_usage;
  } catch (const std::bad_alloc&) {
    std::fprintf(stderr, "vitro: out of memory\n");
    return failed;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "vitro: %s\n", e.what());
    return failed;
  }
}
