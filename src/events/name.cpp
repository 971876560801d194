#include "vitro/events/name.h"

#include <array>
#include <atomic>
#include <cstring>
#include <memory>
#include <mutex>
#include <unordered_map>

namespace vitro::events {
namespace {

constexpr uint32_t block_names = 1024, max_blocks = 1024;
constexpr size_t max_text = 64 << 20;

using Block = std::array<std::string_view, block_names>;

// Readers need no lock: a block never moves, and an entry is written before its number is returned.
struct Table {
  std::mutex lock;
  std::unordered_map<std::string_view, uint32_t> numbers;
  std::array<std::atomic<Block*>, max_blocks> blocks{};
  uint32_t count = 0;
  size_t bytes = 0;

  Table() {
    add({});
    add("(too many names)");
  }

  NameId add(std::string_view text) {
    const uint32_t n = count++;
    auto& block = blocks[n / block_names];
    if (n % block_names == 0) block.store(std::make_unique<Block>().release());
    const size_t length = text.size();
    std::unique_ptr<char[]> copy(new char[length + 1]);
    if (length != 0) std::memcpy(copy.get(), text.data(), length);
    copy[length] = '\0';
    bytes += length;
    const std::string_view kept(copy.release(), length);
    (*block.load())[n % block_names] = kept;
    numbers.emplace(kept, n);
    return {n};
  }
};

Table& table() {
  static Table& names = *std::make_unique<Table>().release();
  return names;
}

}  // namespace

NameId intern(std::string_view text) {
  Table& t = table();
  std::lock_guard hold(t.lock);
  if (auto found = t.numbers.find(text); found != t.numbers.end()) return {found->second};
  if (t.count == block_names * max_blocks || t.bytes + text.size() > max_text) return {1};
  return t.add(text);
}

std::string_view text(NameId name) {
  return (
      *table().blocks[name.n / block_names].load(std::memory_order_acquire))[name.n % block_names];
}

}  // namespace vitro::events
