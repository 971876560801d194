// Makes tensors and arguments of a sample, and calls its op by name; see call.h.
#include "eager/call.h"

#include <algorithm>
#include <complex>
#include <cstring>
#include <iterator>
#include <optional>

#include "vitro/base/error.h"
#include "vitro/core/generator.h"
#include "vitro/ops/overload.h"
#include "vitro/runtime/copy.h"

namespace vitro::test {
namespace {

using Json = nlohmann::json;

Scalar scalar_of(const SampleNumber& number) {
  switch (number.kind) {
    case SampleNumber::Kind::boolean:
      return number.integer != 0;
    case SampleNumber::Kind::integer:
      return number.integer;
    case SampleNumber::Kind::real:
      return number.real;
    case SampleNumber::Kind::complex:
      return std::complex<double>(number.real, number.imaginary);
  }
  return {};
}

ArgValue value_of(const SampleOperand& operand, Device device) {
  if (const auto* tensor = std::get_if<SampleTensor>(&operand)) return tensor_of(*tensor, device);
  if (const auto* number = std::get_if<SampleNumber>(&operand)) return scalar_of(*number);
  const auto* list = std::get_if<std::vector<SampleTensor>>(&operand);
  if (!list) return {};
  std::vector<Tensor> tensors;
  for (const SampleTensor& one : *list)
    tensors.push_back(one.is_none() ? Tensor() : tensor_of(one, device));
  return tensors;
}

bool is_word(ArgKind kind) {
  return kind == ArgKind::text || kind == ArgKind::layout || kind == ArgKind::device ||
         kind == ArgKind::memory_format;
}

ArgValue value_of(const Json& json, const ArgType& type) {
  if (json.is_null()) return {};
  if (type.kind == ArgKind::dtype) return dtype_named(json.get<std::string>()).value();
  if (is_word(type.kind)) return json.get<std::string>();
  if (json.is_string() && json != "inf" && json != "-inf" && json != "nan")
    return json.get<std::string>();
  if (!json.is_array()) return scalar_of(number_of(json));
  std::vector<Scalar> list;
  for (const Json& one : json) list.push_back(scalar_of(number_of(one)));
  return list;
}

// The arguments that are attributes of the sample, by name; its operands, in order, are the others.
// nullopt if the overload does not take all of them.
std::optional<std::vector<NamedArg>> named(const OpSample& sample, const Schema& schema,
                                           Device device) {
  std::vector<NamedArg> out;
  size_t operand = 0, attrs = 0;
  for (const SchemaArgument& argument : schema.arguments) {
    const auto attr = sample.attrs.find(argument.name);
    if (attr != sample.attrs.end()) {
      out.push_back({argument.name, value_of(*attr, argument.type)});
      ++attrs;
    } else if (operand < sample.operands.size()) {
      const bool on_host = argument.name == "batch_sizes";  // as in PyTorch
      out.push_back({argument.name, value_of(sample.operands[operand++], on_host ? cpu : device)});
    }
  }
  const bool all = operand == sample.operands.size() && attrs == sample.attrs.size();
  return all ? std::optional(out) : std::nullopt;
}

// The overload with the full name of the sample's op first, then the others of its name.
std::vector<const ops::Overload*> overloads_for(const OpSample& sample) {
  std::vector<const ops::Overload*> out;
  for (const ops::Overload& one : ops::overloads(sample.op.substr(0, sample.op.find('.'))))
    out.push_back(&one);
  std::ranges::stable_partition(
      out, [&](const ops::Overload* one) { return one->schema.full_name() == sample.op; });
  return out;
}

}  // namespace

Tensor tensor_of(const SampleTensor& sample, Device device) {
  const DType dtype = dtype_named(sample.dtype).value();
  Storage storage = Storage::allocate(sample.buffer.size(), cpu);
  if (!sample.buffer.empty())
    std::memcpy(storage.data(), sample.buffer.data(), sample.buffer.size());
  return to(Tensor::over(std::move(storage), dtype, sample.sizes, sample.strides, sample.offset),
            device);
}

bool is_callable(const OpSample& sample) {
  return !overloads_for(sample).empty();
}

Result<SampleCall> find_call(const OpSample& sample, Device device) {
  std::string refused;
  for (const ops::Overload* overload : overloads_for(sample)) {
    auto arguments = named(sample, overload->schema, device);
    if (!arguments) continue;
    const auto fitted = ops::arrange(overload->schema, {}, *arguments);
    if (fitted) return SampleCall{overload, *std::move(arguments)};
    refused += fitted.why() + '\n';
  }
  return Failure{cat(sample.where, ": no overload takes these arguments\n", refused)};
}

SampleCall call_of(const OpSample& sample, Device device) {
  return find_call(sample, device).value();
}

std::vector<Tensor> tensors_of(const SampleCall& call) {
  std::vector<Tensor> out;
  for (const NamedArg& argument : call.arguments) {
    if (const auto* one = std::get_if<Tensor>(&argument.value)) out.push_back(*one);
    if (const auto* many = std::get_if<std::vector<Tensor>>(&argument.value))
      std::ranges::copy_if(*many, std::back_inserter(out), &Tensor::defined);
  }
  return out;
}

SampleCall with_tensors(SampleCall call, std::span<const Tensor> tensors) {
  size_t next = 0;
  for (NamedArg& argument : call.arguments) {
    if (auto* one = std::get_if<Tensor>(&argument.value)) *one = tensors[next++];
    if (auto* many = std::get_if<std::vector<Tensor>>(&argument.value)) {
      for (Tensor& one : *many) {
        if (one.defined()) one = tensors[next++];
      }
    }
  }
  return call;
}

std::vector<Tensor> call_sample(const OpSample& sample, Device device) {
  const SampleCall call = call_of(sample, device);
  if (sample.manual_seed) manual_seed(*sample.manual_seed, Generator::mt19937);
  return ops::call(*call.overload, {}, call.arguments);
}

}  // namespace vitro::test
