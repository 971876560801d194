// The whole command line as one tree: the program parses with it, manuals and completions are made
// of it.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace vitro::cli {

// What the command that was parsed does lies in `chosen` afterwards.
std::unique_ptr<CLI::App> make_app(std::function<int()>& chosen);

struct OptionText {
  std::vector<std::string> names;    // "-o", "--output"; of an argument its name alone
  std::string value;                 // what it takes: "TEXT", "NUMBER"; of a flag empty
  std::vector<std::string> choices;  // where only these are taken
  std::string about, fallback;
  bool required = false, many = false;
};

struct CommandText {
  std::string path;  // "vitro trace gaps"
  std::string about, footer;
  std::vector<OptionText> options, arguments;
  std::vector<std::string> below;  // names of its commands
};

// The command line as texts: each command before its own.
std::vector<CommandText> command_texts();

}  // namespace vitro::cli
