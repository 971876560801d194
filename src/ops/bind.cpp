#include "bind.h"

#include <algorithm>

#include "vitro/base/called_as.h"
#include "vitro/base/error.h"
#include "vitro/core/autocast.h"
#include "vitro/core/interpreter.h"
#include "vitro/ops/create.h"

namespace vitro::ops {

const ArgValue& BoundCall::operator[](size_t i) const {
  static const ArgValue none;
  return i < arguments.size() ? arguments[i] : none;
}

void BoundCall::refuse(size_t i, std::span<const std::string_view> words) const {
  throw_error(wrong_word(schema, i, words, text_of((*this)[i])).why);
}

Parameters::Parameters(const BoundCall& call, std::span<const MakeParameter> make) {
  for (size_t i = 0; i < make.size(); ++i) made_.push_back(make[i](call, i));
}

namespace {

// A result of a higher category, such as the f32 of integers, is refused, as for ops in place.
Tensor written_to(const Tensor& target, const Tensor& result, std::source_location where) {
  const DType to = target.dtype(), from = result.dtype();
  VITRO_CHECK(info(from).category <= info(to).category, CalledAs::current().name, ": a result of ",
              from, " cannot be stored in a tensor of ", to, "; cast the tensor first");
  return copy_(target, result, where);
}

}  // namespace

BeforeWritten::BeforeWritten(std::span<const ArgValue> arguments, std::source_location where)
    : given_(arguments) {
  const bool recorded = std::ranges::any_of(arguments, [](const ArgValue& one) {
    const auto* tensor = std::get_if<Tensor>(&one);
    return tensor && is_recorded(*tensor);
  });
  if (!recorded) return;
  copied_.assign(arguments.begin(), arguments.end());
  copied_[0] = clone({std::get<Tensor>(arguments[0]), where});
}

std::vector<Tensor> Function::call(const Schema& schema, std::span<const ArgValue> arguments,
                                   std::source_location where) const {
  const CalledAs name(schema.name, where);
  std::optional<WithoutAutocast> as_given;  // forms in place cast nothing
  std::optional<BeforeWritten> before;
  if (bound_->result == ResultIs::written_to_the_first_argument) {
    as_given.emplace();
    before.emplace(arguments, where);
  }
  Parameters parameters({schema, before ? *before : arguments, where},
                        bound_->signature->parameters);
  std::vector<Tensor> results = bound_->signature->call(bound_->function, parameters);
  switch (bound_->result) {
    case ResultIs::returned:
      break;
    case ResultIs::written_to_the_first_argument:
      results = {written_to(std::get<Tensor>(arguments[0]), results[0], where)};
      break;
    case ResultIs::copied:
      for (Tensor& one : results) one = clone({one, where}, MemoryFormat::contiguous);
  }
  return results;
}

Scalar Function::number(const Schema& schema, std::span<const ArgValue> arguments,
                        std::source_location where) const {
  const CalledAs name(schema.name, where);
  Parameters parameters({schema, arguments, where}, bound_->signature->parameters);
  return bound_->signature->number(bound_->function, parameters);
}

size_t Function::takes() const {
  return bound_->signature->takes;
}

}  // namespace vitro::ops
