// A stable sort for nearly sorted sequences such as the events of a file: those of each writer are
// in order, and writers follow one another.  Linear if runs do not overlap; n log n at worst.
//   sort_runs(std::span(list), before);
// Finds sorted runs and merges them as α-stack sort does with α = 2 (S. Buss, A. Knop: "Strategies
// for Stable Merge Sorting"); only the overlapping part of two runs moves.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "vitro/analyze/resident.h"

namespace vitro::analyze {

template <class T, class Before>
class RunSort {
 public:
  RunSort(std::span<T> list, Before before) : list_(list), before_(std::move(before)) {
    size_t begin = 0;
    while (begin < list_.size()) {
      const size_t end = end_of_run(begin);
      begins_.push_back(begin);
      begin = end;
      while (begins_.size() > 1 && last_but_one() <= 2 * (end - begins_.back())) merge_last(end);
    }
    while (begins_.size() > 1) merge_last(list_.size());
  }

 private:
  static constexpr size_t least = 32;  // shorter runs are extended to this length

  T* at(size_t place) { return list_.data() + place; }
  size_t last_but_one() const { return begins_.back() - begins_[begins_.size() - 2]; }

  size_t end_of_run(size_t begin) {
    size_t end = begin + 1;
    for (; end < list_.size() && !before_(*at(end), *at(end - 1)); ++end) pace_.step();
    if (end - begin >= least) return end;
    const size_t wanted = std::min(begin + least, list_.size());
    for (; end < wanted; ++end)
      std::rotate(std::upper_bound(at(begin), at(end), *at(end), before_), at(end), at(end + 1));
    return end;
  }

  // Merges the last two runs; `end`: of the second.
  void merge_last(size_t end) {
    const size_t middle = begins_.back();
    begins_.pop_back();
    T* const second = at(middle);
    T* const first = std::upper_bound(at(begins_.back()), second, *second, before_);
    if (first == second) return;
    T* const behind = std::lower_bound(second, at(end), *(second - 1), before_);
    merge(first, second, behind);
  }

  // The shorter one is copied out of the list.
  void merge(T* first, T* second, T* behind) {
    if (second - first <= behind - second) {
      aside_.assign(first, second);
      for (size_t left = 0; left < aside_.size(); ++first, pace_.step())
        *first = second < behind && before_(*second, aside_[left]) ? *second++ : aside_[left++];
      return;
    }
    aside_.assign(second, behind);
    T *left = second, *out = behind;
    size_t right = aside_.size();
    for (; right > 0 && left > first; pace_.step())
      *--out = before_(aside_[right - 1], *(left - 1)) ? *--left : aside_[--right];
    std::copy_backward(aside_.begin(), aside_.begin() + static_cast<std::ptrdiff_t>(right), out);
  }

  std::span<T> list_;
  Before before_;
  std::vector<size_t> begins_;  // of runs not merged yet
  std::vector<T> aside_;
  Pace pace_;  // comparing may read columns
};

template <class T, class Before>
void sort_runs(std::span<T> list, Before before) {
  RunSort<T, Before>(list, std::move(before));
}

// Sorts by `key` of each element.
template <class T, class Key>
void sort_runs_by(std::vector<T>& list, Key key) {
  sort_runs(std::span(list),
            [&](const T& a, const T& b) { return std::invoke(key, a) < std::invoke(key, b); });
}

}  // namespace vitro::analyze
