// The files that a profiler writes besides traces.

#include "profiler/execution_trace.h"
#include "profiler/memory_timeline.h"
#include "profiler/rank.h"
#include "vitro/base/cat.h"
#include "vitro/base/error.h"
#include "vitro/profiler/call_tree.h"
#include "vitro/profiler/profiler.h"
#include "vitro/report/output.h"

namespace vitro {
namespace {

std::string file_name(std::string_view path) {
  const size_t slash = path.rfind('/');
  return std::string(slash == std::string_view::npos ? path : path.substr(slash + 1));
}

std::string_view without_packing(std::string_view path) {
  for (const std::string_view packed : {".gz", ".zst"}) {
    if (path.ends_with(packed)) path.remove_suffix(packed.size());
  }
  return path;
}

// Calls write(file, out) with the placeholders of the name replaced.
void write_file(const std::string& path, auto write) {
  const std::string file = fill_in(path);
  const auto out = report::create_file(file);
  write(file, *out);
  out->finish();
}

}  // namespace

void Profiler::export_stacks(const std::string& path, std::string_view metric,
                             bool functions) const {
  if (!has_what_to_write(path)) return;
  const CallTree tree(profile(), metric_named(metric), functions);
  write_file(path, [&](const std::string&, report::Output& out) { write_stacks(tree, out); });
}

void Profiler::write_flame_graph(const std::string& path, std::string_view metric,
                                 bool functions) const {
  if (!has_what_to_write(path)) return;
  const CallTree tree(profile(), metric_named(metric), functions);
  write_file(path, [&](const std::string& file, report::Output& out) {
    vitro::write_flame_graph(tree, cat(file_name(file), ": ", metric), out);
  });
}

void Profiler::export_memory_timeline(const std::string& path) const {
  if (!has_what_to_write(path)) return;
  const Profile& recorded = profile();
  VITRO_CHECK(recorded.options.details.have(events::Detail::memory), path,
              ": the profiler did not record memory; start it with profile_memory = true");
  write_file(path, [&](const std::string& file, report::Output& out) {
    const std::string_view name = without_packing(file);
    if (name.ends_with(".html")) return write_memory_page(recorded, file_name(file), out);
    name.ends_with(".raw.json") ? write_memory_raw(recorded, out)
                                : write_memory_json(recorded, out);
  });
}

void Profiler::write_execution_trace(const std::string& path) const {
  if (!has_what_to_write(path)) return;
  const Profile& recorded = profile();
  write_file(path, [&](const std::string&, report::Output& out) {
    vitro::write_execution_trace(recorded, out);
  });
}

}  // namespace vitro
