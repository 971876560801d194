// `vitro profile`: profiles an unmodified program, or a model.  Runs a program with variables that
// make libvitro record (vitro/profiler/whole_program.h), and reports where the trace is.
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <sstream>

#include "command.h"
#include "model_inputs.h"
#include "profile_model.h"
#include "vitro/base/error.h"
#include "vitro/profiler/whole_program.h"

extern char** environ;

namespace vitro::cli {
namespace {

// As shells report it.
constexpr int not_executable = 126, not_found = 127, of_signal = 128;

// The default output, and the name given to a trace that is already there.
constexpr const char *usual_output = "trace.json.gz", *earlier_output = "trace.old.json.gz";

struct Setting {
  std::string output = usual_output;
  std::map<std::string_view, std::string> given;  // values of profile_settings()
  std::vector<std::string> program;
  bool is_usual = true;  // the default output
  ProfileModelSetting of_model;
  bool is_model() const { return program.size() == 1 && names_model(program[0]); }
};

std::string settings_text(const Setting& setting) {
  std::string text;
  for (const auto& [name, value] : setting.given) {
    VITRO_CHECK(value.find(',') == std::string::npos, name, ": got \"", value,
                "\", which contains a comma and cannot be passed on");
    text += cat(text.empty() ? "" : ",", name, value.empty() ? "" : "=", value);
  }
  WholeProgram tried;
  apply_settings(tried, text);
  return text;
}

// A file in which programs report (vitro/profiler/whole_program.h), removed with this object.
class Status {
 public:
  Status() {
    const int file = mkstemp(name_);
    VITRO_CHECK(file >= 0, name_, ": cannot be created: ", std::strerror(errno));
    close(file);
    setenv(profile_status_variable, name_, 1);
  }
  Status(const Status&) = delete;
  ~Status() { unlink(name_); }

  // The text after the process number on each line with this word.
  std::vector<std::string> reported(const std::string& wanted) const {
    std::vector<std::string> found;
    std::ifstream file(name_);
    for (std::string line; std::getline(file, line);) {
      std::istringstream words(line);
      std::string word, pid, rest;
      words >> word >> pid >> std::ws;
      std::getline(words, rest);
      if (word == wanted) found.push_back(rest);
    }
    return found;
  }

