// Profiling a program that nobody changed: VITRO_PROFILE and VITRO_PROFILE_OPTIONS, and `vitro
// profile`, which sets them.
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
  bool table = false;                // print the averages on stderr at the end
  std::string table_file;            // write them: .csv, .json, or as a table
  std::string roofline_file;         // draw each kernel under what the machine can reach, as SVG
  std::string flame_graph_file;      // draw where the time went, as SVG
  std::string memory_timeline_file;  // write memory over time; with profile_memory
  std::string execution_trace_file;  // write what depends on what; with with_tensors
  GroupBy group;
  TableOptions rows;
};

// A field of it that a text can set: what VITRO_PROFILE_OPTIONS and the command line take.
struct ProfileSetting {
  enum class Takes : uint8_t { nothing, number, text };

  std::string_view name, help;
  Takes takes;
  void (*set)(WholeProgram& program, std::string_view value);  // Error where it cannot be read
};
std::span<const ProfileSetting> profile_settings();

// Sets what "record_shapes,row_limit=20" says.  Error where it cannot be read.
void apply_settings(WholeProgram& program, std::string_view text);

// Whether VITRO_PROFILE records this process now.
bool is_whole_program_recorded();

// Error where the name of a trace ends like no trace: .json, .pftrace or .perfetto-trace, with .gz
// or .zst after that.  A name without an ending is one of JSON.
void check_trace_name(std::string_view path);

// Set by `vitro profile`: a file that the program tells what it does, a line each.
//   begun PID           libvitro was loaded and records
//   trace PID FILE      the trace was written
//   failed PID REASON   it was not
inline constexpr const char* profile_status_variable = "VITRO_PROFILE_STATUS";

}  // namespace vitro
