// Keeps the first 64 MiB of the program's large arrays in memory, the others in files.
#pragma once

namespace vitro::cli {

// From this call on, for the rest of the program.
void keep_large_arrays_in_files();

}  // namespace vitro::cli
