// Finds images in memory by reading an element of them: its index is linear in each dimension.
// Copies are row-major with the channels last, and shared by all that ask for the same.
#include "backend/lower/images.h"

#include <algorithm>

#include "kernels/product.h"

namespace vitro::backend {

using loop::Value;

std::optional<sym::Linear> linear_in(Expr e, Expr index) {
  if (index.constant()) return sym::Linear{0, e};
  auto linear = sym::as_linear(e, index);
  if (!linear) return std::nullopt;
  for (const Expr s : sym::symbols_of(linear->coefficient)) {
    if (sym::kind_of(s) == sym::Kind::index) return std::nullopt;
  }
  return linear;
}

Expr index_of(std::string_view name, Expr extent) {
  return extent.is(1) ? Expr(0) : Expr::index(name, extent);
}

bool Image::has_even_positions(const Index& sizes, Expr images) const {
  Expr next = strides.back() * sizes.back();
  for (size_t d = sizes.size() - 1; d-- > 0;) {
    if (!sizes[d].is(1) && strides[d] != next) return false;
    next = next * sizes[d];
  }
  return images.is(1) || image_stride == next;
}

// ---- windows ----

bool is_f32(const graph::Graph& graph, graph::Value value) {
  if (graph.meta(value).dtype != DType::f32) return false;
  const graph::Node* node = &graph[value.node];
  while (!node->is_input() && node->op->kind == OpKind::view)
    node = &graph[std::get<graph::Value>(node->args[0]).node];
  const auto is_half = [&](const graph::Arg& arg) {
    const auto* operand = std::get_if<graph::Value>(&arg);
    const DType dtype = operand ? graph.meta(*operand).dtype : DType::f32;
    return dtype == DType::f16 || dtype == DType::bf16;
  };
  const bool converts = !node->is_input() && node->op->kind == OpKind::pointwise;
  return !converts || std::ranges::none_of(node->args, is_half);
}

bool WindowsOf::has_tiles() const {
  if (rank() != 2 || spec.groups != 1) return false;
  for (size_t d = 0; d < rank(); ++d) {
    if (!taps[d].is(3) || spec.stride[d] != 1 || spec.dilation[d] != 1) return false;
  }
  return true;
}

bool WindowsOf::is_pointwise() const {
  for (size_t d = 0; d < rank(); ++d) {
    if (!taps[d].is(1) || spec.stride[d] != 1 || !known_equal(spec.padding[d], 0) ||
        out[d] != in[d + 2])
      return false;
  }
  return true;
}

bool WindowsOf::joins_last_taps() const {
  const auto channels = in[1].constant(), last = taps.back().constant();
  return channels && last &&
         kernels::joins_last_taps(*channels, spec.groups, *last, spec.dilation.back());
}

std::string WindowsOf::name(Expr channels, Expr results) const {
  const auto joined = [&](auto&& number) {
    std::string text = cat(number(0));
    bool equal = true;
    for (size_t d = 1; d < rank(); ++d) equal = equal && number(d) == number(0);
    for (size_t d = 1; d < rank() && !equal; ++d) text += cat('x', number(d));
    return text;
  };
  const bool depthwise = spec.groups != 1 && channels.is(1);
  std::string text = depthwise ? "depthwise conv" : "conv";
  for (size_t d = 0; d < rank(); ++d) text += cat(d == 0 ? "" : "x", taps[d].text());
  text += cat(' ', in[1].text());
  if (!depthwise || in[1] != results) text += cat("→", results.text());
  const std::string stride = joined([&](size_t d) { return spec.stride[d]; });
  const std::string dilation = joined([&](size_t d) { return spec.dilation[d]; });
  if (stride != "1") text += cat(" /", stride);
  if (spec.groups != 1 && !depthwise) text += cat(", ", spec.groups, " groups");
  if (dilation != "1") text += cat(", dilation ", dilation);
  return text;
}

Expr WindowsOf::joined_size() const {
  return (out.back() - 1) * spec.stride.back() + taps.back();
}

loop::Windows WindowsOf::over(const Image& image, Expr channels) const {
  loop::Windows windows;
  for (size_t d = 0; d < rank(); ++d) {
    windows.dimensions.push_back({in[d + 2], out[d], taps[d], spec.stride[d], spec.dilation[d],
                                  spec.padding[d].expr(), image.strides[d]});
  }
  windows.image_stride = image.image_stride;
  windows.channels = channels;
  return windows;
}

loop::Windows WindowsOf::over_joined(const Image& image, Expr channels) const {
  loop::Windows windows = over(image, taps.back() * channels);
  loop::Windows::Dimension& last = windows.dimensions.back();
  last.size = joined_size();
  last.taps = 1;
  last.padding = 0;
  return windows;
}

// ---- images ----

std::optional<Image> Images::in_memory(graph::Value x, DType dtype) const {
  KernelBuilder build(program_, assignment_, alone_);
  const Index sizes = sizes_of(program_.graph().meta(x));
  Index at;
  for (size_t d = 0; d < sizes.size(); ++d) at.push_back(index_of(cat("d", d), sizes[d]));
  const Value element = build.read(x, at);
  if (element->fn != loop::Fn::load || element.dtype() != dtype) return std::nullopt;
  Expr rest = element->index;
  Index strides;
  for (const Expr d : at) {
    const auto linear = linear_in(rest, d);
    if (!linear) return std::nullopt;
    strides.push_back(linear->coefficient);
    rest = linear->rest;
  }
  if (sizes[1].is(1)) strides[1] = 1;
  return Image{build.take().buffers[static_cast<size_t>(element->payload)], rest, strides[0],
               strides[1], Index(strides.begin() + 2, strides.end())};
}

Image Images::copy(graph::Value x, DType dtype, int64_t repeats) {
  const Index from = sizes_of(program_.graph().meta(x));
  Index sizes{from[0]};
  sizes.insert(sizes.end(), from.begin() + 2, from.end());
  sizes.push_back(from[1] * repeats);
  return stored({x, sizes, repeats, 0}, dtype, [&](KernelBuilder& build, const Index& at) {
    Index of_x{at[0], sym::floordiv(at.back(), repeats)};
    of_x.insert(of_x.end(), at.begin() + 1, at.end() - 1);
    return build.read(x, of_x);
  });
}

Image Images::copy_joined(graph::Value x, DType dtype, const WindowsOf& windows) {
  const Expr size = windows.in.back(), padding = windows.spec.padding.back().expr();
  Index sizes{windows.in[0]};
  sizes.insert(sizes.end(), windows.in.begin() + 2, windows.in.end());
  sizes.back() = windows.joined_size();
  sizes.push_back(windows.in[1]);
  return stored({x, sizes, 1, padding}, dtype, [&](KernelBuilder& build, const Index& at) {
    loop::Pool& pool = build.pool();
    Index of_x{at[0], at.back()};
    of_x.insert(of_x.end(), at.begin() + 1, at.end() - 1);
    const Expr last = of_x.back() = of_x.back() - padding;
    const Value inside = pool.not_negative(last) && pool.not_negative(size - 1 - last);
    const Value element = build.read_where(x, of_x, inside);
    return where(inside, element, like(element, 0));
  });
}

Image Images::stored(const BufferAssignment::ImageCopy& copy, DType dtype, const ValueAt& value) {
  const auto [made, added] = assignment_.image_of(copy, dtype);
  if (added) fill(made, dtype, copy.sizes, value);
  Image out{made, 0, 0, 1, Index(copy.sizes.size() - 2)};
  Expr stride = copy.sizes.back();
  for (size_t d = out.strides.size(); d-- > 0;) {
    out.strides[d] = stride;
    stride = stride * copy.sizes[d + 1];
  }
  out.image_stride = stride;
  return out;
}

BufferId Images::store(std::string_view name, DType dtype, const Index& sizes,
                       const ValueAt& value) {
  const BufferId made =
      assignment_.add({std::string(name), dtype, BufferKind::temporary, {}, count_of(sizes)});
  fill(made, dtype, sizes, value);
  return made;
}

void Images::fill(BufferId made, DType dtype, const Index& sizes, const ValueAt& value) {
  KernelBuilder build(program_, assignment_, alone_);
  build.kernel().name = "copy";
  const int to = build.buffer(made, true);
  Index space;
  for (const Expr size : sizes) space.push_back(index_of(cat("i", space.size()), size));
  add_loops(build, space, [&](const Index& at) {
    return loop::Block{{loop::Store{to, flatten(at, sizes), cast(value(build, at), dtype)}}};
  });
  kernels_.push_back(build.take());
}

}  // namespace vitro::backend
