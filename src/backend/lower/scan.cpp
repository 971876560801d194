// Groups with a scan: the scanned dimension is walked in order, the state in variables or, where
// lanes run along the dimension after it, in scratch rows.
#include <algorithm>
#include <unordered_map>

#include "backend/lower/builder.h"
#include "backend/program/bodies.h"
#include "backend/schedule/folds.h"

namespace vitro::backend {
namespace {

using loop::Block;
using loop::Value;
using State = std::vector<Value>;

class Scans {
 public:
  Scans(KernelBuilder& build, const Group& group)
      : build_(build), group_(group), space_(group.layout.space) {
    for (size_t d = 0; d < space_.sizes.size(); ++d) {
      if (space_.reduced[d]) {
        scanned_ = space_.index[d];
        count_ = space_.sizes[d];
      } else if (!space_.index[d].constant()) {
        kept_.push_back(space_.index[d]);
      }
    }
    const bool along = !space_.reduced.back() && !space_.index.back().constant();
    if (along) column_ = space_.index.back();
    set_strips();
  }

  void run() {
    const Block steps = steps_of();
    loop::Kernel& kernel = build_.kernel();
    const Expr index = scanned_.constant() ? Expr::index("k", 1) : scanned_;
    kernel.body = in_lanes(before_);
    kernel.body.push_back({loop::Loop{index, 0, count_, false, in_lanes(steps)}});
    for (const Expr index_kept : kept_) {
      if (!(index_kept == lanes_)) kernel.tasks.push_back(index_kept);
    }
    if (!strip_.constant()) kernel.tasks.push_back(strip_);
  }

 private:
  // One scan: items that are results of the same call share it.
  struct Scan {
    const graph::Node* node;
    State before, after;  // of a step
    State results;
  };

  bool has_lanes() const { return lanes_.defined(); }
  Expr lane() const { return lanes_ - begin_; }

  void set_strips() {
    if (!column_.defined()) return;
    lanes_ = column_;
    const Expr extent = sym::extent_of(lanes_);
    const Expr strips = sym::floordiv(extent + (columns_of_scan - 1), columns_of_scan);
    strip_ = strips.is(1) ? Expr(0) : Expr::index("b", strips);
    begin_ = strip_ * columns_of_scan;
    end_ = sym::min(begin_ + columns_of_scan, extent);
  }

  Block in_lanes(Block body) const {
    if (!has_lanes() || body.empty()) return body;
    Block out;
    out.push_back({loop::Loop{lanes_, begin_, end_, true, std::move(body)}});
    return out;
  }

  Scan& scan_of(ItemId id, Block& steps) {
    const Item& item = build_.program()[id];
    const graph::Node& node = build_.program().graph()[item.value.node];
    for (Scan& known : scans_) {
      const graph::Node& other = *known.node;
      if (other.op == node.op && other.args == node.args && other.attrs == node.attrs) return known;
    }
    const Value element = build_.compute(id, group_.place(id));
    const DType type = node.op->scan->state(element.dtype(), node.results[0].dtype);
    const ScanBody& body = scan_body(*node.op);
    Scan& scan = scans_.emplace_back(Scan{&node, {}, {}, {}});
    const State first = body.init(build_.pool().constant(type, int64_t{0}));
    for (const Value v : first) scan.before.push_back(keep(v, node.op->name));
    const State next =
        body.combine(scan.before, cast(element, type), build_.pool().index(scanned_));
    for (const Value v : next) {
      const int variable = build_.new_variable();
      steps.push_back({loop::Declare{variable, v, false, std::string(node.op->name)}});
      scan.after.push_back(build_.pool().variable(variable, v.dtype()));
    }
    scan.results = body.results(scan.after);
    return scan;
  }

  // A part of a state before the first step; what stands for it in a step.
  Value keep(Value first, std::string_view name) {
    if (!has_lanes()) {
      const int variable = build_.new_variable();
      before_.push_back({loop::Declare{variable, first, true, std::string(name)}});
      return build_.pool().variable(variable, first.dtype());
    }
    const int row = build_.add_row(cat(name, "_state"), first.dtype(), columns_of_scan);
    before_.push_back({loop::Store{row, lane(), first}});
    return build_.pool().load(row, first.dtype(), lane());
  }

  // What is done for each element, in order.
  Block steps_of() {
    Block steps;
    const Program& program = build_.program();
    for (const ItemId id : group_.items) {
      const Item& item = program[id];
      if (item.kind != ItemKind::scan) continue;
      const Scan& scan = scan_of(id, steps);
      const DType dtype = program.graph().meta(item.value).dtype;
      build_.define(id, cast(scan.results[program.result_of(item.value.node)], dtype));
    }
    for (const ItemId id : group_.stored) {
      const Index& at = group_.place(id);
      const bool scanned = program[id].kind == ItemKind::scan;
      const Value value = scanned ? build_.read(program[id].value, at) : build_.compute(id, at);
      steps.push_back(build_.store(id, scanned ? program.operand_index(id, at) : at, value));
    }
    for (const Scan& scan : scans_) save(scan, steps);
    return steps;
  }

  void save(const Scan& scan, Block& out) const {
    if (!has_lanes()) {
      std::vector<int> variables;
      for (const Value v : scan.before) variables.push_back(static_cast<int>(v->payload));
      out.push_back({loop::Assign{std::move(variables), scan.after}});
      return;
    }
    for (size_t i = 0; i < scan.before.size(); ++i)
      out.push_back(
          {loop::Store{static_cast<int>(scan.before[i]->payload), lane(), scan.after[i]}});
  }

  KernelBuilder& build_;
  const Group& group_;
  const Space& space_;
  std::vector<Expr> kept_;
  Expr scanned_ = 0, count_ = 1;
  Expr column_, lanes_;  // none: all lanes are equal
  Expr strip_ = 0, begin_ = 0, end_ = 0;
  std::vector<Scan> scans_;
  Block before_;  // the first step
};

}  // namespace

LoweredKernel lower_scan(const Program& program, const Places& places, const Group& group) {
  KernelBuilder build(program, places, group);
  Scans(build, group).run();
  return build.take();
}

}  // namespace vitro::backend
