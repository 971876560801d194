// Groups with reductions: a task takes one index of the dimensions that are kept (or a block of the
// last of them) and walks the reduced ones as often as reductions depend on each other.  softmax is
// three walks: the largest, the sum, the quotient.
#include <algorithm>
#include <unordered_set>

#include "backend/lower/bodies.h"
#include "backend/lower/builder.h"
#include "backend/lower/row_scratch.h"
#include "vitro/base/error.h"
#include "vitro/ops/reduce.h"

namespace vitro::backend {
namespace {

using loop::Block;
using loop::Value;
using State = ReductionBody::State;

constexpr int64_t columns_of_task = 64;

struct Reduction {
  ItemId item;
  const ReductionBody* body;
  DType operand;  // that the elements are converted to
  Value element;
  int level = 0;   // number of the walk that computes it
  int result = 0;  // variable
  State state;     // variables while it is computed
};

class Rows {
 public:
  Rows(KernelBuilder& build, const Group& group)
      : build_(build), group_(group), space_(group.layout.space) {}

  // For one index of the dimensions that are kept.
  Block walks() {
    choose_loops();
    find_reductions();
    place_stores();
    keep_rows();
    Block body;
    for (int level = 0; level <= levels_; ++level) walk(level, body);
    for (loop::Statement& s : row_stores_.back()) body.push_back(std::move(s));
    return body;
  }

  void run() { finish(walks()); }

 private:
  const Program& program() const { return build_.program(); }

  void choose_loops() {
    for (size_t d = 0; d < space_.sizes.size(); ++d) {
      (space_.reduced[d] ? folded_ : kept_).push_back(space_.index[d]);
    }
    along_ = space_.reduced.back();
    lanes_ = along_ ? static_cast<int>(ops::reduction_lanes) : 1;
    Index sizes;
    for (size_t d = 0; d < space_.sizes.size(); ++d) {
      if (space_.reduced[d]) sizes.push_back(space_.sizes[d]);
    }
    count_ = count_of(sizes);
    last_ = sizes.back();
    number_ = flatten(folded_, sizes);
    chunked_ = !sym::prove_less(last_, ops::reduction_chunk + 1).value_or(false);
  }

  // Elements of all reductions, and the walk that each belongs to: the one after those it reads.
  void find_reductions() {
    for (const ItemId id : group_.items) {
      const Item& item = program()[id];
      if (item.kind != ItemKind::reduction) continue;
      const graph::Node& node = program().graph()[item.value.node];
      Reduction r{
          .item = id, .body = &reduction_body(*node.op), .operand = {}, .element = {}, .state = {}};
      const Value element = build_.compute(id, group_.place(id));
      r.operand = node.op->reduction->state(element.dtype(), node.results[0].dtype);
      r.element = cast(element, r.operand);
      r.level = level_of(r.element);
      levels_ = std::max(levels_, r.level + 1);
      r.result = build_.new_variable();
      level_of_variable_[r.result] = r.level + 1;
      const DType dtype = node.results[0].dtype;
      build_.define(id, build_.pool().variable(r.result, dtype));
      reductions_.push_back(std::move(r));
    }
  }

  // The first walk in which all that the value reads is known.
  int level_of(Value value) {
    int level = 0;
    for (const loop::Node* node : loop::nodes_below({value})) {
      for (const loop::Pick& pick : build_.kernel().picks) {
        const bool picks = node->index.defined() && sym::contains(node->index, pick.symbol);
        if (picks) level = std::max(level, level_of(pick.value));
      }
      if (node->fn != loop::Fn::variable) continue;
      level = std::max(level, level_of_variable_.at(static_cast<int>(node->payload)));
    }
    return level;
  }

  // A store, and the walk in which it is done, or before which where it is one of a row.
  struct Placed {
    loop::Statement store;
    int level = 0;
    bool row = false, overwrites = false;
    const loop::Store& what() const { return std::get<loop::Store>(store.what); }
  };

  void place_stores() {
    full_stores_.resize(static_cast<size_t>(levels_) + 1);
    row_stores_.resize(static_cast<size_t>(levels_) + 2);
    std::vector<Placed> all;
    for (const ItemId id : group_.stored) {
      const Item& item = program()[id];
      const bool reduces = item.kind == ItemKind::reduction;
      const Index at = reduces ? *place_in(space_, sizes_of(program().graph().meta(item.value)))
                               : group_.place(id);
      const Value value = reduces ? build_.read(item.value, at) : build_.compute(id, at);
      all.push_back({build_.store(id, at, value), level_of(value), reduces || !is_walked(at),
                     program().overwrites(id)});
    }
    while (put_off_writes(all)) continue;
    for (Placed& each : all) {
      auto& list = each.row ? row_stores_ : full_stores_;
      list[static_cast<size_t>(each.level)].push_back(std::move(each.store));
    }
  }

