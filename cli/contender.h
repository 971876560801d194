// A process that is measured beside others: it answers a line on its standard input with a line on
// its standard output, and can be stopped while it is the others' turn.
//   Contender one({"python3", "peers.py"}, {{"OMP_NUM_THREADS", "2"}}, "errors.txt");
//   std::string ready = one.answer(600);
//   std::string times = one.ask("0.1", 600);
// An answer "error REASON" is thrown as an Error, and so is the end of the process.
#pragma once

#include <sys/types.h>

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace vitro::cli {

// Ctrl-C, or another signal that asks this process to end.  Not a std::exception, so that it ends
// what catches errors.
struct Interrupted {
  int signal = 0;
};

// While it exists, signals that ask this process to end are thrown as Interrupted by a waiting
// Contender, so that children and files are removed.
class WatchSignals {
 public:
  WatchSignals();
  ~WatchSignals();
  WatchSignals(const WatchSignals&) = delete;
};

// A line that says why there is no answer; only for contenders.
std::string error_line(std::string_view reason);

class Contender {
 public:
  // A copy of this process that runs `body`; what that throws becomes its answer.
  explicit Contender(const std::function<void()>& body);
  // A program; `environment` is added to this one's, `errors` is a file for its standard error.
  Contender(const std::vector<std::string>& command,
            const std::map<std::string, std::string>& environment, const std::string& errors);
  ~Contender();  // ends it, and what it has started
  Contender(const Contender&) = delete;

  // The next line of its output.  Error: it ended, or was silent for that many seconds.
  std::string answer(double seconds);
  std::string ask(std::string_view line, double seconds);

  void stop();   // returns when it is stopped
  void go_on();  // after stop()

  // Gives it no more lines, and returns when it has ended by itself, or was ended after that many
  // seconds.
  void finish(double seconds);

  // The most memory that it had in RAM, in bytes; 0 if it has ended.
  double most_resident() const;

 private:
  void start(const std::function<void()>& child);
  void end();
  void close_pipes();
  [[noreturn]] void say_how_it_ended();

  pid_t process_ = -1;  // the leader of a group
  int to_ = -1, from_ = -1;
  std::string read_;  // what has been read beyond the last line
};

}  // namespace vitro::cli
