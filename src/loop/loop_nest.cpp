// Chooses loops for a set of accesses: orders them by the strides of one access, splits loops at
// the blocks that accesses divide them into, and merges loops that every access traverses as one.
#include "loop/loop_nest.h"

#include <algorithm>
#include <optional>

#include "vitro/base/cat.h"

namespace vitro::loop {
namespace {

using sym::Expr;

class Chooser {
 public:
  Chooser(std::span<const Expr> dims, std::span<const Expr> accesses, Expr first_choice)
      : values_(dims.begin(), dims.end()),
        accesses_(accesses.begin(), accesses.end()),
        first_choice_(first_choice) {
    for (const Expr dim : dims) {
      if (!dim.constant()) loops_.push_back(dim);
    }
  }

  void order() {
    if (!first_choice_.defined()) return;
    std::stable_sort(loops_.begin(), loops_.end(), [&](Expr a, Expr b) {
      const auto x = sym::as_linear(first_choice_, a), y = sym::as_linear(first_choice_, b);
      if (!x || !y) return false;
      if (x->coefficient.is(0) || y->coefficient.is(0)) return false;
      return sym::prove_less(y->coefficient, x->coefficient).value_or(false);
    });
  }

  void split_all() {
    for (int round = 0; round < 8; ++round) {
      size_t loop = 0;
      for (; loop < loops_.size(); ++loop) {
        if (const auto inner = divisor(loops_[loop])) {
          split(loop, *inner);
          break;
        }
      }
      if (loop == loops_.size()) return;
    }
  }

  void merge_all() {
    for (size_t inner = loops_.size(); inner-- > 1;) {
      if (can_merge(loops_[inner - 1], loops_[inner])) merge(inner - 1);
    }
  }

  // If the last loop is too short for vectors: another one, along which everything but the first
  // access is a contiguous run or constant, becomes the last.
  void fill_vectors() {
    constexpr int64_t enough = 16;
    if (!has_short_vectors(loops_)) return;
    for (size_t at = loops_.size() - 1; at-- > 0;) {
      const Expr loop = loops_[at];
      if (sym::extent_of(loop).constant().value_or(enough) < enough || !runs_along(loop)) continue;
      loops_.erase(loops_.begin() + static_cast<std::ptrdiff_t>(at));
      loops_.push_back(loop);
      return;
    }
  }

  LoopNest take() {
    rename("u");  // unused names: the final ones may belong to other loops now
    rename("i");
    return {std::move(loops_), std::move(values_)};
  }

 private:
  void rename(const char* prefix) {
    for (size_t d = 0; d < loops_.size(); ++d) {
      const std::string name = loops_.size() == 1 ? prefix : cat(prefix, d);
      const Expr renamed = Expr::index(name, sym::extent_of(loops_[d]));
      exchange(loops_[d], renamed);
      loops_[d] = renamed;
    }
  }

  void exchange(Expr index, Expr by) {
    if (index == by) return;
    for (Expr& v : values_) v = sym::substitute(v, index, by);
    for (Expr& a : accesses_) a = sym::substitute(a, index, by);
    if (first_choice_.defined()) first_choice_ = sym::substitute(first_choice_, index, by);
  }

  // The size of the blocks into which some access divides the loop.
  std::optional<int64_t> divisor(Expr index) const {
    const auto extent = sym::extent_of(index).constant();
    if (!extent) return std::nullopt;
    std::optional<int64_t> found;
    for (const Expr access : accesses_) look(access, index, *extent, found);
    return found;
  }

  static void look(Expr e, Expr index, int64_t extent, std::optional<int64_t>& found) {
    if (e.constant() || e.is_symbol() || !sym::contains(e, index)) return;
    const auto operands = sym::operands_of(e);
    const sym::Kind kind = sym::kind_of(e);
    if (kind == sym::Kind::floordiv || kind == sym::Kind::mod) {
      const auto by = operands[1].constant();
      const auto linear = sym::as_linear(operands[0], index);
      const auto factor = linear ? linear->coefficient.constant() : std::nullopt;
      if (by && factor && *factor > 0 && *by % *factor == 0) {
        const int64_t block = *by / *factor;
        if (block > 1 && block < extent && extent % block == 0 && (!found || block < *found)) {
          found = block;
        }
      }
    }
    for (const Expr operand : operands) look(operand, index, extent, found);
  }

  void split(size_t loop, int64_t block) {
    const Expr index = loops_[loop];
    const int64_t extent = *sym::extent_of(index).constant();
    const Expr outer = Expr::index(fresh(), extent / block), inner = Expr::index(fresh(), block);
    exchange(index, outer * block + inner);
    loops_[loop] = outer;
    loops_.insert(loops_.begin() + static_cast<std::ptrdiff_t>(loop) + 1, inner);
  }

  bool runs_along(Expr loop) const {
    bool runs = false;
    for (const Expr access : std::span(accesses_).subspan(1)) {
      const auto linear = sym::as_linear(access, loop);
      const auto step = linear ? linear->coefficient.constant() : std::nullopt;
      if (!step || *step > 1 || *step < -1) return false;
      runs = runs || *step == 1;
    }
    return runs;
  }

  bool can_merge(Expr outer, Expr inner) const {
    const Expr size = sym::extent_of(inner);
    return std::all_of(accesses_.begin(), accesses_.end(), [&](Expr access) {
      const auto a = sym::as_linear(access, outer), b = sym::as_linear(access, inner);
      return a && b && a->coefficient == b->coefficient * size;
    });
  }

  void merge(size_t loop) {
    const Expr outer = loops_[loop], inner = loops_[loop + 1], size = sym::extent_of(inner);
    const Expr both = Expr::index(fresh(), sym::extent_of(outer) * size);
    for (Expr& access : accesses_) {
      const auto b = sym::as_linear(access, inner);
      const auto a = sym::as_linear(b->rest, outer);
      access = a->rest + b->coefficient * both;
    }
    for (Expr& v : values_) {
      v = sym::substitute(v, outer, sym::floordiv(both, size));
      v = sym::substitute(v, inner, sym::mod(both, size));
    }
    loops_[loop] = both;
    loops_.erase(loops_.begin() + static_cast<std::ptrdiff_t>(loop) + 1);
  }

  std::string fresh() { return cat("t", made_++); }

  std::vector<Expr> loops_, values_, accesses_;
  Expr first_choice_;  // as in choose_loop_nest()
  int made_ = 0;
};

}  // namespace

bool has_short_vectors(std::span<const Expr> loops) {
  constexpr int64_t least = 8;
  return loops.size() > 1 && sym::extent_of(loops.back()).constant().value_or(least) < least;
}

LoopNest choose_loop_nest(std::span<const Expr> dims, std::span<const Expr> accesses,
                          Expr first_choice, bool vectorizes) {
  Chooser chooser(dims, accesses, first_choice);
  chooser.split_all();
  chooser.order();
  chooser.merge_all();
  if (vectorizes) chooser.fill_vectors();
  return chooser.take();
}

}  // namespace vitro::loop
