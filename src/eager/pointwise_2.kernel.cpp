#include "eager/pointwise_part.h"

namespace vitro::eager::inline VITRO_ISA {

void fill_pointwise_2(KernelTable& table) {
  FillPart<2, 4>::all(table);
}

}  // namespace vitro::eager::inline VITRO_ISA
