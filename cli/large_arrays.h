// The program's large arrays: the first 64 MiB of them in memory, the others in files.
#pragma once

namespace vitro::cli {

// From here on, for as long as the program runs.
void keep_large_arrays_in_files();

}  // namespace vitro::cli
