#include "eager/call.h"

#include <cstring>
#include <map>

#include "vitro/base/error.h"
#include "vitro/ops/all.h"

namespace vitro::test {
namespace {

using Json = nlohmann::json;

Scalar scalar_of(const SampleNumber& number) {
  switch (number.kind) {
    case SampleNumber::Kind::boolean:
      return number.whole != 0;
    case SampleNumber::Kind::whole:
      return number.whole;
    case SampleNumber::Kind::real:
      return number.real;
  }
  return {};
}

// Operands that own their tensors.
struct Owned {
  std::vector<Tensor> tensors;
  std::vector<Operand> operands;
};

Owned operands_of(const OpSample& sample) {
  Owned out;
  out.tensors.reserve(64);
  for (const SampleOperand& o : sample.operands) {
    if (const auto* tensor = std::get_if<SampleTensor>(&o)) {
      out.operands.emplace_back(out.tensors.emplace_back(tensor_of(*tensor)));
    } else if (const auto* number = std::get_if<SampleNumber>(&o)) {
      out.operands.emplace_back(scalar_of(*number));
    } else if (const auto* list = std::get_if<std::vector<SampleTensor>>(&o)) {
      for (const SampleTensor& one : *list)
        out.operands.emplace_back(out.tensors.emplace_back(tensor_of(one)));
    } else {
      out.operands.emplace_back();
    }
  }
  return out;
}

// Attributes of the sample as an op's text has them.
std::string attrs_text(const OpDef& op, const Json& attrs) {
  std::string text;
  for (const auto& [key, value] : attrs.items()) {
    if (value.is_null()) continue;
    std::string one = key == "dtype" ? value.get<std::string>() : value.dump();
    const bool list = key == "dim" && (op.kind == OpKind::reduction || op.name.starts_with("var") ||
                                       op.name == "squeeze");
    if (list && !value.is_array()) one = cat('[', one, ']');
    text += cat(text.empty() ? "" : ", ", key, '=', one);
  }
  return text;
}

std::vector<Tensor> call_op(const OpSample& sample, std::span<const Operand> operands,
                            const Json& attrs) {
  const OpDef* op = ops::named(sample.op);
  Attrs parsed;
  if (op->attrs) {
    const auto read =
        op->attrs->parse(attrs_text(*op, attrs), [](std::string_view) { return sym::Expr(); });
    VITRO_ASSERT(read, sample.where, ": ", attrs_text(*op, attrs));
    parsed = Attrs(*read, op->attrs);
  }
  const size_t results = sample.error ? 1 : sample.results.size();
  std::vector<Tensor> out(std::max<size_t>(results, op->name == "native_layer_norm" ? 3
                                                    : op->name == "var_mean"        ? 2
                                                                                    : 1));
  vitro::call(OpCall{op, operands, parsed.view(), false, std::source_location::current()}, out);
  return out;
}

using Caller = std::vector<Tensor> (*)(const OpSample&, std::span<const Operand>);

ops::First first(const Operand& o) {
  return o.is_tensor() ? ops::First(o.tensor()) : ops::First(o.number());
}

// Functions that are more than their op: what a user would call.
const std::map<std::string, Caller>& functions() {
  static const std::map<std::string, Caller> all = {
      {"add",
       [](const OpSample&, std::span<const Operand> o) -> std::vector<Tensor> {
         return {add(first(o[0]), o[1], o.size() > 2 ? o[2].number() : Scalar(1))};
       }},
      {"sub",
       [](const OpSample&, std::span<const Operand> o) -> std::vector<Tensor> {
         return {sub(first(o[0]), o[1], o.size() > 2 ? o[2].number() : Scalar(1))};
       }},
      {"div",
       [](const OpSample& s, std::span<const Operand> o) -> std::vector<Tensor> {
         const Json mode = s.attrs.value("rounding_mode", Json());
         return {div(first(o[0]), o[1], mode.is_string() ? mode.get<std::string>() : "")};
       }},
      {"square",
       [](const OpSample&, std::span<const Operand> o) -> std::vector<Tensor> {
         return {square(o[0].tensor())};
       }},
      {"pow",
       [](const OpSample&, std::span<const Operand> o) -> std::vector<Tensor> {
         return {pow(first(o[0]), o[1])};
       }},
      {"clamp",
       [](const OpSample&, std::span<const Operand> o) -> std::vector<Tensor> {
         return {clamp(o[0].tensor(), o[1], o[2])};
       }},
      {"split",
       [](const OpSample& s, std::span<const Operand> o) {
         return split(o[0].tensor(), s.attrs.at("split_size").get<int64_t>(),
                      s.attrs.value("dim", int64_t{0}));
       }},
      {"split_with_sizes",
       [](const OpSample& s, std::span<const Operand> o) {
         const auto sizes = s.attrs.at("split_sizes").get<std::vector<int64_t>>();
         return split_with_sizes(o[0].tensor(), Dims(std::span<const int64_t>(sizes)),
                                 s.attrs.value("dim", int64_t{0}));
       }},
      {"_softmax",
       [](const OpSample& s, std::span<const Operand> o) -> std::vector<Tensor> {
         const Tensor& x = o[0].tensor();
         return {softmax(x, s.attrs.at("dim").get<int64_t>(),
                         s.attrs.value("half_to_float", false) ? DType::f32 : x.dtype())};
       }},
      {"_log_softmax",
       [](const OpSample& s, std::span<const Operand> o) -> std::vector<Tensor> {
         const Tensor& x = o[0].tensor();
         return {log_softmax(x, s.attrs.at("dim").get<int64_t>(),
                             s.attrs.value("half_to_float", false) ? DType::f32 : x.dtype())};
       }},
      {"embedding",
       [](const OpSample&, std::span<const Operand> o) -> std::vector<Tensor> {
         return {embedding(o[0].tensor(), o[1].tensor())};  // padding_idx matters to gradients only
       }},
  };
  return all;
}

}  // namespace

Tensor tensor_of(const SampleTensor& sample) {
  const DType dtype = dtype_named(sample.dtype).value();
  Storage storage = Storage::allocate(sample.buffer.size(), cpu);
  if (!sample.buffer.empty())
    std::memcpy(storage.data(), sample.buffer.data(), sample.buffer.size());
  return Tensor::over(std::move(storage), dtype, sample.sizes, sample.strides, sample.offset);
}

bool is_callable(const OpSample& sample) {
  return functions().contains(sample.op) || ops::named(sample.op);
}

std::vector<Tensor> call_sample(const OpSample& sample) {
  const Owned owned = operands_of(sample);
  const auto function = functions().find(sample.op);
  if (function != functions().end()) return function->second(sample, owned.operands);
  return call_op(sample, owned.operands, sample.attrs);
}

}  // namespace vitro::test
