// A roofline plot: each kernel of a profile under the peak rates of the machine.
//   vitro::write_roofline("roofline.svg", profiler.profile(), *vitro::known_peaks());
#pragma once

#include <string>

#include "vitro/profiler/peaks.h"
#include "vitro/profiler/profile.h"

namespace vitro {

// Writes an SVG for light and dark mode: operations per byte on the x axis, GFLOP/s on the y axis,
// both logarithmic; a sloping line for each memory level, a horizontal one for each dtype, a point
// for each kernel with its name, calls and share of the peak as a tooltip.  Kernels without
// operations cannot be placed: a line below counts them.  Throws Error if the file cannot be
// written.
void write_roofline(const std::string& path, const Profile& profile, const Peaks& peaks);

}  // namespace vitro
