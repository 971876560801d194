// Profiling an unmodified program: VITRO_PROFILE and VITRO_PROFILE_OPTIONS, and `vitro profile`,
// which sets them.
//   VITRO_PROFILE=trace.json.gz VITRO_PROFILE_OPTIONS=record_shapes,table,row_limit=20 ./program
//   vitro profile --output trace.json.gz --record-shapes --table --row-limit 20 -- ./program
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "vitro/profiler/averages.h"
#include "vitro/profiler/options.h"

namespace vitro {

struct WholeProgram {
  ProfilerOptions profiler;
  bool table = false;                // print the averages to stderr at the end
  std::string table_file;            // write them to a file: .csv, .json, or as a table
  std::string roofline_file;         // draw a roofline plot of the kernels, as SVG
  std::string flame_graph_file;      // draw where the time went, as SVG
  std::string memory_timeline_file;  // write memory over time; with profile_memory
  std::string execution_trace_file;  // write dependencies; with with_tensors
  GroupBy group;
  TableOptions rows;
};

// A field that can be set by text: by VITRO_PROFILE_OPTIONS and on the command line.
struct ProfileSetting {
  enum class Takes : uint8_t { nothing, number, text };

  std::string_view name, help;
  Takes takes;
  void (*set)(WholeProgram& program, std::string_view value);  // Error if invalid
};
std::span<const ProfileSetting> profile_settings();

// Applies settings such as "record_shapes,row_limit=20".  Throws Error if they are invalid.
void apply_settings(WholeProgram& program, std::string_view text);

// Prints the table and writes the files that `wanted` asks for, of a stopped profiler; not the
// trace.
void write_profile(const Profiler& profiler, const WholeProgram& wanted);

// Whether VITRO_PROFILE records this process now.
bool is_whole_program_recorded();

// Throws Error unless the name of a trace ends in .json, .pftrace or .perfetto-trace, possibly
// followed by .gz or .zst.  A name without an ending means JSON.
void check_trace_name(std::string_view path);

// Set by `vitro profile`: a file in which the program reports, one line each:
//   begun PID           libvitro was loaded and records
//   trace PID FILE      the trace was written
//   failed PID REASON   it was not written
inline constexpr const char* profile_status_variable = "VITRO_PROFILE_STATUS";

}  // namespace vitro
