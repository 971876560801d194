// Everything recorded about a function: nodes, variants, compiled segments, diagnostics.
//
// Invariants:
//   - A linked node or variant is never unlinked or moved.
//   - Of the variants of a node with the same live slots, at most one suits a call.
//   - A variant that is `building` is built by the call that made it.
// Threads: any.  Nodes and variants are linked without a lock, the rest is guarded by a lock that
// is never held while the user's code or the backend runs.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "capture/segment_variant.h"
#include "capture/trace_node.h"
#include "vitro/base/function_ref.h"
#include "vitro/capture/function.h"

namespace vitro::capture {

struct FrozenProgram;

class TraceTree {
 public:
  explicit TraceTree(CompileOptions options);
  ~TraceTree();
  const CompileOptions& options() const { return options_; }
  SegmentCompiler* compiler() const { return compiler_.get(); }
  uint32_t number() const { return number_; }
  // The name of the segment, or (null) of the function, in tables and traces, as in PyTorch.
  std::string region_name(const SegmentVariant* variant) const;

  std::atomic<TraceNode*>& entry() { return entry_; }
  std::atomic<uint32_t>& last_symbol() { return last_symbol_; }
  // The start node of the segment after a break at that location.
  TraceNode& start_after(std::source_location where);
  // A node that lives as long as the tree; null once the tree is full.
  TraceNode* new_node();
  // Returns a node that was never linked.
  void take_back(TraceNode* node);
  // Links a node at `link`, unless another thread already linked one, which is then returned.
  static TraceNode* link(std::atomic<TraceNode*>& link, TraceNode* node);

  // The variant after `last` with these live and saved slots that suits the call's symbols; sets
  // `*made` if the caller has to build it.  Null if there are too many.  `call`, `asked`: see
  // SegmentVariant::made_by and SegmentVariant::asked.
  SegmentVariant* variant(TraceNode& last, const std::vector<uint64_t>& live,
                          const std::vector<uint64_t>& saved, const Symbols& symbols, bool* made,
                          uint64_t call = 0, std::span<const sym::Guard> asked = {});
  // Makes a variant's plan and compiles it; afterwards its state is not `building`.  `value_of`:
  // values of symbols in the calling call.
  void build(SegmentVariant& variant, const ValueOf& value_of);
  // The same, but what the compiler has not kept is compiled on another thread; the variant is
  // `building` until then.
  static void build_later(std::shared_ptr<TraceTree> tree, SegmentVariant& variant,
                          const ValueOf& value_of);
  // Until no other thread builds variants; returns at once on the thread that does, and in a forked
  // process.
  void wait() const;
  // Reports that the compiled segment failed in a call, which ran op by op instead.
  void run_failed_of(SegmentVariant& variant, const std::string& why);
  // Makes an unusable variant run op by op from now on.
  void give_up(SegmentVariant& variant, const Code& code, const std::string& why);

  // The latest node recorded for that location, on any path; null if there is none.
  const TraceNode* latest(const Occurrence& at) const;
  void note_latest(const Occurrence& at, const TraceNode& node);
  // Cuts: locations in loops before which segments end.  `part` counts diverging paths at a
  // location, and adds a cut after a few.
  bool has_cuts() const { return cuts_.load(std::memory_order_acquire) != nullptr; }
  bool is_cut(std::source_location where) const;
  void part(std::source_location where);

  // Frozen programs, newest first; only added, up to recompile_limit.
  bool has_room_for_frozen();
  FrozenProgram* frozen() const { return frozen_.load(std::memory_order_acquire); }
  void add(std::unique_ptr<FrozenProgram> program);

  enum class What : uint8_t { broke, recompiled, fell_back };
  // Counts a diagnostic; emits an event the first time, and the first time in each session.
  void note(What what, const Code& code, std::string reason, std::string location);
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
  // Runs a part of building: its time is the variant's, and a failure is why it is interpreted.
  void part_of_building(SegmentVariant& variant, FunctionRef<void()> part);
  // False if there is nothing to compile.
  bool make_plan_of(SegmentVariant& variant, const ValueOf& value_of) const;
  // False if it is not kept.
  bool load(SegmentVariant& variant);
  void compile(SegmentVariant& variant);
  // The end of building.
  void finish(SegmentVariant& variant);
  std::shared_ptr<CompiledSegment> add_segment(std::shared_ptr<CompiledSegment> made,
                                               const Hash& key, const graph::Graph& graph,
                                               int64_t ns);
  // Why no more segments may be compiled; empty if they may.
  std::string budget_spent() const;
  std::shared_ptr<CompiledSegment> known_segment(const Hash& key, const graph::Graph& graph) const;
  std::vector<const TraceNode*> linked_nodes() const;
  SegmentReport report(const SegmentVariant& variant) const;

  CompileOptions options_;
  std::shared_ptr<SegmentCompiler> compiler_;
  uint32_t number_;
  std::atomic<TraceNode*> entry_{nullptr};
  std::atomic<uint32_t> last_symbol_{0};
  mutable std::mutex lock_;
  std::deque<TraceNode> nodes_;
  std::vector<TraceNode*> spare_;
  std::deque<SegmentVariant> variants_;
  std::unordered_map<Site, TraceNode*, SiteHash> starts_;
  // By the graph's hash; segments of one graph differ in their guards.
  std::unordered_multimap<Hash, std::shared_ptr<CompiledSegment>> segments_;
  std::unordered_map<Occurrence, const TraceNode*, OccurrenceHash> latest_;
  std::map<std::string, int> partings_;  // by location
  struct Cut {
    std::source_location where;
    const Cut* next;
  };
  std::deque<Cut> all_cuts_;
  std::atomic<const Cut*> cuts_{nullptr};
  int64_t compiled_count_ = 0, compile_ns_ = 0;
  int builds_later_ = 0;
  mutable std::condition_variable built_;
  std::vector<Diagnostic> diagnostics_[3];
  std::vector<uint32_t> recorded_in_[3];  // the last session that has each diagnostic
  std::atomic<FrozenProgram*> frozen_{nullptr};
  std::vector<std::unique_ptr<FrozenProgram>> programs_;
};

std::string location_text(std::source_location where);
std::string location_text(const graph::SourceLocation& location);
// " at model.cpp:12" of a location's text; empty of an empty one.
std::string at_location(std::string_view text);

}  // namespace vitro::capture
