// Finds which external inputs of a path share memory, and which of them become windows of one base
// vector in the graph.  RecordedPath builds it for the passes of a plan.
//
// First, equal inputs are joined (join_equal): same storage, distance and shape.  Each remaining
// one starts as a cluster, with its byte range relative to the first tensor of its storage; with
// symbolic sizes the end is unknown (open).  Two clusters of a storage, one of which is written,
// are merged unless their ranges are disjoint, repeatedly, since a merged cluster may overlap
// another one (join_overlapping).  A cluster of several windows, or a written one whose elements
// overlap, gets a base (add_base): a vector from its first byte to the end of its last window,
// whose dtype all windows must share.  If there is no such vector (dtypes differ, a distance is not
// a whole number of elements, a stride is negative), the plan is refused with `trouble`.
//
// may_cover_itself decides from the innermost dimension outwards whether elements of one window
// overlap: if each stride exceeds the reach of the dimensions inside it, all elements are distinct.
// This is sufficient, not necessary; a window that fails it is treated as overlapping.
#include "capture/aliases.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <utility>

#include "base/sort_list.h"
#include "graph/metas.h"
#include "vitro/base/cat.h"

namespace vitro::capture {
namespace {

// The slot that represents an external tensor's storage; other tensors in it refer to that slot.
uint32_t storage_of(const SlotTable& table, uint32_t slot) {
  const ExternalInput& input = *table[slot].input;
  return input.shares == no_slot ? slot : input.shares;
}

bool is_empty(const TensorMeta& meta) {
  return std::any_of(meta.sizes.begin(), meta.sizes.end(), [](Size s) { return s.hint() == 0; });
}

// The extent in elements, from the first to one past the last.
Size elements_of(const TensorMeta& meta) {
  Size last = 0;
  for (size_t d = 0; d < meta.sizes.size(); ++d) {
    const Size size(meta.sizes[d]), stride(meta.strides[d]);
    last = last + (size - 1) * stride;
  }
  return last + 1;
}

bool walks_back(const TensorMeta& meta) {
  return std::any_of(meta.strides.begin(), meta.strides.end(), [](Size s) { return s.hint() < 0; });
}

// (stride, size) of the dimensions with more than one element, innermost first.
std::vector<std::pair<Size, Size>> steps_of(const TensorMeta& window) {
  std::vector<std::pair<Size, Size>> dims;
  for (size_t d = 0; d < window.sizes.size(); ++d) {
    if (window.sizes[d].is_symbolic() || window.sizes[d].hint() != 1)
      dims.emplace_back(window.strides[d], window.sizes[d]);
  }
  sort_list(dims, [](const auto& a, const auto& b) {
    return std::pair(a.first.hint(), a.second.hint()) < std::pair(b.first.hint(), b.second.hint());
  });
  return dims;
}

// Uses this call's sizes; the window may have been recorded with others.
bool covers_itself_in_this_call(const TensorMeta& window, const ValueOf& value_of) {
  const auto values = [&](const Sizes& sizes) {
    Ints out;
    for (const Size s : sizes) out.push_back(s.is_symbolic() ? value_of(s.expr()) : s.hint());
    return out;
  };
  return may_cover_itself(values(window.sizes), values(window.strides));
}

}  // namespace

bool may_cover_itself(const Ints& sizes, const Ints& strides) {
  TensorMeta window;
  for (const int64_t s : sizes) window.sizes.push_back(s);
  for (const int64_t s : strides) window.strides.push_back(s);
  return may_cover_itself(window);
}

bool may_cover_itself(const TensorMeta& window) {
  if (is_empty(window)) return false;
  int64_t reach = 0;
  for (const auto& [stride, size] : steps_of(window)) {
    if (size.hint() == 1) continue;
    if (std::abs(stride.hint()) <= reach) return true;
    reach += (size.hint() - 1) * std::abs(stride.hint());
  }
  return false;
}

bool never_covers_itself(const TensorMeta& window) {
  sym::Expr reach = 0;
  for (const auto& [stride, size] : steps_of(window)) {
    if (sym::prove_less(reach, stride.expr()) != true) return false;
    reach = reach + (size.expr() - 1) * stride.expr();
  }
  return true;
}

Aliases::Aliases(const SlotTable& table, std::vector<bool> written, const ValueOf& value_of)
    : table_(table), written_(std::move(written)), same_(table.size()), base_(table.size(), -1) {
  std::iota(same_.begin(), same_.end(), 0U);
  join_equal();
  std::vector<Cluster> all = clusters();
  while (join_overlapping(all)) {
  }
  for (const Cluster& cluster : all) {
    const bool repeated = cluster.written && covers_itself_in_this_call(
                                                 table_[cluster.slots[0]].input->meta, value_of);
    if (cluster.slots.size() > 1 || repeated) add_base(cluster);
  }
}

int64_t Aliases::distance(uint32_t slot) const {
  const ExternalInput& input = *table_[slot].input;
  return input.shares == no_slot ? 0 : input.shared_distance;
}

int64_t Aliases::offset(uint32_t slot) const {
  const Base& base = bases_[static_cast<size_t>(base_[slot])];
  return (distance(slot) - distance(base.first)) / bytes_of(base.dtype);
}

void Aliases::join_equal() {
  for (uint32_t a = 0; a < table_.size(); ++a) {
    if (!table_[a].input || table_[a].input->shares == no_slot) continue;
    for (uint32_t b = table_[a].input->shares; b < a; ++b) {
      if (!table_[b].input || same_[b] != b || storage_of(table_, a) != storage_of(table_, b) ||
          distance(a) != distance(b) || !graph::fits(table_[a].input->meta, table_[b].input->meta))
        continue;
      same_[a] = b;
      if (written_[a]) written_[b] = true;
      break;
    }
  }
}

std::vector<Aliases::Cluster> Aliases::clusters() const {
  std::vector<Cluster> out;
  for (uint32_t slot = 0; slot < table_.size(); ++slot) {
    if (!table_[slot].input || same_[slot] != slot || is_empty(table_[slot].input->meta)) continue;
    const ExternalInput& input = *table_[slot].input;
    const int64_t begin = distance(slot);
    out.push_back({{slot},
                   storage_of(table_, slot),
                   begin,
                   begin + elements_of(input.meta).hint() * bytes_of(input.meta.dtype),
                   input.symbolic,
                   written_[slot]});
  }
  return out;
}

// Returns whether two clusters were merged.
bool Aliases::join_overlapping(std::vector<Cluster>& all) const {
  const auto meet = [](const Cluster& a, const Cluster& b) {
    const bool apart = !a.open && !b.open && (a.end <= b.begin || b.end <= a.begin);
    return a.storage == b.storage && (a.written || b.written) && !apart;
  };
  for (size_t i = 0; i < all.size(); ++i) {
    for (size_t j = i + 1; j < all.size(); ++j) {
      Cluster &a = all[i], &b = all[j];
      if (!meet(a, b)) continue;
      a.slots.insert(a.slots.end(), b.slots.begin(), b.slots.end());
      a.begin = std::min(a.begin, b.begin);
      a.end = std::max(a.end, b.end);
      a.open = a.open || b.open;
      a.written = a.written || b.written;
      all.erase(all.begin() + static_cast<std::ptrdiff_t>(j));
      return true;
    }
  }
  return false;
}

void Aliases::add_base(const Cluster& cluster) {
  const uint32_t first =
      *std::min_element(cluster.slots.begin(), cluster.slots.end(),
                        [this](uint32_t a, uint32_t b) { return distance(a) < distance(b); });
  Base base{first, 0, table_[first].input->meta.dtype};
  for (const uint32_t slot : cluster.slots) {
    const TensorMeta& meta = table_[slot].input->meta;
    const int64_t after = distance(slot) - distance(first);
    if (meta.dtype != base.dtype || after % bytes_of(base.dtype) != 0 || walks_back(meta)) {
      trouble_ = cat("inputs ", first, " (", base.dtype, ") and ", slot, " (", meta.dtype, ", ",
                     after, " bytes after) overlap in memory, and one is written");
      return;
    }
    base.elements = max(base.elements, elements_of(meta) + after / bytes_of(base.dtype));
  }
  for (const uint32_t slot : cluster.slots) base_[slot] = static_cast<int>(bases_.size());
  bases_.push_back(base);
}

}  // namespace vitro::capture
