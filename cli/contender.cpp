// Children with two pipes, each the leader of a process group, so that all that one has started is
// stopped and ended with it.  A child ends with its parent, whatever ends that.
#include "contender.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include "comparison.h"
#include "vitro/base/cat.h"
#include "vitro/base/clock.h"
#include "vitro/base/error.h"

namespace vitro::cli {
namespace {

constexpr std::array ending = {SIGINT, SIGTERM, SIGHUP};
constexpr std::string_view error_word = "error ";
constexpr char line_end = '\x1e';  // in the reason of an error
constexpr int cannot_start = 127;

volatile std::sig_atomic_t ended_by = 0;

void note_signal(int number) {
  ended_by = number;
}

void handle(int number, void (*handler)(int)) {
  struct sigaction action = {};
  action.sa_handler = handler;
  sigemptyset(&action.sa_mask);
  sigaction(number, &action, nullptr);
}

void handle_all(void (*for_ending)(int), void (*for_pipe)(int)) {
  for (const int number : ending) handle(number, for_ending);
  handle(SIGPIPE, for_pipe);
}

std::array<int, 2> new_pipe() {
  std::array<int, 2> ends{};
  VITRO_CHECK(pipe2(ends.data(), O_CLOEXEC) == 0, "cannot make a pipe: ", std::strerror(errno));
  return ends;
}

void write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = write(file, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return;  // it has ended, which the next answer reports
    text.remove_prefix(static_cast<size_t>(n));
  }
}

// In a child, in place of it.
void execute(const std::vector<std::string>& command,
             const std::map<std::string, std::string>& environment, const std::string& errors) {
  for (const auto& [name, value] : environment) setenv(name.c_str(), value.c_str(), 1);
  const int file = open(errors.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (file >= 0) dup2(file, STDERR_FILENO);
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  execvp(words[0], words.data());
  write_all(STDOUT_FILENO,
            error_line(cat(command[0], ": cannot be started: ", std::strerror(errno))));
  _exit(cannot_start);
}

void run_or_say_why_not(const std::function<void()>& body) {
  try {
    body();
  } catch (const std::exception& e) {
    write_all(STDOUT_FILENO, error_line(e.what()));
  }
  std::fflush(stdout);
}

}  // namespace

WatchSignals::WatchSignals() {
  handle_all(note_signal, SIG_IGN);
}

WatchSignals::~WatchSignals() {
  handle_all(SIG_DFL, SIG_DFL);
}

std::string error_line(std::string_view reason) {
  std::string line = cat(error_word, reason);
  std::ranges::replace(line, '\n', line_end);
  return line + '\n';
}

Contender::Contender(const std::function<void()>& body) {
  start([&] { run_or_say_why_not(body); });
}

Contender::Contender(const std::vector<std::string>& command,
                     const std::map<std::string, std::string>& environment,
                     const std::string& errors) {
  start([&] { execute(command, environment, errors); });
}

Contender::~Contender() {
  end();
}

void Contender::start(const std::function<void()>& child) {
  const std::array<int, 2> questions = new_pipe(), answers = new_pipe();
  std::fflush(nullptr);
  const pid_t parent = getpid();
  process_ = fork();
  VITRO_CHECK(process_ >= 0, "cannot start a process: ", std::strerror(errno));
  if (process_ == 0) {
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(0);
    handle_all(SIG_DFL, SIG_DFL);
    dup2(questions[0], STDIN_FILENO);
    dup2(answers[1], STDOUT_FILENO);
    for (const int file : {questions[0], questions[1], answers[0], answers[1]}) close(file);
    child();
    _exit(0);
  }
  setpgid(process_, process_);
  close(questions[0]);
  close(answers[1]);
  to_ = questions[1];
  from_ = answers[0];
}

void Contender::close_pipes() {
  if (to_ >= 0) close(to_);
  close(from_);
}

void Contender::end() {
  if (process_ < 0) return;
  kill(-process_, SIGKILL);
  close_pipes();
  while (waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
  }
  process_ = -1;
}

void Contender::finish(double seconds) {
  if (process_ < 0) return;
  close(to_);
  to_ = -1;
  try {
    while (true) answer(seconds);
  } catch (const Error&) {  // it has ended
  }
}

void Contender::say_how_it_ended() {
  int status = 0;
  while (waitpid(process_, &status, 0) < 0 && errno == EINTR) {
  }
  kill(-process_, SIGKILL);
  close_pipes();
  process_ = -1;
  if (WIFSIGNALED(status))
    throw_error(cat("the process was ended by signal ", WTERMSIG(status), " (",
                    strsignal(WTERMSIG(status)), ")"));
  throw_error(cat("the process ended with code ", WEXITSTATUS(status), " and gave no answer"));
}

std::string Contender::answer(double seconds) {
  VITRO_CHECK(process_ >= 0, "the process has ended");
  const uint64_t begin = ticks();
  for (;;) {
    const size_t end_of_line = read_.find('\n');
    if (end_of_line != read_.npos) {
      std::string line = read_.substr(0, end_of_line);
      read_.erase(0, end_of_line + 1);
      if (!line.starts_with(error_word)) return line;
      std::ranges::replace(line, line_end, '\n');
      throw_error(line.substr(error_word.size()));
    }
    if (ended_by != 0) throw Interrupted{ended_by};
    const double left = seconds - static_cast<double>(ticks_to_ns(ticks() - begin)) / 1e9;
    if (left <= 0) {
      end();
      throw_error(cat("no answer within ", short_number(seconds), " s"));
    }
    // Woken regularly, because a signal may come just before.
    pollfd waited{.fd = from_, .events = POLLIN, .revents = 0};
    if (poll(&waited, 1, static_cast<int>(std::min(left * 1000 + 1, 200.0))) <= 0) continue;
    std::array<char, 64 << 10> part;  // NOLINT(cppcoreguidelines-pro-type-member-init)
    const ssize_t n = read(from_, part.data(), part.size());
    if (n == 0) say_how_it_ended();
    if (n > 0) read_.append(part.data(), static_cast<size_t>(n));
  }
}

std::string Contender::ask(std::string_view line, double seconds) {
  VITRO_CHECK(process_ >= 0, "the process has ended");
  write_all(to_, cat(line, '\n'));
  return answer(seconds);
}

void Contender::stop() {
  if (process_ < 0) return;
  kill(-process_, SIGSTOP);
  siginfo_t info;
  while (waitid(P_PID, static_cast<id_t>(process_), &info, WSTOPPED | WEXITED | WNOWAIT) < 0 &&
         errno == EINTR) {
  }
}

void Contender::go_on() {
  if (process_ >= 0) kill(-process_, SIGCONT);
}

double Contender::most_resident() const {
  std::ifstream status(cat("/proc/", process_, "/status"));
  for (std::string word; status >> word;) {
    double kib = 0;
    if (word == "VmHWM:" && status >> kib) return kib * 1024;
  }
  return 0;
}

}  // namespace vitro::cli
