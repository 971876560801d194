// Backends registered through the public API, as users write them.
#pragma once

#include <cstdint>
#include <string>

namespace vitro::fuzz {

// Runs the graph op by op.
std::string interpreting_backend();
// Also runs the graph op by op, but violates the backend contract in one of many ways, chosen by
// the graph alone.
std::string misbehaving_backend();
// Number of violations so far in this process.
uint64_t misdeeds();

}  // namespace vitro::fuzz
