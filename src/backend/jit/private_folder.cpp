// Opens the folder of kernels, checks owner and permissions of it and its files, and writes files
// atomically by rename.
#include "backend/jit/private_folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "backend/jit/fault.h"
#include "vitro/base/cat.h"

namespace vitro::jit {
namespace {

constexpr const char* secret_name = "secret";
constexpr int64_t most_bytes = int64_t{1} << 30;

class File {
 public:
  File(int folder, const std::string& name, int flags)
      : number_(openat(folder, name.c_str(), flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600)) {}
  ~File() {
    if (number_ >= 0) close(number_);
  }
  File(const File&) = delete;
  bool ok() const { return number_ >= 0; }
  int number() const { return number_; }

  // A regular file that this user owns and nobody else can write to.
  bool is_ours(struct stat& info) const {
    return fstat(number_, &info) == 0 && S_ISREG(info.st_mode) && info.st_uid == geteuid() &&
           !(info.st_mode & 022) && info.st_size <= most_bytes;
  }
  bool read(std::string& bytes) const {
    for (size_t done = 0; done < bytes.size();) {
      const ssize_t n = pread(number_, bytes.data() + done, bytes.size() - done, off_t(done));
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) return false;
      done += size_t(n);
    }
    return true;
  }
  bool write(std::string_view bytes) const {
    while (!bytes.empty()) {
      const ssize_t n = ::write(number_, bytes.data(), bytes.size());
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) return false;
      bytes.remove_prefix(size_t(n));
    }
    return true;
  }
  // False if close failed: some file systems report write errors only then.
  bool finish() {
    const int closed = close(number_);
    number_ = -1;
    return closed == 0;
  }

 private:
  int number_;
};

bool make_folders(const std::string& path) {
  for (size_t slash = path.find('/', 1); slash != path.npos; slash = path.find('/', slash + 1))
    mkdir(path.substr(0, slash).c_str(), 0700);
  return mkdir(path.c_str(), 0700) == 0 || errno == EEXIST;
}

// Whether others can rename one of the parent folders: it is world-writable and has no sticky bit.
bool can_be_replaced(const std::string& path) {
  char* resolved = realpath(path.c_str(), nullptr);
  if (!resolved) return true;
  std::string above = resolved;
  free(resolved);
  for (size_t slash; (slash = above.rfind('/')) != above.npos && above.size() > 1;) {
    above.resize(slash == 0 ? 1 : slash);
    struct stat info;
    if (stat(above.c_str(), &info) != 0) return true;
    if ((info.st_mode & S_IWOTH) && !(info.st_mode & S_ISVTX)) return true;
  }
  return false;
}

bool is_of_kernels(std::string_view name) {
  for (const std::string_view end : {".so", ".plan", ".cpp", ".h", ".trying", ".tmp"}) {
    if (name.ends_with(end)) return true;
  }
  return name == secret_name;
}

// A name that is unique across processes, even if process ids are equal (in containers).
std::string unique_name(const std::string& name, std::string_view end) {
  uint64_t random = 0;
  if (getrandom(&random, sizeof random, 0) != sizeof random) random = uint64_t(getpid());
  return cat(name, ".", random, end);
}

}  // namespace

Result<PrivateFolder> PrivateFolder::open(const std::string& path) {
  if (!make_folders(path)) return Failure{cat(path, ": could not be created: ", fault(errno))};
  PrivateFolder folder;
  folder.path_ = path;
  const int number = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (number < 0) return Failure{cat(path, ": could not be opened: ", fault(errno))};
  folder.descriptor_ = std::shared_ptr<int>(new int(number), [](const int* open) {
    close(*open);
    delete open;
  });
  struct stat info;
  if (fstat(number, &info) != 0) return Failure{cat(path, ": ", fault(errno))};
  if (info.st_uid != geteuid()) {
    return Failure{cat(path, ": belongs to user ", uint64_t{info.st_uid}, ", not to user ",
                       uint64_t{geteuid()}, "; kernels are executed from it")};
  }
  if (info.st_mode & S_ISVTX) {  // shared, like /tmp: leave it unchanged
    return Failure{cat(
        path, ": is shared between users (its sticky bit is set); kernels need a private folder, ",
        "such as ", path, "/vitro")};
  }
  if (info.st_mode & 022) {
    if (fchmod(number, 0700) != 0 || fstat(number, &info) != 0 || (info.st_mode & 022))
      return Failure{cat(path, ": other users may write to it")};
    folder.empty();
  }
  folder.has_safe_path_ = !can_be_replaced(path);
  return folder;
}

