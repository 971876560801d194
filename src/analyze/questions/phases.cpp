// Reads the steps of language model servers from their annotations; a table of `vitro trace
// summary`.
#include "analyze/questions/phases.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "analyze/model/index.h"

namespace vitro::analyze {
namespace {

// The number after `part`; -1: there is none.
int64_t number_after(std::string_view text, std::string_view part) {
  const size_t at = text.find(part);
  if (at == std::string_view::npos) return -1;
  int64_t out = -1;
  std::from_chars(text.data() + at + part.size(), text.data() + text.size(), out);
  return out;
}

constexpr std::array<std::string_view, 4> words{"prefill", "decode", "prefill and decode",
                                                "other steps"};

struct Row {
  int64_t steps = 0, tokens = 0, host = 0, device = 0;
  AnswerCell event = {};
};

}  // namespace

std::optional<ServingStep> serving_step(std::string_view annotation) {
  using enum ServingPhase;
  if (annotation.starts_with("step[")) {
    const std::string_view kind = annotation.substr(5);
    const int64_t tokens = number_after(kind, " toks="), sequences = number_after(kind, " bs=");
    if (kind.starts_with("DECODE")) return ServingStep{decode, std::max<int64_t>(sequences, 0)};
    return ServingStep{kind.starts_with("EXTEND")  ? prefill
                       : kind.starts_with("MIXED") ? both
                                                   : unknown,
                       std::max<int64_t>(tokens, 0)};
  }
  const int64_t context = number_after(annotation, "context_"),
                generation = number_after(annotation, "_generation_");
  if (!annotation.starts_with("execute_") || context < 0 || generation < 0) return {};
  return ServingStep{context > 0 && generation > 0 ? both
                     : context > 0                 ? prefill
                     : generation > 0              ? decode
                                                   : unknown,
                     std::max<int64_t>(number_after(annotation, "execute_"), 0)};
}

AnswerTable phases_table(const TraceIndex& index) {
  const Trace& trace = index.trace();
  const Timeline& timeline = index->timeline();
  AnswerTable table{"phases",
                    "Phases of serving a language model",
                    {{"phase", "Phase"},
                     {"steps", "Steps", Unit::count},
                     {"tokens", "Tokens", Unit::count},
                     {"host_ns", "Host", Unit::ns},
                     {"device_ns", "Device", Unit::ns},
                     {"event", "Event", Unit::count}},
                    {}};
  bool serves = false, marks = false;
  std::vector<std::optional<ServingStep>> steps;  // by name
  for (const std::string& name : trace.names()) {
    steps.push_back(serving_step(name));
    marks |= steps.back().has_value();
    serves |= name.find("vllm/") != std::string::npos || name.find("sglang/") != std::string::npos;
  }
  if (!marks && !serves) return table;
  const auto is_step = [&](EventId e) {
    return index->classes()[e] == EventClass::annotation && steps[trace.name_ids()[e]];
  };
  // The outermost step around an event, or itself.
  const auto step_of = [&](EventId e) {
    EventId out = Timeline::nobody;
    for (; e != Timeline::nobody; e = timeline.parent(e))
      if (is_step(e)) out = e;
    return out;
  };
  const auto phase_of = [&](EventId step) {
    return static_cast<size_t>(steps[trace.name_ids()[step]]->phase);
  };
  std::array<Row, words.size() + 1> rows;
  for (const EventId e : trace.events()) {
    if (index->classes().is_device_work(e)) {
      const EventId launch = index->links().launch_of(e);
      const EventId step = launch == Links::nobody ? Timeline::nobody : step_of(launch);
      Row& row = rows[step == Timeline::nobody ? words.size() : phase_of(step)];
      row.device += end_of(trace, e) - trace.ts()[e];
    } else if (is_step(e) && step_of(e) == e) {
      Row& row = rows[phase_of(e)];
      if (row.steps++ == 0) row.event = int64_t{e};
      row.tokens += steps[trace.name_ids()[e]]->tokens;
      row.host += end_of(trace, e) - trace.ts()[e];
    }
  }
  for (size_t i = 0; i < rows.size(); ++i) {
    const Row& row = rows[i];
    if (row.steps == 0 && i < words.size()) continue;
    const std::string_view word = i < words.size() ? words[i]
                                  : marks          ? "in no step"
                                                   : "the file does not say which";
    table.rows.push_back({std::string(word), row.steps,
                          row.tokens > 0 ? AnswerCell(row.tokens) : AnswerCell(), row.host,
                          row.device, row.event});
  }
  return table;
}

}  // namespace vitro::analyze
