// Options of the just-in-time compiler.
#pragma once

#include <cstdint>
#include <string>

#include "vitro/base/option.h"

namespace vitro::jit {

inline Option<int64_t> cache_size_mb{
    "VITRO_CACHE_SIZE_MB", 512,
    "maximum size of the kernel cache in MiB; least recently used kernels are removed", 0};
inline Option<bool> force_disable_caches{
    "VITRO_FORCE_DISABLE_CACHES", false,
    "recompile every kernel and cache none, on disk or in memory"};
inline Option<std::string> cc_library{"VITRO_CC_LIBRARY", "",
                                      "path of libvitro-cc.so (default: beside this library)"};
inline Option<std::string> cc_helper{"VITRO_CC_HELPER", "",
                                     "path of the program vitro-cc (default: beside this library)"};
inline Option<int64_t> cc_timeout_s{"VITRO_CC_TIMEOUT_S", 60,
                                    "timeout of the helper program in seconds", 1};

}  // namespace vitro::jit
