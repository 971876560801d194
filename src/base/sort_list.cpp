#include "base/sort_list.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace vitro {

void sort_places(size_t size, FunctionRef<bool(size_t, size_t)> before,
                 FunctionRef<void(size_t, size_t)> swap) {
  std::vector<size_t> from(size);  // the place of the element that belongs at each place
  std::iota(from.begin(), from.end(), size_t{0});
  std::stable_sort(from.begin(), from.end(), before);
  for (size_t i = 0; i < size; ++i) {
    size_t at = i;  // where the element lies that was at i
    while (from[at] != i) {
      const size_t next = from[at];
      swap(at, next);
      from[at] = at;
      at = next;
    }
    from[at] = at;
  }
}

}  // namespace vitro
