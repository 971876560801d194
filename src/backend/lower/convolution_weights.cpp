// Gradients of the weights of convolutions (ops::ConvolveWeights) as products: a row is an element
// of all windows, a column is a channel of the convolution's result, and k runs over the positions
// of all images. Tiles read copies of the windows at a few positions at a time; operands whose
// channels are not contiguous are copied first.
#include <algorithm>
#include <utility>

#include "backend/lower/images.h"
#include "backend/lower/product_epilogue.h"
#include "backend/schedule/winograd.h"
#include "kernels/position_rows.h"
#include "kernels/product.h"

namespace vitro::backend {
namespace {

class WeightsLowering {
 public:
  WeightsLowering(const Program& program, BufferAssignment& assignment, const Group& group)
      : program_(program),
        assignment_(assignment),
        group_(group),
        images_(program, assignment, group, kernels_) {
    const graph::Graph& g = program.graph();
    const graph::Node& node = g[program[*group.product].value.node];
    x_ = std::get<graph::Value>(node.args[0]);
    gradient_ = std::get<graph::Value>(node.args[1]);
    const Index result = sizes_of(node.results[0]), of_gradient = sizes_of(g.meta(gradient_));
    windows_ = {node.op->contraction->windows(node.attrs.view()), sizes_of(g.meta(x_)),
                Index(of_gradient.begin() + 2, of_gradient.end()),
                Index(result.begin() + 2, result.end())};
    channels_ = result[1];
    name_ = cat(windows_.name(channels_, result[0]), ", weights");
    depthwise_ = is_depthwise(result[0]);
    if (depthwise_) windows_.spec.groups = 1;
    by_taps_ = channels_.constant() && kernels::rows_follow_taps(*channels_.constant());
    product_.m = count_of(windows_.taps) * channels_;
    product_.n = sym::floordiv(result[0], windows_.spec.groups);
    product_.k = count() * count_of(windows_.out);
    product_.row = named_index("row", product_.m);
    product_.column = named_index("column", product_.n);
    product_.inner = named_index("inner", product_.k);
    product_.batch = index_of("batch", windows_.spec.groups);
    product_.accumulate = product_.right_dtype = compute_type(node.results[0].dtype);
    product_.reads = depthwise_ ? loop::RightOperand::channels : loop::RightOperand::rows;
    choose_tiles(result[0]);
  }

  std::vector<LoweredKernel> run() {
    find_left();
    find_right();
    ProductEpilogue epilogue(program_, assignment_, group_, product_, index());
    product_.turned = depthwise_ || epilogue.lies_across();
    KernelBuilder build(program_, assignment_, group_);
    product_.left.buffer = build.buffer(left_buffer_);
    product_.right = build.buffer(right_buffer_);
    if (tiles_.m > 0) compute_tiles(build);
    epilogue.add(build);
    build.kernel().reading = "read in place, its rows are contiguous";
    build.kernel().product = name_;
    build.kernel().body.push_back({std::move(product_)});
    kernels_.push_back(build.take());
    return std::move(kernels_);
  }

 private:
  Expr count() const { return windows_.in[0]; }  // of images

  bool is_depthwise(Expr results) const {
    const auto channels = channels_.constant(), all = results.constant(),
               taps = count_of(windows_.taps).constant();
    const int64_t groups = windows_.spec.groups;
    return groups > 1 && channels && all && taps && *all % groups == 0 &&
           kernels::is_depthwise(*channels, *all / groups, *taps);
  }

  void choose_tiles(Expr results) {
    if (program_.exact() || !is_f32(program_.graph(), x_) || !is_f32(program_.graph(), gradient_) ||
        !windows_.has_tiles())
      return;
    const auto height = windows_.out[0].constant(), width = windows_.out[1].constant(),
               channels = channels_.constant(), columns = results.constant();
    if (!height || !width || !channels || !columns) return;
    const int64_t images = count().constant().value_or(1);
    tiles_ =
        choose_winograd_weights({images, *height, *width, *channels, *columns}, program_.machine());
  }

  void compute_tiles(KernelBuilder& build) {
    const Expr tiles = count() * sym::floordiv(windows_.out[0] + (tiles_.m - 1), tiles_.m) *
                       sym::floordiv(windows_.out[1] + (tiles_.m - 1), tiles_.m);
    const int64_t channels = tiles_.channels_of_block,
                  scratch = kernels::winograd_weights_scratch(channels, tiles_.tiles_of_block);
    product_.left.windows->winograd = {tiles_.m, tiles_.tiles_of_block, tiles,
                                       build.add_row("tiles", DType::f32, scratch), 9 * channels};
    build.kernel().schedule = winograd_note(cat("3x3, ", tiles_.m, 'x', tiles_.m), tiles_);
    name_ += ", Winograd F3";
  }

  // Of the result, for the row, column and batch of the product.
  Index index() const {
    Index of_window = windows_.taps;
    of_window.insert(by_taps_ ? of_window.end() : of_window.begin(), channels_);
    Index at = unflatten(used_index(product_.row, product_.m), of_window);
    if (by_taps_) std::rotate(at.begin(), at.end() - 1, at.end());
    at.insert(at.begin(), product_.batch * product_.n + used_index(product_.column, product_.n));
    return at;
  }

  void find_left() {
    std::optional<Image> x = images_.in_memory(x_, product_.accumulate);
    const bool joins = windows_.joins_last_taps() && !depthwise_;
    if (joins) {
      x = images_.copy_joined(x_, product_.accumulate, windows_);
    } else if (!x || !x->channel_stride.is(1)) {
      x = images_.copy(x_, product_.accumulate);
    }
    left_buffer_ = x->buffer;
    loop::Left& left = product_.left;
    left.base = x->base + product_.batch * channels_;
    left.row_stride = 1;
    left.k_stride = x->strides.back();
    if (windows_.is_pointwise() && !depthwise_ && x->has_even_positions(windows_.out, count()))
      return;
    left.windows = windows_.over(*x, channels_);
    left.windows->depthwise = depthwise_;
    left.transposed = true;
    left.row_stride = by_taps_ ? Expr(1) : count_of(windows_.taps);
    left.k_stride = by_taps_ ? channels_ : Expr(1);
    if (!joins) return;
    left.windows->dimensions.back().size = windows_.joined_size();
    left.windows->dimensions.back().padding = 0;
  }

  void find_right() {
    std::optional<Image> g = images_.in_memory(gradient_, product_.accumulate);
    if (!g || !g->channel_stride.is(1) || !g->has_even_positions(windows_.out, count()))
      g = images_.copy(gradient_, product_.accumulate);
    right_buffer_ = g->buffer;
    product_.right_base = g->base + product_.batch * product_.n;
    product_.right_stride = g->strides.back();
  }

  const Program& program_;
  BufferAssignment& assignment_;
  const Group& group_;
  graph::Value x_, gradient_;
  WindowsOf windows_;
  Expr channels_;           // of a group
  bool by_taps_ = false;    // rows are in the order of taps, not of channels
  bool depthwise_ = false;  // kernels::Product::multiply_depthwise_weights()
  WinogradChoice tiles_;
  loop::Product product_;
  BufferId left_buffer_, right_buffer_;
  std::string name_;  // as events::KernelBegin::product
  std::vector<LoweredKernel> kernels_;
  Images images_;
};

}  // namespace

std::vector<LoweredKernel> lower_convolution_weights(const Program& program,
                                                     BufferAssignment& assignment,
                                                     const Group& group) {
  return WeightsLowering(program, assignment, group).run();
}

}  // namespace vitro::backend
