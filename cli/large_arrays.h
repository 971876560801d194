// The program's large arrays, in files instead of in memory.
#pragma once

namespace vitro::cli {

// From here on, for as long as the program runs.
void keep_large_arrays_in_files();

}  // namespace vitro::cli
