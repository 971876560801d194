// What an export relied on, checked when its program is called, as torch does: the number and kinds
// of inputs, dtypes (which torch does not check), sizes, ranges of dynamic sizes, guards.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/pt2/program.h"
#include "vitro/core/arg_value.h"
#include "vitro/exported/model.h"

namespace vitro::exported {

class InputChecks {
 public:
  // Error: a guard that names what is not an input.
  InputChecks(const io::Program& program, const std::vector<ModelInput>& inputs);

  // `values`: one for each input. Error in the words of the export.
  void check(std::span<const ArgValue> values) const;

 private:
  using Symbols = std::map<std::string, int64_t, std::less<>>;
  // A size of a tensor, or a number, that is an expression over symbols.
  struct Varying {
    size_t input;
    size_t dim;  // no_dim: a number
    const io::Expression* expression;
    std::vector<std::string> symbols;
  };
  static constexpr size_t no_dim = SIZE_MAX;

  void add_varying(size_t input, const io::InputSpec& spec);
  void check_kind(size_t input, const ArgValue& given) const;
  void check_tensor(size_t input, const Tensor& given) const;
  void check_literal(size_t input, const ArgValue& given) const;
  // The numbers of `varying_` in this call.
  std::vector<int64_t> numbers_in(std::span<const ArgValue> values) const;
  Symbols solved(std::span<const int64_t> numbers) const;
  void check_sizes(const Symbols& symbols, std::span<const int64_t> numbers) const;
  void check_ranges(const Symbols& symbols) const;
  void check_guards(const Symbols& symbols, std::span<const ArgValue> values) const;
  bool holds(const io::Guard& guard, const Symbols& symbols,
             std::span<const ArgValue> values) const;
  Scalar number_of(const io::Expression& input, std::span<const ArgValue> values) const;
  std::string name_of(const Varying& one) const;  // "size 1 of input x"
  // Nothing if a symbol has no value.
  static std::optional<int64_t> value_in(const io::Expression& e,
                                         std::span<const std::string> symbols,
                                         const Symbols& values);

  const io::Program& program_;
  const std::vector<ModelInput>& inputs_;
  std::vector<Varying> varying_;
  std::vector<std::vector<std::string>> symbols_of_ranges_;
  std::map<std::string, size_t, std::less<>> by_path_;  // "L['x'][0]" -> input
};

// "s9" -> the bounds of its range that torch enforces: a lower bound of 2 or less is not one, as
// exports assume it of every automatic dynamic size, and programs run with 1.
ModelSize described(const io::ProgramSize& size, const io::Program& program);

}  // namespace vitro::exported
