#include <CLI/CLI.hpp>
#include <cstdio>

#include "app.h"
#include "command.h"

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

}  // namespace
}  // namespace vitro::cli

int main(int argc, char** argv) {
  try {
    return vitro::cli::run(argc, argv);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "vitro: %s\n", e.what());
    return 1;
  }
}
