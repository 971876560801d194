// Each kernel of a profile under what the machine can reach, as a picture.
//   vitro::write_roofline("roofline.svg", profiler.profile(), *vitro::known_peaks());
#pragma once

#include <string>

#include "vitro/profiler/peaks.h"
#include "vitro/profiler/profile.h"

namespace vitro {

// Writes an SVG for light and dark ground: operations per byte to the right, GFLOP/s upwards, both
// logarithmic; a sloping line for each level of memory, a level one for each dtype, a point for
// each kernel with its name, calls and share of the peak as a tooltip.  Kernels that compute
// nothing have no place in it: a line below counts them.  Error where the file cannot be written.
void write_roofline(const std::string& path, const Profile& profile, const Peaks& peaks);

}  // namespace vitro
