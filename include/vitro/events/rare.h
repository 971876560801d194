// Rare events are kept in a bounded ring whether or not a session runs, so `explain`, logs and
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

// A step of the compiler.  Phases of a thread nest.
struct Phase {
  static constexpr std::string_view name = "phase";
  std::string phase, subject;  // "fuse_loops", "f/0"
  uint64_t begin = 0;          // ticks; the end is the event's own timestamp
};

// Events of compiled functions: a stable code (base/code.h), a sentence with the reason, and the
// location as file:line.
struct Break {
  static constexpr std::string_view name = "break";
  std::string code, reason, location;
};
struct GuardFailure {
  static constexpr std::string_view name = "guard_failure";
  std::string code, reason, location;
};
struct Recompile {
  static constexpr std::string_view name = "recompile";
  std::string code, reason, location;
};
struct Fallback {  // a call ran eagerly because it could not be compiled
  static constexpr std::string_view name = "fallback";
  std::string code, reason, location;
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
  uint64_t number = 0;  // sequence number among all rare events of the process
  uint64_t ts = 0;      // ticks
  int64_t tid = 0;      // of the thread that recorded it
  RareKinds what;
};

// Keeps an event.  Texts over 4 KiB are truncated, with a note.  Thread-safe; takes a lock.
void keep(RareKinds what);

// Returns the rare events since a mark, oldest first.  The ring holds the newest 8192.
std::vector<Rare> rare_since(uint64_t mark);

// Sum over all phases of one name and subject since the process started.
struct PhaseSum {
  std::string phase, subject;
  uint64_t begin = 0;  // of the earliest one, ticks
  uint64_t count = 0;
  uint64_t self_ticks = 0, total_ticks = 0;  // excluding and including nested phases
  int64_t tid = 0;                           // of the first thread that ended one
  bool on_several_threads = false;           // if so, their times are added up
};

// Exact even for phases that the ring no longer holds.  Ordered by `begin`.  Beyond 16384 sums, new
// subjects are added up as "(others)".
std::vector<PhaseSum> phase_sums();

// From now on calls `listener` with each rare event, on the thread that records it, outside any
// lock; null removes it. There is only one listener: the logs.
using RareListener = void (*)(const Rare&);
void listen(RareListener listener);

// Times the scope and keeps it as a Phase when it ends.
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
