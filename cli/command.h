// A sub-command: a separate file that adds itself to the program's table.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "vitro/base/function_ref.h"

namespace CLI {
class App;
}

namespace vitro::cli {

// Declares its arguments on `app`, which already has its name and description, and returns the
// function that runs it and returns the exit code, 0 for success.
using Declare = std::function<int()> (*)(CLI::App& app);

struct Command {
  std::string name, about;
  Declare declare;
};

struct AddCommand {
  AddCommand(std::string name, std::string about, Declare declare);
};
std::vector<Command>& commands();

// Exit codes of all commands: user errors (wrong usage, unwritable output), and ours (a bug, out of
// memory).
constexpr int bad_usage = 2, failed = 4;

// The exit code of `run`; an Error is reported as the command's, and is bad usage.
int or_report(const char* command, FunctionRef<int()> run);

}  // namespace vitro::cli
