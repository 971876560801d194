// Finds the loads that are not contiguous along the innermost loop, cuts the loops into tiles, and
// writes each tile as transposes and loops: read_in_tiles() is called for every pointwise kernel of
// at least two loops.
#include "backend/lower/tiles.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <unordered_map>

#include "backend/schedule/elementwise.h"
#include "backend/schedule/reductions.h"
#include "loop/rewrite.h"
#include "vitro/base/cat.h"

namespace vitro::backend {
namespace {

using loop::Node;
using loop::Value;
using sym::Expr;

constexpr int64_t side = side_of_tile;

// A load, and its stride along the innermost loop.
struct Across {
  const Node* load;
  Expr along, stride;  // contiguous along this loop
};

class Tiler {
 public:
  Tiler(const MachineModel& machine, loop::Kernel& kernel, const std::vector<Expr>& loops,
        const loop::Block& body)
      : machine_(machine), kernel_(kernel), loops_(loops), body_(body), inner_(loops.back()) {}

  Verdict run() {
    std::vector<Value> roots;
    loop::each_value(body_, [&](Value v) { roots.push_back(v); });
    std::vector<const Node*> loads = loop::nodes_below(roots);
    std::erase_if(loads, [](const Node* node) { return node->fn != loop::Fn::load; });
    overwrites_ = std::any_of(body_.begin(), body_.end(), [&](const loop::Statement& s) {
      const auto to = static_cast<uint64_t>(std::get<loop::Store>(s.what).buffer);
      return std::any_of(loads.begin(), loads.end(),
                         [to](const Node* load) { return load->payload == to; });
    });
    for (const Node* load : loads) look(load);
    if (across_.empty()) {
      return Verdict::no(why_not_.empty() ? "no operand is strided along the result's rows"
                                          : why_not_);
    }
    const std::string lies = cat(make(), across_.size() == 1 ? " is" : " are");
    if (has_short_rows()) {
      return Verdict::yes(cat(lies, " strided along the result's rows, which are short: tiles of ",
                              width_, " rows are transposed"));
    }
    return Verdict::yes(cat(lies, " strided along the result's rows: read in tiles of ", width_,
                            " by ", side, " and transposed"));
  }

 private:
  bool has_short_rows() const { return is_short_side(sym::extent_of(inner_)); }
  bool is_short(Expr along) const {
    const auto less = sym::prove_less(sym::extent_of(along), least_side);
    return has_short_rows() ? overwrites_ || less.value_or(true) : less.value_or(false);
  }

  void look(const Node* load) {
    const auto linear = sym::as_linear(load->index, inner_);
    if (!linear || linear->coefficient.is(0) || linear->coefficient.is(1)) return;
    const auto& buffer = kernel_.buffers[load->payload];
    for (const Expr loop : loops_) {
      const auto other = sym::as_linear(linear->rest, loop);
      if (loop == inner_ || !other || !other->coefficient.is(1)) continue;
      if (buffer.written) {
        why_not_ = cat(buffer.name, " is overwritten: it must be read element by element");
      } else if (is_short(loop)) {
        why_not_ = cat("a side of ", buffer.name, " is shorter than ", least_side);
      } else if (is_indirect(load->index)) {
        why_not_ = cat("elements of ", buffer.name, " are read at indirect indices");
      } else if (across_.empty() || across_[0].along == loop) {
        across_.push_back({load, loop, linear->coefficient});
      }
      return;
    }
  }

  bool is_indirect(Expr e) const {
    return std::any_of(
        kernel_.indirect_indices.begin(), kernel_.indirect_indices.end(),
        [&](const loop::IndirectIndex& indirect) { return sym::contains(e, indirect.symbol); });
  }

  // The part of a loop that a tile covers; the tile's number becomes a task.
  struct Part {
    Expr index, begin, end;
  };
  Part cut(Expr index, int64_t length) {
    const Expr extent = sym::extent_of(index);
    const Expr count = sym::floordiv(extent + (length - 1), length);
    if (count.is(1)) return {index, 0, extent};
    const Expr tile = Expr::index(cat(sym::name_of(index), "_tile"), count);
    kernel_.tasks.push_back(tile);
    const bool even = extent.constant() && *extent.constant() % length == 0;
    const Expr end = tile * length + length;
    return {index, tile * length, even ? end : sym::min(end, extent)};
  }

  // Builds the tasks and the body; returns the names of the transposed operands.
  std::string make() {
    int64_t bytes = 0;
    for (const Across& a : across_) bytes += bytes_of(a.load->dtype);
    width_ = has_short_rows() ? width_beside_short : width_of_tile(machine_, bytes);
    for (const Expr loop : loops_) {
      if (loop != inner_ && loop != across_[0].along) kernel_.tasks.push_back(loop);
    }
    const Part inner = cut(inner_, side), outer = cut(across_[0].along, width_);
    loop::Block left;  // more than a copy
    for (const loop::Statement& s : body_) {
      if (!copies(std::get<loop::Store>(s.what), outer, inner)) left.push_back(s);
    }
    if (has_short_rows()) left = turn_results(std::move(left), outer, inner);
    if (!left.empty()) through_tiles(std::move(left), outer, inner);
    std::string names;
    for (const Across& a : across_) {
      names += cat(names.empty() ? "" : ", ", kernel_.buffers[a.load->payload].name);
    }
    return names;
  }

