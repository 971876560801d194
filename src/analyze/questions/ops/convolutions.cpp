// Reads shapes and settings of convolutions at their places in the arguments of PyTorch's ops.
#include "analyze/questions/ops/convolutions.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>

#include "vitro/base/split.h"

namespace vitro::analyze {
namespace {

// Places of arguments; 0: the op has no such argument.  Weights follow x.
struct Form {
  std::string_view op;
  uint8_t x, stride, padding, dilation, groups, transposed, output_padding, mask;
};
constexpr Form forms[] = {
    {"aten::convolution", 0, 3, 4, 5, 8, 6, 7, 0},
    {"aten::_convolution", 0, 3, 4, 5, 8, 6, 7, 0},
    {"aten::convolution_backward", 1, 4, 5, 6, 9, 7, 8, 10},
    {"aten::cudnn_convolution", 0, 3, 2, 4, 5, 0, 0, 0},
    {"aten::cudnn_convolution_relu", 0, 3, 4, 5, 6, 0, 0, 0},
    {"aten::miopen_convolution", 0, 4, 3, 5, 6, 0, 0, 0},
    {"aten::miopen_convolution_relu", 0, 3, 4, 5, 6, 0, 0, 0},
};

const Form* form_of(std::string_view op) {
  const Form* const found = std::ranges::find(forms, op, &Form::op);
  return found == std::ranges::end(forms) ? nullptr : found;
}

// Of a list in brackets: an element, without its quotes; empty if there are fewer.
std::string_view element(std::string_view list, size_t place) {
  size_t from = 1, end = find_outside(list, ',', from);
  for (; place > 0 && end != list.npos; --place) {
    from = end + 1;
    end = find_outside(list, ',', from);
  }
  if (place > 0 || list.empty()) return {};
  std::string_view out = trimmed(list.substr(from, std::min(end, list.size() - 1) - from));
  if (out.size() > 1 && out.front() == '"') out = out.substr(1, out.size() - 2);
  return out;
}

// A few small integers: images, channels, and up to three sizes.
struct Dims {
  std::array<int64_t, 5> sizes{};
  size_t count = 0;

  // Numbers in a text; none if there are more, or if one is far too large.
  explicit Dims(std::string_view text) {
    constexpr int64_t most = 1 << 30;
    const char* const end = text.data() + text.size();
    for (const char* at = text.data(); at != end;) {
      int64_t number = 0;
      const auto read = std::from_chars(at, end, number);
      if (read.ec == std::errc::invalid_argument) {
        ++at;
        continue;
      }
      at = read.ptr;
      if (count == sizes.size() || number > most || number < -most) {
        count = 0;
        return;
      }
      sizes[count++] = number;
    }
  }
  // One value may stand for all dimensions.
  int64_t of(size_t dimension, int64_t absent) const {
    return count == 0 ? absent : sizes[std::min(dimension, count - 1)];
  }
  double elements() const {
    double out = 1;
    for (size_t i = 0; i < count; ++i) out *= static_cast<double>(sizes[i]);
    return out;
  }
};

bool is_transposed(const Form& form, std::string_view concrete) {
  return element(concrete, form.transposed) == "True";
}

// The shape of the result.
Dims result_of(const Form& form, std::string_view concrete, const Dims& x, const Dims& weights) {
  const bool transposed = is_transposed(form, concrete);
  const Dims stride(element(concrete, form.stride)), padding(element(concrete, form.padding)),
      dilation(element(concrete, form.dilation)), more(element(concrete, form.output_padding));
  Dims out = x;
  out.sizes[1] = transposed ? weights.sizes[1] * Dims(element(concrete, form.groups)).of(0, 1)
                            : weights.sizes[0];
  for (size_t i = 2; i < x.count; ++i) {
    const int64_t step = std::max<int64_t>(stride.of(i - 2, 1), 1);
    const int64_t sides = 2 * padding.of(i - 2, 0);
    const int64_t span = dilation.of(i - 2, 1) * (weights.sizes[i] - 1);
    out.sizes[i] = transposed ? (x.sizes[i] - 1) * step - sides + span + more.of(i - 2, 0) + 1
                              : (x.sizes[i] + sides - span - 1) / step + 1;
  }
  return out;
}

// As PyTorch names them; of those that are mostly 1 only others.
std::string settings_of(const Form& form, std::string_view concrete) {
  std::string out;
  const auto add = [&](std::string_view name, uint8_t place, bool is_mostly_one = false) {
    const std::string_view value = element(concrete, place);
    if (place == 0 || (is_mostly_one && Dims(value).elements() == 1)) return;
    out.append(name).append(value);
  };
  add(" stride ", form.stride);
  add(" padding ", form.padding);
  add(" dilation ", form.dilation, true);
  add(" groups ", form.groups, true);
  if (is_transposed(form, concrete)) add(" transposed, output_padding ", form.output_padding);
  add(" output_mask ", form.mask);
  return out;
}

}  // namespace

bool is_convolution(std::string_view op) {
  return form_of(op) != nullptr;
}

std::optional<Convolution> convolution_of(std::string_view op, std::string_view dims,
                                          std::string_view concrete) {
  const Form* form = form_of(op);
  if (!form || element(concrete, std::max(form->groups, form->mask)).empty()) return {};
  const std::string_view first = element(dims, form->x), second = element(dims, form->x + 1U);
  const Dims x(first), weights(second);
  const Dims result =
      form->mask != 0 ? Dims(element(dims, 0)) : result_of(*form, concrete, x, weights);
  if (x.count < 3 || weights.count != x.count || result.count != x.count) return {};
  const Dims& at = is_transposed(*form, concrete) ? x : result;
  const std::string_view mask = element(concrete, form->mask);
  const double times =
      form->mask == 0 ? 1 : (element(mask, 0) == "True") + (element(mask, 1) == "True");
  Convolution out;
  out.operations =
      2 * times * weights.elements() * at.elements() / static_cast<double>(at.sizes[1]);
  out.elements = result.elements() + times * (x.elements() + weights.elements());
  out.shapes = first;
  out.shapes.append(" * ").append(second).append(settings_of(*form, concrete));
  return out;
}

}  // namespace vitro::analyze