void PrivateFolder::empty() const {
  const std::unique_ptr<DIR, int (*)(DIR*)> dir(
      opendir(cat("/proc/self/fd/", descriptor()).c_str()), closedir);
  if (!dir) return;
  while (const dirent* item = readdir(dir.get())) {
    if (is_of_kernels(item->d_name)) remove(item->d_name);
  }
}

std::optional<std::string> PrivateFolder::read(const std::string& name) const {
  const File file(descriptor(), name, O_RDONLY);
  if (!file.ok() && errno == ENOENT) return std::nullopt;
  struct stat info;
  std::string bytes;
  if (file.ok() && file.is_ours(info)) {
    bytes.resize(size_t(info.st_size));
    if (!file.read(bytes)) return std::nullopt;
    futimens(file.number(), nullptr);
    return bytes;
  }
  if (file.ok() || errno == ELOOP || errno == ENXIO || errno == EACCES) remove(name);
  return std::nullopt;
}

int PrivateFolder::create(const std::string& name, std::string_view bytes) const {
  const NoSizeSignal quiet;
  File file(descriptor(), name, O_WRONLY | O_CREAT | O_EXCL);
  if (!file.ok()) return errno;
  if (file.write(bytes) && file.finish()) return 0;
  const int why = errno;
  unlinkat(descriptor(), name.c_str(), 0);
  return why;
}

int PrivateFolder::write(const std::string& name, std::string_view bytes,
                         std::string_view more) const {
  const NoSizeSignal quiet;
  const std::string unfinished = unique_name(name, ".tmp");
  File file(descriptor(), unfinished, O_WRONLY | O_CREAT | O_EXCL);
  if (!file.ok()) return errno;
  if (file.write(bytes) && file.write(more) && file.finish()) {
    if (renameat(descriptor(), unfinished.c_str(), descriptor(), name.c_str()) == 0) return 0;
    if (errno == EISDIR || errno == ENOTEMPTY || errno == EEXIST) {
      remove(name);
      if (renameat(descriptor(), unfinished.c_str(), descriptor(), name.c_str()) == 0) return 0;
    }
  }
  const int why = errno;
  unlinkat(descriptor(), unfinished.c_str(), 0);
  return why;
}

// We never create subfolders, so one that is not empty is kept, under another name.
void PrivateFolder::remove(const std::string& name) const {
  if (unlinkat(descriptor(), name.c_str(), 0) == 0 || errno == ENOENT) return;
  if (unlinkat(descriptor(), name.c_str(), AT_REMOVEDIR) == 0) return;
  renameat(descriptor(), name.c_str(), descriptor(), unique_name(name, ".aside").c_str());
}

// Whether the secret has a single link and is inaccessible to others.
bool PrivateFolder::has_secret_file() const {
  struct stat info;
  return fstatat(descriptor(), secret_name, &info, AT_SYMLINK_NOFOLLOW) == 0 &&
         !(info.st_mode & 077) && info.st_nlink == 1;
}

Result<Secret> PrivateFolder::secret() const {
  Secret secret;
  for (int attempt = 0; attempt < 2; ++attempt) {
    const std::optional<std::string> found = read(secret_name);
    if (found && found->size() == sizeof secret && has_secret_file()) {
      std::memcpy(secret.data(), found->data(), sizeof secret);
      return secret;
    }
    if (getrandom(secret.data(), sizeof secret, 0) != sizeof secret)
      return Failure{"the system provides no random numbers"};
    // Another process may do the same, so read back the secret that was written last.
    const std::string_view bytes(reinterpret_cast<const char*>(secret.data()), sizeof secret);
    if (const int why = write(secret_name, bytes))
      return Failure{cat(path_, ": could not be written: ", fault(why))};
  }
  return Failure{cat(path_, ": other users may read the files in it")};
}

}  // namespace vitro::jit