  // An input is overwritten in the last walk that reads its elements, or after it; what waits for
  // that may itself read another input.  Whether a store moved.
  bool put_off_writes(std::vector<Placed>& all) const {
    bool moved = false;
    for (Placed& write : all) {
      if (!write.overwrites) continue;
      const int buffer = write.what().buffer;
      int last = -1;
      for (const Reduction& r : reductions_) {
        if (reads(r.element, buffer)) last = std::max(last, r.level);
      }
      for (const Placed& reader : all) {
        if (&reader != &write && reads(reader.what().value, buffer))
          last = std::max(last, reader.level);
      }
      const int level = write.row ? std::min(last + 1, levels_ + 1) : last;
      if (level <= write.level) continue;
      write.level = level;
      moved = true;
    }
    return moved;
  }

  static bool reads(Value value, int buffer) {
    const auto below = loop::nodes_below({value});
    return std::any_of(below.begin(), below.end(), [&](const loop::Node* n) {
      return n->fn == loop::Fn::load && n->payload == static_cast<uint64_t>(buffer);
    });
  }

  bool is_walked(const Index& at) const {
    return std::any_of(at.begin(), at.end(), [&](Expr e) {
      return std::any_of(folded_.begin(), folded_.end(),
                         [&](Expr index) { return !index.constant() && sym::contains(e, index); });
    });
  }

  // Values that a later walk needs again and that cost more than to write and read them.
  void keep_rows() {
    if (!along_ || folded_.size() != 1) return;
    RowScratch scratch(build_.kernel(), folded_.back(), last_);
    for (int level = 0; level <= levels_; ++level) {
      std::vector<Value*> values;
      for (Reduction& r : reductions_) {
        if (r.level == level) values.push_back(&r.element);
      }
      for (loop::Statement& s : full_stores_[static_cast<size_t>(level)]) {
        values.push_back(&std::get<loop::Store>(s.what).value);
      }
      row_writes_.push_back({});
      for (auto& [from, statement] : scratch.next_walk(values)) {
        row_writes_[static_cast<size_t>(from)].push_back(std::move(statement));
      }
    }
  }

  bool has_work(int level) const {
    const bool reduces = std::any_of(reductions_.begin(), reductions_.end(),
                                     [&](const Reduction& r) { return r.level == level; });
    return reduces || !full_stores_[static_cast<size_t>(level)].empty();
  }

  void walk(int level, Block& out) {
    for (loop::Statement& s : row_stores_[static_cast<size_t>(level)]) out.push_back(std::move(s));
    if (!has_work(level)) return;
    Block body;
    if (!row_writes_.empty()) {
      for (auto& s : row_writes_[static_cast<size_t>(level)]) body.push_back(std::move(s));
    }
    for (loop::Statement& s : full_stores_[static_cast<size_t>(level)])
      body.push_back(std::move(s));
    if (chunked_) return walk_in_chunks(level, std::move(body), out);
    declare_states(level, out);
    fold(level, body);
    out.push_back(nest(std::move(body), 0, last_));
    for (Reduction& r : reductions_) {
      if (r.level == level) finish_reduction(r, merge_lanes(r, r.state, out), out);
    }
  }

  // Each chunk of the innermost dimension has states of its own; they are merged in order.  Where
  // all of it may turn out to be one chunk, that one's states go on through the outer dimensions.
  void walk_in_chunks(int level, Block body, Block& out) {
    const Expr chunk = ops::reduction_chunk;
    const Expr c = Expr::index("c", sym::floordiv(last_ + (chunk - 1), chunk));
    Expr before = c;
    for (size_t d = 0; d + 1 < folded_.size(); ++d) before = before + folded_[d];
    const Value first = build_.pool().index(before) == 0;
    const Value one = build_.pool().index(last_) <= static_cast<double>(ops::reduction_chunk);
    const bool goes_on = folded_.size() > 1;
    std::vector<State> totals;
    for (Reduction& r : reductions_) {
      if (r.level == level) totals.push_back(declare(initial(r), "total", out));
    }
    Block inner;
    declare_states(level, goes_on ? out : inner);
    if (goes_on) begin_states(level, one, first, inner);
    fold(level, body);
    loop::Loop loop{folded_.back(), c * chunk, sym::min(c * chunk + chunk, last_), along_,
                    std::move(body)};
    inner.push_back({std::move(loop)});
    size_t at = 0;
    for (Reduction& r : reductions_) {
      if (r.level != level) continue;
      const State set = merge_lanes(r, r.state, inner);
      const State& total = totals[at++];
      assign(total, goes_on ? first || one : first, set, r.body->merge(total, set), inner);
    }
    loop::Loop chunks{c, 0, sym::floordiv(last_ + (chunk - 1), chunk), false, std::move(inner)};
    Block nested;
    nested.push_back({std::move(chunks)});
    out.push_back(outer_loops(std::move(nested)));
    at = 0;
    for (Reduction& r : reductions_) {
      if (r.level == level) finish_reduction(r, totals[at++], out);
    }
  }

  // Sets the variables to `a` where the condition holds, else to `b`.
  static void assign(const State& variables, Value condition, const State& a, const State& b,
                     Block& out) {
    loop::Assign assign;
    for (size_t i = 0; i < variables.size(); ++i) {
      assign.variables.push_back(static_cast<int>(variables[i]->payload));
      assign.values.push_back(where(condition, a[i], b[i]));
    }
    out.push_back({std::move(assign)});
  }

