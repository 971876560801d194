// Invariants of all files and tables of a profile.
#pragma once

#include "vitro/profiler/profiler.h"

namespace vitro {

// Chrome and Perfetto traces contain every slice, instant, counter and arrow of the profile, nested
// and with both ends; nodes of execution traces nest; memory over time adds up.
void expect_sound_files(const Profile& profile);

// Every slice is in the sums, however they are grouped, and all self time is in the tree.
void expect_sound_sums(const Profiler& profiler);

// Over everything recorded: allocated minus freed.
int64_t bytes_of(const Profile& profile);

}  // namespace vitro
