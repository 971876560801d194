// A builder of indented lines of code.
#pragma once

#include <string>

#include "vitro/base/cat.h"

namespace vitro::backend {

class Text {
 public:
  template <class... Parts>
  void line(const Parts&... parts) {
    out_.append(static_cast<size_t>(2 * depth_), ' ');
    (append(parts), ...);
    out_.push_back('\n');
  }
  template <class... Parts>
  void open(const Parts&... parts) {
    line(parts...);
    ++depth_;
  }
  void close(std::string_view text = "}") {
    --depth_;
    line(text);
  }
  void blank() { out_.push_back('\n'); }
  std::string take() { return std::move(out_); }

 private:
  template <class T>
  void append(const T& part) {
    using vitro::append_to;
    append_to(out_, part);
  }
  std::string out_;
  int depth_ = 0;
};

}  // namespace vitro::backend
