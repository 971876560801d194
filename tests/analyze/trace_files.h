// Trace files for tests: real ones, and texts written to a temporary folder.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "vitro/analyze/trace.h"

namespace vitro::analyze {

inline std::string real_trace(const std::string& name) {
  return std::string(VITRO_TEST_DATA) + "/traces/" + name;
}

// A folder that is removed with the object; the trace cache is inside it meanwhile.
class TraceFolder {
 public:
  TraceFolder() : path_(testing::TempDir() + "/vitro_traces_XXXXXX") {
    if (!mkdtemp(path_.data())) throw std::runtime_error("no folder for a test");
  }
  ~TraceFolder() { std::filesystem::remove_all(path_); }

  std::string file(const std::string& name, std::string_view bytes) const {
    const std::string path = path_ + "/" + name;
    std::ofstream(path, std::ios::binary) << bytes;
    return path;
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

inline Result<Trace> open_alone(const std::string& path, int threads = 1) {
  return Trace::open(path, {.keep = false, .threads = threads, .progress = false});
}

// Opens a text as a trace.
inline Result<Trace> trace_of(std::string_view text, int threads = 1) {
  const TraceFolder folder;
  return open_alone(folder.file("trace.json", text), threads);
}

}  // namespace vitro::analyze
