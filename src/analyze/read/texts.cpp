#include "analyze/read/texts.h"

#include <cstring>

namespace vitro::analyze {
namespace {

// Eight bytes at a time; good for tables, not against an adversary.
uint64_t hash_of(std::string_view text) {
  uint64_t hash = text.size() * 0x9e3779b97f4a7c15;
  const auto mix = [&](uint64_t word) {
    hash = (hash ^ word) * 0xff51afd7ed558ccd;
    hash ^= hash >> 32;
  };
  size_t at = 0;
  for (; at + 8 <= text.size(); at += 8) {
    uint64_t word;
    std::memcpy(&word, text.data() + at, 8);
    mix(word);
  }
  uint64_t last = 0;
  if (at < text.size()) std::memcpy(&last, text.data() + at, text.size() - at);
  mix(last);
  return hash;
}

}  // namespace

void Texts::grow() {
  std::vector<Place> old(places_.empty() ? 1024 : places_.size() * 2);
  old.swap(places_);
  for (const Place& place : old) {
    if (place.number == UINT32_MAX) continue;
    size_t at = place.hash & (places_.size() - 1);
    while (places_[at].number != UINT32_MAX) at = (at + 1) & (places_.size() - 1);
    places_[at] = place;
  }
}

uint32_t Texts::look_up(std::string_view text, bool* fresh) {
  if (texts_.size() * 2 >= places_.size()) grow();
  const uint64_t hash = hash_of(text);
  size_t at = hash & (places_.size() - 1);
  for (;; at = (at + 1) & (places_.size() - 1)) {
    const Place& place = places_[at];
    *fresh = place.number == UINT32_MAX;
    if (*fresh || (place.hash == hash && texts_[place.number] == text)) break;
  }
  if (*fresh) {
    places_[at] = {hash, static_cast<uint32_t>(texts_.size())};
    texts_.push_back(owned_.emplace_back(text));
    followers_.push_back(0);
  }
  const uint32_t number = places_[at].number;
  if (last_ != UINT32_MAX) followers_[last_] = number;
  return last_ = number;
}

}  // namespace vitro::analyze
