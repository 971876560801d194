// VITRO_PROFILE=trace.json.gz ./program: records an unmodified program from the loading of the
// library to its exit, or to the signal that ends it.

#include "vitro/profiler/whole_program.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <memory>
#include <mutex>
#include <thread>

#include "profiler/rank.h"
#include "vitro/base/error.h"
#include "vitro/base/option.h"
#include "vitro/base/variables.h"
#include "vitro/profiler/profiler.h"
#include "vitro/profiler/roofline.h"
#include "vitro/report/output.h"
#include "vitro/report/table.h"

namespace vitro {
namespace {

Option<std::string> path{
    "VITRO_PROFILE", "",
    "record the whole program and write its trace to this file, .json, .pftrace, with .gz or .zst"};
Option<std::string> settings{
    "VITRO_PROFILE_OPTIONS", "",
    "what VITRO_PROFILE records and prints: record_shapes,with_stack,table,row_limit=20,…"};

// A recorded process announces this to its child processes.
constexpr const char* recorded_variable = "VITRO_PROFILE_OF";
const KnownVariable known_variables[] = {KnownVariable(recorded_variable),
                                         KnownVariable(profile_status_variable)};

// The file in which `vitro profile` receives reports; none if it is not running.
class Status {
 public:
  Status() {
    if (const char* name = std::getenv(profile_status_variable))
      file_ = open(name, O_RDWR | O_APPEND | O_CLOEXEC);
    if (file_ >= 0) flock(file_, LOCK_EX);
  }
  Status(const Status&) = delete;
  ~Status() {
    if (file_ >= 0) close(file_);
  }
  bool is_asked_for() const { return file_ >= 0; }
  void tell(std::string_view what, std::string_view more) const {
    const std::string line = cat(what, " ", getpid(), more.empty() ? "" : " ", more, "\n");
    if (file_ >= 0 && write(file_, line.data(), line.size()) < 0) return;  // no longer listening
  }
  // Whether another process wrote a file of that name.
  bool has_trace(const std::string& file) const {
    std::string all(1 << 16, '\0');
    const ssize_t size = file_ < 0 ? 0 : pread(file_, all.data(), all.size(), 0);
    all.resize(static_cast<size_t>(std::max<ssize_t>(size, 0)));
    return all.find(cat(" ", file, "\n")) != std::string::npos;
  }

