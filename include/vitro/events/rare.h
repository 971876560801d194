// Rare events are kept whether or not a session runs, in a bounded ring: `explain`, logs and
// compile times need no profiler.  They own their text.
//   events::PhaseScope phase("fuse_loops", "f/0");
//   events::keep(events::Break{code.id, "item() needs a value", "model.cpp:31"});
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "vitro/base/clock.h"
#include "vitro/events/rare_mark.h"

namespace vitro::events {

// A step of the compiler; steps nest by time on their thread.
struct Phase {
  static constexpr std::string_view name = "phase";
  std::string phase, subject;  // "fuse_loops", "f/0"
  uint64_t begin = 0;          // ticks; the event's own moment is the end
};

// What befell a compiled function: a stable code (base/code.h), the sentence that says why, and
// where, as file:line.
struct Break {
  static constexpr std::string_view name = "break";
  std::string code, reason, place;
};
struct GuardFailure {
  static constexpr std::string_view name = "guard_failure";
  std::string code, reason, place;
};
struct Recompile {
  static constexpr std::string_view name = "recompile";
  std::string code, reason, place;
};
struct Fallback {  // a call ran eagerly because compiling was not possible
  static constexpr std::string_view name = "fallback";
  std::string code, reason, place;
};

enum class Level : uint8_t { debug, info, warning, error };
std::string_view to_text(Level level);

struct Message {
  static constexpr std::string_view name = "message";
  std::string component;  // "capture", "jit"
  Level level = Level::info;
  std::string text;
};

using RareKinds = std::variant<Phase, Break, GuardFailure, Recompile, Fallback, Message>;

struct Rare {
  uint64_t number = 0;  // counts all rare events of the process
  uint64_t ts = 0;      // ticks
  int64_t tid = 0;      // of the thread it happened on
  RareKinds what;
};

// Keeps an event.  Texts over 4 KiB are cut, and say so.  Any thread; takes a lock.
void keep(RareKinds what);

// The rare events since a mark that the ring still holds (the newest 8192), oldest first.
std::vector<Rare> rare_since(uint64_t mark);

// The phases of one name and subject together, since the process began.
struct PhaseSum {
  std::string phase, subject;
  uint64_t begin = 0;  // of the first, ticks
  uint64_t count = 0;
  uint64_t self_ticks = 0, total_ticks = 0;  // without and with the phases inside
  int64_t tid = 0;                           // of the first thread that ended one
  bool on_several_threads = false;           // their times are added up
};

// Exact, however long ago the phases ended; in the order in which the first of each began.  Past
// sixteen thousand sums new subjects are added up as "(others)".
std::vector<PhaseSum> phase_sums();

// Calls `listener` with each rare event from now on, on the thread it happens on, outside any lock;
// null ends that. There is one listener: the logs.
using RareListener = void (*)(const Rare&);
void listen(RareListener listener);

// Keeps a Phase from here to the end of the scope.
class PhaseScope {
 public:
  explicit PhaseScope(std::string_view phase, std::string_view subject = {});
  PhaseScope(const PhaseScope&) = delete;
  ~PhaseScope();

 private:
  Phase phase_;
  uint64_t inside_before_;
};

}  // namespace vitro::events
