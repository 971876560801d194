// Every question that can be asked of one trace: the one list that the command line, the report and
// the completion of shells read.
//   for (const Analysis& analysis : analyses()) print(analysis.ask(trace, Parameters(analysis)));
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "vitro/analyze/answer.h"

namespace vitro::analyze {

// What a question may be told besides the trace: an option of its command.
struct Parameter {
  enum class Kind : uint8_t { text, number, flag };
  std::string_view name, about;
  std::string_view fallback;  // the value where none is given; of flags empty
  Kind kind = Kind::text;
  std::span<const std::string_view> choices = {};  // of a text: what it may be; empty: anything
};

class Parameters;

struct Analysis {
  std::string_view name, about;
  Answer (*ask)(const Trace& trace, const Parameters& parameters);
  std::span<const Parameter> parameters = {};
  // The answer of a file that is no trace, where the question can be asked of such files too; else
  // null.  Nothing where the file may be a trace.
  Result<std::optional<Answer>> (*ask_file)(const std::string& path) = nullptr;
  // What a file needs to hold for an answer, said where it has none of it.
  std::string_view needs = {};
};

// What a file needs to hold for an answer, in the words of what wrote the trace.
std::string needs_of(const Analysis& analysis, const Trace& trace);

// In the order in which a reader asks them: what is there, where time went, why.
std::span<const Analysis> analyses();

// The values of an analysis's parameters.
class Parameters {
 public:
  explicit Parameters(const Analysis& analysis);

  // Error where the analysis has no such parameter, or the text is no number where one is needed.
  void set(std::string_view name, std::string text);

  const std::string& text(std::string_view name) const;
  int64_t number(std::string_view name) const;
  bool flag(std::string_view name) const;  // whether it was set

 private:
  const Analysis& analysis_;
  std::map<std::string, std::string, std::less<>> values_;
};

}  // namespace vitro::analyze
