// Numbers tensors: one number for each storage, one for each window on it.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <unordered_map>

#include "vitro/events/values.h"

namespace vitro {

// Values (events/values.h), and the identities of the tensors among them; either may be missing.
struct ValuesOf {
  std::span<const std::byte> bytes, locations;
};

struct StorageLocation {
  uint64_t storage = 0;  // unique in the process; 0: unknown
  int64_t offset = 0;    // in elements
};

// Reads the contents of events::Tensors; after the last, all are unknown.
class StorageLocationReader {
 public:
  explicit StorageLocationReader(std::span<const std::byte> bytes) : rest_(bytes) {}
  StorageLocation next() {
    StorageLocation location;
    if (rest_.size() < sizeof location) return {};
    std::memcpy(&location, rest_.data(), sizeof location);
    rest_ = rest_.subspan(sizeof location);
    return location;
  }

 private:
  std::span<const std::byte> rest_;
};

class TensorNumbers {
 public:
  struct Found {
    uint64_t tensor = 0, storage = 0;
    int64_t offset = 0;
  };

  // Numbers from `next` on.
  explicit TensorNumbers(uint64_t next) : next_(next) {}

  // All 0 if the tensor is unknown.
  Found find(const events::TensorValue& tensor, const StorageLocation& location) {
    if (location.storage == 0) return {};
    return {number_of(key_of(tensor, location)), number_of(key_of(location.storage)),
            location.offset};
  }

 private:
  template <class T>
  static void add(std::string& key, const T* values, size_t count) {
    key.append(reinterpret_cast<const char*>(values), count * sizeof(T));
  }
  static std::string key_of(uint64_t storage) {
    std::string key;
    add(key, &storage, 1);
    return key;
  }
  static std::string key_of(const events::TensorValue& tensor, const StorageLocation& location) {
    std::string key;
    add(key, &location, 1);
    add(key, &tensor.dtype, 1);
    add(key, tensor.sizes.data(), tensor.sizes.size());
    add(key, tensor.strides.data(), tensor.strides.size());
    return key;
  }
  uint64_t number_of(std::string key) {
    const auto [found, fresh] = numbers_.try_emplace(std::move(key), next_);
    next_ += fresh ? 1 : 0;
    return found->second;
  }

  uint64_t next_;
  std::unordered_map<std::string, uint64_t> numbers_;
};

}  // namespace vitro
