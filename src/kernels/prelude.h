// The text of this folder's parts, for code that is generated.
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

// The parts and all that they need, each once, in an order that compiles.  An unknown part aborts:
// it is a mistake in the generator.
std::string prelude_text(std::span<const std::string_view> parts);
std::string prelude_text(std::initializer_list<std::string_view> parts);

// "vitro_prelude.h", which generated kernels include: all parts, and their names in scope.
std::string prelude_header();

// Names of all parts.
std::span<const std::string_view> prelude_parts();

// Stable hash of the text of all parts.
uint64_t prelude_version();

}  // namespace vitro::kernels
