#include "python.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "peers_script.h"
#include "pt2_reference_script.h"
#include "vitro/base/cat.h"
#include "vitro/base/error.h"

extern char** environ;

namespace vitro::cli {
namespace {

constexpr size_t most_shown = 2000;  // bytes of an error message

struct Ended {
  int code = 0;  // 127: the program is not there
  std::string errors;
};

// Runs a command with its standard output thrown away.
Ended run_command(const std::vector<std::string>& words) {
  int ends[2];
  VITRO_CHECK(pipe2(ends, O_CLOEXEC) == 0, words[0], ": no pipe: ", std::strerror(errno));
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
  std::vector<char*> texts;
  for (const std::string& one : words) texts.push_back(const_cast<char*>(one.c_str()));
  texts.push_back(nullptr);
  pid_t child = 0;
  const int failed = posix_spawnp(&child, texts[0], &actions, nullptr, texts.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  Ended out{failed == 0 ? 0 : 127, failed == 0 ? "" : std::strerror(failed)};
  char buffer[4096];
  for (ssize_t n = 0; (n = read(ends[0], buffer, sizeof buffer)) > 0 || (n < 0 && errno == EINTR);)
    if (n > 0) out.errors.append(buffer, static_cast<size_t>(n));
  close(ends[0]);
  int status = 0;
  while (failed == 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (failed == 0) out.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128;
  if (out.errors.size() > most_shown) out.errors.erase(0, out.errors.size() - most_shown);
  while (out.errors.ends_with('\n')) out.errors.pop_back();
  return out;
}

}  // namespace

const std::string_view pt2_reference_script = pt2_reference_text;
const std::string_view peers_script = peers_text;

Python::Python(std::string command_, const std::vector<std::string>& modules)
    : command(std::move(command_)) {
  std::string imports;
  for (const std::string& one : modules) imports += cat(imports.empty() ? "import " : ", ", one);
  const Ended ended = run_command({command, "-c", imports});
  const size_t line = ended.errors.rfind('\n');
  VITRO_CHECK(ended.code == 0, command, ": cannot ", imports, ": ",
              ended.errors.substr(line == std::string::npos ? 0 : line + 1),
              "; name a Python that can with --python PATH");
}

void Python::run(std::string_view script, const std::vector<std::string>& arguments) const {
  std::vector<std::string> words{command, "-W", "ignore", "-c", std::string(script)};
  words.insert(words.end(), arguments.begin(), arguments.end());
  const Ended ended = run_command(words);
  VITRO_CHECK(ended.code == 0, command, ": failed with exit code ", ended.code, ":\n",
              ended.errors);
}

}  // namespace vitro::cli
