#include "runtime/options.h"

namespace vitro::runtime {

Options& options() {
  static auto* one = new Options;
  return *one;
}

}  // namespace vitro::runtime
