// User-defined named stretches of time, with arguments; and numbers over time.
//   RecordFunction step("step", {{"batch", 32}, {"phase", "train"}});
//   RecordFunction load("load", "part 3");
//   record_counter("queue", queue.size());
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>
#include <variant>

#include "vitro/events/record.h"

namespace vitro {

// An argument of a range: {"batch", 32}, {"rate", 0.1}, {"phase", "train"}.
struct RangeArgument {
  std::string_view name;
  std::variant<bool, int64_t, double, std::string_view> value;

  template <class T>
  RangeArgument(std::string_view called, T given) : name(called), value(stored(given)) {}

 private:
  static auto stored(std::integral auto given) {
    if constexpr (std::same_as<decltype(given), bool>) {
      return given;
    } else {
      return static_cast<int64_t>(given);
    }
  }
  static double stored(std::floating_point auto given) { return static_cast<double>(given); }
  static std::string_view stored(std::string_view given) { return given; }
};

// A range of that name is open on this thread during its lifetime; traces show its arguments. Costs
// a branch when not recording.
class RecordFunction {
 public:
  explicit RecordFunction(std::string_view name,
                          std::initializer_list<RangeArgument> arguments = {})
      : begun_(events::recording() && begin(name, {arguments.begin(), arguments.size()})) {}
  RecordFunction(std::string_view name, std::string_view argument)
      : RecordFunction(name, {{{}, argument}}) {}
  RecordFunction(const RecordFunction&) = delete;
  ~RecordFunction() {
    if (begun_) [[unlikely]]
      events::record(events::RangeEnd{});
  }

 private:
  static bool begin(std::string_view name, std::span<const RangeArgument> arguments);

  bool begun_;
};

// Sets the value of a counter from now on: traces draw each name as a row.  Costs a branch when not
// recording.
inline void record_counter(std::string_view name, double value) {
  if (events::in_session()) [[unlikely]]
    events::record(events::Counter{events::intern(name), value});
}

}  // namespace vitro
