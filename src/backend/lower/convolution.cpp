// Convolutions (ops::Convolve) as products of windows with the weights: a row is a position of the
// result, a column is a channel of it. Channels of the operand that are not contiguous are copied
// next to one another first. A convolution of single elements without padding is a plain product.
#include <utility>

#include "backend/lower/images.h"
#include "backend/lower/product_epilogue.h"
#include "backend/schedule/products.h"
#include "backend/schedule/winograd.h"
#include "kernels/product.h"
#include "vitro/base/error.h"

namespace vitro::backend {
namespace {

using loop::Value;

class ConvolutionLowering {
 public:
  ConvolutionLowering(const Program& program, BufferAssignment& assignment, const Group& group)
      : program_(program),
        assignment_(assignment),
        group_(group),
        images_(program, assignment, group, kernels_) {
    const graph::Graph& g = program.graph();
    const graph::Node& node = g[program[*group.product].value.node];
    x_ = std::get<graph::Value>(node.args[0]);
    weight_ = std::get<graph::Value>(node.args[1]);
    result_ = sizes_of(node.results[0]);
    const Index weight = sizes_of(g.meta(weight_));
    windows_ = {node.op->contraction->windows(node.attrs.view()), sizes_of(g.meta(x_)),
                Index(result_.begin() + 2, result_.end()), Index(weight.begin() + 2, weight.end())};
    channels_ = weight[1];
    columns_ = sym::floordiv(result_[1], groups());
    positions_ = count_of(out());
    name_ = windows_.name(channels_, result_[1]);
    product_.n = columns_;
    product_.k = count_of(taps()) * channels_;
    product_.inner = named_index("inner", product_.k);
    product_.right_base = product_.right_stride = 0;
    product_.accumulate = product_.right_dtype = compute_type(node.results[0].dtype);
  }

  std::vector<LoweredKernel> run() {
    if (is_depthwise() && !multiplies_channels() && columns_.is(1)) {
      kernels_.push_back(sum_channels());
      return std::move(kernels_);
    }
    set_rows(positions_.is(1));
    product_.turned = epilogue().lies_across();
    if (!product_.turned) set_rows(true);
    if (product_.turned && reads_planes()) {
      product_.turned = false;
    } else {
      if (!product_.turned) choose_tiles();
      find_left();
      choose_parts();
      pack_weights();
    }
    KernelBuilder build(program_, assignment_, group_);
    if (tiles_.m > 0) compute_tiles(build);
    if (product_.bf16x6) multiply_parts(build);
    product_.left = left_;
    product_.left.buffer = build.buffer(left_buffer_);
    product_.right = build.buffer(right_buffer_);
    epilogue().add(build);
    build.kernel().reading = product_.reads == loop::RightOperand::rows
                                 ? "read in place, its planes are contiguous"
                                 : "packed in the order of the taps";
    build.kernel().product = cat(name_, product_.bf16x6 ? ", bf16x6" : "");
    build.kernel().body.push_back({std::move(product_)});
    if (tiles_.m > 0) build.kernel().product += cat(", Winograd F", tiles_.m);
    kernels_.push_back(build.take());
    return std::move(kernels_);
  }

 private:
  size_t rank() const { return windows_.rank(); }
  const Index& in() const { return windows_.in; }
  const Index& out() const { return windows_.out; }
  const Index& taps() const { return windows_.taps; }
  const WindowsSpec& spec() const { return windows_.spec; }
  Expr groups() const { return spec().groups; }
  Expr row() const { return used_index(product_.row, product_.m); }
  Expr column() const { return used_index(product_.column, product_.n); }

