// Choices about the text of kernels: which loops are peeled or unrolled, and which kernels are
// compiled together. Costs are per element, in plain vector operations.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace vitro::backend {

// Whether to unroll a loop that reduces, with this cost per iteration: only if loop overhead is a
// noticeable part of its time, since unrolling makes the text longer.
bool is_worth_unrolling(int cost);
inline constexpr int unrolled_turns = 4;

// Whether to peel the last iteration of a loop that stores rows whose length is not a multiple of
// the lanes; `extent` if known. Rows are not aligned to cache lines, where a masked store costs
// more than a plain one.
bool has_rest_apart(std::optional<int64_t> extent);
bool stores_quickly(int cost);
// The same for a loop with gathers: masking off the missing lanes of a gather is expensive too.
bool gathers_have_rest_apart(std::optional<int64_t> extent);

// Whether to peel the border iterations of a loop with `reads` conditional loads, as for padding:
// the inner iterations then need no condition.
bool has_inside_apart(std::optional<int64_t> extent, int reads);

// A program with this much text is large: its kernels must compile quickly, even if a launch of one
// that is full of elementary functions takes up to twice as long.
inline constexpr size_t large_program = 512 << 10;
// Target size of a module's text. Smaller modules compile their common part (the functions of the
// prelude) too often; larger ones are fewer than the cores, and fewer are shared between programs.
size_t bytes_of_module(bool large);

}  // namespace vitro::backend
