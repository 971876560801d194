// Convolutions (ops::Convolve) as products of windows with the weights: a row is a position of the
// result, a column is a channel of it. Channels of the operand that are not contiguous are copied
// next to one another first. A convolution of single elements without padding is a plain product.
#include <cstdio>
#include <utility>

#include "backend/lower/product_epilogue.h"
#include "backend/schedule/products.h"
#include "backend/schedule/winograd.h"
#include "kernels/product.h"
#include "vitro/base/error.h"

namespace vitro::backend {
namespace {

using loop::Value;

// `e` as a linear expression in an index of a dimension; the coefficient contains no index.
std::optional<sym::Linear> linear_in(Expr e, Expr index) {
  if (index.constant()) return sym::Linear{0, e};
  auto linear = sym::as_linear(e, index);
  if (!linear) return std::nullopt;
  for (const Expr s : sym::symbols_of(linear->coefficient)) {
    if (sym::kind_of(s) == sym::Kind::index) return std::nullopt;
  }
  return linear;
}

class ConvolutionLowering {
 public:
  ConvolutionLowering(const Program& program, BufferAssignment& assignment, const Group& group)
      : program_(program), assignment_(assignment), group_(group) {
    const graph::Graph& g = program.graph();
    const graph::Node& node = g[program[*group.product].value.node];
    x_ = std::get<graph::Value>(node.args[0]);
    weight_ = std::get<graph::Value>(node.args[1]);
    spec_ = node.op->contraction->windows(node.attrs.view());
    result_ = sizes_of(node.results[0]);
    in_ = sizes_of(g.meta(x_));
    const Index weight = sizes_of(g.meta(weight_));
    out_ = Index(result_.begin() + 2, result_.end());
    taps_ = Index(weight.begin() + 2, weight.end());
    channels_ = weight[1];
    columns_ = sym::floordiv(result_[1], groups());
    positions_ = count_of(out_);
    name_ = text();
    product_.n = columns_;
    product_.k = count_of(taps_) * channels_;
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
  // "conv3x3 64→128 /2", "conv3x3 256→256, 32 groups", "depthwise conv3x3 96"
  std::string text() const {
    const auto joined = [&](auto&& number) {
      std::string out = cat(number(0));
      bool equal = true;
      for (size_t d = 1; d < rank(); ++d) equal = equal && number(d) == number(0);
      for (size_t d = 1; d < rank() && !equal; ++d) out += cat('x', number(d));
      return out;
    };
    const bool depthwise = spec_.groups != 1 && channels_.is(1);
    std::string out = depthwise ? "depthwise conv" : "conv";
    for (size_t d = 0; d < rank(); ++d) out += cat(d == 0 ? "" : "x", taps_[d].text());
    out += cat(' ', in_[1].text());
    if (!depthwise || in_[1] != result_[1]) out += cat("→", result_[1].text());
    const std::string stride = joined([&](size_t d) { return spec_.stride[d]; });
    const std::string dilation = joined([&](size_t d) { return spec_.dilation[d]; });
    if (stride != "1") out += cat(" /", stride);
    if (spec_.groups != 1 && !depthwise) out += cat(", ", spec_.groups, " groups");
    if (dilation != "1") out += cat(", dilation ", dilation);
    return out;
  }

  size_t rank() const { return out_.size(); }
  Expr groups() const { return spec_.groups; }
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
    for (const Expr e : unflatten(planes ? column() : position_, out_)) at.push_back(e);
    return {program_, assignment_, group_, product_, std::move(at)};
  }

