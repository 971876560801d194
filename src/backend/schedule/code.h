// The text of kernels: which loops are written twice or unrolled, and what is compiled together.
// Costs are those of an element, in plain vector operations.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace vitro::backend {

// A loop that reduces: whether counting takes a part of the time of a turn that is worth the text
// of more turns.
bool is_worth_unrolling(int cost);
inline constexpr int unrolled_turns = 4;

// A loop that stores rows, whose length is not a multiple of the lanes; `extent` where known.  Rows
// lie across cache lines, where a store under a mask costs more than a plain one: whether the last
// turn is written apart.
bool has_rest_apart(std::optional<int64_t> extent);
bool stores_quickly(int cost);
// The same of a loop whose lanes read elements at indices of their own: taking care of lanes that
// are not there costs as much again.
bool gathers_have_rest_apart(std::optional<int64_t> extent);

// A loop that reads elements by a condition on their index, as padding does, at so many places:
// whether turns that reach no border are written apart, which ask nothing.
bool has_inside_apart(std::optional<int64_t> extent, int reads);

// With so many bytes of text a program is large: its kernels are to be quick to compile, though a
// launch of one that is full of elementary functions takes up to twice as long.
inline constexpr size_t large_program = 512 << 10;
// A module has about so many bytes of text: less, and what modules have in common (the functions of
// the prelude) is compiled too often; more, and there are fewer than cores, and fewer in common.
size_t bytes_of_module(bool large);

}  // namespace vitro::backend
