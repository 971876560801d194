// The structure of a call's arguments: tensors in lists, optionals, maps and pairs, next to
// numbers, strings and enumerators. The structure changes from call to call, and results depend on
// it: an amount given by its position is added to each tensor, so that code compiled for another
// structure returns other values.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "program.h"

namespace vitro::fuzz {

enum class Mode : uint8_t { plain, shifted };

using Optionals = std::vector<std::optional<Tensor>>;
using Groups = std::vector<Variables>;
using Keyed = std::map<std::string, Tensor>;
using Paired = std::pair<std::optional<double>, Variables>;
using Modes = std::tuple<std::string, bool, Mode, Variables>;

// The tensors in order, as passed to the body.
Variables taken(const Variables& given);
Variables taken(const Optionals& given);
Variables taken(const Groups& given);
Variables taken(const Keyed& given);
Variables taken(const Paired& given);
Variables taken(const Modes& given);

Optionals as_optionals(const Variables& inputs, size_t call);
Groups as_groups(const Variables& inputs, size_t call);
Keyed as_keyed(const Variables& inputs, size_t call);
Paired as_paired(const Variables& inputs, size_t call);
Modes as_modes(const Variables& inputs, size_t call);

// Calls f with the inputs in the structure of this call.
template <class F>
auto in_form(Form form, const Variables& inputs, int64_t call, F&& f) {
  const auto number = static_cast<size_t>(call);
  switch (form) {
    case Form::list:
      return f(inputs);
    case Form::optionals:
      return f(as_optionals(inputs, number));
    case Form::groups:
      return f(as_groups(inputs, number));
    case Form::keyed:
      return f(as_keyed(inputs, number));
    case Form::paired:
      return f(as_paired(inputs, number));
    case Form::modes:
      return f(as_modes(inputs, number));
  }
  __builtin_unreachable();
}

// A tensor like `piece` with 0 rows.
Tensor nothing_like(const Tensor& piece);

// Calls f with the tensors passed on by earlier calls, in the structure of the cache.
template <class F>
auto with_past(Cache cache, const Variables& past, const Tensor& piece, F&& f) {
  switch (cache) {
    case Cache::tensor:
      return f(past.empty() ? nothing_like(piece) : past[0]);
    case Cache::optional:
      return f(past.empty() ? std::optional<Tensor>() : std::optional(past[0]));
    case Cache::list:
    case Cache::none:
      return f(past);
  }
  __builtin_unreachable();
}
// Past and new rows concatenated.
Tensor joined(const Tensor& past, const Tensor& piece);
Tensor joined(const std::optional<Tensor>& past, const Tensor& piece);
Tensor joined(const Variables& past, const Tensor& piece);

}  // namespace vitro::fuzz
