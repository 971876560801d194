// What was measured of a machine, as a small file of words, one figure a line:
//   vitro machine 1
//   threads 2
//   level L1 65536 201.5 402.1
//   rate f32 avx512f 236.9 471.2
//   processor AMD EPYC 9654 (family 25, model 17, stepping 1)
#pragma once

#include <optional>
#include <string>

#include "vitro/profiler/peaks.h"

namespace vitro {

// Where the figures of this machine (processor, features, caches) with so many threads are kept;
// empty where there is no cache folder.
std::string peaks_file(int threads);

// Nothing where there is no such file, or where it is not wholly what it should be.
std::optional<Peaks> read_peaks(const std::string& path, int threads);

// Makes the folder if need be.  Where it cannot be written the figures are only not kept.
void write_peaks(const std::string& path, const Peaks& peaks);

}  // namespace vitro