  // The element at the first value of all indices that a tile covers.
  static Expr first_of(Expr element, const Part& outer, const Part& inner) {
    const std::pair<Expr, Expr> first[] = {{outer.index, outer.begin}, {inner.index, inner.begin}};
    return sym::substitute(element, first);
  }

  static loop::Turn turn(const Across& a, const Part& outer, const Part& inner) {
    return {static_cast<int>(a.load->payload),
            first_of(a.load->index, outer, inner),
            a.stride,
            inner.end - inner.begin,
            outer.end - outer.begin,
            0,
            0,
            0};
  }

  // Whether a store of a load becomes a transpose to its destination. Not if a store overwrites
  // memory that another one reads: they would no longer go element by element.
  bool copies(const loop::Store& store, const Part& outer, const Part& inner) {
    if (overwrites_) return false;
    const auto a = std::find_if(across_.begin(), across_.end(),
                                [&](const Across& one) { return one.load == store.value.node(); });
    if (a == across_.end()) return false;
    auto made = turned_to(turn(*a, outer, inner), store, outer, inner);
    if (made) kernel_.body.push_back({std::move(*made)});
    return made.has_value();
  }

  // The transpose directly to the destination of a store, if possible.
  static std::optional<loop::Turn> turned_to(loop::Turn from, const loop::Store& store,
                                             const Part& outer, const Part& inner) {
    const auto row = sym::as_linear(store.element, inner.index);
    const auto column = sym::as_linear(store.element, outer.index);
    if (!row || !column || !row->coefficient.is(1)) return std::nullopt;
    from.to = store.buffer;
    from.to_base = first_of(store.element, outer, inner);
    from.to_stride = column->coefficient;
    return from;
  }

  // Short rows would be computed a few lanes at a time: the values are computed across the rows and
  // transposed. Returns the stores for which that is impossible.
  loop::Block turn_results(loop::Block body, const Part& outer, const Part& inner) {
    const Expr element = (inner.index - inner.begin) * width_ + (outer.index - outer.begin);
    const Expr rows = inner.end - inner.begin, columns = outer.end - outer.begin;
    loop::Block computed, turns, left;
    for (loop::Statement& s : body) {
      const auto& store = std::get<loop::Store>(s.what);
      const int row = loop::Kernel::first_row + static_cast<int>(kernel_.rows.size());
      auto made = turned_to({row, 0, width_, rows, columns, 0, 0, 0}, store, outer, inner);
      if (!made) {
        left.push_back(std::move(s));
        continue;
      }
      kernel_.rows.push_back({cat(kernel_.buffers[static_cast<size_t>(store.buffer)].name, "_tile"),
                              store.value.dtype(), least_side * width_});
      computed.push_back({loop::Store{row, element, store.value}});
      turns.push_back({std::move(*made)});
    }
    if (computed.empty()) return left;
    loop::Loop vectors{outer.index, outer.begin, outer.end, true, std::move(computed)};
    kernel_.body.push_back(
        {loop::Loop{inner.index, inner.begin, inner.end, false, {{std::move(vectors)}}}});
    std::move(turns.begin(), turns.end(), std::back_inserter(kernel_.body));
    return left;
  }

  void through_tiles(loop::Block body, const Part& outer, const Part& inner) {
    const int64_t row_length = has_short_rows() ? least_side : side;
    const Expr element = (outer.index - outer.begin) * row_length + (inner.index - inner.begin);
    std::unordered_map<const Node*, Value> in_tile;
    for (const Across& a : across_) {
      loop::Turn made = turn(a, outer, inner);
      made.to = loop::Kernel::first_row + static_cast<int>(kernel_.rows.size());
      made.to_stride = row_length;
      kernel_.rows.push_back({cat(kernel_.buffers[a.load->payload].name, "_tile"), a.load->dtype,
                              width_ * row_length});
      in_tile.emplace(a.load, a.load->pool->load(made.to, a.load->dtype, element));
      kernel_.body.push_back({std::move(made)});
    }
    for (loop::Statement& s : body) {
      auto& store = std::get<loop::Store>(s.what);
      store.value = loop::replace(store.value, in_tile);
    }
    loop::Loop vectors{inner.index, inner.begin, inner.end, true, std::move(body)};
    kernel_.body.push_back(
        {loop::Loop{outer.index, outer.begin, outer.end, false, {{std::move(vectors)}}}});
  }

  const MachineModel& machine_;
  loop::Kernel& kernel_;
  const std::vector<Expr>& loops_;
  const loop::Block& body_;
  const Expr inner_;
  std::vector<Across> across_;
  std::string why_not_;
  bool overwrites_ = false;  // memory that the body reads
  int64_t width_ = side;
};

}  // namespace

Verdict read_in_tiles(const MachineModel& machine, loop::Kernel& kernel,
                      const std::vector<Expr>& loops, const loop::Block& body) {
  if (loops.size() < 2) return Verdict::no("there is only one loop");
  return Tiler(machine, kernel, loops, body).run();
}

}  // namespace vitro::backend
