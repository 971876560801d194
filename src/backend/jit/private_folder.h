// A folder for code that we execute.  Only its owner can write to it, and it is accessed by
// descriptor, so that nobody can replace it between a check and a use.
//   auto folder = PrivateFolder::open(path);            // a Result
//   if (std::optional<std::string> bytes = folder->read("key.so")) ...
// Thread safety: may be used by any number of threads and processes at once.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "backend/jit/keyed_hash.h"
#include "vitro/base/result.h"

namespace vitro::jit {

class PrivateFolder {
 public:
  // Creates the folder if missing.  If others could write to it, restricts it to the owner and
  // removes its kernel files, which anybody may have written.
  static Result<PrivateFolder> open(const std::string& path);

  const std::string& path() const { return path_; }
  int descriptor() const { return *descriptor_; }
  // Nobody else can replace the folder, so its files may be opened by path.
  bool has_safe_path() const { return has_safe_path_; }

  // The content of a file that only its owner, this user, can write to; marks it as used now.
  // Anything else of that name is removed or moved aside.
  std::optional<std::string> read(const std::string& name) const;
  // Writes `bytes` followed by `more`, atomically; returns an errno, or 0.
  int write(const std::string& name, std::string_view bytes, std::string_view more = {}) const;
  // Creates a file that must not exist; returns an errno, or 0.
  int create(const std::string& name, std::string_view bytes) const;
  void remove(const std::string& name) const;

  // Random words that nobody else can read, created on first use.
  Result<Secret> secret() const;

 private:
  void empty() const;
  bool has_secret_file() const;

  std::string path_;
  std::shared_ptr<int> descriptor_;
  bool has_safe_path_ = false;
};

}  // namespace vitro::jit
