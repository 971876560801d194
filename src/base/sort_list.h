// std::ranges::stable_sort in little code: the sort is one function for elements of all types,
// which moves numbers of places.  For lists of results; for every event of a trace it is slower.
//   sort_list(rows, std::greater(), &Row::time);
#pragma once

#include <cstddef>
#include <functional>
#include <utility>

#include "vitro/base/function_ref.h"

namespace vitro {

// `before` compares the elements at two places of a list of `size`, `swap` exchanges them.
void sort_places(size_t size, FunctionRef<bool(size_t, size_t)> before,
                 FunctionRef<void(size_t, size_t)> swap);

template <class List, class Less = std::ranges::less, class Key = std::identity>
void sort_list(List& list, Less less = {}, Key key = {}) {
  sort_places(
      list.size(),
      [&](size_t a, size_t b) {
        return std::invoke(less, std::invoke(key, list[a]), std::invoke(key, list[b]));
      },
      [&](size_t a, size_t b) { std::swap(list[a], list[b]); });
}

}  // namespace vitro
