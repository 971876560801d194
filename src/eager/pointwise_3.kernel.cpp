#include "eager/pointwise_part.h"

namespace vitro::eager::inline VITRO_ISA {

void fill_pointwise_3(KernelTable& table) {
  FillPart<3, 4>::all(table);
}

}  // namespace vitro::eager::inline VITRO_ISA
