// The text of this folder's parts, for generated code.
//   std::string text = kernels::prelude_text({"exp", "reduce"}) + "extern \"C\" void kernel(...) {
//   using namespace vitro::kernels; ...";
// Thread safety: everything here may be called from any thread.
#pragma once
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

namespace vitro::kernels {

// The parts and their dependencies, each once, in an order that compiles. Aborts on an unknown
// part, which is a bug in the generator.
std::string prelude_text(std::span<const std::string_view> parts);
std::string prelude_text(std::initializer_list<std::string_view> parts);

// "vitro_prelude.h", which generated kernels include: all parts, with a using-directive for their
// names.
std::string prelude_header();

// Names of all parts.
std::span<const std::string_view> prelude_parts();

// Stable hash of the text of all parts.
uint64_t prelude_version();

}  // namespace vitro::kernels
