#include <CLI/CLI.hpp>
#include <cstdio>
#include <functional>

#include "command.h"
#include "vitro/debug/codes.h"

namespace vitro::cli {
namespace {

const AddCommand codes("codes", "Print the page of all codes, docs/codes.md",
                       [](CLI::App&) -> std::function<int()> {
                         return [] {
                           std::fputs(codes_page().c_str(), stdout);
                           return 0;
                         };
                       });

}  // namespace
}  // namespace vitro::cli
