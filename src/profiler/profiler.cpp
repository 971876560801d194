#include "vitro/profiler/profiler.h"

#include "profiler/chrome_trace.h"
#include "vitro/base/error.h"

namespace vitro {

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
  write_chrome_trace(recorded, {.name = path, .profile_memory = options_.profile_memory}, *out);
  out->finish();
}

}  // namespace vitro
