// Runs chunks of seeds in child processes with time and memory limits, and keeps the log; see
// chunks.h.
#include "chunks.h"

#include <poll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>
#include <vector>

namespace vitro::fuzz {
namespace {

constexpr uint64_t chunk_size = 250;
constexpr unsigned longest_seconds = 300;  // time limit of one program

// Limits the address space, so that a program with huge tensors fails to allocate instead of
// exhausting the machine. Not under sanitizers, which reserve more addresses than that.
void bound_memory() {
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  constexpr rlim_t most = rlim_t{6} << 30;
  const rlimit limit{most, most};
  setrlimit(RLIMIT_AS, &limit);
#endif
}

struct Chunk {
  uint64_t first = 0, end = 0;
};

// The program that a child is running, in memory shared with its parent.
struct Running {
  uint64_t seed = 0;
  char text[65536] = {};  // the program
};

// Runs one program; if eager and compiled differ, shrinks and prints it.
void run_program(const Work& work, uint64_t seed, Tally& tally, Running* running) {
  if (running) *running = {seed, "// while it is generated\n"};
  const Program program = generate(seed, work.without);
  if (running) print(program).copy(running->text, sizeof running->text - 1);
  if (work.show) std::printf("%s", print(program).c_str());
  ++tally.programs;
  tally.steps += program.steps.size();
  std::fflush(stdout);
  const std::string why = compare(program, work.setup, &tally.counts);
  if (why.empty()) return;
  ++tally.differences;
  std::printf("seed %llu: %s\n", static_cast<unsigned long long>(seed), why.c_str());
  std::fflush(stdout);
  const Program small = shrink(program, work.setup);
  std::printf("seed %llu shrunk to %zu steps: %s\n%s", static_cast<unsigned long long>(seed),
              small.steps.size(), compare(small, work.setup).c_str(), print(small).c_str());
  std::fflush(stdout);
}

// A tally in the line format of the log.
std::string text_of(const Tally& tally) {
  std::string out = cat("programs\t", tally.programs, "\nsteps\t", tally.steps, "\ndifferences\t",
                        tally.differences, "\n");
  for (const auto& [key, times] : tally.counts.all()) {
    out += cat("count\t", key.first, "\t", key.second, "\t", times, "\n");
  }
  return out;
}

void read_line(const std::string& line, Tally& tally) {
  std::vector<std::string> parts;
  std::istringstream in(line);
  for (std::string part; std::getline(in, part, '\t');) parts.push_back(part);
  if (parts.size() < 2) return;
  const uint64_t number = std::strtoull(parts.back().c_str(), nullptr, 10);
  if (parts[0] == "programs") tally.programs += number;
  if (parts[0] == "steps") tally.steps += number;
  if (parts[0] == "differences") tally.differences += number;
  if (parts[0] == "count" && parts.size() == 4) tally.counts.add(parts[1], parts[2], number);
}

void read_text(const std::string& text, Tally& tally) {
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) read_line(line, tally);
}

// A child process that runs a chunk.
class Child {
 public:
  Child(const Work& work, Chunk chunk) : chunk_(chunk) {
    running_ = static_cast<Running*>(
        mmap(nullptr, sizeof(Running), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
    running_->seed = chunk.first;
    int ends[2];
    if (pipe(ends) != 0) std::abort();
    std::fflush(stdout);
    process_ = fork();
    if (process_ == 0) {
      close(ends[0]);
      bound_memory();
      work_off(work, ends[1]);
    }
    close(ends[1]);
    from_ = ends[0];
  }
  Child(const Child&) = delete;
  ~Child() {
    close(from_);
    munmap(running_, sizeof(Running));
  }

  int file() const { return from_; }
  // Reads available output; false once the child has ended.
  bool read_more() {
    char buffer[4096];
    const ssize_t got = read(from_, buffer, sizeof buffer);
    if (got > 0) text_.append(buffer, static_cast<size_t>(got));
    return got > 0;
  }
  // The rest of the chunk, after the program that crashed or timed out; empty if none did.
  Chunk finish(Tally& tally) {
    int status = 0;
    waitpid(process_, &status, 0);
    read_text(text_, tally);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return {chunk_.end, chunk_.end};
    std::printf("seed %llu: %s\n%s", static_cast<unsigned long long>(running_->seed),
                WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM ? "does not end" : "crashes",
                running_->text);
    std::fflush(stdout);
    ++tally.programs;
    ++tally.differences;
    return {running_->seed + 1, chunk_.end};
  }
  Chunk chunk() const { return chunk_; }

 private:
  [[noreturn]] void work_off(const Work& work, int to) {
    for (uint64_t seed = chunk_.first; seed < chunk_.end; ++seed) {
      alarm(longest_seconds);
      Tally tally;
      run_program(work, seed, tally, running_);
      const std::string text = text_of(tally);
      if (write(to, text.data(), text.size()) != static_cast<ssize_t>(text.size())) std::abort();
    }
    std::fflush(stdout);
    _exit(0);
  }

  Chunk chunk_;
  pid_t process_ = 0;
  int from_ = -1;
  Running* running_ = nullptr;
  std::string text_;
};

// First seeds of the chunks finished according to the log; adds their tallies to `total`.
std::set<uint64_t> read_log(const std::string& path, Tally& total) {
  std::set<uint64_t> done;
  std::ifstream in(path);
  Tally chunk;
  for (std::string line; std::getline(in, line);) {
    read_line(line, chunk);
    if (!line.starts_with("done\t")) continue;
    done.insert(std::strtoull(line.c_str() + 5, nullptr, 10));
    total.programs += chunk.programs;
    total.steps += chunk.steps;
    total.differences += chunk.differences;
    total.counts.add(chunk.counts);
    chunk = {};
  }
  return done;
}

class Run {
 public:
  explicit Run(const Work& work) : work_(work) {
    const std::set<uint64_t> done =
        work.log.empty() ? std::set<uint64_t>() : read_log(work.log, total_);
    const uint64_t end = work.seed + work.count;
    for (uint64_t s = work.seed; s < end; s += chunk_size) {
      if (!done.contains(s)) todo_.push_back({s, std::min(s + chunk_size, end)});
    }
  }

  Tally finish() {
    while (true) {
      while (children_.size() < static_cast<size_t>(work_.jobs) && next_ < todo_.size() &&
             in_time()) {
        start(todo_[next_].first, todo_[next_], {});
        ++next_;
      }
      if (children_.empty()) return std::move(total_);
      wait();
    }
  }

 private:
  struct Job {
    uint64_t first = 0;  // first seed of the whole chunk
    Tally tally;
    std::unique_ptr<Child> child;
  };

  bool in_time() const {
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin_;
    return taken.count() < work_.seconds;
  }

  void start(uint64_t first, Chunk chunk, Tally tally) {
    children_.push_back({first, std::move(tally), std::make_unique<Child>(work_, chunk)});
  }

  void wait() {
    std::vector<pollfd> files;
    for (const Job& job : children_) files.push_back({job.child->file(), POLLIN, 0});
    if (poll(files.data(), files.size(), -1) < 0) return;
    for (size_t i = files.size(); i-- > 0;) {
      if (files[i].revents == 0 || children_[i].child->read_more()) continue;
      Job job = std::move(children_[i]);
      children_.erase(children_.begin() + static_cast<std::ptrdiff_t>(i));
      const Chunk rest = job.child->finish(job.tally);
      if (rest.first < rest.end) {
        start(job.first, rest, std::move(job.tally));
      } else {
        done(job);
      }
    }
  }

  void done(const Job& job) {
    read_text(text_of(job.tally), total_);
    if (work_.log.empty()) return;
    std::ofstream(work_.log, std::ios::app) << text_of(job.tally) << "done\t" << job.first << "\n";
  }

  const Work& work_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  std::vector<Chunk> todo_;
  size_t next_ = 0;
  std::vector<Job> children_;
  Tally total_;
};

}  // namespace

Tally work_off(const Work& work) {
  if (work.jobs > 0) return Run(work).finish();
  Tally tally;
  for (uint64_t s = 0; s < work.count; ++s) run_program(work, work.seed + s, tally, nullptr);
  return tally;
}

}  // namespace vitro::fuzz
