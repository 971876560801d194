// Prints tensors exactly as PyTorch's repr, by the rules of torch/_tensor_str.py.  Used through
// `text_of` and operator<<.
#include "vitro/core/print.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <ostream>

#include "vitro/base/cat.h"

namespace vitro {
namespace {

constexpr int64_t summarised_above = 1000, edge = 3, precision = 4;
constexpr size_t line_width = 80;

std::string with_format(const char* format, double value) {
  char text[400];  // the largest double has 309 digits
  std::snprintf(text, sizeof text, format, precision, value);
  return text;
}

// The common format of all numbers of a tensor.
class Format {
 public:
  // Zeros, infinities and NaN do not affect the format.
  static bool counts(double value) { return std::isfinite(value) && value != 0; }
  // To be called with each number that will be shown, before decide().
  void see(double value) {
    if (!counts(value)) return;
    const double size = std::abs(value);
    least_ = any_ ? std::min(least_, size) : size;
    most_ = any_ ? std::max(most_, size) : size;
    any_ = true;
    integers_ &= value == std::ceil(value);
  }
  void decide() {
    const bool far_apart = most_ / least_ > 1000 || most_ > 1e8;
    scientific_ = any_ && (far_apart || (!integers_ && least_ < 1e-4));
  }
  std::string text(double value) const {
    if (std::isnan(value)) return "nan";
    if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
    if (scientific_) return with_format("%.*e", value);
    return integers_ ? with_format("%.0f.", value) : with_format("%.*f", value);
  }

 private:
  bool any_ = false, integers_ = true, scientific_ = false;
  double least_ = 0, most_ = 0;
};

class Printer {
 public:
  Printer(const Tensor& x, std::source_location where)
      : elements_(static_cast<const std::byte*>(x.const_data(where))),
        dtype_(x.dtype()),
        real_(real_of(dtype_)),
        step_(is_complex(dtype_) ? 2 : 1) {
    for (const Size s : x.sizes()) sizes_.push_back(s.value());
    for (const Size s : x.strides()) strides_.push_back(s.value() * step_);
    count_ = x.numel().value();
    summarised_ = count_ > summarised_above;
  }

  std::string run() {
    if (count_ > 0) choose_format();
    std::string out = "tensor(";
    const size_t indent = out.size();
    out += count_ > 0 ? below(0, 0, indent) : "[]";
    if (count_ == 0 && sizes_.size() != 1) append_suffix(out, cat("size=", size_text()), indent);
    const bool usual =
        dtype_ == default_float ||
        (count_ > 0 && (dtype_ == DType::i64 || is_bool(dtype_) || dtype_ == DType::c64));
    if (!usual) append_suffix(out, cat("dtype=", dtype_), indent);
    return out + ")";
  }

 private:
  // The indices along a dimension that are shown; -1 stands for the omitted ones.
  std::vector<int64_t> shown(size_t dim) const {
    std::vector<int64_t> at;
    const bool cut = summarised_ && sizes_[dim] > 2 * edge;
    for (int64_t i = 0; i < sizes_[dim]; ++i) {
      if (cut && i == edge) {
        at.push_back(-1);
        i = sizes_[dim] - edge;
      }
      at.push_back(i);
    }
    return at;
  }

  void each_shown(size_t dim, int64_t offset, const std::function<void(int64_t)>& f) const {
    if (dim == sizes_.size()) return f(offset);
    for (const int64_t i : shown(dim)) {
      if (i >= 0) each_shown(dim + 1, offset + i * strides_[dim], f);
    }
  }

  // The format and width of the real parts, then of the imaginary ones.
  void choose_format() {
    for (int64_t part = 0; part < step_; ++part) choose_format(part);
  }
  void choose_format(int64_t part) {
    Format& format = formats_[part];
    each_shown(0, 0, [&](int64_t at) { format.see(number(at + part)); });
    format.decide();
    size_t& width = widths_[part];
    each_shown(0, 0, [&](int64_t at) {
      const bool counts = !is_floating(real_) || Format::counts(number(at + part));
      if (counts) width = std::max(width, one(at + part, part).size());
    });
  }

