#include "analyze/read/texts.h"

#include <cstring>

namespace vitro::analyze {
namespace {

constexpr uint64_t odd = 0xff51afd7ed558ccd;

uint64_t word_at(const char* bytes) {
  uint64_t word;
  std::memcpy(&word, bytes, sizeof word);
  return word;
}

// Two words at a time; good enough for tables, not against an adversary.
uint64_t hash_of(std::string_view text) {
  const char *at = text.data(), *end = at + text.size();
  uint64_t first = text.size() * 0x9e3779b97f4a7c15, second = ~first;
  for (; end - at >= 16; at += 16) {
    first = (first ^ word_at(at)) * odd;
    second = (second ^ word_at(at + 8)) * odd;
    first ^= first >> 32;
    second ^= second >> 32;
  }
  if (end - at >= 8) {
    first = (first ^ word_at(at)) * odd;
    at += 8;
  }
  uint64_t last = 0;
  std::memcpy(&last, at, static_cast<size_t>(end - at));
  uint64_t hash = (first ^ (second << 1 | second >> 63) ^ last * 0x9e3779b97f4a7c15) * odd;
  hash = (hash ^ hash >> 32) * odd;
  return hash ^ hash >> 29;
}

}  // namespace

void Texts::grow() {
  std::vector<Slot> old(slots_.empty() ? 1024 : slots_.size() * 2);
  old.swap(slots_);
  for (const Slot& slot : old) {
    if (slot.number == UINT32_MAX) continue;
    size_t at = slot.hash & (slots_.size() - 1);
    while (slots_[at].number != UINT32_MAX) at = (at + 1) & (slots_.size() - 1);
    slots_[at] = slot;
  }
}

uint32_t Texts::look_up(std::string_view text, bool* fresh) {
  if (texts_.size() * 2 >= slots_.size()) grow();
  const uint64_t hash = hash_of(text);
  size_t at = hash & (slots_.size() - 1);
  for (;; at = (at + 1) & (slots_.size() - 1)) {
    const Slot& slot = slots_[at];
    *fresh = slot.number == UINT32_MAX;
    if (*fresh || (slot.hash == hash && texts_[slot.number] == text)) break;
  }
  if (*fresh) {
    slots_[at] = {hash, static_cast<uint32_t>(texts_.size())};
    texts_.push_back(owned_.emplace_back(text));
    followers_.push_back(0);
  }
  const uint32_t number = slots_[at].number;
  if (last_ != UINT32_MAX) followers_[last_] = number;
  return last_ = number;
}

}  // namespace vitro::analyze
