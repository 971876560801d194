#include "io/pt2/tensor_record.h"

#include <algorithm>
#include <utility>

#include "vitro/base/cat.h"

namespace vitro::io {
namespace {

constexpr SchemaDType dtypes[] = {
    {1, "uint8", DType::u8},
    {2, "int8", DType::i8},
    {3, "int16", DType::i16},
    {4, "int32", DType::i32},
    {5, "int64", DType::i64},
    {6, "float16", DType::f16},
    {7, "float32", DType::f32},
    {8, "float64", DType::f64},
    {9, "complex32", std::nullopt},
    {10, "complex64", DType::c64},
    {11, "complex128", DType::c128},
    {12, "bool", DType::boolean},
    {13, "bfloat16", DType::bf16},
    {28, "uint16", std::nullopt},
    {29, "float8_e4m3fn", std::nullopt},
    {30, "float8_e5m2", std::nullopt},
    {31, "float8_e4m3fnuz", std::nullopt},
    {32, "float8_e5m2fnuz", std::nullopt},
    {33, "float8_e8m0fnu", std::nullopt},
    {34, "uint32", std::nullopt},
    {35, "uint64", std::nullopt},
};

// Far from where products of strides and sizes overflow, and beyond all memory.
constexpr int64_t largest_step = int64_t{1} << 56;

}  // namespace

const SchemaDType* schema_dtype(int64_t number) {
  const auto* found = std::ranges::find(dtypes, number, &SchemaDType::number);
  return found == std::end(dtypes) ? nullptr : found;
}

const SchemaDType* schema_dtype(std::string_view name) {
  const auto* found = std::ranges::find(dtypes, name, &SchemaDType::name);
  return found == std::end(dtypes) ? nullptr : found;
}

const SchemaDType* schema_dtype(DType ours) {
  return std::ranges::find(dtypes, std::optional(ours), &SchemaDType::ours);
}

void set_dtype(TensorRecord& record, const SchemaDType& dtype) {
  if (dtype.ours) {
    record.dtype = *dtype.ours;
  } else {
    record.problem = cat("it has dtype ", dtype.name,
                         ", which Vitro does not support: convert it in the module before the "
                         "export");
  }
}

void set_view(TensorRecord& record, std::vector<int64_t> sizes, std::vector<int64_t> strides,
              int64_t offset) {
  const auto absurd = [](int64_t n) { return n < 0 || n > largest_step; };
  if (sizes.size() > largest_rank) {
    record.problem =
        cat("it has ", sizes.size(), " dimensions, at most ", largest_rank, " can be read");
  } else if (strides.size() != sizes.size()) {
    record.problem = cat("it has ", sizes.size(), " sizes and ", strides.size(), " strides");
  } else if (std::ranges::any_of(sizes, absurd) || std::ranges::any_of(strides, absurd) ||
             absurd(offset)) {
    record.problem = "a size, a stride or the offset is negative or larger than any memory";
  } else {
    record.sizes = std::move(sizes);
    record.strides = std::move(strides);
    record.offset = offset;
  }
}

}  // namespace vitro::io
