// The whole command line as one tree, used for parsing and to generate manuals and completions.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace vitro::cli {

// After parsing, `chosen` runs the parsed command.
std::unique_ptr<CLI::App> make_app(std::function<int()>& chosen);

struct OptionText {
  std::vector<std::string> names;    // "-o", "--output"; for an argument just its name
  std::string value;                 // what it takes: "TEXT", "NUMBER"; empty for a flag
  std::vector<std::string> choices;  // if only these are allowed
  std::string about, fallback;
  bool required = false, many = false;
};

struct CommandText {
  std::string path;  // "vitro trace gaps"
  std::string about, footer;
  std::vector<OptionText> options, arguments;
  std::vector<std::string> below;  // names of its sub-commands
};

// The command line as texts: each command before its sub-commands.
std::vector<CommandText> command_texts();

}  // namespace vitro::cli
