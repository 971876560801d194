// The energy that the processors of this machine have used, as their counters in Linux's powercap
// say (RAPL: Intel and AMD).  They cover the whole machine, and often only root may read them.
#pragma once

#include <string>
#include <vector>

namespace vitro::cli {

class Energy {
 public:
  explicit Energy(const std::string& folder = "/sys/class/powercap");
  // Whether there is a counter and it may be read.
  bool is_known() const { return !packages_.empty(); }
  // Joules since the object was made or was asked last; 0 if not known.
  double used();

 private:
  struct Package {
    std::string file;
    double last = 0, range = 0;  // microjoules; the counter goes back to 0 after `range`
  };
  std::vector<Package> packages_;
};

}  // namespace vitro::cli
