// VITRO_PROFILE=trace.json.gz ./program: records an unchanged program from the loading of the
// library to its exit.

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>

#include "vitro/base/option.h"
#include "vitro/profiler/profiler.h"

namespace vitro {
namespace {

Option<std::string> path{
    "VITRO_PROFILE", "",
    "record the whole program and write its trace to this file, .json, .json.gz or .json.zst"};

std::unique_ptr<Profiler>& whole_program() {
  static auto* profiler = new std::unique_ptr<Profiler>;
  return *profiler;
}

void write_at_exit() {
  const std::unique_ptr<Profiler> profiler = std::move(whole_program());
  const std::string file = path.get();
  try {
    profiler->stop();
    profiler->write_trace(file);
    std::fprintf(stderr, "vitro: the trace of this program is in %s\n", file.c_str());
  } catch (const std::exception& e) {
    std::fprintf(stderr, "vitro: no trace was written: %s\n", e.what());
  }
}

const bool begun = [] {
  if (path.get().empty()) return false;
  whole_program() = std::make_unique<Profiler>();
  return std::atexit(write_at_exit) == 0;
}();

}  // namespace
}  // namespace vitro
