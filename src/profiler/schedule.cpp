#include "vitro/profiler/schedule.h"

#include "vitro/base/error.h"
#include "vitro/events/rare.h"

namespace vitro {
namespace {

void check(const ScheduleOptions& o) {
  const auto not_negative = [](std::string_view field, int64_t n) {
    VITRO_CHECK(n >= 0, "schedule: ", field, " is ", n, ", needs 0 or more");
  };
  not_negative("skip_first", o.skip_first);
  not_negative("wait", o.wait);
  not_negative("warmup", o.warmup);
  not_negative("repeat", o.repeat);
  VITRO_CHECK(o.active > 0, "schedule: active is ", o.active,
              "; a cycle needs at least one recorded step");
}

ProfilerAction action_of(const ScheduleOptions& o, int64_t step) {
  if (step < o.skip_first) return ProfilerAction::none;
  step -= o.skip_first;
  if (o.skip_first_wait) step += o.wait;
  const int64_t cycle = o.wait + o.warmup + o.active;
  if (o.repeat > 0 && step / cycle >= o.repeat) return ProfilerAction::none;
  const int64_t in_cycle = step % cycle;
  if (in_cycle < o.wait) return ProfilerAction::none;
  if (in_cycle < o.wait + o.warmup) return ProfilerAction::warmup;
  return in_cycle < cycle - 1 ? ProfilerAction::record : ProfilerAction::record_and_save;
}

}  // namespace

Schedule schedule(const ScheduleOptions& options) {
  check(options);
  if (options.warmup == 0) {
    events::keep(events::Message{"profiler", events::Level::warning,
                                 "schedule: no step warms up (warmup = 0), so the first recorded "
                                 "one also pays for the recorder's own start"});
  }
  return [options](int64_t step) { return action_of(options, step); };
}

}  // namespace vitro
