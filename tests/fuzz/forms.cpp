// Converts a list of tensors to the argument structures of forms.h and back.
#include "forms.h"

#include "vitro/ops/all.h"

namespace vitro::fuzz {
namespace {

Tensor shifted(const Tensor& t, int64_t by) {
  if (by == 0) return t;
  return is_bool(t.dtype()) ? (by % 2 == 0 ? t : logical_not(t)) : t + by;
}

Variables all_shifted(const Variables& tensors, int64_t by) {
  Variables out;
  for (const Tensor& t : tensors) out.push_back(shifted(t, by));
  return out;
}

}  // namespace

Variables taken(const Variables& given) {
  return given;
}

Variables taken(const Optionals& given) {
  Variables out;
  for (size_t place = 0; place < given.size(); ++place) {
    if (given[place])
      out.push_back(shifted(*given[place], static_cast<int64_t>(place - out.size())));
  }
  return out;
}

Variables taken(const Groups& given) {
  Variables out;
  for (size_t group = 0; group < given.size(); ++group) {
    for (Tensor& t : all_shifted(given[group], static_cast<int64_t>(group)))
      out.push_back(std::move(t));
  }
  return out;
}

Variables taken(const Keyed& given) {
  Variables out;
  for (const auto& [key, t] : given) {
    out.push_back(shifted(t, key[0] - 'a' - static_cast<int64_t>(out.size())));
  }
  return out;
}

Variables taken(const Paired& given) {
  Variables out;
  for (const Tensor& t : given.second) {
    out.push_back(given.first && is_floating(t.dtype()) ? t * *given.first : t);
  }
  return out;
}

Variables taken(const Modes& given) {
  const auto& [word, flag, mode, tensors] = given;
  return all_shifted(
      tensors, (word == "shifted" ? 1 : 0) + (flag ? 2 : 0) + (mode == Mode::shifted ? 4 : 0));
}

// One element is nullopt; its position depends on the call.
Optionals as_optionals(const Variables& inputs, size_t call) {
  Optionals out(inputs.begin(), inputs.end());
  out.insert(out.begin() + static_cast<std::ptrdiff_t>(call % (inputs.size() + 1)), std::nullopt);
  return out;
}

Groups as_groups(const Variables& inputs, size_t call) {
  const auto cut = inputs.begin() + static_cast<std::ptrdiff_t>(call % (inputs.size() + 1));
  return {Variables(inputs.begin(), cut), Variables(cut, inputs.end())};
}

Keyed as_keyed(const Variables& inputs, size_t call) {
  Keyed out;
  for (const Tensor& t : inputs)
    out[std::string(1, static_cast<char>('a' + out.size() + call / 2 % 2))] = t;
  return out;
}

Paired as_paired(const Variables& inputs, size_t call) {
  static constexpr double numbers[] = {0.5, 2, 3, 2, 0.5};
  if (call % 6 == 5) return {std::nullopt, inputs};
  return {numbers[call % 6], inputs};
}

Modes as_modes(const Variables& inputs, size_t call) {
  return {call % 2 == 1 ? "shifted" : "plain", call % 3 == 2,
          call % 4 == 3 ? Mode::shifted : Mode::plain, inputs};
}

Tensor nothing_like(const Tensor& piece) {
  return contiguous(slice(piece, 0, 0, 0));
}

Tensor joined(const Tensor& past, const Tensor& piece) {
  return cat({past, piece});
}
Tensor joined(const std::optional<Tensor>& past, const Tensor& piece) {
  return past ? cat({*past, piece}) : piece;
}
Tensor joined(const Variables& past, const Tensor& piece) {
  if (past.empty()) return piece;
  Variables all = past;
  all.push_back(piece);
  return cat(all);
}

}  // namespace vitro::fuzz
