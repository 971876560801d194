// Scripts that are part of the command line, run by a Python of the user's.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace vitro::cli {

// The interpreter of that name or path that can import the modules; Error if there is none, which
// says what is missing.
struct Python {
  Python(std::string command, const std::vector<std::string>& modules);
  // Runs the text of a script in a child process; its standard output is not shown.  Error, with
  // the end of what it wrote to standard error, if it fails.
  void run(std::string_view script, const std::vector<std::string>& arguments) const;

  std::string command;
};

// Of tools/pt2_reference: MODEL OUT.npz --input ARRAYS --nodes.
extern const std::string_view pt2_reference_script;
// Of peers.py, whose first lines describe it.
extern const std::string_view peers_script;

}  // namespace vitro::cli
