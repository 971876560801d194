// Finds or downloads the files of MiniLM-L6, by running tools/fetch_minilm, which is embedded in
// the library, in a separate process.
#include "vitro/models/minilm.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <functional>

#include "fetch_minilm_script.h"
#include "vitro/base/cat.h"

extern char** environ;

namespace vitro::models {
namespace {

std::string cache_folder() {
  const char* cache = std::getenv("XDG_CACHE_HOME");
  if (cache && *cache == '/') return cat(cache, "/vitro/minilm");
  const char* home = std::getenv("HOME");
  return home && *home == '/' ? cat(home, "/.cache/vitro/minilm") : "";
}

bool is_readable(const MinilmFiles& files) {
  return access(files.weights.c_str(), R_OK) == 0 && access(files.vocabulary.c_str(), R_OK) == 0;
}

// Runs the script with both outputs in one pipe.  Returns an error number if it did not start.
int start(const std::string& folder, int output, pid_t& process) {
  std::string script = fetch_minilm_script, target = folder;
  std::string python = "python3", command = "-c";
  char* arguments[] = {python.data(), command.data(), script.data(), target.data(), nullptr};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, output, 1);
  posix_spawn_file_actions_adddup2(&actions, output, 2);
  const int error = posix_spawnp(&process, python.c_str(), &actions, nullptr, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

// Passes on every line but the last, which is the result.
std::string last_line(int input, const std::function<void(std::string_view)>& progress) {
  std::string last, text;
  std::array<char, 4096> buffer;
  for (;;) {
    const ssize_t n = read(input, buffer.data(), buffer.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    text.append(buffer.data(), static_cast<size_t>(n));
    for (size_t end = text.find('\n'); end != text.npos; end = text.find('\n')) {
      last = text.substr(0, end);
      text.erase(0, end + 1);
      if (progress && last.starts_with("downloading")) progress(last);
    }
  }
  return text.empty() ? last : text;
}

int wait_for(pid_t process) {
  int status = 0;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

}  // namespace

MinilmFiles minilm_files(std::string folder) {
  if (folder.empty()) folder = cache_folder();
  return {folder + "/model.safetensors", folder + "/vocab.txt"};
}

Result<MinilmFiles> fetch_minilm(const std::function<void(std::string_view)>& progress,
                                 const std::string& folder) {
  constexpr std::string_view about = "the weights of MiniLM-L6: ";
  const std::string target = folder.empty() ? cache_folder() : folder;
  if (target.empty())
    return Failure{cat(about, "there is no folder for them: set HOME or XDG_CACHE_HOME")};
  MinilmFiles files = minilm_files(target);
  if (is_readable(files)) return files;
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return Failure{cat(about, std::strerror(errno))};
  pid_t process = 0;
  const int error = start(target, ends[1], process);
  close(ends[1]);
  const std::string line = error == 0 ? last_line(ends[0], progress) : "";
  close(ends[0]);
  if (error != 0)
    return Failure{
        cat(about, "cannot start python3, whose pip downloads them: ", std::strerror(error))};
  const int status = wait_for(process);
  if (status == 0 && is_readable(files)) return files;
  return Failure{line.empty() ? cat(about, "python3 exited with status ", status) : line};
}

}  // namespace vitro::models
