// Collects guards from recorded nodes and renames their symbols to those of the graph.  The report
// of a function (TraceTree::report) uses it for the guards of each variant, and for all of them as
// text.
#include "capture/guard_reports.h"

#include <algorithm>
#include <set>
#include <utility>

#include "capture/external_inputs.h"
#include "vitro/base/cat.h"

namespace vitro::capture {
namespace {

// Whether the program's question affects its path.  Using a size as a number reads as "s0 == 5",
// which counts only if other paths are known.
bool decides(const TraceNode& node, const sym::Guard& asked) {
  if (asked.question == sym::Guard::Question::less || !node.parent) return true;
  return node.parent->next.load(std::memory_order_acquire) != &node ||
         node.fork.load(std::memory_order_acquire) != nullptr;
}

// Whether the guard only checks that an element count does not overflow 64 bits; see
// ask_whether_countable.  No other guard compares with numbers this large.
bool counts_only(const sym::Guard& guard) {
  constexpr int64_t large = int64_t{1} << 31;
  const auto most = guard.a.constant();
  return guard.question == sym::Guard::Question::less && !guard.answer && most && *most >= large;
}

// Maps the symbols of calls to the graph's names; symbols not in the graph get the next free ones.
class Names {
 public:
  Names() = default;
  explicit Names(const Plan& plan) {
    for (size_t i = 0; i < plan.symbols.size(); ++i)
      names_.emplace_back(plan.symbols[i], plan.graph.symbols()[i]);
  }
  sym::Expr operator()(sym::Expr e) {
    for (const sym::Expr symbol : sym::symbols_of(e)) {
      if (std::ranges::find(names_, symbol, &Pair::first) != names_.end()) continue;
      const std::string name = cat(sym::name_of(symbol).substr(0, 1), names_.size());
      names_.emplace_back(symbol, sym::Expr::symbol(name, sym::range_of(symbol)));
    }
    return sym::substitute(e, names_);
  }
  sym::Guard operator()(sym::Guard guard) {
    return {guard.question, (*this)(guard.a), (*this)(guard.b), guard.answer};
  }
  ExternalInput operator()(ExternalInput input) {
    const SizeMap named = [this](Size s) {
      return s.is_symbolic() ? Size(s.hint(), (*this)(s.expr())) : s;
    };
    attribute::map_sizes(input.meta.sizes, named);
    attribute::map_sizes(input.meta.strides, named);
    return input;
  }

 private:
  using Pair = std::pair<sym::Expr, sym::Expr>;
  std::vector<Pair> names_;
};

// Collects reports without duplicates: by text alone, or by text and asker.
class Guards {
 public:
  enum class Once : uint8_t { at_all, for_each_asker };
  explicit Guards(Once once) : once_(once) {}
  void add(const TraceNode& node, auto&& named) {
    const ExternalInput* input = node.inputs.data();
    for (size_t i = 0; !node.op && i < node.operand_count; ++i) {
      if (node.operands[i].kind == NodeOperand::Kind::external)
        add({cat("input ", i, ": ", describe(named(*input++))), {}, false});
    }
    const std::string_view op = node.op ? node.op->name : "start";
    for (const sym::Guard& guard : node.guards) add(named(guard), std::string(op));
    for (const sym::Guard& guard : node.asked) {
      if (decides(node, guard)) add(named(guard), cat("asked before ", op));
    }
  }
  void add(const sym::Guard& guard, std::string asked) {
    add({guard.text(), std::move(asked), counts_only(guard), guard});
  }
  std::vector<GuardReport> take() { return std::move(all_); }

 private:
  void add(GuardReport report) {
    const std::string asker = once_ == Once::at_all ? std::string() : report.asked;
    if (seen_.emplace(report.text, asker).second) all_.push_back(std::move(report));
  }
  Once once_;
  std::vector<GuardReport> all_;
  std::set<std::pair<std::string, std::string>> seen_;
};

}  // namespace

std::vector<GuardReport> guard_reports(const SegmentVariant& variant) {
  Names named(variant.plan);
  Guards out(Guards::Once::at_all);
  const TraceNode& start = start_of(*variant.last);
  out.add(start, named);
  for (const TraceNode* node : path_to(*variant.last)) {
    if (node != &start) out.add(*node, named);
  }
  for (const sym::Guard& guard : variant.guards) out.add(named(guard), "added by compilation");
  return out.take();
}

std::vector<std::string> guard_texts(std::span<const TraceNode* const> nodes,
                                     std::span<const SegmentVariant* const> variants) {
  Guards guards(Guards::Once::for_each_asker);
  for (const TraceNode* node : nodes) guards.add(*node, [](const auto& same) { return same; });
  for (const SegmentVariant* variant : variants) {
    for (const sym::Guard& guard : variant->guards)
      guards.add(guard, cat("asked while ", variant->name, " was compiled"));
  }
  std::vector<std::string> out;
  for (const GuardReport& guard : guards.take())
    out.push_back(guard.asked.empty() ? guard.text : cat(guard.text, " (", guard.asked, ")"));
  return out;
}

}  // namespace vitro::capture
