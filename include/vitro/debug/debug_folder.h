// All output of the compiler's stages as files: VITRO_COMPILE_DEBUG=1 writes
//   vitro_compile_debug/run_<time>-pid_<n>/<segment>/graph_captured.txt, ..., kernels.cpp, plan.txt
// (VITRO_COMPILE_DEBUG_DIR replaces vitro_compile_debug) and prints the path on stderr.  One folder
// per compiled segment; each stage's file exists as soon as the stage has run.
#pragma once

#include <string>
#include <string_view>

namespace vitro {

// Begins writing below `root` (to a new run folder), or stops if `root` is empty.  Any thread.
void set_debug_folder(std::string_view root);

// The run folder; empty if nothing was written yet.
std::string debug_folder();

}  // namespace vitro