 private:
  char name_[40] = "/tmp/vitro_profile.XXXXXX";
};

// Runs the program as a child that receives the terminal's signals, which this process ignores
// while waiting.  Returns its status, or the negated error number if it did not start.
int run_and_wait(const std::vector<std::string>& program) {
  std::vector<char*> words;
  for (const std::string& word : program) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t ends;
  sigemptyset(&ends);
  for (const int number : {SIGINT, SIGQUIT}) {
    sigaddset(&ends, number);
    std::signal(number, SIG_IGN);
  }
  posix_spawnattr_setsigdefault(&attributes, &ends);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  pid_t child = 0;
  const int failed = posix_spawnp(&child, words[0], nullptr, &attributes, words.data(), environ);
  posix_spawnattr_destroy(&attributes);
  if (failed != 0) return -failed;
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

std::string how_it_ended(int status) {
  if (WIFSIGNALED(status))
    return cat("was terminated by signal ", WTERMSIG(status), " (", strsignal(WTERMSIG(status)),
               ")");
  return cat("exited with code ", WEXITSTATUS(status));
}

// Reports where the traces are, or why there is none, which is a failure.
bool report_traces(const Status& status_file, const std::string& program, int status) {
  const std::vector<std::string> traces = status_file.reported("trace"),
                                 failed = status_file.reported("failed");
  for (const std::string& file : traces)
    std::fprintf(stderr, "vitro profile: the trace is in %s\n", file.c_str());
  if (!traces.empty()) return true;
  const std::string name = cat("vitro profile: ", program, " ", how_it_ended(status));
  if (!failed.empty()) {
    std::fprintf(stderr, "%s; there is no trace: %s\n", name.c_str(), failed[0].c_str());
  } else if (!status_file.reported("begun").empty()) {
    std::fprintf(
        stderr,
        "%s before its trace was written: traces are written when a program returns from main "
        "or calls exit(), not when it crashes, is killed, or calls _exit()\n",
        name.c_str());
  } else {
    std::fprintf(stderr,
                 "%s, but it did not load libvitro, so there was nothing to record: link it with "
                 "vitro::vitro (`ldd PROGRAM` then shows libvitro.so)\n",
                 name.c_str());
  }
  return false;
}

// Sets aside an earlier trace of the default name until there is a new one, and restores it if
// there is none.  A file named by the user is replaced, as with a compiler's -o.
class EarlierTrace {
 public:
  explicit EarlierTrace(bool is_usual) {
    is_aside_ = is_usual && std::rename(usual_output, earlier_output) == 0;
  }
  EarlierTrace(const EarlierTrace&) = delete;
  ~EarlierTrace() {
    if (!is_aside_) return;
    if (std::filesystem::exists(usual_output)) {
      std::fprintf(stderr, "vitro profile: the previous trace is in %s\n", earlier_output);
    } else if (std::rename(earlier_output, usual_output) != 0) {
      std::fprintf(stderr, "vitro profile: the previous trace stays in %s: %s\n", earlier_output,
                   std::strerror(errno));
    }
  }

 private:
  bool is_aside_ = false;
};

int run_model(const Setting& setting) {
  try {
    check_trace_name(setting.output);
    WholeProgram wanted;
    apply_settings(wanted, settings_text(setting));
    ProfileModelSetting of_model = setting.of_model;
    of_model.output = setting.output;
    const EarlierTrace earlier(setting.is_usual);
    profile_model(setting.program[0], of_model, wanted);
  } catch (const Error& e) {
    return std::fprintf(stderr, "vitro profile: %s\n", e.what()), bad_usage;
  }
  std::fprintf(stderr, "vitro profile: the trace is in %s\n", setting.output.c_str());
  return 0;
}

int run(const Setting& setting) {
  if (setting.program.empty()) {
    std::fprintf(stderr,
                 "vitro profile: which program? vitro profile [options] -- PROGRAM …, or "
                 "vitro profile MODEL.pt2 [options]\n");
    return bad_usage;
  }
  if (setting.is_model()) return run_model(setting);
  const std::string& name = setting.program[0];
  std::string text;
  try {
    text = settings_text(setting);
    check_trace_name(setting.output);
  } catch (const Error& e) {
    return std::fprintf(stderr, "vitro profile: %s\n", e.what()), bad_usage;
  }
  const std::string output = std::filesystem::absolute(setting.output);
  const EarlierTrace earlier(setting.is_usual);
  setenv("VITRO_PROFILE", output.c_str(), 1);
  setenv("VITRO_PROFILE_OPTIONS", text.c_str(), 1);
  const Status status_file;
  const int status = run_and_wait(setting.program);
  if (status < 0) {
    std::fprintf(stderr, "vitro profile: %s: %s\n", name.c_str(), std::strerror(-status));
    return status == -ENOENT ? not_found : not_executable;
  }
  const bool written = report_traces(status_file, name, status);
  if (WIFSIGNALED(status)) return of_signal + WTERMSIG(status);
  return WEXITSTATUS(status) == 0 && !written ? 1 : WEXITSTATUS(status);
}

std::string flag_of(std::string_view name) {
  std::string flag = cat("--", name);
  std::ranges::replace(flag, '_', '-');
  return flag;
}

std::function<int()> declare(CLI::App& app) {
  auto setting = std::make_shared<Setting>();
  const CLI::Option* output =
      app.add_option(
             "-o,--output", setting->output,
             "the trace: .json or .pftrace, with .gz or .zst; {rank} and {pid} are replaced")
          ->capture_default_str();
  for (const ProfileSetting& each : profile_settings()) {
    const std::string flag = flag_of(each.name), help(each.help);
    if (each.takes == ProfileSetting::Takes::nothing) {
      app.add_flag_callback(flag, [setting, name = each.name] { setting->given[name]; }, help);
    } else {
      app.add_option_function<std::string>(
          flag, [setting, name = each.name](const std::string& v) { setting->given[name] = v; },
          help);
    }
  }
  app.add_option(
      "--input", setting->of_model.inputs,
      cat("of a model: ", input_words, "; inputs without one are the export's example, or random"));
  app.add_option("--model", setting->of_model.model, "one of the models in the file");
  app.add_option("--steps", setting->of_model.steps, "of a model: calls to record")
      ->capture_default_str();
  app.add_flag("--eager", setting->of_model.eager, "of a model: op by op, not compiled");
  app.add_option("program", setting->program,
                 "the program and its arguments, after --; or a model, .pt2 or .vitro");
  app.footer(
      "A model is compiled and called before the recording begins; then its kernels are listed "
      "with the lines and modules of the model's Python code.");
  return [setting, output] {
    setting->is_usual = output->count() == 0;
    return run(*setting);
  };
}

const AddCommand profile(
    "profile", "Profile a program that uses Vitro, without changing it, or a model (.pt2)",
    declare);

}  // namespace
}  // namespace vitro::cli
