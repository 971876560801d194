// Reads tests/data/op_samples (its README has the format): calls of ops, and torch's results.
//   const OpSamples all = OpSamples::read("unary");
//   for (const OpSample& sample : all.samples()) { ... }
// Does not depend on Tensor: samples are bytes with sizes and strides.
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
  std::string dtype;  // empty: None in a list
  std::vector<int64_t> sizes, strides;
  int64_t offset = 0;
  std::span<const std::byte> buffer;
  bool is_none() const { return dtype.empty(); }
};

// An expected result.
struct SampleResult {
  std::string dtype;  // empty: None
  std::vector<int64_t> sizes;
  std::span<const std::byte> elements;  // in row-major order
  std::vector<int64_t> strides;         // torch's
  std::optional<int64_t> offset;        // set if it shares the memory of operand 0
  bool is_none() const { return dtype.empty(); }
};

struct SampleNumber {
  enum class Kind { boolean, integer, real, complex } kind = Kind::integer;
  int64_t integer = 0;  // also a boolean's 0 or 1
  double real = 0, imaginary = 0;
};

using SampleOperand =
    std::variant<std::monostate, SampleTensor, SampleNumber, std::vector<SampleTensor>>;

// How far a result may be off: within `ulps`, or within absolute + relative * |expected|.
struct SampleTolerance {
  bool bits = true;  // needs the same bits (NaN: any NaN) and ignores the others
  int64_t ulps = 0;
  double relative = 0, absolute = 0;
};

struct OpSample {
  std::string op;
  std::vector<SampleOperand> operands;
  nlohmann::json attrs;  // an object
  bool error = false;
  std::string message;  // torch's, if it refused the call
  std::vector<SampleResult> results;
  SampleTolerance tolerance;
  std::optional<uint64_t> manual_seed;  // of torch's random numbers in the results
  bool values = true;                   // false: elements of results are random or undefined
  // Families of gradients, which have no results: the gradient of each result, and torch's gradient
  // for each tensor among the operands, in order. nullopt if there is none.
  std::vector<std::optional<SampleTensor>> seeds;
  std::vector<std::optional<SampleResult>> gradients;
  bool slope = true;  // the gradients are derivatives, not a convention
  // Second order, if the sample has it: the gradients of the sum of gradients times directions, for
  // each tensor among the operands and then for each seed.
  std::vector<std::optional<SampleTensor>> directions;  // one for each gradient
  std::vector<std::optional<SampleResult>> second;
  std::string where;  // "unary.jsonl:17 sin f32[3, 17]", for messages
};

class OpSamples {
 public:
  // Throws std::runtime_error if a file is missing or malformed.
  static OpSamples read(std::string_view family);
  static OpSamples read_gradients();  // the families of gradients
  // PREFIX.jsonl.gz and PREFIX.bin.gz in any folder.
  static OpSamples read_files(const std::string& prefix);
  static const std::vector<std::string>& families();

  // Samples refer to bytes that this object owns.
  const std::vector<OpSample>& samples() const { return samples_; }

 private:
  void add(const std::string& prefix);
  std::vector<std::vector<std::byte>> payloads_;  // of each file
  std::vector<OpSample> samples_;
};

// A number in `in` or `attrs`.
SampleNumber number_of(const nlohmann::json& value);

// Size of one element in bytes.
int64_t size_of_dtype(std::string_view dtype);

// The first element of `got` (in row-major order, of the result's dtype) that is out of tolerance,
// as a message; empty if there is none.
std::string difference(const SampleResult& want, std::span<const std::byte> got,
                       const SampleTolerance& tolerance);

}  // namespace vitro::test
