// Every question that can be asked about a trace: the one list behind the command line, the report
// and shell completion.
//   for (const Analysis& analysis : analyses()) print(analysis.ask(trace, Parameters(analysis)));
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "vitro/analyze/answer.h"

namespace vitro::analyze {

// A parameter of a question besides the trace: an option of its command.
struct Parameter {
  enum class Kind : uint8_t { text, number, flag };
  std::string_view name, about;
  std::string_view fallback;  // the default value; empty for flags
  Kind kind = Kind::text;
  std::span<const std::string_view> choices = {};  // allowed values of a text; empty: any
};

class Parameters;

struct Analysis {
  std::string_view name, about;
  Answer (*ask)(const Trace& trace, const Parameters& parameters);
  std::span<const Parameter> parameters = {};
  // Answers for a file that is not a trace, if the question supports such files; else null. Returns
  // nothing if the file may be a trace.
  Result<std::optional<Answer>> (*ask_file)(const std::string& path) = nullptr;
  // What a file must contain for an answer; shown if it contains none of it.
  std::string_view needs = {};
};

// What a file must contain for an answer, in the terms of the program that wrote the trace.
std::string needs_of(const Analysis& analysis, const Trace& trace);

// In the order in which a reader asks them: what is there, where the time went, why.
std::span<const Analysis> analyses();

// The values of an analysis's parameters.
class Parameters {
 public:
  explicit Parameters(const Analysis& analysis);

  // Throws Error if the analysis has no such parameter, or if it needs a number and the text is
  // not.
  void set(std::string_view name, std::string text);

  const std::string& text(std::string_view name) const;
  int64_t number(std::string_view name) const;
  bool flag(std::string_view name) const;  // whether it was set

 private:
  const Analysis& analysis_;
  std::map<std::string, std::string, std::less<>> values_;
};

}  // namespace vitro::analyze
