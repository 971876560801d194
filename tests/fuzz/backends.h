// Backends as users write them.
#pragma once

#include <cstdint>
#include <string>

namespace vitro::fuzz {

// Runs the graph op by op.
std::string interpreting_backend();
// Does so too, but in one of many ways breaks what a backend has to keep; which depends on the
// graph alone.
std::string misbehaving_backend();
// How often that happened in this process.
uint64_t misdeeds();

}  // namespace vitro::fuzz
