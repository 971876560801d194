#include "backend/lower/tiles.h"

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "loop/rewrite.h"
#include "vitro/base/cat.h"

namespace vitro::backend {
namespace {

using loop::Node;
using loop::Value;
using sym::Expr;

constexpr int64_t side = 64, least_side = 8;
constexpr int64_t most_bytes = 24 << 10;  // of all tiles: they stay in the first cache

// A load, and how it walks memory along the innermost loop.
struct Across {
  const Node* load;
  Expr along, stride;  // contiguous along this loop
};

class Tiler {
 public:
  Tiler(loop::Kernel& kernel, const std::vector<Expr>& loops, const loop::Block& body)
      : kernel_(kernel), loops_(loops), body_(body), inner_(loops.back()) {}

  Verdict run() {
    std::vector<Value> roots;
    loop::each_value(body_, [&](const loop::Statement&, Value v) { roots.push_back(v); });
    for (const Node* node : loop::nodes_below(roots)) {
      if (node->fn == loop::Fn::load) look(node);
    }
    if (across_.empty()) {
      return Verdict::no(why_not_.empty() ? "nothing lies across the result" : why_not_);
    }
    const std::string names = make();
    return Verdict::yes(cat(names, across_.size() == 1 ? " lies" : " lie",
                            " across the result: read in tiles of ", width_, " by ", side,
                            " and turned over"));
  }

 private:
  static bool is_short(Expr index) {
    return sym::prove_less(sym::extent_of(index), least_side).value_or(false);
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
      } else if (is_short(inner_) || is_short(loop)) {
        why_not_ = cat("a side of ", buffer.name, " is shorter than ", least_side);
      } else if (picked(load->index)) {
        why_not_ = cat("elements of ", buffer.name, " are picked by an index");
      } else if (across_.empty() || across_[0].along == loop) {
        across_.push_back({load, loop, linear->coefficient});
      }
      return;
    }
  }

  bool picked(Expr e) const {
    return std::any_of(kernel_.picks.begin(), kernel_.picks.end(),
                       [&](const loop::Pick& pick) { return sym::contains(e, pick.symbol); });
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

  // The names of what is turned over.
  std::string make() {
    int64_t bytes = 0;
    for (const Across& a : across_) bytes += side * bytes_of(a.load->dtype);
    while (width_ > 16 && width_ * bytes > most_bytes) width_ /= 2;
    for (const Expr loop : loops_) {
      if (loop != inner_ && loop != across_[0].along) kernel_.tasks.push_back(loop);
    }
    const Part inner = cut(inner_, side), outer = cut(across_[0].along, width_);
    loop::Block left;  // what is more than a copy
    for (const loop::Statement& s : body_) {
      if (!copies(std::get<loop::Store>(s.what), outer, inner)) left.push_back(s);
    }
    if (!left.empty()) through_tiles(std::move(left), outer, inner);
    std::string names;
    for (const Across& a : across_) {
      names += cat(names.empty() ? "" : ", ", kernel_.buffers[a.load->payload].name);
    }
    return names;
  }

  // Of an element, where all indices that a tile covers are at their first.
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

  // A store of a load is turned over to where it goes.
  bool copies(const loop::Store& store, const Part& outer, const Part& inner) {
    const auto a = std::find_if(across_.begin(), across_.end(),
                                [&](const Across& one) { return one.load == store.value.node(); });
    if (a == across_.end()) return false;
    const auto row = sym::as_linear(store.element, inner.index);
    const auto column = sym::as_linear(store.element, outer.index);
    if (!row || !column || !row->coefficient.is(1)) return false;
    loop::Turn made = turn(*a, outer, inner);
    made.to = store.buffer;
    made.to_base = first_of(store.element, outer, inner);
    made.to_stride = column->coefficient;
    kernel_.body.push_back({std::move(made)});
    return true;
  }

  void through_tiles(loop::Block body, const Part& outer, const Part& inner) {
    const Expr element = (outer.index - outer.begin) * side + (inner.index - inner.begin);
    std::unordered_map<const Node*, Value> in_tile;
    for (const Across& a : across_) {
      loop::Turn made = turn(a, outer, inner);
      made.to = loop::Kernel::first_row + static_cast<int>(kernel_.rows.size());
      made.to_stride = side;
      kernel_.rows.push_back(
          {cat(kernel_.buffers[a.load->payload].name, "_tile"), a.load->dtype, width_ * side});
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

  loop::Kernel& kernel_;
  const std::vector<Expr>& loops_;
  const loop::Block& body_;
  const Expr inner_;
  std::vector<Across> across_;
  std::string why_not_;
  int64_t width_ = side;
};

}  // namespace

Verdict read_in_tiles(loop::Kernel& kernel, const std::vector<Expr>& loops,
                      const loop::Block& body) {
  if (loops.size() < 2) return Verdict::no("one loop walks everything");
  return Tiler(kernel, loops, body).run();
}

}  // namespace vitro::backend
