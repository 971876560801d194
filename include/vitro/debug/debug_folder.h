// Everything that the compiler made, as files: VITRO_COMPILE_DEBUG=1 writes
//   vitro_compile_debug/run_<time>-pid_<n>/<segment>/graph_captured.txt, ..., kernels.cpp, plan.txt
// (VITRO_COMPILE_DEBUG_DIR names another place than vitro_compile_debug) and says on stderr where
// that is.  One folder for each compiled segment; each stage's file is there as soon as the stage
// has run.
#pragma once

#include <string>
#include <string_view>

namespace vitro {

// Begins to write below `root` (a new run folder), or ends it where `root` is empty.  Any thread.
void set_debug_folder(std::string_view root);

// The run folder, empty where nothing was written yet.
std::string debug_folder();

}  // namespace vitro
