#include "vitro/version.h"

namespace vitro {

std::string_view version() {
  return VITRO_VERSION;
}

}  // namespace vitro
