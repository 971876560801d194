// Runs gradient formulas on shapes to find what they read, and remembers the answers.
#include "autograd/uses.h"

#include <algorithm>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>

#include "autograd/shapes.h"
#include "sym/data_size.h"
#include "vitro/autograd/vjp.h"
#include "vitro/base/error.h"
#include "vitro/base/hash.h"
#include "vitro/core/complex.h"
#include "vitro/core/interpreter.h"

namespace vitro::autograd {

// The hint of a data size is its upper bound; its number may be known by now.
Size number_of_size(Size size) {
  const sym::DataSizes* of_call = is_by_data(size) ? sym::DataSizes::current() : nullptr;
  const auto known = of_call ? of_call->find(size.expr()) : std::nullopt;
  return known.value_or(size.hint());
}

namespace {

using NumberOfSize = Size (*)(Size);

TensorMeta in_numbers_by(NumberOfSize number, TensorMeta meta) {
  for (Sizes* sizes : {&meta.sizes, &meta.strides})
    std::transform(sizes->begin(), sizes->end(), sizes->begin(), number);
  meta.offset = number(meta.offset);
  return meta;
}

// The hint of a size that depends on data is a bound, by which operands need not fit together; 1
// fits every other size.
Size one_if_data_decide(Size size) {
  return is_by_data(size) ? Size(1) : number_of_size(size);
}

Uses uses_by(NumberOfSize number, const OpCall& call, std::span<const bool> wanted) {
  if (is_complex_call(call)) {  // it is run again
    Uses all;
    for (const Operand& operand : call.operands)
      all.operands.push_back(operand.is_tensor() ? Use::elements : Use::metadata);
    all.results.push_back(Use::metadata);
    return all;
  }
  Shapes without;
  std::vector<Tensor> tensors(call.operands.size()), results, gradients;
  std::vector<Operand> operands(call.operands.begin(), call.operands.end());
  for (size_t i = 0; i < operands.size(); ++i) {
    if (operands[i].is_number()) operands[i] = Operand(operands[i].number().hint());
    if (!operands[i].is_tensor()) continue;
    tensors[i] = without.tensor(in_numbers_by(number, operands[i].tensor().rule_meta()));
    operands[i] = Operand(tensors[i]);
  }
  const Attrs attrs = Attrs(call.attrs).map_sizes(number);
  for (const TensorMeta& shape : infer(*call.op, operands, attrs.view())) {
    results.push_back(without.tensor(shape));
    gradients.push_back(without.tensor(shape));
  }
  {
    const BelowTape nothing_is_recorded;
    const Using shapes_alone(&without);
    (void)vjp({call.op, operands, attrs.view(), false, call.where}, results, gradients, wanted);
  }
  Uses out;
  for (const Tensor& t : tensors)
    out.operands.push_back(t.defined() ? without.use_of(t) : Use::metadata);
  for (const Tensor& t : results) out.results.push_back(without.use_of(t));
  return out;
}

}  // namespace

TensorMeta in_numbers(TensorMeta meta) {
  return in_numbers_by(number_of_size, std::move(meta));
}

Uses uses_of(const OpCall& call, std::span<const bool> wanted) {
  return uses_by(number_of_size, call, wanted);
}

namespace {

// Of a call that is an error by the bounds of sizes, or in itself, everything is used.
Uses uses_at_most(const OpCall& call, std::span<const bool> wanted) {
  for (const NumberOfSize number : {number_of_size, one_if_data_decide}) {
    try {
      return uses_by(number, call, wanted);
    } catch (const Error&) {
      continue;
    }
  }
  return {std::vector<Use>(call.operands.size(), Use::elements), {}};
}

struct Key {
  const OpDef* op;
  Attrs attrs;
  std::vector<int64_t> operands;  // what is wanted, dtypes, sizes and strides
  std::vector<Scalar> numbers;
  bool operator==(const Key&) const = default;
};

struct HashOfKey {
  size_t operator()(const Key& key) const {
    Hasher h;
    h.add(key.op->index);
    key.attrs.hash(h);
    for (const int64_t one : key.operands) h.add(one);
    for (const Scalar& one : key.numbers) add_to(h, one);
    return static_cast<size_t>(h.finish().low);
  }
};

Key key_of(const OpCall& call, std::span<const bool> wanted) {
  Key key{call.op, Attrs(call.attrs).map_sizes(number_of_size), {}, {}};  // symbols end with a call
  for (size_t i = 0; i < call.operands.size(); ++i) {
    const Operand& operand = call.operands[i];
    key.operands.push_back(static_cast<int64_t>(operand.kind()));
    if (operand.is_number()) key.numbers.push_back(operand.number().hint());
    if (!operand.is_tensor()) continue;
    key.operands.push_back(wanted[i]);
    const TensorMeta meta = operand.tensor().rule_meta();
    key.operands.push_back(static_cast<int64_t>(meta.dtype));
    key.operands.push_back(meta.rank());
    for (const Size s : meta.sizes) key.operands.push_back(s.hint());
    for (const Size s : meta.strides) key.operands.push_back(s.hint());
  }
  return key;
}

struct Known {
  std::shared_mutex lock;
  std::unordered_map<Key, std::shared_ptr<const Uses>, HashOfKey> uses;
};
constexpr size_t most_known = 4096;  // then the table begins anew

}  // namespace

std::shared_ptr<const Uses> known_uses_of(const OpCall& call, std::span<const bool> wanted) {
  static auto* known = new Known;
  Key key = key_of(call, wanted);
  {
    const std::shared_lock hold(known->lock);
    if (const auto found = known->uses.find(key); found != known->uses.end()) return found->second;
  }
  auto uses = std::make_shared<const Uses>(uses_at_most(call, wanted));
  const std::unique_lock hold(known->lock);
  if (known->uses.size() == most_known) known->uses.clear();
  known->uses.emplace(std::move(key), uses);
  return uses;
}

}  // namespace vitro::autograd
