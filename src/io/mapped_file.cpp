// Maps files for reading and, in private pages, for tensors that may be written to.
#include "io/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "vitro/base/cat.h"

namespace vitro::io {
namespace {

// A storage over bytes that `keeps` owns.
template <class Owner>
Storage over(std::byte* data, size_t size, std::shared_ptr<Owner> keeps) {
  Storage made = Storage::adopt(data, size, cpu, [keeps = std::move(keeps)] {});
  made.set_exposed(false);  // no one else has a pointer into private pages
  return made;
}

}  // namespace

MappedFile::Pages::Pages(int file, uint64_t begin, size_t wanted, int access) {
  void* const mapped =
      mmap(nullptr, wanted, access, MAP_PRIVATE | MAP_NORESERVE, file, static_cast<off_t>(begin));
  if (mapped == MAP_FAILED) return;
  data = static_cast<std::byte*>(mapped);
  size = wanted;
}

MappedFile::Pages::~Pages() {
  if (data) munmap(data, size);
}

MappedFile::MappedFile(std::string path, int file, size_t size)
    : path_(std::move(path)), file_(file), all_(file, 0, size, PROT_READ) {}

MappedFile::~MappedFile() {
  close(file_);
}

Result<std::shared_ptr<const MappedFile>> MappedFile::open(const std::string& path) {
  // Without O_NONBLOCK a pipe would wait for its writer.
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return Failure{cat(path, ": cannot be opened: ", std::strerror(errno))};
  struct stat status{};
  const bool regular = fstat(file, &status) == 0 && S_ISREG(status.st_mode);
  const auto size = static_cast<size_t>(regular ? status.st_size : 0);
  const std::shared_ptr<const MappedFile> mapped(new MappedFile(path, file, size));
  if (!regular) return Failure{cat(path, ": is not a regular file")};
  if (size > 0 && !mapped->all_.data)
    return Failure{cat(path, ": cannot be mapped: ", std::strerror(errno))};
  return mapped;
}

Result<Done> MappedFile::check() const {
  struct stat status{};
  if (fstat(file_, &status) != 0)
    return Failure{cat(path_, ": cannot be examined: ", std::strerror(errno))};
  if (static_cast<uint64_t>(status.st_size) >= all_.size) return Done{};
  return Failure{cat(path_, ": another program shortened it to ", status.st_size, " bytes; it had ",
                     all_.size, " when it was opened")};
}

Storage MappedFile::storage(uint64_t begin, size_t size) const {
  std::call_once(written_once_, [&] {
    written_ = std::make_shared<const Pages>(file_, 0, all_.size, PROT_READ | PROT_WRITE);
  });
  if (!written_->data) return {};
  return over(written_->data + begin, size, written_);
}

Storage MappedFile::storage_apart(uint64_t begin, size_t size) const {
  const uint64_t before = begin % static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  auto pages =
      std::make_shared<const Pages>(file_, begin - before, before + size, PROT_READ | PROT_WRITE);
  if (!pages->data) return {};
  std::byte* const data = pages->data + before;
  return over(data, size, std::move(pages));
}

}  // namespace vitro::io
