// `vitro options`: shows the environment variables that Vitro reads, or one of them.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "command.h"
#include "vitro/base/cat.h"
#include "vitro/base/nearest.h"
#include "vitro/base/option.h"

namespace vitro::cli {
namespace {

void show(const OptionBase& option) {
  std::printf("%-28s %-12s %s\n", option.variable().data(), option.text().c_str(),
              option.help().data());
}

// Options are matched ignoring case, with or without VITRO_, and with - for _.
int show_one(const std::string& wanted) {
  constexpr std::string_view prefix = "VITRO_";
  std::string name = wanted;
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::toupper(c); });
  std::ranges::replace(name, '-', '_');
  if (!name.starts_with(prefix)) name = cat(prefix, name);
  std::vector<std::string> names;
  for (const OptionBase* option : all_options()) {
    if (option->variable() == name) return show(*option), 0;
    names.emplace_back(option->variable().substr(prefix.size()));
  }
  const std::string_view meant = nearest(name.substr(prefix.size()), names);
  std::fprintf(stderr, "vitro options: there is no variable %s; %s`vitro options` lists them\n",
               name.c_str(),
               meant.empty() ? "" : cat("did you mean ", prefix, meant, "? ").c_str());
  return bad_usage;
}

const AddCommand options("options", "List the environment variables that Vitro reads, or show one",
                         [](CLI::App& app) -> std::function<int()> {
                           auto wanted = std::make_shared<std::string>();
                           app.add_option("name", *wanted,
                                          "a variable, such as VITRO_LOGS; VITRO_ may be omitted");
                           return [wanted] {
                             if (!wanted->empty()) return show_one(*wanted);
                             for (const OptionBase* option : all_options()) show(*option);
                             return 0;
                           };
                         });

}  // namespace
}  // namespace vitro::cli
