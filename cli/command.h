// A sub-command: a file of its own that adds itself to the program's table.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace vitro::cli {

// Declares its arguments on `app`, which has its name and sentence already, and gives what runs it:
// the exit code, 0 for success.
using Declare = std::function<int()> (*)(CLI::App& app);

struct Command {
  std::string name, about;
  Declare declare;
};

struct AddCommand {
  AddCommand(std::string name, std::string about, Declare declare);
};
std::vector<Command>& commands();

// Exit codes of all commands: the user's mistake (a wrong use, what cannot be written), and ours (a
// bug, no memory).
constexpr int bad_usage = 2, failed = 4;

}  // namespace vitro::cli
