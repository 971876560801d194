// Runs the compiler in the helper program vitro-cc over a socket, so that a crash or hang of it
// does not affect this process.
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>

#include "backend/jit/compiler.h"
#include "backend/jit/fault.h"
#include "backend/jit/options.h"
#include "vitro/base/cat.h"

extern char** environ;

namespace vitro::jit {
namespace {

using Clock = std::chrono::steady_clock;

struct Descriptor {
  int number = -1;
  ~Descriptor() { reset(); }
  void reset() {
    if (number >= 0) close(number);
    number = -1;
  }
};

// Starts the helper with `theirs` as its input and output; 0 or an errno.
int start(const std::string& path, int theirs, pid_t& pid) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, theirs, 0);
  posix_spawn_file_actions_adddup2(&actions, theirs, 1);
  posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
  char name[] = "vitro-cc";
  char* arguments[] = {name, nullptr};
  int error = posix_spawn(&pid, path.c_str(), &actions, nullptr, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

// Sends a part of `rest` and removes it; false if the other side has closed.
bool send_some(int socket, std::string_view& rest) {
  ssize_t n = send(socket, rest.data(), rest.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  if (n < 0) return errno == EAGAIN || errno == EINTR;
  rest.remove_prefix(size_t(n));
  if (rest.empty()) shutdown(socket, SHUT_WR);
  return true;
}

// Sends the request and receives the reply; false on timeout.
bool converse(int socket, std::string_view request, std::string& reply, Clock::time_point end) {
  char buffer[1 << 16];
  for (;;) {
    auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
    if (left <= 0) return false;
    pollfd wait = {socket, short(request.empty() ? POLLIN : POLLIN | POLLOUT), 0};
    int ready = poll(&wait, 1, int(left));
    if (ready < 0 && errno != EINTR) return true;
    if (ready <= 0) continue;
    if ((wait.revents & POLLOUT) && !request.empty() && !send_some(socket, request)) return true;
    if (wait.revents & (POLLIN | POLLHUP | POLLERR)) {
      ssize_t n = recv(socket, buffer, sizeof buffer, MSG_DONTWAIT);
      if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR)) return true;
      if (n > 0) reply.append(buffer, size_t(n));
    }
  }
}

std::string how_it_ended(pid_t pid) {
  int status = 0;
  pid_t waited;
  while ((waited = waitpid(pid, &status, 0)) < 0 && errno == EINTR) {
  }
  if (waited != pid) return "ended for an unknown reason";
  if (WIFSIGNALED(status))
    return cat("was killed by signal ", WTERMSIG(status), " (", strsignal(WTERMSIG(status)), ")");
  return cat("exited with status ", WEXITSTATUS(status));
}

}  // namespace

Result<Compiled> compile_in_helper(const WireRequest& request) {
  std::string path = cc_helper.get();
  if (path.empty()) path = beside_library("vitro-cc", "../bin");
  Descriptor ours, theirs;
  int pair[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) {
    return Failure{cat("jit: no socket for the helper program: ", fault(errno))};
  }
  ours.number = pair[0];
  theirs.number = pair[1];
  pid_t pid = 0;
  if (int error = start(path, theirs.number, pid)) {
    return Failure{cat("jit: the helper program ", path, " could not be started: ", fault(error),
                       "; put vitro-cc beside libvitro.so or set VITRO_CC_HELPER to its path")};
  }
  theirs.reset();
  std::string bytes;
  int64_t seconds = cc_timeout_s.get();
  bool in_time = converse(ours.number, write_wire(request), bytes,
                          Clock::now() + std::chrono::seconds(seconds));
  if (!in_time) kill(pid, SIGKILL);
  std::string end = how_it_ended(pid);
  if (!in_time)
    return Failure{cat("jit: the helper program timed out after ", seconds,
                       " s; VITRO_CC_TIMEOUT_S sets the limit")};
  WireReply reply;
  if (!read_wire(bytes, reply)) {
    return Failure{cat("jit: the helper program ", end,
                       " while compiling the kernels; please report their source")};
  }
  return compiled_of(std::move(reply), true);
}

}  // namespace vitro::jit
