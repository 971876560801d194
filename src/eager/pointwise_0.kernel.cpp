#include "eager/pointwise_part.h"

namespace vitro::eager::inline VITRO_ISA {

void fill_pointwise_0(KernelTable& table) {
  FillPart<0, 4>::all(table);
}

}  // namespace vitro::eager::inline VITRO_ISA
