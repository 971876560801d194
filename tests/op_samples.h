// Reads tests/data/op_samples (its README has the format): what ops were given, what torch
// answered.
//   for (const OpSample& sample : OpSamples::read("unary").samples()) { ... }
// Knows no tensors: bytes with sizes and strides.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace vitro::test {

// An operand: a window on `buffer`; strides and offset count elements.
struct SampleTensor {
  std::string dtype;  // empty: left out of a list
  std::vector<int64_t> sizes, strides;
  int64_t offset = 0;
  std::span<const std::byte> buffer;
  bool is_none() const { return dtype.empty(); }
};

// An expected result.
struct SampleResult {
  std::string dtype;
  std::vector<int64_t> sizes;
  std::span<const std::byte> elements;  // in order of their indices
  std::vector<int64_t> strides;         // torch's
  std::optional<int64_t> offset;        // set where it shares the memory of operand 0
};

struct SampleNumber {
  enum class Kind { boolean, integer, real } kind = Kind::integer;
  int64_t integer = 0;  // also a boolean's 0 or 1
  double real = 0;
};

using SampleOperand =
    std::variant<std::monostate, SampleTensor, SampleNumber, std::vector<SampleTensor>>;

// How far a result may be off: any of the three suffices.
struct SampleTolerance {
  bool bits = true;  // the same bits (any NaN for a NaN); the others do not count
  int64_t ulps = 0;
  double relative = 0, absolute = 0;
};

struct OpSample {
  std::string op;
  std::vector<SampleOperand> operands;
  nlohmann::json attrs;  // an object
  bool error = false;
  std::string message;  // torch's, where it refused
  std::vector<SampleResult> results;
  SampleTolerance tolerance;
  // Of the family "gradient", which has no results: the gradient of each result, and what torch's
  // autograd makes of them for each tensor among the operands, in order.  Null where there is none.
  std::vector<std::optional<SampleTensor>> seeds;
  std::vector<std::optional<SampleResult>> gradients;
  bool slope = true;  // they are slopes, not a convention
  // Of second order, where it is asked for: of the sum of the gradients, each times its direction,
  // the gradient for each tensor among the operands and then for each seed.
  std::vector<std::optional<SampleTensor>> directions;  // one for each gradient
  std::vector<std::optional<SampleResult>> second;
  std::string where;  // "unary.jsonl:17 sin f32[3, 17]", to say which one failed
};

class OpSamples {
 public:
  // Throws std::runtime_error where a file is missing or broken.
  static OpSamples read(std::string_view family);
  static const std::vector<std::string>& families();

  // They borrow bytes from here.
  const std::vector<OpSample>& samples() const { return samples_; }

 private:
  std::vector<std::byte> payload_;
  std::vector<OpSample> samples_;
};

// A plain number as `in` and `attrs` have it.
SampleNumber number_of(const nlohmann::json& value);

// The bytes of one element.
int64_t size_of_dtype(std::string_view dtype);

// What is wrong with `got` (elements in order of their indices, of the result's dtype); empty if
// nothing is.
std::string difference(const SampleResult& want, std::span<const std::byte> got,
                       const SampleTolerance& tolerance);

}  // namespace vitro::test
