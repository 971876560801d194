// What a package says of a tensor: where its storage is, and how the tensor views it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/zip_archive.h"
#include "vitro/core/dtype.h"

namespace vitro::io {

struct TensorRecord {
  std::string name;
  bool is_parameter = false;
  std::string problem;  // why it cannot be made; if empty, what follows is set
  DType dtype = DType::f32;
  std::vector<int64_t> sizes, strides;  // equally many, at most largest_rank, none negative
  int64_t offset = 0;                   // of elements, not negative
  const ZipArchive* archive = nullptr;  // the one that has the storage as an entry
  const ZipEntry* storage = nullptr;
};

inline constexpr size_t largest_rank = 64;
inline constexpr int64_t strided_layout = 7;  // of torch._export.serde.schema.Layout

// PyTorch's dtypes by the numbers of torch._export.serde.schema.ScalarType, which are not c10's.
struct SchemaDType {
  int64_t number;
  std::string_view name;  // of torch
  std::optional<DType> ours;
};
const SchemaDType* schema_dtype(int64_t number);         // null: there is none
const SchemaDType* schema_dtype(std::string_view name);  // "float32"
const SchemaDType* schema_dtype(DType ours);             // every dtype has one

// Takes the dtype, if Vitro has it; else says that in the record's problem.
void set_dtype(TensorRecord& record, const SchemaDType& dtype);

// Takes the view, or says in the record's problem what is wrong with it.
void set_view(TensorRecord& record, std::vector<int64_t> sizes, std::vector<int64_t> strides,
              int64_t offset);

}  // namespace vitro::io
