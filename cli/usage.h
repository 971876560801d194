// What is wrong with a command line that could not be parsed, in one way for all commands: from the
// options and commands that the parser holds.
#pragma once

#include <span>
#include <string>

namespace CLI {
class App;
class Error;
}  // namespace CLI

namespace vitro::cli {

// "vitro trace ops: unknown option --row; did you mean --rows?", and where more is said.  `words`:
// those after the program's name; the parser gave up over them with `error`.
std::string usage_error(const CLI::App& app, std::span<char* const> words, const CLI::Error& error);

}  // namespace vitro::cli
