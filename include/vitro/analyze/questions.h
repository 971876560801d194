// The questions about a trace, and what to do first.
//   const TraceIndex index(trace);
//   std::cout << to_text(doctor(index));
//   for (const Analysis& analysis : analyses()) print(analysis.ask(index, Parameters(analysis)));
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "vitro/analyze/answer.h"

namespace vitro::analyze {

// What questions need to know about a trace: which call launched which work, how events nest, why
// devices were idle, and more.  Each part is made when the first question needs it, and kept: ask
// all questions of one index.  Threads: any number may ask.
class TraceIndex {
 public:
  class Parts;  // src/analyze/model/index.h

  explicit TraceIndex(const Trace& trace);  // which must outlive it
  TraceIndex(TraceIndex&&) = delete;
  ~TraceIndex();

  const Trace& trace() const { return trace_; }
  const Parts* operator->() const { return parts_.get(); }

 private:
  const Trace& trace_;
  std::unique_ptr<const Parts> parts_;
};

// A parameter of a question besides the trace: an option of its command.
struct Parameter {
  enum class Kind : uint8_t { text, number, flag };
  std::string_view name, about;
  std::string_view fallback;  // the default value; empty for flags
  Kind kind = Kind::text;
  std::span<const std::string_view> choices = {};  // allowed values of a text; empty: any
};

class Parameters;

// The one list of them is that of the command line, the report and shell completion, too.
struct Analysis {
  std::string_view name, about;
  Answer (*ask)(const TraceIndex& index, const Parameters& parameters);
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

// Every answer of analyses(), in their order, with default parameters.  Shows progress on a
// terminal if it takes over a second.
std::vector<Answer> ask_all(const TraceIndex& index);

// The findings of these answers, each key once: an answer without tables.  A finding that covers
// the time of an earlier one says so; `together_percent` counts each moment once, for the first
// finding that covers it.  One of the critical path is left out if others explain at least half of
// its time: they are more specific.  Others that may save nothing do not explain one that does.
// Left out, too: that steps are long, if others that are sure to save something explain half of it,
// and that work is shorter than its launch, which is a part of what the host launches late.
Answer doctor(const std::vector<Answer>& answers);
// Of all analyses, with verdicts.
Answer doctor(const TraceIndex& index);

// For each device a sentence: that it is device-bound, with the work that takes longest, if it
// computes for nine tenths of the measured window; else what it does otherwise, or why it is idle.
std::vector<std::string> verdicts(const TraceIndex& index);

}  // namespace vitro::analyze
