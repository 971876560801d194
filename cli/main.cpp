#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>

#include "command.h"
#include "vitro/base/error.h"

namespace vitro::cli {

std::vector<Command>& commands() {
  static auto* all = new std::vector<Command>;
  return *all;
}

AddCommand::AddCommand(std::string name, std::string about, Declare declare) {
  commands().push_back({std::move(name), std::move(about), declare});
}

namespace {

int run(int argc, char** argv) {
  CLI::App app{"Vitro: a tensor compiler you can see through", "vitro"};
  app.require_subcommand(1);
  std::sort(commands().begin(), commands().end(),
            [](const Command& a, const Command& b) { return a.name < b.name; });
  std::function<int()> chosen;
  for (const Command& command : commands()) {
    CLI::App* sub = app.add_subcommand(command.name, command.about);
    sub->callback([&chosen, body = command.declare(*sub)] { chosen = body; });
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : bad_usage;
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
