// Finds calls of compiled regions, their breaks, and the overhead around graphs; part of the
// analysis in compile.cpp.
#include "analyze/questions/compile/regions.h"

#include <algorithm>
#include <map>

#include "analyze/findings/findings.h"
#include "analyze/model/arrows.h"
#include "analyze/model/device_work.h"
#include "analyze/model/index.h"
#include "base/sort_list.h"
#include "kineto/names.h"

namespace vitro::analyze {
namespace {

constexpr size_t most_events = 10;

enum class Part : uint8_t { other, region, graph, overhead, forward, backward };

Part part_of(std::string_view name) {
  if (name.starts_with("Torch-Compiled Region")) return Part::region;
  if (name.starts_with("## Call CompiledFxGraph")) return Part::graph;
  if (name == "CompiledFunction") return Part::forward;
  if (name == "CompiledFunctionBackward") return Part::backward;
  for (const std::string_view known : {"TorchDynamo Cache Lookup", "Pregraph bytecode",
                                       "AOTDispatcher Runtime Wrapper Prologue"}) {
    if (name == known) return Part::overhead;
  }
  return Part::other;
}

struct Overheads {
  Compilation::Overhead sum;
  Pieces pieces;
  std::vector<std::pair<int64_t, EventId>> each;
};

class CompilationReader {
 public:
  CompilationReader(const TraceIndex& index, Compilation& out)
      : trace_(index.trace()), classes_(index->classes()), out_(out) {
    for (const std::string& name : trace_.names()) parts_.push_back(part_of(name));
  }

  bool finds_any() const {
    return std::ranges::any_of(parts_, [](Part part) { return part != Part::other; });
  }

  void read(std::span<const EventId> events) {
    for (const EventId e : paced(events)) {
      close_before(trace_.ts()[e]);
      open(e);
    }
    close_before(INT64_MAX);
  }

  void finish() {
    constexpr Window always{INT64_MIN, INT64_MAX};
    for (auto& [name, region] : regions_) {
      region.name = trace_.names()[name];
      region.broken = broken_[name].take(always);
      out_.regions.push_back(std::move(region));
    }
    sort_list(out_.regions, std::ranges::greater(), &Compilation::Region::total);
    for (auto& [name, each] : overheads_) {
      each.sum.name = trace_.names()[name];
      each.sum.when = each.pieces.take(always);
      std::ranges::sort(each.each);
      each.each.resize(std::min(each.each.size(), most_events));
      for (const auto& [length, e] : each.each) each.sum.longest.push_back(e);
      out_.overheads.push_back(std::move(each.sum));
    }
    sort_list(out_.overheads, std::ranges::greater(), &Compilation::Overhead::total);
  }

 private:
  struct Frame {
    EventId event;
    Part part;
    int64_t inside = 0;  // time of the events directly inside it
  };

  int64_t length(EventId e) const { return end_of(trace_, e) - trace_.ts()[e]; }

  void open(EventId e) {
    const Part part = parts_[trace_.name_ids()[e]];
    if (classes_[e] == EventClass::python) return name_code(e);
    if (!open_.empty())
      open_.back().inside +=
          std::min(end_of(trace_, e), end_of(trace_, open_.back().event)) - trace_.ts()[e];
    if (part == Part::region) open_region(e);
    if (part == Part::overhead) add_overhead(e);
    if (part == Part::forward) {
      ++out_.functions.forward;
      out_.functions.forward_time += length(e);
    } else if (part == Part::backward) {
      ++out_.functions.backward;
      out_.functions.backward_time += length(e);
    }
    open_.push_back({e, part});
  }

