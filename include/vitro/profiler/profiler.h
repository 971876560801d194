// Records what a program does, and says where the time went.
//
//   vitro::Profiler profiler;                       // recording begins
//   Tensor y = fast(x);
//   {
//     vitro::RecordFunction range("second call");   // a stretch of time with a name of yours
//     y = fast(x);
//   }
//   profiler.stop();
//   std::cout << profiler.averages().table();       // per name: calls, time, share, rates of
//   kernels profiler.write_trace("trace.json.gz");          // for Perfetto, chrome://tracing, HTA
//
// Recorded are ops (`aten::…`), generated kernels with their bytes and FLOPs, compiled regions,
// your ranges, compile phases, and graph breaks, guard failures, recompiles and fallbacks with
// code, reason and place: on all threads, those included that start later.  An op costs about two
// clock reads while a profiler records and a branch while none does.  What was compiled before is
// not recompiled for the profiler's sake.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "vitro/events/record.h"
#include "vitro/profiler/averages.h"
#include "vitro/profiler/profile.h"

namespace vitro {

// What is recorded besides times, each off by default, and a limit: events/session.h.
using ProfilerOptions = events::SessionOptions;

// One may record at a time in a process; a second is an Error.  Start and stop are safe while other
// threads run; the object itself belongs to one thread at a time.
class Profiler {
 public:
  explicit Profiler(ProfilerOptions options = {});  // starts
  ~Profiler();                                      // stops
  Profiler(const Profiler&) = delete;

  // Stops; does nothing where it does not record.
  void stop();
  // Records again and forgets what it had.
  void start();

  // What was recorded until stop(), as typed records; Error while it records.
  const Profile& profile() const;

  // Sums per name.
  Averages averages() const;

  // Writes a Chrome trace as PyTorch's profiler does, or a Perfetto trace if the name ends in
  // .pftrace or .perfetto-trace; compressed if .gz or .zst come after that.  The file appears whole
  // or not at all.  Error where it cannot be written.
  void write_trace(const std::string& path) const;

 private:
  ProfilerOptions options_;
  bool recording_ = false;
  std::unique_ptr<Profile> profile_;
};

// While it lives, a range of that name is open on this thread.  Costs a branch while nobody
// records.
class RecordFunction {
 public:
  explicit RecordFunction(std::string_view name)
      : begun_(events::recording() && events::record(events::RangeBegin{events::intern(name)})) {}
  RecordFunction(const RecordFunction&) = delete;
  ~RecordFunction() {
    if (begun_) events::record(events::RangeEnd{});
  }

 private:
  bool begun_;
};

}  // namespace vitro
