// Reads the nested lists of a memory timeline, in either format, as rows; memory_timeline.cpp
// replays them.
#include "analyze/read/memory_rows.h"

#include <algorithm>

#include "analyze/read/number_lists.h"
#include "vitro/base/cat.h"

namespace vitro::analyze {
namespace {

using Kind = NumberLists::Kind;

constexpr size_t row_numbers = 4;                        // time, action, bytes, category
constexpr size_t sum_numbers = 1 + timeline_categories;  // 0, then a sum for each category
constexpr int64_t ns_per_us = 1000;
constexpr int64_t most_bytes = int64_t{1} << 44;  // larger numbers are invalid
constexpr int64_t most_us = INT64_MAX / ns_per_us;

bool is_size(int64_t bytes) {
  return bytes >= -most_bytes && bytes <= most_bytes;
}

bool is_action(int64_t number) {
  return number >= static_cast<int64_t>(TimelineAction::preexisting) &&
         number <= static_cast<int64_t>(TimelineAction::destroyed);
}

class MemoryRowReader {
 public:
  explicit MemoryRowReader(Bytes& bytes) : bytes_(bytes), lists_(bytes) {}

  Result<MemoryRows> read() {
    lists_.next();  // the outer bracket
    lists_.next();  // the bracket of the first list
    if (!rest_of_list(lists_.next())) return failure();
    Kind kind = lists_.next();
    const bool is_second = kind == Kind::open;
    if (is_second) {
      kind = lists_.next();
      if (kind == Kind::open || kind == Kind::close) return read_sums(kind);
    }
    if (!take_row()) return failure();
    if (is_second) {
      read_rows(kind);
    } else if (kind != Kind::close) {
      stop();
    }
    return finish();
  }

 private:
  // Reads the numbers of the open list, whose first is `kind`; false if something else occurs.
  bool rest_of_list(Kind kind) {
    numbers_.clear();
    for (; kind == Kind::number; kind = lists_.next()) numbers_.push_back(lists_.number());
    if (kind == Kind::close) return true;
    why_ = kind == Kind::end    ? "the file ends in a list of numbers"
           : kind == Kind::open ? "got a list, needs an integer"
                                : "got something else, needs an integer";
    return false;
  }

  // Reads rows to the end of the file; the next has begun, with `kind`.
  void read_rows(Kind kind) {
    for (;; kind = lists_.next()) {
      if (!rest_of_list(kind) || !take_row()) return stop();
      const Kind between = lists_.next();
      if (between == Kind::close) return;
      if (between != Kind::open) return stop();
    }
  }

  // False if it is not a row.
  bool take_row() {
    if (numbers_.size() != row_numbers) {
      why_ = cat("a row of a memory timeline has ", row_numbers,
                 " numbers (time, action, bytes, category), got ", numbers_.size());
      return false;
    }
    const int64_t at = numbers_[0], action = numbers_[1], bytes = numbers_[2];
    const int64_t category = numbers_[3];
    const uint32_t number = rows_++;
    if (at < timeline_before || !is_action(action) || category < 0 ||
        category >= static_cast<int64_t>(timeline_categories) || !is_size(bytes)) {
      leave_out(cat("[", at, ", ", action, ", ", bytes, ", ", category, "]"));
      return true;
    }
    out_.list.push_back({at, bytes, number, static_cast<TimelineAction>(action),
                         static_cast<TimelineCategory>(category)});
    return true;
  }

  // The times and the bracket of the list of sums have been read; `kind` is what follows.
  Result<MemoryRows> read_sums(Kind kind) {
    out_.sums = true;
    const std::vector<int64_t> times = std::move(numbers_);
    // Memory that existed before has the time of the first change, which is repeated.
    const bool before = times.size() > 1 && times[0] == times[1];
    BytesByCategory sums{};
    size_t i = 0;
    for (; kind == Kind::open && i < times.size(); ++i) {
      if (!rest_of_list(lists_.next()) || !are_sums()) break;
      take_sums(i == 0 && before ? timeline_before : times[i], static_cast<uint32_t>(i), sums);
      kind = lists_.next();
    }
    if (i < times.size() || kind != Kind::close) {
      if (why_.empty()) why_ = cat("has ", times.size(), " times, and sums for ", i, " of them");
      stop();
    }
    if (rows_ == 0 && !times.empty()) return failure();
    return finish();
  }

  bool are_sums() {
    if (numbers_.size() == sum_numbers) return true;
    why_ =
        cat("the sums of a memory timeline are ", sum_numbers, " numbers, got ", numbers_.size());
    return false;
  }

  void take_sums(int64_t at_us, uint32_t number, BytesByCategory& sums) {
    ++rows_;
    if (at_us < timeline_before || at_us > most_us || !std::ranges::all_of(numbers_, is_size)) {
      return leave_out(cat("that of time ", at_us));
    }
    const int64_t at = at_us == timeline_before ? at_us : at_us * ns_per_us;
    for (const bool less : {true, false}) {
      for (size_t c = 0; c < timeline_categories; ++c) {
        const int64_t change = numbers_[1 + c] - sums[c];
        if (change == 0 || (change < 0) != less) continue;
        const auto action = at == timeline_before ? TimelineAction::preexisting
                            : less                ? TimelineAction::destroyed
                                                  : TimelineAction::created;
        out_.list.push_back({at, change, number, action, static_cast<TimelineCategory>(c)});
      }
    }
    std::copy_n(numbers_.begin() + 1, timeline_categories, sums.begin());
  }

  void leave_out(std::string row) {
    if (left_out_++ == 0) first_left_out_ = std::move(row);
  }

  // Rows read so far count.
  void stop() {
    std::string why = why_.empty() ? "the file ends in its rows" : why_;
    if (!bytes_.trouble().empty()) why = bytes_.trouble();
    out_.notes.push_back({lists_.offset(), cat(why, "; ", rows_, " rows count")});
  }

  Failure failure() const {
    const std::string& why = bytes_.trouble().empty() ? why_ : bytes_.trouble();
    return Failure{cat("at byte ", lists_.offset(), ": ", why)};
  }

  Result<MemoryRows> finish() {
    if (left_out_ > 0)
      out_.notes.push_back(
          {lists_.offset(),
           cat(left_out_,
               " rows are not valid in a memory timeline and were dropped, the first is ",
               first_left_out_)});
    std::ranges::stable_sort(out_.list, {}, &MemoryRow::at);
    return std::move(out_);
  }

  Bytes& bytes_;
  NumberLists lists_;
  std::vector<int64_t> numbers_;
  uint32_t rows_ = 0;
  uint64_t left_out_ = 0;
  std::string first_left_out_, why_;
  MemoryRows out_;
};

}  // namespace

Result<MemoryRows> read_memory_rows(Bytes& bytes) {
  return MemoryRowReader(bytes).read();
}

}  // namespace vitro::analyze
