// What a file is that is not a package with a program, and what to do with it.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "io/zip_archive.h"

namespace vitro::io {

// Of a file that is not a zip archive: "is a safetensors file, which has weights and no program:
// …"; empty if its kind is unknown.
std::string foreign_file(std::span<const std::byte> bytes);

// Of a zip archive without a program; `root` is the folder of its entries, with the "/".
std::string foreign_archive(const ZipArchive& archive, std::string_view root);

}  // namespace vitro::io
