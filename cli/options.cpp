#include <CLI/CLI.hpp>
#include <cstdio>

#include "command.h"
#include "vitro/base/option.h"

namespace vitro::cli {
namespace {

const AddCommand options("options", "List the environment variables that Vitro reads",
                         [](CLI::App&) -> std::function<int()> {
                           return [] {
                             for (const OptionBase* option : all_options()) {
                               std::printf("%-28s %-12s %s\n", option->variable().data(),
                                           option->text().c_str(), option->help().data());
                             }
                             return 0;
                           };
                         });

}  // namespace
}  // namespace vitro::cli
