// The classes that a model finds likeliest, with their names.
#pragma once

#include <string>
#include <vector>

#include "vitro/exported/model.h"

namespace vitro::cli {

class TopClasses {
 public:
  // `count`: 0 is 5.  `labels`: a file with a name on each line, empty: none.  Error: it cannot be
  // read, or is empty.
  TopClasses(int count, const std::string& labels);

  // A table for each output of floating point that has rows of classes, [N, CLASSES] or [CLASSES],
  // with labels of as many classes as these.  Error if there is none.
  std::string text(const ModelResults& results) const;

 private:
  bool has_classes(const Tensor& output) const;
  std::string text(const std::string& name, const Tensor& output) const;

  int64_t count_;
  std::vector<std::string> labels_;
};

}  // namespace vitro::cli
