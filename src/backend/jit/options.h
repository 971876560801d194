// Options of the just-in-time compiler.
#pragma once

#include <cstdint>
#include <string>

#include "vitro/base/option.h"

namespace vitro::jit {

inline Option<int64_t> cache_size_mb{
    "VITRO_CACHE_SIZE_MB", 512,
    "the folder's least recently used kernels are removed above this size", 0};
inline Option<bool> force_disable_caches{
    "VITRO_FORCE_DISABLE_CACHES", false,
    "compile every kernel anew and keep none on disk or in memory"};
inline Option<std::string> cc_library{"VITRO_CC_LIBRARY", "",
                                      "path of libvitro-cc.so (else beside this library)"};
inline Option<std::string> cc_helper{"VITRO_CC_HELPER", "",
                                     "path of the program vitro-cc (else beside this library)"};
inline Option<int64_t> cc_timeout_s{"VITRO_CC_TIMEOUT_S", 60,
                                    "seconds after which the helper program is stopped", 1};

}  // namespace vitro::jit
