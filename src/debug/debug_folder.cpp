// Writes the artifacts of compiler stages to a folder per segment if VITRO_COMPILE_DEBUG is set;
// listens to them from the loading of the library.
#include "vitro/debug/debug_folder.h"

#include <unistd.h>

#include <cstdio>
#include <ctime>
#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <system_error>

#include "vitro/base/cat.h"
#include "vitro/base/option.h"
#include "vitro/compile/artifacts.h"

namespace vitro {
namespace {

Option<bool> debug_option{"VITRO_COMPILE_DEBUG", false,
                          "write the output of every compiler stage to files"};
Option<std::string> folder_option{"VITRO_COMPILE_DEBUG_DIR", "vitro_compile_debug",
                                  "the folder for VITRO_COMPILE_DEBUG"};

struct State {
  std::mutex lock;
  std::filesystem::path root, run;  // `run`: set once something was written
  std::map<std::string, std::filesystem::path, std::less<>> folders;  // of segments
  std::set<std::filesystem::path> taken;
  bool failed = false;
};

State& state() {
  static auto* one = new State;
  return *one;
}

// A name sanitised as part of a path, so that it cannot lead out of the folder.
std::string file_name(std::string_view name) {
  std::string out(name);
  for (char& c : out) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '_' || c == '-' || c == '.';
    if (!plain) c = '_';
  }
  return out.empty() || out[0] == '.' ? cat('_', out) : out;
}

std::string run_name() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  localtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y_%m_%d_%H_%M_%S", &parts);
  return cat("run_", text, "-pid_", static_cast<int64_t>(getpid()));
}

// A folder unique to a segment: two functions may have the same name.
std::filesystem::path new_folder(State& s, std::string_view segment) {
  const std::string name = file_name(segment);
  std::filesystem::path path = s.run / name;
  for (int n = 1; !s.taken.insert(path).second; ++n) path = s.run / cat(name, "_", n);
  return path;
}

// The path of the file; an existing file begins a new segment of the same name.
std::filesystem::path path_of(State& s, std::string_view segment, std::string_view file) {
  if (s.run.empty()) {
    s.run = s.root / run_name();
    std::fprintf(stderr, "vitro: the compiler's output is written to %s\n",
                 std::filesystem::absolute(s.run).c_str());
  }
  auto found = s.folders.find(segment);
  if (found == s.folders.end() || std::filesystem::exists(found->second / file_name(file))) {
    found = s.folders.insert_or_assign(std::string(segment), new_folder(s, segment)).first;
  }
  std::filesystem::create_directories(found->second);
  return found->second / file_name(file);
}

void write(const std::filesystem::path& path, std::string_view text) {
  std::FILE* out = std::fopen(path.c_str(), "wb");
  if (!out)
    throw std::filesystem::filesystem_error("cannot write", path, {errno, std::generic_category()});
  const bool whole = std::fwrite(text.data(), 1, text.size(), out) == text.size();
  if (std::fclose(out) != 0 || !whole)
    throw std::filesystem::filesystem_error("cannot write", path, {errno, std::generic_category()});
}

// A write error is reported once; the program continues.
void take_artifact(std::string_view segment, std::string_view file, std::string_view text) {
  State& s = state();
  std::lock_guard hold(s.lock);
  if (s.failed || s.root.empty()) return;
  try {
    write(path_of(s, segment, file), text);
  } catch (const std::filesystem::filesystem_error& error) {
    s.failed = true;
    std::fprintf(stderr, "vitro [debug] warning: VITRO_COMPILE_DEBUG: %s\n", error.what());
  }
}

}  // namespace

void set_debug_folder(std::string_view root) {
  State& s = state();
  {
    std::lock_guard hold(s.lock);
    s.root = root;
    s.run.clear();
    s.folders.clear();
    s.taken.clear();
    s.failed = false;
  }
  artifacts::take(root.empty() ? nullptr : take_artifact);
}

std::string debug_folder() {
  State& s = state();
  std::lock_guard hold(s.lock);
  return s.run.string();
}

namespace {

// Active from the moment the library is loaded; in this file, after the options that it reads.
[[maybe_unused]] const bool started = [] {
  if (debug_option.get()) set_debug_folder(folder_option.get());
  return true;
}();

}  // namespace
}  // namespace vitro
