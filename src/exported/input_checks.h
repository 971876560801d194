// What an export relied on, checked when its program is called, as torch does: the number and kinds
// of inputs, dtypes (which torch does not check), sizes, ranges of dynamic sizes, guards.
#pragma once

#include <map>
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
  // Error: a guard that speaks of what is no input.
  InputChecks(const io::Program& program, const std::vector<ModelInput>& inputs);

  // `values`: one for each input. Error in the words of the export.
  void check(std::span<const ArgValue> values) const;

 private:
  using Symbols = std::map<std::string, int64_t, std::less<>>;
  struct Known {
    const io::Expression* expression;
    int64_t value;
    std::string of;  // "size 1 of input x"
  };

  void check_tensor(size_t input, const Tensor& given) const;
  void check_literal(size_t input, const ArgValue& given) const;
  std::vector<Known> known_sizes(std::span<const ArgValue> values) const;
  Symbols solved(const std::vector<Known>& known) const;
  void check_ranges(const Symbols& symbols, const std::vector<Known>& known) const;
  void check_guards(const Symbols& symbols, std::span<const ArgValue> values) const;
  Scalar number_of(const io::Expression& input, std::span<const ArgValue> values) const;

  const io::Program& program_;
  const std::vector<ModelInput>& inputs_;
  std::vector<const io::InputSpec*> specs_;             // of each input
  std::map<std::string, size_t, std::less<>> by_path_;  // "L['x'][0]" -> input
};

// "s9" -> the bounds of its range that torch enforces: a lower bound of 2 or less is not one, as
// exports assume it of every automatic dynamic size, and programs run with 1.
ModelSize described(const io::ProgramSize& size, const io::Program& program);

}  // namespace vitro::exported
