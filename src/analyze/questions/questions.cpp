// The table of analyses: each question with its sentence, function, parameters and needs.  The
// command line, the report and `doctor` iterate over it; a new analysis is a line here.
#include "vitro/analyze/questions.h"

#include <algorithm>

#include "analyze/model/index.h"
#include "analyze/model/producer.h"
#include "analyze/questions/check.h"
#include "analyze/questions/compile/compile.h"
#include "analyze/questions/critical_path/critical_path.h"
#include "analyze/questions/gaps.h"
#include "analyze/questions/info.h"
#include "analyze/questions/launches/launches.h"
#include "analyze/questions/memory/memory.h"
#include "analyze/questions/memory/memory_timeline.h"
#include "analyze/questions/ops/modules.h"
#include "analyze/questions/ops/ops.h"
#include "analyze/questions/overlap.h"
#include "analyze/questions/step_times.h"
#include "analyze/questions/summary.h"
#include "analyze/questions/threads/threads.h"
#include "analyze/read/token.h"
#include "vitro/base/cat.h"
#include "vitro/base/error.h"

namespace vitro::analyze {
namespace {

template <Answer (*answer)(const TraceIndex&)>
Answer plain(const TraceIndex& index, const Parameters&) {
  return answer(index);
}

Answer answer_info(const TraceIndex& index) {
  return answer(info(index.trace()));
}

constexpr Parameter by_parameters[] = {
    {"by", "separate calls of the same name by shape, module or stack; name: do not", "name",
     Parameter::Kind::text, group_by_words},
};

template <Answer (*answer)(const TraceIndex&, GroupBy)>
Answer ask_by(const TraceIndex& index, const Parameters& parameters) {
  return answer(index, group_by_of(parameters.text("by")));
}

constexpr Parameter launch_parameters[] = {
    {"slow", "a call that takes longer than this, in microseconds, is slow", "50",
     Parameter::Kind::number},
    {"delay", "work that begins later than this after its launch, in microseconds, is delayed",
     "100", Parameter::Kind::number},
    {"full", "how much work a stream's queue holds before launches block", "1024",
     Parameter::Kind::number},
};

Answer ask_launches(const TraceIndex& index, const Parameters& parameters) {
  return answer_launches(index, {.slow_call_ns = 1000 * parameters.number("slow"),
                                 .long_delay_ns = 1000 * parameters.number("delay"),
                                 .full_queue = static_cast<uint64_t>(parameters.number("full"))});
}

constexpr Parameter step_parameters[] = {
    {"over", "a step that takes this many percent longer than the median is a straggler", "10",
     Parameter::Kind::number},
};

Answer ask_steps(const TraceIndex& index, const Parameters& parameters) {
  return answer_steps(index, {.over_percent = parameters.number("over")});
}

// What a file must contain for a question to have an answer.
constexpr std::string_view devices_needed =
    "device events: record with the device's activity (ProfilerActivity.CUDA, XPU, …), and check "
    "in "
    "the profiler's log that its library (CUPTI, ROCTracer) could be used";
constexpr std::string_view collectives_needed =
    "communication kernels (NCCL, RCCL, …): record a run on several devices, with their activity";
constexpr std::string_view compiled_needed =
    "calls of compiled code: from torch.compile (2.2 or later) or from Vitro";
constexpr std::string_view steps_needed =
    "steps: call profiler.step() after each, or wrap it in record_function(\"ProfilerStep#1\")";
constexpr std::string_view memory_needed =
    "memory events: record with profile_memory=True, or pass a file from export_memory_timeline";
constexpr std::string_view modules_needed =
    "modules: record with with_modules=True and with_stack=True";
constexpr std::string_view host_needed =
    "host events with a duration: record with ProfilerActivity.CPU";

constexpr Analysis all[] = {
    {"info", "What the file contains: size and span, kinds of events, threads and streams, losses",
     plain<answer_info>},
    {"summary", "Where the time went: what each device and thread did, per step and overall",
     plain<answer_summary>},
    {"ops", "Where the host's time went: ops, annotations, functions, runtime calls by name",
     ask_by<answer_ops>, by_parameters, nullptr, host_needed},
    {"kernels", "Where the devices' time went: kernels, copies and fills by name",
     ask_by<answer_kernels>, by_parameters, nullptr, devices_needed},
    {"modules",
     "Where the time went in the tree of the model's modules: of devices, of the host",
     plain<answer_modules>,
     {},
     nullptr,
     modules_needed},
    {"gaps",
     "Why devices were idle: late launches, latency between kernels; what a device graph would "
     "save",
     plain<answer_gaps>,
     {},
     nullptr,
     devices_needed},
    {"launches",
     "What launching cost: slow calls, delays, work shorter than its launch, queue lengths",
     ask_launches, launch_parameters, nullptr, devices_needed},
    {"overlap",
     "How much of the communication is hidden by computation",
     plain<answer_overlap>,
     {},
     nullptr,
     collectives_needed},
    {"critical-path",
     "What the run waited for, moment by moment: host, launches, kernels, waits; what bounds it",
     answer_critical_path, path_parameters},
    {"compile",
     "What was compiled, where compiled calls break, and how long compiling took, in steps or not",
     plain<answer_compile>,
     {},
     nullptr,
     compiled_needed},
    {"steps", "How steps differ, which ones take longer, and what is different in them", ask_steps,
     step_parameters, nullptr, steps_needed},
    {"memory",
     "How much memory each device held over time, by category and op; what was not freed",
     plain<answer_memory>,
     {},
     answer_memory_file,
     memory_needed},
    {"threads",
     "Whether host threads are busy and balanced, and what they wait for",
     plain<answer_threads>,
     {},
     nullptr,
     host_needed},
    {"check", "Whether the trace is well formed: nesting, both ends of arrows, launches of kernels",
     plain<answer_check>},
};

}  // namespace

std::span<const Analysis> analyses() {
  return all;
}

Parameters::Parameters(const Analysis& analysis) : analysis_(analysis) {
  for (const Parameter& each : analysis.parameters) values_.emplace(each.name, each.fallback);
}

void Parameters::set(std::string_view name, std::string text) {
  const auto parameter = std::ranges::find(analysis_.parameters, name, &Parameter::name);
  VITRO_CHECK(parameter != analysis_.parameters.end(), analysis_.name, ": no parameter is called ",
              name);
  VITRO_CHECK(parameter->kind != Parameter::Kind::number || number_in<int64_t>(text),
              analysis_.name, ": ", name, " needs an integer, got '", text, "'");
  values_.find(name)->second = std::move(text);
}

const std::string& Parameters::text(std::string_view name) const {
  const auto value = values_.find(name);
  VITRO_CHECK(value != values_.end(), analysis_.name, ": no parameter is called ", name);
  return value->second;
}

std::string needs_of(const Analysis& analysis, const Trace& trace) {
  if (analysis.needs == devices_needed && is_from_vitro(trace))
    return "events of a device; kernels on the CPU are ops: `vitro trace ops` has them";
  return in_words_of_producer(trace, analysis.needs);
}

int64_t Parameters::number(std::string_view name) const {
  const auto value = number_in<int64_t>(text(name));
  VITRO_CHECK(value, analysis_.name, ": ", name, " needs an integer, got '", text(name), "'");
  return *value;
}

bool Parameters::flag(std::string_view name) const {
  return !text(name).empty();
}

}  // namespace vitro::analyze