 private:
  int file_ = -1;
};

struct Recorded {
  WholeProgram wanted;
  std::string trace_file;  // the option may be destroyed before the trace is written
  std::unique_ptr<Profiler> profiler;
  pid_t pid = 0;
  bool started_by_recorded = false;
  std::mutex writing;
  int signals[2] = {-1, -1};  // a pipe: the handler writes the signal number, the watcher reads it
  std::atomic<bool> ending{false};
};

Recorded& recorded() {
  static auto& one = *std::make_unique<Recorded>().release();
  return one;
}

}  // namespace

bool is_whole_program_recorded() {
  return recorded().profiler != nullptr;
}

namespace {

// The output file of this process: ranks, and children of recorded processes, have their own.
std::string own_file(const Recorded& r, const Status& status, const std::string& wanted) {
  if (wanted.empty()) return {};
  std::string file = fill_in(wanted);
  const auto rank = this_rank();
  if (rank && rank->world_size > 1 && wanted.find("{rank}") == std::string::npos)
    file = before_ending(file, cat(".rank", rank->rank));
  if (r.started_by_recorded || status.has_trace(file))
    file = before_ending(file, cat(".", getpid()));
  return file;
}

// The files that a program asks for beside the trace.
std::array<std::string*, 5> files_of(WholeProgram& wanted) {
  return {&wanted.table_file, &wanted.roofline_file, &wanted.flame_graph_file,
          &wanted.memory_timeline_file, &wanted.execution_trace_file};
}

void write_averages(const Profiler& profiler, const WholeProgram& wanted) {
  if (!wanted.table && wanted.table_file.empty()) return;
  const Averages averages = profiler.key_averages(wanted.group);
  if (wanted.table) {
    TableOptions rows = wanted.rows;
    rows.colours = report::wants_colours(STDERR_FILENO);
    std::fputs(averages.table(rows).c_str(), stderr);
  }
  const std::string& file = wanted.table_file;
  if (file.empty()) return;
  const auto out = report::create_file(file);
  out->write(file.ends_with(".csv")    ? averages.csv()
             : file.ends_with(".json") ? averages.json()
                                       : averages.table(wanted.rows));
  out->finish();
}

void draw_roofline(const Profiler& profiler, const std::string& file) {
  if (file.empty()) return;
  const std::optional<Peaks> known = known_peaks();
  write_roofline(file, profiler.profile(), known ? *known : measure_peaks());
}

// Runs once, on the first thread to get here; others wait until it is done.
void write_now() {
  Recorded& r = recorded();
  std::lock_guard hold(r.writing);
  if (!r.profiler || getpid() != r.pid) return;  // a fork inherits the parent's recording
  const Status status;
  try {
    r.profiler->stop();
    const std::string file = own_file(r, status, r.trace_file);
    r.profiler->write_trace(file);
    status.tell("trace", file);
    if (!status.is_asked_for())
      std::fprintf(stderr, "vitro: the trace of this program is in %s\n", file.c_str());
    WholeProgram own = r.wanted;
    for (std::string* each : files_of(own)) *each = own_file(r, status, *each);
    write_profile(*r.profiler, own);
  } catch (const std::exception& e) {
    status.tell("failed", e.what());
    std::fprintf(stderr, "vitro: not everything was written: %s\n", e.what());
  }
  r.profiler.reset();
}

void write_at_exit() {
  recorded().ending = true;
  write_now();
}

// A signal that would end the program first causes the trace to be written; a second one, or one
// during writing, ends the program at once, without a file.
void on_signal(int number) {
  Recorded& r = recorded();
  const auto sent = static_cast<unsigned char>(number);
  if (getpid() == r.pid && !r.ending.exchange(true) && write(r.signals[1], &sent, 1) == 1) return;
  std::signal(number, SIG_DFL);
  std::raise(number);
}

void watch_signals() {
  Recorded& r = recorded();
  unsigned char number = 0;
  while (read(r.signals[0], &number, 1) != 1) {
  }
  write_now();
  std::signal(number, SIG_DFL);
  kill(r.pid, number);
}

void catch_signals() {
  if (pipe2(recorded().signals, O_CLOEXEC) != 0) return;
  for (const int number : {SIGINT, SIGTERM}) {
    struct sigaction before{};
    sigaction(number, nullptr, &before);
    if (before.sa_handler == SIG_DFL) std::signal(number, on_signal);
  }
  sigset_t all, mine;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &mine);  // the watcher does not receive signals itself
  std::thread(watch_signals).detach();
  pthread_sigmask(SIG_SETMASK, &mine, nullptr);
}

bool begin() {
  if (path.get().empty()) return false;
  Recorded& r = recorded();
  const char* variable = "VITRO_PROFILE";
  try {
    r.trace_file = path.get();
    check_trace_name(r.trace_file);
    variable = "VITRO_PROFILE_OPTIONS";
    apply_settings(r.wanted, settings.get());
    // The program may change its folder.
    for (std::string* file : files_of(r.wanted))
      if (!file->empty()) *file = std::filesystem::absolute(*file);
    r.profiler = std::make_unique<Profiler>(r.wanted.profiler);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "vitro: %s: %s; nothing is recorded\n", variable, e.what());
    Status().tell("failed", e.what());
    return false;
  }
  r.pid = getpid();
  const char* of = std::getenv(recorded_variable);
  r.started_by_recorded = of && of != cat(r.pid);
  setenv(recorded_variable, cat(r.pid).c_str(), 1);
  Status().tell("begun", "");
  catch_signals();
  return std::atexit(write_at_exit) == 0;
}

const bool begun = begin();

}  // namespace

void write_profile(const Profiler& profiler, const WholeProgram& wanted) {
  write_averages(profiler, wanted);
  draw_roofline(profiler, wanted.roofline_file);
  if (!wanted.flame_graph_file.empty()) profiler.write_flame_graph(wanted.flame_graph_file);
  if (!wanted.memory_timeline_file.empty())
    profiler.export_memory_timeline(wanted.memory_timeline_file);
  if (!wanted.execution_trace_file.empty())
    profiler.write_execution_trace(wanted.execution_trace_file);
}

void check_trace_name(std::string_view file) {
  const std::string_view whole = file;
  for (const std::string_view packed : {".gz", ".zst"}) {
    if (file.ends_with(packed)) file.remove_suffix(packed.size());
  }
  const std::string_view name = file.substr(file.rfind('/') + 1);
  const bool is_known =
      name.ends_with(".json") || name.ends_with(".pftrace") || name.ends_with(".perfetto-trace");
  VITRO_CHECK(is_known || name.find('.') == name.npos, whole, ": got the ending \"",
              name.substr(std::min(name.rfind('.'), name.size())),
              "\", a trace needs .json, .pftrace or .perfetto-trace, with .gz or .zst after that");
}

}  // namespace vitro
