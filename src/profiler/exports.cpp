// The files that a profiler writes beside traces.

#include "vitro/base/cat.h"
#include "vitro/profiler/call_tree.h"
#include "vitro/profiler/profiler.h"
#include "vitro/report/output.h"

namespace vitro {
namespace {

std::string file_name(std::string_view path) {
  const size_t slash = path.rfind('/');
  return std::string(slash == std::string_view::npos ? path : path.substr(slash + 1));
}

}  // namespace

void Profiler::export_stacks(const std::string& path, std::string_view metric) const {
  const CallTree tree(profile(), metric_named(metric));
  const auto out = report::create_file(path);
  write_stacks(tree, *out);
  out->finish();
}

void Profiler::write_flame_graph(const std::string& path, std::string_view metric) const {
  const CallTree tree(profile(), metric_named(metric));
  const auto out = report::create_file(path);
  vitro::write_flame_graph(tree, cat(file_name(path), ": ", metric), *out);
  out->finish();
}

}  // namespace vitro