  double number(int64_t at) const {
    return dispatch(real_, [&]<class T>() {
      const T value = reinterpret_cast<const T*>(elements_)[at];
      if constexpr (sizeof(T) == 2 && !std::is_integral_v<T>)
        return double{static_cast<float>(value)};
      else
        return static_cast<double>(value);
    });
  }

  // A number, or a part of a complex one.
  std::string one(int64_t at, int64_t part) const {
    if (is_floating(real_)) return formats_[part].text(number(at));
    if (is_bool(dtype_)) return number(at) != 0 ? "True" : "False";
    return dispatch(dtype_, [&]<class T>() -> std::string {
      if constexpr (std::is_integral_v<T>)
        return cat(int64_t{reinterpret_cast<const T*>(elements_)[at]});
      return {};
    });
  }

  static std::string aligned(const std::string& text, size_t width) {
    return std::string(width - std::min(width, text.size()), ' ') + text;
  }
  // Complex numbers as torch writes them, with the sign of the imaginary part: 1.0000-2.0000j.
  std::string element(int64_t at, bool alone = true) const {
    const std::string re = one(at, 0);
    const std::string first = alone ? re : aligned(re, widths_[0]);
    if (step_ == 1) return first;
    const std::string im = one(at + 1, 1);
    return first + (im[0] == '-' ? "" : "+") + im + 'j';
  }

  std::string below(size_t dim, int64_t offset, size_t indent) const {
    if (sizes_.empty()) return element(offset);
    return dim + 1 == sizes_.size() ? row(dim, offset, indent) : block(dim, offset, indent);
  }

  size_t element_width() const { return step_ == 1 ? widths_[0] : widths_[0] + widths_[1] + 1; }

  std::string row(size_t dim, int64_t offset, size_t indent) const {
    const size_t room = line_width - std::min(line_width, indent);
    const size_t per_line = std::max<size_t>(1, room / (element_width() + 2));
    std::string out = "[";
    size_t n = 0;
    for (const int64_t i : shown(dim)) {
      if (n > 0) out += n % per_line == 0 ? cat(",\n", std::string(indent + 1, ' ')) : ", ";
      out += i < 0 ? " ..." : element(offset + i * strides_[dim], false);
      ++n;
    }
    return out + "]";
  }

  std::string block(size_t dim, int64_t offset, size_t indent) const {
    const std::string between =
        cat(",", std::string(sizes_.size() - dim - 1, '\n'), std::string(indent + 1, ' '));
    std::string out = "[";
    for (const int64_t i : shown(dim)) {
      if (out.size() > 1) out += between;
      out += i < 0 ? "..." : below(dim + 1, offset + i * strides_[dim], indent + 1);
    }
    return out + "]";
  }

  std::string size_text() const {
    std::string out = "(";
    for (const int64_t s : sizes_) out += cat(out.size() > 1 ? ", " : "", s);
    return out + (sizes_.size() == 1 ? ",)" : ")");
  }

  static void append_suffix(std::string& out, const std::string& suffix, size_t indent) {
    const size_t line = out.size() - (out.rfind('\n') + 1);
    const bool fits = line + suffix.size() + 4 <= line_width;
    out += fits ? cat(", ", suffix) : cat(",\n", std::string(indent, ' '), suffix);
  }

  const std::byte* elements_;
  DType dtype_, real_;
  int64_t step_;  // numbers of dtype real_ to an element
  std::vector<int64_t> sizes_, strides_;
  int64_t count_ = 0;
  bool summarised_ = false;
  Format formats_[2];
  size_t widths_[2] = {1, 1};
};

}  // namespace

std::string text_of(const Tensor& x, std::source_location where) {
  return x.defined() ? Printer(x, where).run() : "undefined tensor";
}

std::ostream& operator<<(std::ostream& out, Printed x) {
  return out << text_of(x.tensor, x.where);
}

std::ostream& operator<<(std::ostream& out, const Sizes& sizes) {
  return out << cat(sizes);
}
std::ostream& operator<<(std::ostream& out, DType dtype) {
  return out << name_of(dtype);
}

}  // namespace vitro
