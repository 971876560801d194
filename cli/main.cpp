#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "app.h"
#include "command.h"
#include "vitro/base/error.h"

namespace vitro::cli {
namespace {

int run(int argc, char** argv) {
  std::function<int()> chosen;
  const auto app = make_app(chosen);
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
  } catch (const std::exception& e) {
    std::fprintf(stderr, "vitro: %s\n", e.what());
    return failed;
  }
}
