// Shared by the commands of `vitro trace`: opening a trace, printing an answer, adding a command.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "command.h"
#include "vitro/analyze/answer.h"
#include "vitro/analyze/trace.h"

namespace CLI {
class Option;
}

namespace vitro::cli {

constexpr int has_findings = 1, unreadable = 3;  // exit codes, besides bad_usage

struct TraceSetting {
  bool json = false, csv = false, no_cache = false;
  size_t rows = 30;
  std::string table;              // only this table; empty: all
  std::optional<double> fail_on;  // percent

  void declare(CLI::App& app);
};

// The description of an argument that takes a trace.
inline constexpr const char* trace_file_about =
    "trace: .json, .pftrace, packed or not; - reads standard input";

// Adds a required file argument.
CLI::Option* add_file(CLI::App& app, const char* name, std::string& file,
                      const char* about = trace_file_about);

// Opens a trace and reports losses on standard error; returns nothing if it cannot be read, having
// reported why: the command then exits with `unreadable`.
std::optional<analyze::Trace> open_trace(const std::string& file, const TraceSetting& setting);

// Prints text, JSON or CSV to standard output; text says what a file without an answer `needs`.
// Returns the exit code: `has_findings` if --fail-on applies.
int print_answer(const analyze::Answer& answer, const TraceSetting& setting,
                 std::string_view needs = {});

// A command of `vitro trace` other than the analyses(), each of which is a command already: a
// separate file that adds itself.
struct AddTraceCommand {
  AddTraceCommand(std::string name, std::string about, Declare declare);
};

}  // namespace vitro::cli
