// Convolutions (ops::Convolve) as products of windows with the weights: a row is a position of the
// result, a column is a channel of it. Channels of the operand that are not contiguous are copied
// behind one another first. A convolution of single elements without padding is a plain product.
#include "backend/lower/product_epilogue.h"
#include "backend/schedule/products.h"
#include "kernels/product.h"
#include "vitro/base/error.h"

namespace vitro::backend {
namespace {

using loop::Value;

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
    product_.n = columns_;
    product_.k = count_of(taps_) * channels_;
    product_.inner = named_index("inner", product_.k);
    product_.accumulate = product_.right_dtype = compute_type(node.results[0].dtype);
  }

  std::vector<LoweredKernel> run() {
    set_rows(false);
    product_.turned = epilogue().lies_across();
    if (!product_.turned) set_rows(true);
    pack_weights();
    find_left();
    KernelBuilder build(program_, assignment_, group_);
    product_.left = left_;
    product_.left.buffer = build.buffer(left_buffer_);
    product_.right = build.buffer(panels_);
    epilogue().add(build);
    build.kernel().reading = "packed in the order of the taps";
    build.kernel().body.push_back({std::move(product_)});
    kernels_.push_back(build.take());
    return std::move(kernels_);
  }

 private:
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
    Index at{image_, group_index_ * columns_ + column()};
    for (const Expr e : unflatten(position_, out_)) at.push_back(e);
    return {program_, assignment_, group_, product_, std::move(at)};
  }

  // An index for a dimension of a copy.
  static Expr index(std::string_view name, Expr extent) {
    return extent.is(1) ? Expr(0) : Expr::index(name, extent);
  }

  // Adds a kernel that stores `value(build, at)` at the row-major elements of a new buffer.
  BufferId copy(std::string_view name, const Index& sizes,
                const std::function<Value(KernelBuilder&, const Index&)>& value) {
    KernelBuilder build(program_, assignment_, alone_);
    build.kernel().name = "copy";
    const BufferId made = assignment_.add(
        {std::string(name), product_.accumulate, BufferKind::temporary, {}, count_of(sizes)});
    const int to = build.buffer(made, true);
    Index space;
    for (const Expr size : sizes) space.push_back(index(cat("i", space.size()), size));
    add_loops(build, space, [&](const Index& at) {
      const Value element = cast(value(build, at), product_.accumulate);
      return loop::Block{{loop::Store{to, flatten(at, sizes), element}}};
    });
    kernels_.push_back(build.take());
    return made;
  }

  // ---- the weights ----

  void pack_weights() {
    const Expr tap = index("tap", count_of(taps_)), channel = index("channel", channels_),
               group = index("batch", groups()), column = index("column", columns_);
    const auto element = [&](KernelBuilder& build, Expr g, Expr t, Expr c, Expr o) {
      Index at{g * columns_ + o, c};
      for (const Expr e : unflatten(t, taps_)) at.push_back(e);
      return build.read(weight_, at);
    };
    KernelBuilder build(program_, assignment_, alone_);
    const Value plain = element(build, group, tap, channel, column);
    loop::Pack pack;
    pack.batch = group, pack.batches = groups();
    pack.k = channels_, pack.n = columns_, pack.taps = count_of(taps_);
    pack.accumulate = product_.accumulate;
    BufferId from;
    std::optional<sym::Linear> of_tap, of_channel, of_column, of_group;
    if (plain->fn == loop::Fn::load && plain.dtype() == product_.accumulate) {
      of_tap = sym::as_linear(plain->index, tap);
      if (of_tap) of_channel = sym::as_linear(of_tap->rest, channel);
      if (of_channel) of_column = sym::as_linear(of_channel->rest, column);
      if (of_column) of_group = sym::as_linear(of_column->rest, group);
    }
    if (of_group) {
      from = build.take().buffers[static_cast<size_t>(plain->payload)];
      pack.base = of_group->rest + of_group->coefficient * group;
      pack.tap_stride = of_tap->coefficient;
      pack.k_stride = of_channel->coefficient;
      pack.n_stride = of_column->coefficient;
    } else {
      from = copy("weights", {groups(), pack.taps, channels_, columns_},
                  [&](KernelBuilder& to, const Index& at) {
                    return element(to, at[0], at[1], at[2], at[3]);
                  });
      pack.base = group * product_.k * columns_;
      pack.tap_stride = channels_ * columns_;
      pack.k_stride = columns_;
      pack.n_stride = 1;
    }
    product_.panels = group_index_;
    const auto [panels, added] = assignment_.panels_of({from,
                                                        {pack.base, pack.k_stride, pack.n_stride},
                                                        pack.k,
                                                        pack.n,
                                                        pack.batches,
                                                        pack.taps,
                                                        pack.tap_stride});
    panels_ = panels;
    if (!added) return;
    KernelBuilder packing(program_, assignment_, alone_);
    packing.kernel().name = "pack";
    pack.from = packing.buffer(from);
    pack.to = packing.buffer(panels_, true);
    packing.kernel().body.push_back({std::move(pack)});
    kernels_.push_back(packing.take());
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
    const bool plain = is_pointwise();
    if (x && plain && read_as_matrix(*x)) return;
    const bool joins = joins_last_taps();
    if (!x || joins || !x->channel_stride.is(1)) x = copy_image(joins);
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
      if (d.constant()) {
        strides.emplace_back(0);
        continue;
      }
      const auto linear = sym::as_linear(rest, d);
      if (!linear || has_index(linear->coefficient)) return std::nullopt;
      strides.push_back(linear->coefficient);
      rest = linear->rest;
    }
    if (in_[1].is(1)) strides[1] = 1;
    return Image{build.take().buffers[static_cast<size_t>(element->payload)], rest, strides[0],
                 strides[1], Index(strides.begin() + 2, strides.end())};
  }

  static bool has_index(Expr e) {
    for (const Expr s : sym::symbols_of(e)) {
      if (sym::kind_of(s) == sym::Kind::index) return true;
    }
    return false;
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

  // If positions are evenly spaced, those of an image or of all of them are the rows of a matrix.
  bool read_as_matrix(const Image& x) {
    Expr stride = x.strides.back(), next = stride * out_.back();
    for (size_t d = rank() - 1; d-- > 0;) {
      if (!out_[d].is(1) && x.strides[d] != next) return false;
      next = next * out_[d];
    }
    if (of_all_images_ && !result_[0].is(1) && x.image_stride != next) return false;
    if (!x.channel_stride.is(1) && !stride.is(1)) return false;
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

  // Copies the operand with its channels contiguous; for joined taps also with its padding in the
  // last dimension.
  Image copy_image(bool joins) {
    Index sizes{in_[0]};
    for (size_t d = 2; d < in_.size(); ++d) sizes.push_back(in_[d]);
    if (joins) sizes.back() = joined_size();
    sizes.push_back(in_[1]);
    const BufferId made = copy("image", sizes, [&](KernelBuilder& build, const Index& at) {
      Index from{at[0], at.back()};
      for (size_t d = 1; d + 1 < at.size(); ++d) from.push_back(at[d]);
      if (!joins) return build.read(x_, from);
      from.back() = from.back() - spec_.padding.back().expr();
      return read_inside(build, from);
    });
    Image out{made, 0, 0, 1, Index(rank())};
    Expr stride = in_[1];
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
  Expr image_, group_index_, position_;  // for the batch and row of the product
  loop::Product product_;
  loop::Left left_;
  BufferId left_buffer_, panels_;
  std::vector<LoweredKernel> kernels_;
};

}  // namespace

std::vector<LoweredKernel> lower_convolution(const Program& program, BufferAssignment& assignment,
                                             const Group& group) {
  return ConvolutionLowering(program, assignment, group).run();
}

}  // namespace vitro::backend
