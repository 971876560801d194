// Readers of files that hold data.  Files are not trusted: a damaged one is a Failure with the
// place, never a part of its content.
//   Tensor images = *data::read_idx("train-images-idx3-ubyte.gz");   // u8 [60000, 28, 28]
//   data::Csv table = *data::read_csv("iris.csv", {.header = true});
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "vitro/base/result.h"
#include "vitro/core/dtype.h"
#include "vitro/core/tensor.h"

namespace vitro::data {

// The bytes of a file, decompressed if they are those of gzip.
Result<std::string> read_bytes(const std::string& path);

// A file of the format of MNIST, as it is or compressed by gzip: one tensor of u8, i8, i16, i32,
// f32 or f64.
Result<Tensor> read_idx(const std::string& path);

struct CsvOptions {
  char separator = ',';
  bool header = false;  // the first line has the names of the columns
  DType dtype = DType::f32;
};
struct Csv {
  std::vector<std::string> names;  // empty without a header
  Tensor values;                   // [lines, columns]
};
// Numbers, a line for each row, as RFC 4180 has it: fields may be quoted.  An empty field is NaN in
// a floating dtype; whole numbers are exact up to 2^53.  Empty lines are left out.  The file may be
// compressed by gzip.
Result<Csv> read_csv(const std::string& path, const CsvOptions& options = {});

// The characters of a text as numbers: of each byte, its position among the different bytes of the
// text, in order of their values.
struct Characters {
  std::string alphabet;  // number i is its byte i
  Tensor numbers;        // i64 [bytes]
};
Characters characters_of(std::string_view text);

}  // namespace vitro::data
