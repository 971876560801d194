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
  std::span<const std::byte> bytes, places;
};

struct Place {
  uint64_t storage = 0;  // unique in the process; 0: unknown
  int64_t offset = 0;    // in elements
};

// Reads the contents of events::Tensors; after the last, all are unknown.
class Places {
 public:
  explicit Places(std::span<const std::byte> bytes) : rest_(bytes) {}
  Place next() {
    Place place;
    if (rest_.size() < sizeof place) return {};
    std::memcpy(&place, rest_.data(), sizeof place);
    rest_ = rest_.subspan(sizeof place);
    return place;
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
  Found find(const events::TensorValue& tensor, const Place& place) {
    if (place.storage == 0) return {};
    return {number_of(key_of(tensor, place)), number_of(key_of(place.storage)), place.offset};
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
  static std::string key_of(const events::TensorValue& tensor, const Place& place) {
    std::string key;
    add(key, &place, 1);
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
