// Implements Profiler: starts and stops the recorder according to the schedule, and passes each
// cycle to the handler.
#include "vitro/profiler/profiler.h"
#include "vitro/profiler/whole_program.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <optional>
#include <utility>
#include <vector>

#include "profiler/chrome_trace.h"
#include "profiler/perfetto_trace.h"
#include "profiler/rank.h"
#include "profiler/steps.h"
#include "vitro/base/clock.h"
#include "vitro/base/error.h"
#include "vitro/events/session.h"
#include "vitro/report/json.h"
#include "vitro/report/json_check.h"

namespace vitro {
namespace {

bool is_perfetto(std::string_view path) {
  for (const std::string_view packed : {".gz", ".zst"}) {
    if (path.ends_with(packed)) path.remove_suffix(packed.size());
  }
  return path.ends_with(".pftrace") || path.ends_with(".perfetto-trace");
}

// Whether a profiler of this process is running.
std::atomic<bool>& taken() {
  static auto& one = *std::make_unique<std::atomic<bool>>(false).release();
  return one;
}

void warn(std::string text) {
  events::keep(events::Message{"profiler", events::Level::warning, std::move(text)});
}

bool records(ProfilerAction action) {
  return action == ProfilerAction::record || action == ProfilerAction::record_and_save;
}

events::Details details_of(const ProfilerOptions& o) {
  using events::Detail;
  events::Details details;
  if (o.record_shapes) details |= Detail::shapes;
  if (o.with_stack) details |= Detail::stacks;
  if (o.with_modules) details |= Detail::modules;
  if (o.with_flops) details |= Detail::flops;
  if (o.profile_memory) details |= Detail::memory;
  if (o.with_tensors) details |= Detail::tensors | Detail::shapes;
  return details;
}

void check(const ProfilerOptions& options) {
  VITRO_CHECK(
      !options.activities.empty(),
      "Profiler: activities is empty, so there is nothing to record; this process supports cpu");
  const std::vector<Device::Kind> here = supported_activities();
  for (const Device::Kind wanted : options.activities) {
    if (std::ranges::count(here, wanted)) continue;
    std::string names;
    for (const Device::Kind each : here) names += cat(names.empty() ? "" : ", ", Device{each});
    throw_error(cat("Profiler: activities: this process does not support ", Device{wanted},
                    "; it supports ", names));
  }
}

}  // namespace

struct Profiler::State {
  ProfilerOptions options;
  bool started = false, running = false;  // running: between start and stop
  bool records_nothing = false;           // because the whole program is recorded
  bool collecting = true;                 // as set by the user
  bool session = false;                   // the recorder runs for this profiler
  bool stepped = false;                   // step() was called
  ProfilerAction action = ProfilerAction::none;
  int64_t step = 0;
  uint64_t step_begin = 0;         // ticks
  std::vector<StepMark> marks;     // of the cycle
  std::optional<Profile> profile;  // of the cycle, or of all
  std::optional<Profile> earlier;  // kept earlier cycles, not yet merged
  int64_t cycles = 0, forgotten = 0;
  std::vector<std::pair<std::string, std::string>> metadata;

