// Where Vitro keeps what it would otherwise make again: compiled kernels, what it measured of the
// machine.
#pragma once

#include <string>

#include "vitro/base/option.h"

namespace vitro {

extern Option<std::string> cache_dir;

// The folder's path, whether it is there or not; empty where neither VITRO_CACHE_DIR nor HOME names
// one.
std::string cache_folder();

}  // namespace vitro
