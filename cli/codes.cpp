#include <CLI/CLI.hpp>
#include <cstdio>

#include "command.h"
#include "vitro/base/code.h"

namespace vitro::cli {
namespace {

void show(const Code& code) {
  std::printf("%s: %s\n\n%s\n", code.id.data(), code.title.data(), code.meaning.data());
  if (!code.example.empty()) std::printf("\nExample:\n%s\n", code.example.data());
  std::printf("\nWhat to do: %s\n", code.advice.data());
}

int run(const std::string& wanted) {
  for (const Code* code : all_codes()) {
    if (wanted.empty()) {
      std::printf("%s  %s\n", code->id.data(), code->title.data());
    } else if (code->id == wanted) {
      return show(*code), 0;
    }
  }
  if (wanted.empty()) return 0;
  std::fprintf(stderr, "vitro explain: there is no code %s; `vitro explain` lists them\n",
               wanted.c_str());
  return bad_usage;
}

const AddCommand explain("explain", "Explain a code such as V0201, or list all",
                         [](CLI::App& app) -> std::function<int()> {
                           auto wanted = std::make_shared<std::string>();
                           app.add_option("code", *wanted,
                                          "the code that a message, a trace or a report names");
                           return [wanted] { return run(*wanted); };
                         });

}  // namespace
}  // namespace vitro::cli