  // The first function of Python in a region is its code.  What functions do between graphs is
  // time of the region.
  void name_code(EventId e) {
    const std::string_view name = trace_.name(e);
    if (open_.empty() || open_.back().part != Part::region ||
        name.find(".py(") == std::string_view::npos)
      return;
    const auto region = [&](const Frame& frame) -> Compilation::Region& {
      return regions_[trace_.name_ids()[frame.event]];
    };
    std::string& code = region(open_.back()).code;
    if (code.empty()) code = name;
    const auto outermost = std::ranges::find(open_, Part::region, &Frame::part);
    std::string& resumes = region(*outermost).resumes;
    if (outermost->event != open_.back().event && resumes.empty()) resumes = name;
  }

  void open_region(EventId e) {
    const auto lasts = [&](const Frame& frame) {  // if two cross, the first may have ended
      return end_of(trace_, frame.event) > trace_.ts()[e];
    };
    const auto around = std::ranges::find_if(
        open_, [&](const Frame& frame) { return frame.part == Part::region && lasts(frame); });
    Compilation::Region& region = regions_[trace_.name_ids()[e]];
    if (region.calls++ == 0 || length(e) > length(region.longest)) region.longest = e;
    if (around == open_.end()) {
      breaks_ = 0;
      glue_ = guards_ = 0;
    } else {
      ++region.inside;
      ++breaks_;
    }
    const bool in_its_like = std::ranges::any_of(open_, [&](const Frame& frame) {
      return trace_.name_ids()[frame.event] == trace_.name_ids()[e] && lasts(frame);
    });
    if (!in_its_like) region.total += length(e);
  }

  void add_overhead(EventId e) {
    Overheads& each = overheads_[trace_.name_ids()[e]];
    ++each.sum.calls;
    each.sum.total += length(e);
    each.pieces.add(trace_.ts()[e], end_of(trace_, e));
    each.each.emplace_back(-length(e), e);
    if (each.each.size() < 16 * most_events) return;
    std::ranges::sort(each.each);
    each.each.resize(most_events);
  }

  void close_before(int64_t moment) {
    while (!open_.empty() && end_of(trace_, open_.back().event) <= moment) {
      const Frame frame = open_.back();
      open_.pop_back();
      const auto around = std::ranges::count(open_, Part::region, &Frame::part);
      const int64_t own = length(frame.event) - frame.inside;
      if (frame.part == Part::region || (frame.part == Part::overhead && around > 0)) glue_ += own;
      if (frame.part == Part::overhead && (around > 1 || (around > 0 && is_lookup(frame.event))))
        guards_ += own;
      if (frame.part != Part::region || around > 0 || breaks_ == 0) continue;
      const uint32_t name = trace_.name_ids()[frame.event];
      Compilation::Region& region = regions_[name];
      region.breaks += breaks_;
      region.glue += glue_;
      region.guards += guards_;
      broken_[name].add(trace_.ts()[frame.event], end_of(trace_, frame.event));
    }
  }

  // Inside a region it belongs to a nested region.
  bool is_lookup(EventId e) const { return trace_.name(e) == "TorchDynamo Cache Lookup"; }

  const Trace& trace_;
  const Classes& classes_;
  Compilation& out_;
  std::vector<Part> parts_;  // by name
  std::vector<Frame> open_;
  uint64_t breaks_ = 0;  // in the outermost open region
  int64_t glue_ = 0, guards_ = 0;
  std::map<uint32_t, Pieces> broken_;  // by name
  std::map<uint32_t, Compilation::Region> regions_;
  std::map<uint32_t, Overheads> overheads_;
};

}  // namespace

void read_regions(const TraceIndex& index, Compilation& out) {
  const Trace& trace = index.trace();
  const TrackOrder& order = index->host();
  CompilationReader reader(index, out);
  if (!reader.finds_any()) return;
  for (uint32_t t = 0; t < order.tracks(); ++t) reader.read(order.track(t));
  reader.finish();
  for (const Arrow& arrow : arrows_of(trace, order, kineto::arrow::backward)) {
    out.functions.pairs += part_of(trace.name(arrow.from)) == Part::forward &&
                           part_of(trace.name(arrow.to)) == Part::backward;
  }
}

}  // namespace vitro::analyze
