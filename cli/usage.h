// Explains what is wrong with a command line that could not be parsed, uniformly for all commands,
// using the options and commands known to the parser.
#pragma once

#include <span>
#include <string>

namespace CLI {
class App;
class Error;
}  // namespace CLI

namespace vitro::cli {

// "vitro trace ops: unknown option --row; did you mean --rows?", with a pointer to --help. `words`:
// those after the program's name; the parser rejected them with `error`.
std::string usage_error(const CLI::App& app, std::span<char* const> words, const CLI::Error& error);

}  // namespace vitro::cli
