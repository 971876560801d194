// Reductions whose lanes are neighbours of the innermost dimension, which is kept: a task takes a
// strip of columns, and of these a block of rows at a time, so that memory is read in long runs.
// What the columns are folded to lies in scratch rows between blocks.
#include <algorithm>

#include "backend/lower/walks.h"
#include "vitro/ops/reduce.h"

namespace vitro::backend {
namespace {

constexpr int64_t columns_once = 512, columns_again = 1024, least_columns = 64;
constexpr int64_t most_strip_bytes = 256 << 10;  // that stay in the cache for another walk
// Rows that lie so far apart share few places in a cache: not even a narrow strip stays there.
constexpr int64_t crowded_stride = 1024;

class Columns : private Walks {
 public:
  Columns(KernelBuilder& build, const Group& group) : Walks(build, group, false) {
    column_ = kept_.back();
    width_ = choose_width();
    const Expr extent = sym::extent_of(column_);
    const Expr strips = sym::floordiv(extent + (width_ - 1), width_);
    strip_ = strips.is(1) ? Expr(0) : Expr::index("b", strips);
    begin_ = strip_ * width_;
    end_ = sym::min(begin_ + width_, extent);
  }

  void run() {
    find_reductions([&](Reduction& r) {
      const DType dtype = node_of(r).results[0].dtype;
      r.result = build_.add_row(cat(op_name(r), "_result"), dtype, width_);
      return build_.pool().load(r.result, dtype, column_ - begin_);
    });
    for (Reduction& r : reductions_) add_rows(r);
    place_stores();
    keep_rows(folded_.back() * width_ + (column_ - begin_), last_ * width_, most_strip_bytes);
    loop::Kernel& kernel = build_.kernel();
    for (int level = 0; level <= levels_; ++level) walk(level, kernel.body);
    store_rows(levels_ + 1, kernel.body);
    for (const Expr index : kept_) {
      if (!index.constant() && !(index == column_)) kernel.tasks.push_back(index);
    }
    if (!strip_.constant()) kernel.tasks.push_back(strip_);
  }

 private:
  int64_t choose_width() const {
    const auto columns = sym::extent_of(column_).constant(), rows = count_.constant();
    int64_t width = walks_again() ? columns_again : columns_once;
    if (walks_again() && columns && rows && *columns * bytes_ % crowded_stride != 0) {
      const int64_t fits = most_strip_bytes / std::max<int64_t>(*rows * bytes_, 1);
      if (fits >= least_columns) width = std::min(width, fits / 16 * 16);
    }
    return columns ? std::min(width, (*columns + 15) / 16 * 16) : width;
  }
  bool walks_again() const {
    const auto reduces = [&](ItemId id) { return program()[id].kind == ItemKind::reduction; };
    return std::count_if(group_.items.begin(), group_.items.end(), reduces) > 1 ||
           !std::all_of(group_.stored.begin(), group_.stored.end(), reduces);
  }

  // Between blocks its state lies in rows, or its parts in a tree.
  void add_rows(Reduction& r) {
    add_tree(r, width_);
    if (r.tree >= 0) return;
    for (const Value v : initial(r)) {
      r.rows.push_back(build_.add_row(cat(op_name(r), "_state"), v.dtype(), width_));
    }
  }

  loop::Statement columns_loop(Block body) const {
    return {loop::Loop{column_, begin_, end_, true, std::move(body)}};
  }
  Expr lane() const { return column_ - begin_; }
  State loaded(const Reduction& r) {
    State out;
    for (const int row : r.rows) {
      const auto which = static_cast<size_t>(row - loop::Kernel::first_row);
      out.push_back(build_.pool().load(row, build_.kernel().rows[which].dtype, lane()));
    }
    return out;
  }
  void save(const Reduction& r, const State& state, Block& out) {
    for (size_t i = 0; i < r.rows.size(); ++i) {
      out.push_back({loop::Store{r.rows[i], lane(), state[i]}});
    }
  }

  void walk(int level, Block& out) {
    store_rows(level, out);
    if (!has_work(level)) return;
    Block body = elements_of(level);
    if (!has_reductions(level)) {
      Block rows;
      rows.push_back(columns_loop(std::move(body)));
      out.push_back(outer_loops(inner_loop(std::move(rows), false)));
      return;
    }
    Block first, block, last;
    for (Reduction& r : reductions_) {
      if (r.level != level) continue;
      save(r, initial(r), first);
      r.state = declare(r.tree >= 0 ? initial(r) : loaded(r), op_name(r), block);
    }
    fold(level, body);
    block.push_back(inner_loop(std::move(body), true));
    for (const Reduction& r : reductions_) {
      if (r.level != level) continue;
      save(r, r.state, block);
      if (r.tree >= 0) block.push_back(grow(r, lane()));
      const State state = r.tree >= 0 ? total(r, lane(), last) : loaded(r);
      last.push_back({loop::Store{r.result, lane(), finished(r, state)}});
    }
    if (!first.empty()) out.push_back(columns_loop(std::move(first)));
    Block columns;
    columns.push_back(columns_loop(std::move(block)));
    out.push_back(outer_loops(chunk_loop(std::move(columns))));
    out.push_back(columns_loop(std::move(last)));
  }

  void store_rows(int level, Block& out) {
    Block stores = std::move(row_stores_[at(level)]);
    if (!stores.empty()) out.push_back(columns_loop(std::move(stores)));
  }

  static constexpr int64_t bytes_ = sizeof(float);  // of most elements
  int64_t width_;                                   // of a strip
  Expr column_, strip_, begin_, end_;
};

}  // namespace

bool takes_columns(const Space& space) {
  if (space.reduced.back() || space.index.back().constant()) return false;
  Expr count = 1;
  for (size_t d = 0; d < space.sizes.size(); ++d) {
    if (space.reduced[d]) count = count * space.sizes[d];
  }
  return !sym::prove_less(count, ops::reduction_steps + 1).value_or(false);
}

LoweredKernel lower_columns(const Program& program, const Places& places, const Group& group) {
  KernelBuilder build(program, places, group);
  Columns(build, group).run();
  return build.take();
}

}  // namespace vitro::backend
