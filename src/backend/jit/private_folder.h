// A folder that holds what we run: ours alone, and held by descriptor, so that nobody can put
// something else in a name's place between a look and the next.
//   auto folder = PrivateFolder::open(path);            // a Result
//   if (std::optional<std::string> bytes = folder->read("key.so")) ...
// Thread safety: any threads at once, any number of processes.
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
  // Made where it is missing.  Where others may write to it, what it holds of ours is removed
  // first: anybody may have put it there.
  static Result<PrivateFolder> open(const std::string& path);

  const std::string& path() const { return path_; }
  int descriptor() const { return *descriptor_; }
  // Nobody else can put another folder in its place: its files may be opened by their path.
  bool has_safe_path() const { return has_safe_path_; }

  // The bytes of a file of ours that nobody else may write to, marked as used now; anything else of
  // that name is moved out of the way.
  std::optional<std::string> read(const std::string& name) const;
  // Whole or not at all; an errno, or 0.
  int write(const std::string& name, std::string_view bytes, std::string_view more = {}) const;
  // A file that must not be there yet; an errno, or 0.
  int create(const std::string& name, std::string_view bytes) const;
  void remove(const std::string& name) const;

  // Random words that nobody else can read, made when first asked for.
  Result<Secret> secret() const;

 private:
  void empty() const;
  bool has_secret_file() const;

  std::string path_;
  std::shared_ptr<int> descriptor_;
  bool has_safe_path_ = false;
};

}  // namespace vitro::jit
