#include "eager/pointwise_part.h"

namespace vitro::eager::inline VITRO_ISA {

void fill_pointwise_1(KernelTable& table) {
  FillPart<1, 4>::all(table);
}

}  // namespace vitro::eager::inline VITRO_ISA
