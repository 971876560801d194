// Typed numbers: a NodeId does not convert to a BufferId.
//   using NodeId = Id<struct NodeTag>;
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <string>

#include "vitro/base/cat.h"

namespace vitro {

template <class Tag>
struct Id {
  uint32_t n = 0;
  auto operator<=>(const Id&) const = default;
};

template <class Tag>
void append_to(std::string& out, Id<Tag> id) {
  append_to(out, id.n);
}

}  // namespace vitro

template <class Tag>
struct std::hash<vitro::Id<Tag>> {
  size_t operator()(vitro::Id<Tag> id) const { return id.n; }
};
