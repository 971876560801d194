#include "vitro/profiler/profiler.h"

#include "profiler/chrome_trace.h"
#include "profiler/perfetto_trace.h"
#include "vitro/base/error.h"

namespace vitro {

namespace {

bool is_perfetto(std::string_view path) {
  for (const std::string_view packed : {".gz", ".zst"}) {
    if (path.ends_with(packed)) path.remove_suffix(packed.size());
  }
  return path.ends_with(".pftrace") || path.ends_with(".perfetto-trace");
}

}  // namespace

Profiler::Profiler(ProfilerOptions options) : options_(options) {
  start();
}

Profiler::~Profiler() {
  if (recording_) events::stop();
}

void Profiler::start() {
  VITRO_CHECK(
      !events::recording(),
      "Profiler: another one records in this process; stop it first (or unset VITRO_PROFILE)");
  events::start(options_);
  recording_ = true;
  profile_.reset();
}

void Profiler::stop() {
  if (!recording_) return;
  recording_ = false;
  profile_ = std::make_unique<Profile>(make_profile(events::stop()));
}

const Profile& Profiler::profile() const {
  VITRO_CHECK(profile_, "Profiler: it still records; call stop() first");
  return *profile_;
}

Averages Profiler::averages() const {
  return Averages(profile(), options_.profile_memory);
}

void Profiler::write_trace(const std::string& path) const {
  const Profile& recorded = profile();
  const auto out = report::create_file(path);
  const TraceOptions options{.name = path, .profile_memory = options_.profile_memory};
  const auto write = is_perfetto(path) ? write_perfetto_trace : write_chrome_trace;
  write(recorded, options, *out);
  out->finish();
}

}  // namespace vitro
