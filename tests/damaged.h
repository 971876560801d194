// Bytes as a fuzzer changes them: some overwritten, removed or duplicated.
#pragma once

#include <random>
#include <string>

namespace vitro {

inline std::string damaged(std::string bytes, std::mt19937& random) {
  for (int change = 0; change < 3 && !bytes.empty(); ++change) {
    const size_t at = random() % bytes.size(), length = random() % 8;
    switch (random() % 3) {
      case 0:
        bytes[at] = static_cast<char>(random());
        break;
      case 1:
        bytes.erase(at, length);
        break;
      default:
        bytes.insert(at, bytes.substr(random() % bytes.size(), length));
    }
  }
  return bytes;
}

}  // namespace vitro
