// What is true of every file and every table of a profile.
#pragma once

#include "vitro/profiler/profiler.h"

namespace vitro {

// Chrome and Perfetto traces have every slice, instant, counter and arrow of the profile, nested
// and with both ends; nodes of execution traces lie in each other; memory over time adds up.
void expect_sound_files(const Profile& profile);

// Every slice is in the sums, however they are grouped, and all own time in the tree.
void expect_sound_sums(const Profiler& profiler);

// Of all that was recorded: allocated less freed.
int64_t bytes_of(const Profile& profile);

}  // namespace vitro
