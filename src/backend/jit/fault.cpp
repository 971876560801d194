#include "backend/jit/fault.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <vector>

#include "vitro/base/cat.h"

namespace vitro::jit {
namespace {

const char* advice(int error) {
  switch (error) {
    case ENOSPC:
    case EDQUOT:
      return "; free some space, or set VITRO_CACHE_DIR to another folder";
    case EFBIG:
      return "; raise the file size limit (ulimit -f)";
    case EMFILE:
      return "; raise the limit on open files (ulimit -n)";
    case ENFILE:
      return "; the whole system has too many open files";
    case ENOMEM:
      return "; out of memory, or over the limit (ulimit -v)";
    case EAGAIN:
      return "; raise the limit on processes and threads (ulimit -u)";
    default:
      return "";
  }
}

struct Descriptor {
  int number;
  ~Descriptor() {
    if (number >= 0) close(number);
  }
};

template <class T>
bool read_at(int file, T* to, size_t count, uint64_t offset) {
  const auto bytes = static_cast<ssize_t>(count * sizeof(T));
  return pread(file, to, static_cast<size_t>(bytes), static_cast<off_t>(offset)) == bytes;
}

}  // namespace

std::string fault(int error) {
  return cat(std::strerror(error), advice(error));
}

NoSizeSignal::NoSizeSignal() {
  sigemptyset(&size_);
  sigaddset(&size_, SIGXFSZ);
  pthread_sigmask(SIG_BLOCK, &size_, &before_);
}

NoSizeSignal::~NoSizeSignal() {
  const int kept = errno;
  if (!sigismember(&before_, SIGXFSZ)) {
    const timespec now = {};
    while (sigtimedwait(&size_, nullptr, &now) > 0) {
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  errno = kept;
}

Result<Done> check_complete_library(const std::string& path) {
  const Descriptor file{open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  if (file.number < 0) return Failure{cat(path, ": ", fault(errno))};
  struct stat info;
  if (fstat(file.number, &info) != 0 || !S_ISREG(info.st_mode))
    return Failure{cat(path, ": is not a file")};
  Elf64_Ehdr head;
  if (!read_at(file.number, &head, 1, 0) || std::memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 ||
      head.e_ident[EI_CLASS] != ELFCLASS64 || head.e_phentsize != sizeof(Elf64_Phdr)) {
    return Failure{cat(path, ": is not a shared library for this system; reinstall it")};
  }
  const auto size = static_cast<uint64_t>(info.st_size);
  uint64_t needed = head.e_shoff + uint64_t{head.e_shnum} * head.e_shentsize;
  std::vector<Elf64_Phdr> segments(head.e_phnum);
  if (!read_at(file.number, segments.data(), segments.size(), head.e_phoff)) needed = UINT64_MAX;
  for (const Elf64_Phdr& segment : segments) {
    if (segment.p_type == PT_LOAD) needed = std::max(needed, segment.p_offset + segment.p_filesz);
  }
  if (needed <= size) return Done{};
  return Failure{cat(path, ": is truncated: it has ", size, " bytes",
                     needed == UINT64_MAX ? "" : cat(", but its headers require ", needed),
                     "; reinstall it")};
}

}  // namespace vitro::jit
