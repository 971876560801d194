// Children take consecutive pieces and send their texts through a pipe; see in_children.h.
#include "opinfo/in_children.h"

#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

namespace vitro::test {
namespace {

constexpr size_t pieces_of_child = 500;
constexpr unsigned longest_seconds = 120;  // for one piece

// Limits the address space, so that a huge tensor fails to allocate instead of exhausting the
// machine. Not under sanitizers, which reserve more addresses than that.
void bound_memory() {
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  constexpr rlim_t most = rlim_t{6} << 30;
  const rlimit limit{most, most};
  setrlimit(RLIMIT_AS, &limit);
#endif
}

void send(int to, const void* data, size_t bytes) {
  const auto* from = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t sent = write(to, from, bytes);
    if (sent <= 0) _exit(1);
    from += sent;
    bytes -= static_cast<size_t>(sent);
  }
}

// A process that does pieces [first, end).
class Child {
 public:
  Child(size_t first, size_t end, const std::function<std::string(size_t)>& work)
      : next_(first), end_(end) {
    int ends[2];
    if (pipe(ends) != 0) std::abort();
    std::fflush(stdout);
    process_ = fork();
    if (process_ < 0) std::abort();
    if (process_ == 0) {
      close(ends[0]);
      bound_memory();
      for (size_t i = first; i < end; ++i) {
        alarm(longest_seconds);
        const std::string text = work(i);
        const size_t size = text.size();
        send(ends[1], &size, sizeof size);
        send(ends[1], text.data(), size);
      }
      _exit(0);
    }
    close(ends[1]);
    from_ = ends[0];
  }
  Child(const Child&) = delete;
  ~Child() { close(from_); }

  int file() const { return from_; }
  // Takes over what the child has sent; false once it has ended.
  bool read_more(std::vector<std::string>& texts) {
    char buffer[4096];
    const ssize_t got = read(from_, buffer, sizeof buffer);
    if (got <= 0) return false;
    received_.append(buffer, static_cast<size_t>(got));
    size_t size = 0;
    while (received_.size() >= sizeof size) {
      std::memcpy(&size, received_.data(), sizeof size);
      if (received_.size() - sizeof size < size) break;
      texts[next_++] = received_.substr(sizeof size, size);
      received_.erase(0, sizeof size + size);
    }
    return true;
  }
  // How the child ended before its last piece; empty if it did not.
  std::string how_lost() {
    int status = 0;
    waitpid(process_, &status, 0);
    if (next_ == end_) return "";
    if (!WIFSIGNALED(status)) return "ends the process";
    if (WTERMSIG(status) == SIGALRM)
      return "takes longer than " + std::to_string(longest_seconds) + " s";
    return "crashes by signal " + std::to_string(WTERMSIG(status));
  }
  size_t next() const { return next_; }
  size_t end() const { return end_; }

 private:
  size_t next_, end_;
  pid_t process_ = -1;
  int from_ = -1;
  std::string received_;
};

}  // namespace

std::vector<std::string> in_children(size_t count, int jobs,
                                     const std::function<std::string(size_t)>& work,
                                     const std::function<std::string(const std::string&)>& lost) {
  std::vector<std::string> texts(count);
  std::vector<std::unique_ptr<Child>> children;
  size_t begun = 0;
  while (begun < count || !children.empty()) {
    while (begun < count && children.size() < static_cast<size_t>(jobs)) {
      const size_t end = std::min(begun + pieces_of_child, count);
      children.push_back(std::make_unique<Child>(begun, end, work));
      begun = end;
    }
    std::vector<pollfd> files;
    for (const auto& child : children) files.push_back({child->file(), POLLIN, 0});
    if (poll(files.data(), files.size(), -1) < 0) continue;
    for (size_t i = files.size(); i-- > 0;) {
      if (files[i].revents == 0 || children[i]->read_more(texts)) continue;
      const std::unique_ptr<Child> ended = std::move(children[i]);
      children.erase(children.begin() + static_cast<std::ptrdiff_t>(i));
      const std::string how = ended->how_lost();
      if (how.empty()) continue;
      texts[ended->next()] = lost(how);
      if (ended->next() + 1 < ended->end())
        children.push_back(std::make_unique<Child>(ended->next() + 1, ended->end(), work));
    }
  }
  return texts;
}

}  // namespace vitro::test
