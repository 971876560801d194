// What the commands of `vitro trace` share: how a trace is opened, an answer printed, a command
// added.
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
  std::string table;              // only this one; empty: all
  std::optional<double> fail_on;  // percent

  void declare(CLI::App& app);
};

// What the option that takes a trace says.
inline constexpr const char* trace_file_about =
    "trace: .json, .json.gz, .json.zst, .zip; - reads standard input";

// The argument of a file, which has to be given.
CLI::Option* add_file(CLI::App& app, const char* name, std::string& file,
                      const char* about = trace_file_about);

// The trace, what was lost of it said on standard error; nothing, and why said, where it cannot be
// read: the command ends with `unreadable`.
std::optional<analyze::Trace> open_trace(const std::string& file, const TraceSetting& setting);

// As text, JSON or CSV on standard output; text says what a file `needs` that has nothing of this.
// The exit code: `has_findings` where --fail-on says so.
int print_answer(const analyze::Answer& answer, const TraceSetting& setting,
                 std::string_view needs = {});

// A command of `vitro trace` that is not one question to one trace (those are analyses(), each of
// which is a command): a file of its own that adds itself.
struct AddTraceCommand {
  AddTraceCommand(std::string name, std::string about, Declare declare);
};

}  // namespace vitro::cli
