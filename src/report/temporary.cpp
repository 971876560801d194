#include "report/temporary.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "vitro/base/cat.h"

namespace vitro::report {
namespace {

// Whether the name still refers to this file: its holder may have renamed it meanwhile.
bool leads_to(const std::string& name, int file) {
  struct stat named{}, opened{};
  return stat(name.c_str(), &named) == 0 && fstat(file, &opened) == 0 &&
         named.st_dev == opened.st_dev && named.st_ino == opened.st_ino;
}

enum class Lock { ours, others, gone };

// `only_ours`: no one else opens a file of that name, so a lock is not essential.
Lock lock(const std::string& name, int file, bool only_ours) {
  if (flock(file, LOCK_EX | LOCK_NB) != 0)
    return only_ours && errno != EWOULDBLOCK ? Lock::ours : Lock::others;
  return leads_to(name, file) ? Lock::ours : Lock::gone;
}

}  // namespace

Temporary open_temporary(const std::string& path) {
  Temporary made{-1, path + ".tmp"};
  for (int others = 0;;) {
    made.file = open(made.name.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0666);
    if (made.file < 0) return made;
    const Lock found = lock(made.name, made.file, others > 0);
    if (found == Lock::ours && ftruncate(made.file, 0) == 0) return made;
    close(made.file);
    if (found != Lock::gone) made.name = cat(path, ".", getpid(), ".", ++others, ".tmp");
  }
}

}  // namespace vitro::report