  // If every element of the result needs one position of the operand, and the planes of both are
  // contiguous: multiplies the weights by the planes as they are.
  bool reads_planes() {
    if (!is_pointwise()) return false;
    const std::optional<Image> x = in_memory();
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

  bool is_3x3() const {
    if (rank() != 2 || !groups().is(1)) return false;
    for (size_t d = 0; d < 2; ++d) {
      if (!taps_[d].is(3) || spec_.stride[d] != 1 || spec_.dilation[d] != 1) return false;
    }
    return true;
  }

  void choose_tiles() {
    if (program_.exact() || product_.accumulate != DType::f32 || !is_3x3() || depthwise_) return;
    const auto height = out_[0].constant(), width = out_[1].constant(),
               channels = channels_.constant(), columns = columns_.constant();
    if (!height || !width || !channels || !columns || !keeps_weights()) return;
    tiles_ =
        choose_winograd({result_[0].constant().value_or(1), *height, *width, *channels, *columns},
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

  std::string winograd_note() const {
    char text[128];
    std::snprintf(text, sizeof text,
                  "Winograd F(%dx%d, 3x3), not exact: errors of about %.0e of the root mean square",
                  static_cast<int>(tiles_.m), static_cast<int>(tiles_.m), tiles_.error);
    return text;
  }

  void compute_tiles(KernelBuilder& build) {
    const Expr tiles = result_[0] * sym::floordiv(out_[0] + (tiles_.m - 1), tiles_.m) *
                       sym::floordiv(out_[1] + (tiles_.m - 1), tiles_.m);
    const int64_t scratch = kernels::winograd_scratch(
        tiles_.m, *channels_.constant(), tiles_.tiles_of_block, kernels::product_most_width);
    left_.windows->winograd = {tiles_.m, tiles_.tiles_of_block, tiles,
                               build.add_row("tiles", DType::f32, scratch)};
    build.kernel().schedule = winograd_note();
  }

  // ---- depthwise: each channel by itself ----

  bool is_depthwise() const {
    const auto channels = channels_.constant(), columns = columns_.constant(),
               taps = count_of(taps_).constant();
    if (!channels || !columns || !taps) return false;
    return kernels::is_depthwise(*channels, *columns, *taps) ||
           (kernels::is_depthwise(*channels, 1, *taps) &&
            should_repeat_channels(spec_.groups, *columns));
  }

  // If the channels of the result are contiguous: makes them the columns of one product, each of
  // which reads its own channel.
  bool multiplies_channels() {
    const int64_t groups = spec_.groups;
    of_channel_ = *columns_.constant();
    spec_.groups = 1;
    columns_ = product_.n = result_[1];
    set_rows(false);
    depthwise_ = !epilogue().lies_across();
    if (depthwise_) return true;
    spec_.groups = groups;
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
    for (int64_t tap = 0; tap < *count_of(taps_).constant(); ++tap) {
      const Index of_tap = unflatten(tap, taps_);
      Index x{at[0], at[1]}, w{at[1], 0};
      Value inside = pool.constant(DType::boolean, int64_t{1});
      for (size_t d = 0; d < rank(); ++d) {
        const Expr place =
            at[d + 2] * spec_.stride[d] + of_tap[d] * spec_.dilation[d] - spec_.padding[d].expr();
        inside = inside && pool.not_negative(place) && pool.not_negative(in_[d + 2] - 1 - place);
        x.push_back(place);
        w.push_back(of_tap[d]);
      }
      const Value element = cast(build.read_where(x_, x, inside), product_.accumulate);
      sum = fma(where(inside, element, like(element, 0)),
                cast(build.read(weight_, w), product_.accumulate), sum);
    }
    return sum;
  }

  // An index for a dimension of a copy.
  static Expr index(std::string_view name, Expr extent) {
    return extent.is(1) ? Expr(0) : Expr::index(name, extent);
  }

  // Adds a kernel that stores `value(build, at)` at the row-major elements of `made`.
  void copy(BufferId made, const Index& sizes,
            const std::function<Value(KernelBuilder&, const Index&)>& value) {
    KernelBuilder build(program_, assignment_, alone_);
    build.kernel().name = "copy";
    const int to = build.buffer(made, true);
    Index space;
    for (const Expr size : sizes) space.push_back(index(cat("i", space.size()), size));
    add_loops(build, space, [&](const Index& at) {
      const Value element = cast(value(build, at), product_.accumulate);
      return loop::Block{{loop::Store{to, flatten(at, sizes), element}}};
    });
    kernels_.push_back(build.take());
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
    for (const Expr e : unflatten(tap, taps_)) at.push_back(e);
    return build.read(weight_, at);
  }

  std::optional<Weights> weights_in_memory() {
    KernelBuilder build(program_, assignment_, alone_);
    const Expr at[] = {index("group", groups()), index("tap", count_of(taps_)),
                       index("channel", channels_), index("column", columns_)};
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
    const Expr group = index("batch", groups()), taps = count_of(taps_);
    std::optional<Weights> from = weights_in_memory();
    if (!from) {
      const Index sizes{groups(), taps, channels_, columns_};
      const BufferId made = assignment_.add(
          {"weights", product_.accumulate, BufferKind::temporary, {}, count_of(sizes)});
      copy(made, sizes, [&](KernelBuilder& build, const Index& at) {
        return weight(build, at[0], at[1], at[2], at[3]);
      });
      from = {made, 0, product_.k * columns_, channels_ * columns_, columns_, 1};
    }
    loop::Pack pack;
    pack.batch = group, pack.batches = groups();
    pack.k = channels_, pack.n = columns_, pack.taps = taps;
    pack.accumulate = product_.accumulate;
    pack.base = from->base + from->group * group;
    pack.tap_stride = from->tap;
    pack.winograd = tiles_.m;
    pack.bf16x6 = product_.bf16x6;
    if (product_.bf16x6 && left_.windows && left_.windows->channels != channels_)
      pack.joined = *taps_.back().constant();
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

  // The operand in memory: element (image, channel, position) is at base + the sum of index *
  // stride.
  struct Image {
    BufferId buffer;
    Expr base, image_stride, channel_stride;
    Index strides;  // of positions
  };

  void find_left() {
    std::optional<Image> x = in_memory();
    const bool plain = is_pointwise() && !depthwise_;
    if (x && plain && read_as_matrix(*x)) return;
    if (x && can_read_strips(*x)) {
      read_windows(*x, false);
      left_.windows->channel_stride = channels_.is(1) ? Expr(0) : x->channel_stride;
      return;
    }
    const bool joins = joins_last_taps() && !depthwise_;
    if (!x || joins || !x->channel_stride.is(1) || of_channel_ > 1) x = copy_image(joins);
    if (plain && read_as_matrix(*x)) return;
    read_windows(*x, joins);
  }

  std::optional<Image> in_memory() {
    KernelBuilder build(program_, assignment_, alone_);
    Index at;
    for (size_t d = 0; d < in_.size(); ++d) at.push_back(index(cat("d", d), in_[d]));
    const Value element = build.read(x_, at);
    if (element->fn != loop::Fn::load || element.dtype() != product_.accumulate)
      return std::nullopt;
    Expr rest = element->index;
    Index strides;
    for (const Expr d : at) {
      const auto linear = linear_in(rest, d);
      if (!linear) return std::nullopt;
      strides.push_back(linear->coefficient);
      rest = linear->rest;
    }
    if (in_[1].is(1)) strides[1] = 1;
    return Image{build.take().buffers[static_cast<size_t>(element->payload)], rest, strides[0],
                 strides[1], Index(strides.begin() + 2, strides.end())};
  }

  // Whether each position of the result is a product of one position of the operand.
  bool is_pointwise() const {
    for (size_t d = 0; d < rank(); ++d) {
      if (!taps_[d].is(1) || spec_.stride[d] != 1 || !known_equal(spec_.padding[d], 0) ||
          out_[d] != in_[d + 2])
        return false;
    }
    return true;
  }

  bool joins_last_taps() const {
    const auto channels = in_[1].constant(), taps = taps_.back().constant();
    return channels && taps &&
           kernels::joins_last_taps(*channels, spec_.groups, *taps, spec_.dilation.back());
  }

  // Whether windows read channels that are planes as they are. Machines with tiles for bf16 split
  // positions into parts instead.
  bool can_read_strips(const Image& x) const {
    if (depthwise_ || spec_.groups != 1 || product_.accumulate != DType::f32) return false;
    if (program_.machine().bf16_tiles && !program_.exact()) return false;
    const auto channels = channels_.constant(), taps = taps_.back().constant(),
               all = count_of(taps_).constant();
    return x.strides.back().is(1) && channels && all && *all > 1 &&
           (*channels == 1 || !x.channel_stride.is(1)) &&
           kernels::has_plane_strips(*channels, *all / *taps, *taps, spec_.stride.back(),
                                     spec_.dilation.back());
  }

  // Whether the positions that are rows of the product, of an image or of all of them, are evenly
  // spaced.
  bool has_even_positions(const Image& x) const {
    Expr next = x.strides.back() * out_.back();
    for (size_t d = rank() - 1; d-- > 0;) {
      if (!out_[d].is(1) && x.strides[d] != next) return false;
      next = next * out_[d];
    }
    return !of_all_images_ || result_[0].is(1) || x.image_stride == next;
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

  Expr base_of(const Image& x) const {
    const Expr image = of_all_images_ ? Expr(0) : image_ * x.image_stride;
    return x.base + image + group_index_ * channels_ * x.channel_stride;
  }

  // The first element of the last dimension that a window reads, and their number.
  Expr joined_size() const { return (out_.back() - 1) * spec_.stride.back() + taps_.back(); }

  // Copies the operand with its channels contiguous, each as often as depthwise results need it;
  // for joined taps also with its padding in the last dimension.
  Image copy_image(bool joins) {
    Index sizes{in_[0]};
    for (size_t d = 2; d < in_.size(); ++d) sizes.push_back(in_[d]);
    if (joins) sizes.back() = joined_size();
    const Expr channels = in_[1] * of_channel_;
    sizes.push_back(channels);
    const auto [made, added] = assignment_.image_of(
        {x_, sizes, of_channel_, joins ? spec_.padding.back().expr() : Expr(0)},
        product_.accumulate);
    const auto element = [&](KernelBuilder& build, const Index& at) {
      Index from{at[0], sym::floordiv(at.back(), of_channel_)};
      for (size_t d = 1; d + 1 < at.size(); ++d) from.push_back(at[d]);
      if (!joins) return build.read(x_, from);
      from.back() = from.back() - spec_.padding.back().expr();
      return read_inside(build, from);
    };
    if (added) copy(made, sizes, element);
    Image out{made, 0, 0, 1, Index(rank())};
    Expr stride = channels;
    for (size_t d = rank(); d-- > 0;) {
      out.strides[d] = stride;
      stride = stride * sizes[d + 1];
    }
    out.image_stride = stride;
    return out;
  }

  // The element, or 0 if its last index is outside the operand.
  Value read_inside(KernelBuilder& build, const Index& at) {
    loop::Pool& pool = build.pool();
    const Value inside =
        pool.not_negative(at.back()) && pool.not_negative(in_.back() - 1 - at.back());
    const Value element = build.read_where(x_, at, inside);
    return where(inside, element, like(element, 0));
  }

  void read_windows(const Image& x, bool joins) {
    loop::Windows windows;
    for (size_t d = 0; d < rank(); ++d) {
      windows.dimensions.push_back({in_[d + 2], out_[d], taps_[d], spec_.stride[d],
                                    spec_.dilation[d], spec_.padding[d].expr(), x.strides[d]});
    }
    windows.image_stride = x.image_stride;
    windows.channels = channels_;
    windows.depthwise = depthwise_;
    if (joins) {
      loop::Windows::Dimension& last = windows.dimensions.back();
      last.size = joined_size();
      last.taps = 1;
      last.padding = 0;
      windows.channels = taps_.back() * channels_;
    }
    left_buffer_ = x.buffer;
    left_.base = base_of(x);
    left_.row_stride = left_.k_stride = 0;
    left_.windows = std::move(windows);
  }

  const Program& program_;
  BufferAssignment& assignment_;
  const Group& group_;
  Group alone_{{*group_.product}, {}, {}};  // for the kernels of the operands
  graph::Value x_, weight_;
  WindowsSpec spec_;
  Index result_, in_, out_, taps_;  // sizes: of the result and the operand, positions, taps
  Expr channels_, columns_;         // of a group, of the operand and the result
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
};

}  // namespace

std::vector<LoweredKernel> lower_convolution(const Program& program, BufferAssignment& assignment,
                                             const Group& group) {
  return ConvolutionLowering(program, assignment, group).run();
}

}  // namespace vitro::backend