  // The states of a chunk: new ones, but for those of an only chunk in later outer rows.
  void begin_states(int level, Value one, Value first, Block& out) {
    for (Reduction& r : reductions_) {
      if (r.level == level) assign(r.state, one && !first, r.state, initial(r), out);
    }
  }

  State initial(const Reduction& r) { return r.body->init(build_.pool().constant(r.operand, 0.0)); }

  State declare(const State& values, std::string_view name, Block& out) {
    State variables;
    for (const Value v : values) {
      const int variable = build_.new_variable();
      out.push_back({loop::Declare{variable, v, true, std::string(name)}});
      variables.push_back(build_.pool().variable(variable, v.dtype()));
    }
    return variables;
  }

  void declare_states(int level, Block& out) {
    for (Reduction& r : reductions_) {
      if (r.level == level) r.state = declare(initial(r), op_name(r), out);
    }
  }

  std::string_view op_name(const Reduction& r) const {
    return program().graph()[program()[r.item].value.node].op->name;
  }

  void fold(int level, Block& body) {
    for (Reduction& r : reductions_) {
      if (r.level != level) continue;
      const State next = r.body->combine(r.state, r.element, build_.pool().index(number_));
      loop::Assign assign;
      for (size_t i = 0; i < next.size(); ++i) {
        if (same(next[i], r.state[i])) continue;
        assign.variables.push_back(static_cast<int>(r.state[i]->payload));
        assign.values.push_back(next[i]);
      }
      body.push_back({std::move(assign)});
    }
  }

  // Lanes merge pairwise: 8 apart, then 4, 2, 1.
  State merge_lanes(const Reduction& r, State state, Block& out) {
    for (int by = lanes_ / 2; by > 0; by /= 2) {
      State other;
      for (const Value v : state) other.push_back(rotate(v, by));
      const State merged = r.body->merge(state, other);
      state.clear();
      for (const Value v : merged) {
        const int variable = build_.new_variable();
        out.push_back({loop::Declare{variable, v, false, std::string(op_name(r))}});
        state.push_back(build_.pool().variable(variable, v.dtype()));
      }
    }
    return state;
  }

  void finish_reduction(const Reduction& r, const State& state, Block& out) {
    const graph::Node& node = program().graph()[program()[r.item].value.node];
    Value result = r.body->finish(state, cast(build_.pool().index(count_), r.operand));
    result = cast(result, node.results[0].dtype);
    if (lanes_ > 1) result = first_lane(result);
    out.push_back({loop::Declare{r.result, result, false, std::string(op_name(r))}});
  }

  // The walk over all reduced dimensions.
  loop::Statement nest(Block body, Expr begin, Expr end) {
    const Expr index = folded_.back();
    loop::Loop inner{index.constant() ? Expr::index("k", 1) : index, begin, end, along_,
                     std::move(body)};
    Block nested;
    nested.push_back({std::move(inner)});
    return outer_loops(std::move(nested));
  }

  loop::Statement outer_loops(Block body) {
    loop::Statement out = std::move(body[0]);
    for (size_t d = folded_.size() - 1; d-- > 0;) {
      if (folded_[d].constant()) continue;
      Block one;
      one.push_back(std::move(out));
      out = {loop::Loop{folded_[d], 0, sym::extent_of(folded_[d]), false, std::move(one)}};
    }
    return out;
  }

  void finish(Block body) {
    std::vector<Expr> tasks;
    for (const Expr index : kept_) {
      if (!index.constant()) tasks.push_back(index);
    }
    loop::Kernel& kernel = build_.kernel();
    if (along_ || tasks.empty() || kept_.back().constant()) {
      kernel.body = std::move(body);
    } else {
      const Expr column = tasks.back(), extent = sym::extent_of(column);
      const Expr blocks = sym::floordiv(extent + (columns_of_task - 1), columns_of_task);
      const Expr b = blocks.is(1) ? Expr(0) : Expr::index("b", blocks);
      tasks.pop_back();
      if (!b.constant()) tasks.push_back(b);
      const Expr begin = b * columns_of_task;
      const Expr end = sym::min(begin + columns_of_task, extent);
      kernel.body.push_back({loop::Loop{column, begin, end, true, std::move(body)}});
    }
    kernel.tasks = std::move(tasks);
  }

  KernelBuilder& build_;
  const Group& group_;
  Space space_;
  std::vector<Expr> kept_, folded_;
  bool along_ = false;  // lanes run along the innermost reduced dimension
  int lanes_ = 1;
  bool chunked_ = false;
  Expr count_, last_, number_;
  std::vector<Reduction> reductions_;
  std::unordered_map<int, int> level_of_variable_;
  int levels_ = 0;
  std::vector<Block> full_stores_, row_stores_, row_writes_;  // by walk
};

}  // namespace

LoweredKernel lower_rows(const Program& program, const Places& places, const Group& group) {
  KernelBuilder build(program, places, group);
  Rows(build, group).run();
  return build.take();
}

loop::Block lower_walks(KernelBuilder& build, const Group& group) {
  return Rows(build, group).walks();
}

}  // namespace vitro::backend
