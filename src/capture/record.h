// All that is remembered of a function: steps, exits, compiled segments, findings.
// Threads: any; steps and exits are linked without a lock, the rest under one that is never held
// while the user's code or the backend runs.
#pragma once

#include <atomic>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "capture/exit.h"
#include "capture/step.h"
#include "vitro/capture/function.h"

namespace vitro::capture {

struct FrozenProgram;

class Record {
 public:
  explicit Record(CompileOptions options);
  ~Record();
  const CompileOptions& options() const { return options_; }
  SegmentRunner* runner() const { return runner_.get(); }
  uint32_t number() const { return number_; }
  // What the segment, or (null) the function, is called in tables and traces, as in PyTorch.
  std::string region_name(const Exit* exit) const;

  std::atomic<Step*>& entry() { return entry_; }
  std::atomic<uint32_t>& last_symbol() { return last_symbol_; }
  // Where the segment behind a break at that place starts.
  Step& start_behind(std::source_location where);
  // A step that will live as long as this; null once the record is full.
  Step* new_step();
  // A step that was never linked.
  void take_back(Step* step);
  // Links a step behind `link` unless somebody else linked one first, which is returned then.
  static Step* link(std::atomic<Step*>& link, Step* step);

  // The exit after `last` with these slots live that suits the call's symbols; `made` where this
  // call has to build it.  Null where there are too many.
  // `call`, `asked`: Exit::made_by, Exit::asked.
  Exit* exit(Step& last, const std::vector<uint64_t>& live, const Symbols& symbols, bool* made,
             uint64_t call = 0, std::vector<sym::Guard> asked = {});
  // Gives an exit its graph and what runs it; afterwards its state is not `building`.
  void build(Exit& exit);
  // What was compiled failed in a call, which ran op by op instead.
  void run_failed_of(Exit& exit, const std::string& why);
  // What runs it has found out that it cannot; from now on its ops run one by one.
  void give_up(Exit& exit, const Code& code, const std::string& why);

  // The latest step of that place, whichever way led there; null where there is none.
  const Step* latest(const Occurrence& at) const;
  void note_latest(const Occurrence& at, const Step& step);
  // Places in loops before which segments end.  `part` counts, and makes one.
  bool has_cuts() const { return cuts_.load(std::memory_order_acquire) != nullptr; }
  bool is_cut(std::source_location where) const;
  void part(std::source_location where);

  // Frozen programs, newest first; they are only ever added, as many as a place may have ways.
  bool has_room_for_frozen();
  FrozenProgram* frozen() const { return frozen_.load(std::memory_order_acquire); }
  void add(std::unique_ptr<FrozenProgram> program);

  enum class What : uint8_t { broke, recompiled, fell_back };
  // Counts; keeps an event the first time.
  void note(What what, const Code& code, std::string reason, std::string place);
  CompiledReport report() const;

 private:
  struct Site {
    const char* file;
    uint32_t line, column;
    bool operator==(const Site&) const = default;
  };
  struct SiteHash {
    size_t operator()(const Site& s) const {
      return reinterpret_cast<size_t>(s.file) * 31 + s.line * 1009 + s.column;
    }
  };
  void make(Exit& exit);
  std::shared_ptr<CompiledSegment> compiled(const Exit& exit, std::string* why, const Code** code);
  // Why no further segment is compiled; empty while some may be.
  std::string budget_spent() const;
  std::shared_ptr<CompiledSegment> known_segment(const Hash& key, const graph::Graph& graph) const;
  std::vector<const Step*> linked_steps() const;
  SegmentReport report(const Exit& exit) const;

  CompileOptions options_;
  std::shared_ptr<SegmentRunner> runner_;
  uint32_t number_;
  std::atomic<Step*> entry_{nullptr};
  std::atomic<uint32_t> last_symbol_{0};
  mutable std::mutex lock_;
  std::deque<Step> steps_;
  std::vector<Step*> spare_;
  std::deque<Exit> exits_;
  std::unordered_map<Site, Step*, SiteHash> starts_;
  // By the graph's hash: those of one graph have other guards.
  std::unordered_multimap<Hash, std::shared_ptr<CompiledSegment>> segments_;
  std::unordered_map<Occurrence, const Step*, OccurrenceHash> latest_;
  std::map<std::string, int> partings_;  // by place
  struct Cut {
    std::source_location where;
    const Cut* next;
  };
  std::deque<Cut> all_cuts_;
  std::atomic<const Cut*> cuts_{nullptr};
  int64_t compiled_count_ = 0, compile_ns_ = 0;
  std::vector<Finding> findings_[3];
  std::atomic<FrozenProgram*> frozen_{nullptr};
  std::vector<std::unique_ptr<FrozenProgram>> programs_;
};

std::string place_text(std::source_location where);
std::string place_text(const graph::Place& place);

}  // namespace vitro::capture
