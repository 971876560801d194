// The measured figures of a machine, as a small text file with one figure per line:
//   vitro machine 2
//   threads 2
//   level L1 65536 201.5 402.1
//   rate f32 avx512f 236.9 471.2
//   processor AMD EPYC 9654 (family 25, model 17, stepping 1)
#pragma once

#include <optional>
#include <string>

#include "vitro/profiler/peaks.h"

namespace vitro {

// The file for the figures of this machine (processor, features, caches) with this many threads;
// empty without a cache folder.
std::string peaks_file(int threads);

// Nothing if the file does not exist or is not entirely valid.
std::optional<Peaks> read_peaks(const std::string& path, int threads);

// Creates the folder if necessary.  If it cannot be written, the figures are not kept.
void write_peaks(const std::string& path, const Peaks& peaks);

}  // namespace vitro