  void open();
  void close(bool keep);
  void begin_cycle();
  void end_cycle();
  void join();
  bool leave(std::optional<ProfilerAction> to);
  void enter(ProfilerAction to);
  void mark();
  ProfilerAction action_of(int64_t of_step) const {
    return options.schedule ? options.schedule(of_step) : ProfilerAction::record;
  }
  // The table's note on cycles, empty if it shows all.
  std::string note() const;
};

void Profiler::State::open() {
  if (!collecting || session) return;
  events::start({.details = details_of(options), .max_bytes = options.max_bytes});
  session = true;
}

void Profiler::State::close(bool keep) {
  if (!session) return;
  session = false;
  events::Recording recording = events::stop();
  if (!keep) return;
  Profile stretch = make_profile(std::move(recording));
  if (profile) {
    append(*profile, std::move(stretch));
  } else {
    profile = std::move(stretch);
  }
}

void Profiler::State::begin_cycle() {
  if (profile && !options.acc_events) {
    if (!options.on_trace_ready && forgotten == 0) {
      warn(
          "a new cycle begins and the recording of the last one is discarded; use on_trace_ready "
          "to process it, or acc_events to keep all");
    }
    ++forgotten;
    profile.reset();
  }
  join();
  earlier = std::exchange(profile, {});
  ++cycles;
  open();
}

// Appends the cycle to the earlier ones, after it has ended, since its steps are inserted only
// among its own slices.
void Profiler::State::join() {
  if (!earlier) return;
  if (profile) append(*earlier, std::move(*profile));
  profile = std::exchange(earlier, {});
}

void Profiler::State::end_cycle() {
  mark();
  close(true);
  if (!profile) profile.emplace();  // collecting was off
  add_steps(*profile, marks);
  marks.clear();
}

// Ends what the current action began; no next action: the profiler stops.  True if a trace is
// ready.
bool Profiler::State::leave(std::optional<ProfilerAction> to) {
  switch (action) {
    case ProfilerAction::none:
      return false;
    case ProfilerAction::warmup:
      close(false);
      if (to == ProfilerAction::none)
        warn("schedule: a warm-up step is followed by a step that is not recorded");
      return false;
    case ProfilerAction::record:
      if (to && records(*to)) {
        mark();
        return false;
      }
      if (to) warn("schedule: a cycle ends without record_and_save, so there is no trace");
      end_cycle();
      return !to;
    case ProfilerAction::record_and_save:
      end_cycle();
      return true;
  }
  return false;
}

void Profiler::State::enter(ProfilerAction to) {
  const bool goes_on = action == ProfilerAction::record && records(to);
  action = to;
  if (to == ProfilerAction::warmup) open();
  if (records(to) && !goes_on) begin_cycle();
}

// Ends the current step.  Without a schedule, what follows the last step() is not a step.
void Profiler::State::mark() {
  const bool ends = running || options.schedule;
  if (stepped && session && ends) marks.push_back({step, step_begin, ticks(), syscall(SYS_gettid)});
}

std::string Profiler::State::note() const {
  if (forgotten == 0) return {};
  return cat("Cycle ", cycles, ": the ", forgotten, " before it are discarded (acc_events)");
}

Profiler::Profiler(ProfilerOptions options) : state_(std::make_unique<State>()) {
  check(options);
  state_->options = std::move(options);
  if (state_->options.start_at_once) start();
}

Profiler::~Profiler() {
  try {
    if (state_->options.on_trace_ready) stop();
  } catch (const std::exception& e) {
    warn(cat("on_trace_ready: ", e.what()));
  }
  if (!state_->running) return;
  state_->close(false);
  taken() = false;
}

void Profiler::start() {
  State& s = *state_;
  VITRO_CHECK(!s.running, "Profiler: already running; call stop() before starting again");
  if (taken().exchange(true)) {
    VITRO_CHECK(is_whole_program_recorded(),
                "Profiler: another one is recording in this process; stop it first");
    warn("the whole program is recorded (VITRO_PROFILE), so its own Profiler records nothing");
    s.profile.emplace();
    s.started = s.records_nothing = true;
    return;
  }
  if (!s.options.acc_events) s.profile.reset();
  s.step = s.cycles = s.forgotten = 0;
  s.stepped = bool(s.options.schedule);
  s.collecting = true;
  s.action = ProfilerAction::none;
  try {
    s.enter(s.action_of(0));
  } catch (...) {
    taken() = false;
    throw;
  }
  s.started = s.running = true;
  s.step_begin = ticks();
}

void Profiler::stop() {
  State& s = *state_;
  if (!s.running) return;
  s.running = false;
  struct Release {
    ~Release() { taken() = false; }
  } release;
  const bool ready = s.leave(std::nullopt);
  s.action = ProfilerAction::none;
  if (ready && s.options.on_trace_ready) s.options.on_trace_ready(*this);
}

void Profiler::step() {
  State& s = *state_;
  if (!s.running) return;
  s.stepped = true;
  const ProfilerAction next = s.action_of(s.step + 1);
  const bool ready = s.leave(next);
  ++s.step;
  if (ready && s.options.on_trace_ready) s.options.on_trace_ready(*this);
  s.enter(next);
  s.step_begin = ticks();
}

int64_t Profiler::step_number() const {
  return state_->step;
}

void Profiler::set_collecting(bool collecting) {
  State& s = *state_;
  s.collecting = collecting;
  if (!collecting) return s.close(records(s.action));
  if (s.running && s.action != ProfilerAction::none) s.open();
}

void Profiler::add_metadata(std::string key, std::string_view text) {
  report::TextOutput out;
  report::Json(out).value(text);
  out.finish();
  add_metadata_json(std::move(key), out.text());
}

void Profiler::add_metadata_json(std::string key, std::string json) {
  const Verdict fits = report::can_be_json(json);
  VITRO_CHECK(fits, "add_metadata_json: ", key, ": the value is not valid JSON: ", fits.why,
              " (use add_metadata for text)");
  VITRO_CHECK(!std::ranges::count(own_trace_keys, key), "add_metadata: a trace has its own \"", key,
              "\"; use another key");
  auto& all = state_->metadata;
  const auto found = std::ranges::find(all, key, &std::pair<std::string, std::string>::first);
  if (found != all.end()) {
    found->second = std::move(json);
  } else {
    all.emplace_back(std::move(key), std::move(json));
  }
}

const Profile& Profiler::profile() const {
  VITRO_CHECK(!state_->session, "Profiler: still recording; call stop() first");
  VITRO_CHECK(state_->started, "Profiler: not started, so nothing is recorded; call start()");
  state_->join();
  VITRO_CHECK(state_->profile, "Profiler: nothing was recorded: among ", state_->step + 1,
              " steps the schedule records none that has ended");
  return *state_->profile;
}

Averages Profiler::key_averages(const GroupBy& group) const {
  return Averages(profile(), {.group = group,
                              .memory = state_->options.profile_memory,
                              .peaks = known_peaks(),
                              .note = state_->note()});
}

bool Profiler::has_what_to_write(const std::string& path) const {
  if (!state_->records_nothing) return true;
  warn(cat(path, " is not written: its contents are in the trace of the whole program"));
  return false;
}

void Profiler::write_trace(const std::string& path) const {
  const Profile& recorded = profile();
  const std::string file = fill_in(path);
  if (!has_what_to_write(file)) return;
  TraceOptions options{
      .name = file, .profile_memory = state_->options.profile_memory, .metadata = state_->metadata};
  if (const auto rank = this_rank())
    options.metadata.insert(options.metadata.begin(), {"distributedInfo", distributed_info(*rank)});
  const auto out = report::create_file(file);
  const auto write = is_perfetto(file) ? write_perfetto_trace : write_chrome_trace;
  write(recorded, options, *out);
  out->finish();
}

std::vector<Device::Kind> supported_activities() {
  return {Device::Kind::cpu};
}

void init_for_device_graphs() {
  if (taken()) return;
  Profiler().stop();
}

}  // namespace vitro