  // Whether the images follow one another as rows, or are products of their own, so that lanes can
  // run along the positions of one.
  void set_rows(bool of_all_images) {
    product_.m = of_all_images ? result_[0] * positions_ : positions_;
    batches_ = of_all_images ? groups() : result_[0] * groups();
    product_.batch = batches_.is(1) ? Expr(0) : Expr::index("batch", batches_);
    product_.row = named_index("row", product_.m);
    product_.column = named_index("column", product_.n);
    image_ =
        of_all_images ? sym::floordiv(row(), positions_) : sym::floordiv(product_.batch, groups());
    if (result_[0].is(1)) image_ = 0;
    group_index_ = of_all_images ? product_.batch : sym::mod(product_.batch, groups());
    if (groups().is(1)) group_index_ = 0;
    position_ = of_all_images && !result_[0].is(1) ? sym::mod(row(), positions_) : row();
    of_all_images_ = of_all_images;
  }

  ProductEpilogue epilogue() {
    const bool planes = product_.reads == loop::RightOperand::rows;
    Index at{image_, group_index_ * columns_ + (planes ? row() : column())};
    for (const Expr e : unflatten(planes ? column() : position_, out())) at.push_back(e);
    return {program_, assignment_, group_, product_, std::move(at)};
  }

  // If every element of the result needs one position of the operand, and the planes of both are
  // contiguous: multiplies the weights by the planes as they are.
  bool reads_planes() {
    if (!windows_.is_pointwise()) return false;
    const std::optional<Image> x = images_.in_memory(x_, product_.accumulate);
    const std::optional<Weights> w = weights_in_memory();
    if (!x || !w || x->strides.back() != Expr(1) || !has_even_positions(*x)) return false;
    if (!w->channel.is(1) && !w->column.is(1)) return false;
    left_ = {-1, w->base + w->group * group_index_, w->column, w->channel, {}};
    left_buffer_ = w->buffer;
    product_.right_base = base_of(*x);
    product_.right_stride = x->channel_stride;
    right_buffer_ = x->buffer;
    product_.reads = loop::RightOperand::rows;
    product_.m = columns_;
    product_.n = positions_;
    product_.row = named_index("row", product_.m);
    product_.column = named_index("column", product_.n);
    return true;
  }

  // ---- Winograd: tiles of positions ----

  void choose_tiles() {
    if (program_.exact() || !is_f32(program_.graph(), x_) || !is_f32(program_.graph(), weight_) ||
        !windows_.has_tiles() || depthwise_)
      return;
    const auto height = out()[0].constant(), width = out()[1].constant(),
               channels = channels_.constant(), columns = columns_.constant();
    if (!height || !width || !channels || !columns) return;
    const int64_t images = result_[0].constant().value_or(1);
    tiles_ = choose_winograd({images, *height, *width, *channels, *columns, !keeps_weights()},
                             program_.machine());
    if (tiles_.m > 0) product_.k = channels_ * ((tiles_.m + 2) * (tiles_.m + 2));
  }

  // ---- parts of bf16 ----

