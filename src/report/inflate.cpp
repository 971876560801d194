#include "report/inflate.h"

namespace vitro::report {

Option<bool> use_isal{"VITRO_TRACE_ISAL", true,
                      "unpack .gz with ISA-L if it was built in, not with zlib"};

std::unique_ptr<Inflate> make_inflate(Inflate::Form form) {
  if (use_isal.get()) {
    if (auto by_isal = inflate_by_isal(form)) return by_isal;
  }
  return inflate_by_zlib(form);
}

}  // namespace vitro::report