  // The sizes of the windows, if they are constant and have at most two dimensions.
  static std::optional<kernels::Windows> constant_windows(const loop::Windows& windows) {
    constexpr size_t most = 2;
    const std::vector<loop::Windows::Dimension>& dimensions = windows.dimensions;
    kernels::Windows out{{1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {}, {}, 0, 0};
    bool known = dimensions.size() <= most;
    const auto number = [&known](Expr e) {
      known = known && e.constant();
      return static_cast<long>(e.constant().value_or(0));
    };
    for (size_t d = 0; d < dimensions.size() && known; ++d) {
      const size_t to = 3 - dimensions.size() + d;
      const loop::Windows::Dimension& from = dimensions[d];
      out.size[to] = number(from.size), out.out[to] = number(from.out);
      out.taps[to] = number(from.taps), out.stride[to] = number(from.stride);
      out.dilation[to] = number(from.dilation), out.padding[to] = number(from.padding);
    }
    out.channels = number(windows.channels);
    return known ? std::optional(out) : std::nullopt;
  }

  // Whether the product of positions and weights is computed by parts of bf16.
  void choose_parts() {
    if (program_.exact() || product_.accumulate != DType::f32 || !groups().is(1)) return;
    if (depthwise_ || tiles_.m > 0 || !product_.batch.constant() || !keeps_weights()) return;
    left_.windows ? choose_to_split() : choose_parts_of_rows();
    product_.bf16x6 = static_cast<bool>(parts_);
  }

  void choose_parts_of_rows() {
    if (!left_.k_stride.is(1)) return;
    parts_ = should_keep_parts(program_.machine(), product_.m.constant(), product_.n.constant(),
                               product_.k.constant());
  }

  void choose_to_split() {
    if (product_.turned) return;
    const auto sizes = constant_windows(*left_.windows);
    const auto images = result_[0].constant(), columns = columns_.constant();
    if (!sizes || !images || !columns) return;
    const SplitChoice choice = choose_split(program_.machine(), {*sizes, *images, *columns});
    parts_ = choice.verdict;
    if (!parts_) return;
    const kernels::SplitScratch scratch(*sizes, choice.most_rows);
    left_.windows->split = {choice.most_rows, scratch.operand, scratch.ranges, 0};
    split_scratch_ = scratch.operand + scratch.sums;
  }

  void multiply_parts(KernelBuilder& build) {
    build.kernel().schedule = parts_.why;
    if (left_.windows)
      left_.windows->split->scratch = build.add_row("parts", DType::f32, split_scratch_);
  }

  // Whether panels of the weights are made once, not at each call.
  bool keeps_weights() {
    const std::optional<Weights> weights = weights_in_memory();
    if (!weights) return false;
    const BufferInfo& from = assignment_.buffers()[weights->buffer.n];
    const graph::Graph& g = program_.graph();
    return from.kind == BufferKind::input && has_kept_panels(g, g.inputs()[from.which.n]);
  }

  void compute_tiles(KernelBuilder& build) {
    const Expr tiles = result_[0] * sym::floordiv(out()[0] + (tiles_.m - 1), tiles_.m) *
                       sym::floordiv(out()[1] + (tiles_.m - 1), tiles_.m);
    const int64_t scratch = kernels::winograd_scratch(
        tiles_.m, *channels_.constant(), tiles_.tiles_of_block, kernels::product_most_width);
    left_.windows->winograd = {tiles_.m, tiles_.tiles_of_block, tiles,
                               build.add_row("tiles", DType::f32, scratch)};
    build.kernel().schedule = winograd_note(cat(tiles_.m, 'x', tiles_.m, ", 3x3"), tiles_);
  }

  // ---- depthwise: each channel by itself ----

  bool is_depthwise() const {
    const auto channels = channels_.constant(), columns = columns_.constant(),
               count = count_of(taps()).constant();
    if (!channels || !columns || !count) return false;
    return kernels::is_depthwise(*channels, *columns, *count) ||
           (kernels::is_depthwise(*channels, 1, *count) &&
            should_repeat_channels(spec().groups, *columns));
  }

  // If the channels of the result are contiguous: makes them the columns of one product, each of
  // which reads its own channel.
  bool multiplies_channels() {
    const int64_t groups = spec().groups;
    of_channel_ = *columns_.constant();
    windows_.spec.groups = 1;
    columns_ = product_.n = result_[1];
    set_rows(false);
    depthwise_ = !epilogue().lies_across();
    if (depthwise_) return true;
    windows_.spec.groups = groups;
    columns_ = product_.n = std::exchange(of_channel_, 1);
    return false;
  }

  LoweredKernel sum_channels() {
    KernelBuilder build(program_, assignment_, group_);
    const IterationSpace& space = group_.iteration.space;
    add_loops(build, space.index, [&](const Index& values) {
      build.define(*group_.product, cast(sum_at(build, values), dtype()));
      loop::Block stores;
      for (const ComputeNodeId id : group_.stored) {
        const Index at = with_index(group_.index_map(id), space, values);
        stores.push_back(build.store(id, at, build.compute(id, at)));
      }
      return stores;
    });
    build.kernel().product = name_;
    return build.take();
  }

  DType dtype() const { return program_.graph().meta(program_[*group_.product].value).dtype; }

  // The sum of a channel's window for an index of the result.
  Value sum_at(KernelBuilder& build, const Index& at) {
    loop::Pool& pool = build.pool();
    Value sum = pool.constant(product_.accumulate, 0.0);
    for (int64_t tap = 0; tap < *count_of(taps()).constant(); ++tap) {
      const Index of_tap = unflatten(tap, taps());
      Index x{at[0], at[1]}, w{at[1], 0};
      Value inside = pool.constant(DType::boolean, int64_t{1});
      for (size_t d = 0; d < rank(); ++d) {
        const Expr place = at[d + 2] * spec().stride[d] + of_tap[d] * spec().dilation[d] -
                           spec().padding[d].expr();
        inside = inside && pool.not_negative(place) && pool.not_negative(in()[d + 2] - 1 - place);
        x.push_back(place);
        w.push_back(of_tap[d]);
      }
      const Value element = cast(build.read_where(x_, x, inside), product_.accumulate);
      sum = fma(where(inside, element, like(element, 0)),
                cast(build.read(weight_, w), product_.accumulate), sum);
    }
    return sum;
  }

  // ---- the weights ----

  // Weights in memory: the element of a group, tap, channel and column is at base + the sum of
  // index * stride.
  struct Weights {
    BufferId buffer;
    Expr base, group, tap, channel, column;
  };

  Value weight(KernelBuilder& build, Expr group, Expr tap, Expr channel, Expr column) const {
    Index at{group * columns_ + column, channel};
    for (const Expr e : unflatten(tap, taps())) at.push_back(e);
    return build.read(weight_, at);
  }

  std::optional<Weights> weights_in_memory() {
    KernelBuilder build(program_, assignment_, alone_);
    const Expr at[] = {index_of("group", groups()), index_of("tap", count_of(taps())),
                       index_of("channel", channels_), index_of("column", columns_)};
    const Value element = weight(build, at[0], at[1], at[2], at[3]);
    if (element->fn != loop::Fn::load || element.dtype() != product_.accumulate)
      return std::nullopt;
    Expr rest = element->index, strides[4];
    for (size_t i = 0; i < 4; ++i) {
      const auto linear = linear_in(rest, at[i]);
      if (!linear) return std::nullopt;
      strides[i] = linear->coefficient;
      rest = linear->rest;
    }
    return Weights{build.take().buffers[static_cast<size_t>(element->payload)],
                   rest,
                   strides[0],
                   strides[1],
                   strides[2],
                   strides[3]};
  }

  void pack_weights() {
    const Expr group = index_of("batch", groups()), count = count_of(taps());
    std::optional<Weights> from = weights_in_memory();
    if (!from) {
      const BufferId made =
          images_.store("weights", product_.accumulate, {groups(), count, channels_, columns_},
                        [&](KernelBuilder& build, const Index& at) {
                          return weight(build, at[0], at[1], at[2], at[3]);
                        });
      from = {made, 0, product_.k * columns_, channels_ * columns_, columns_, 1};
    }
    loop::Pack pack;
    pack.batch = group, pack.batches = groups();
    pack.k = channels_, pack.n = columns_, pack.taps = count;
    pack.accumulate = product_.accumulate;
    pack.base = from->base + from->group * group;
    pack.tap_stride = from->tap;
    pack.winograd = tiles_.m;
    pack.bf16x6 = product_.bf16x6;
    if (product_.bf16x6 && left_.windows && left_.windows->channels != channels_)
      pack.joined = *taps().back().constant();
    pack.k_stride = from->channel;
    pack.n_stride = from->column;
    product_.panels = group_index_;
    const auto [panels, added] = assignment_.panels_of({from->buffer,
                                                        {pack.base, pack.k_stride, pack.n_stride},
                                                        pack.k,
                                                        pack.n,
                                                        pack.batches,
                                                        pack.taps,
                                                        pack.tap_stride,
                                                        pack.winograd,
                                                        pack.bf16x6,
                                                        pack.joined,
                                                        pack.rows()});
    right_buffer_ = panels;
    if (!added) return;
    KernelBuilder build(program_, assignment_, alone_);
    build.kernel().name = "pack";
    pack.from = build.buffer(from->buffer);
    pack.to = build.buffer(panels, true);
    build.kernel().body.push_back({std::move(pack)});
    kernels_.push_back(build.take());
  }

  // ---- the operand ----

  void find_left() {
    std::optional<Image> x = images_.in_memory(x_, product_.accumulate);
    const bool plain = windows_.is_pointwise() && !depthwise_;
    if (x && plain && read_as_matrix(*x)) return;
    if (x && can_read_strips(*x)) {
      read_windows(*x, false);
      left_.windows->channel_stride = channels_.is(1) ? Expr(0) : x->channel_stride;
      return;
    }
    const bool joins = windows_.joins_last_taps() && !depthwise_;
    if (joins) {
      x = images_.copy_joined(x_, product_.accumulate, windows_);
    } else if (!x || !x->channel_stride.is(1) || of_channel_ > 1) {
      x = images_.copy(x_, product_.accumulate, of_channel_);
    }
    if (plain && read_as_matrix(*x)) return;
    read_windows(*x, joins);
  }

  // Whether windows read channels that are planes as they are. Machines with tiles for bf16 split
  // positions into parts instead.
  bool can_read_strips(const Image& x) const {
    if (depthwise_ || spec().groups != 1 || product_.accumulate != DType::f32) return false;
    if (program_.machine().bf16_tiles && !program_.exact()) return false;
    const auto channels = channels_.constant(), last = taps().back().constant(),
               all = count_of(taps()).constant();
    return x.strides.back().is(1) && channels && all && *all > 1 &&
           (*channels == 1 || !x.channel_stride.is(1)) &&
           kernels::has_plane_strips(*channels, *all / *last, *last, spec().stride.back(),
                                     spec().dilation.back());
  }

  // If rows are evenly spaced, reads them as those of a matrix.
  bool read_as_matrix(const Image& x) {
    const Expr stride = x.strides.back();
    if (!has_even_positions(x) || (!x.channel_stride.is(1) && !stride.is(1))) return false;
    left_buffer_ = x.buffer;
    left_.base = base_of(x);
    left_.row_stride = stride;
    left_.k_stride = x.channel_stride;
    return true;
  }
  // Of the positions that are rows of the product: those of an image, or of all of them.
  bool has_even_positions(const Image& x) const {
    return x.has_even_positions(out(), of_all_images_ ? result_[0] : Expr(1));
  }

  Expr base_of(const Image& x) const {
    const Expr image = of_all_images_ ? Expr(0) : image_ * x.image_stride;
    return x.base + image + group_index_ * channels_ * x.channel_stride;
  }

  void read_windows(const Image& x, bool joins) {
    left_buffer_ = x.buffer;
    left_.base = base_of(x);
    left_.row_stride = left_.k_stride = 0;
    left_.windows = joins ? windows_.over_joined(x, channels_) : windows_.over(x, channels_);
    left_.windows->depthwise = depthwise_;
  }

  const Program& program_;
  BufferAssignment& assignment_;
  const Group& group_;
  Group alone_{{*group_.product}, {}, {}};  // for the kernels of the operands
  graph::Value x_, weight_;
  WindowsOf windows_;
  Index result_;             // sizes
  Expr channels_, columns_;  // of a group, of the operand and the result
  Expr positions_, batches_;
  bool of_all_images_ = false;
  bool depthwise_ = false;               // as in loop::Windows
  int64_t of_channel_ = 1;               // if so: results of each channel of the operand
  Expr image_, group_index_, position_;  // for the batch and row of the product
  loop::Product product_;
  loop::Left left_;
  BufferId left_buffer_, right_buffer_;
  WinogradChoice tiles_;
  Verdict parts_ = Verdict::no("");  // whether operands are multiplied as parts of bf16
  int64_t split_scratch_ = 0;
  std::string name_;  // as events::KernelBegin::product
  std::vector<LoweredKernel> kernels_;
  Images images_;
};

}  // namespace

std::vector<LoweredKernel> lower_convolution(const Program& program, BufferAssignment& assignment,
                                             const Group& group) {
  return ConvolutionLowering(program, assignment, group).run();
}

}  // namespace vitro::backend
