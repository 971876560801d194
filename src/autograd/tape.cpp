// The tape: keeps calls that depend on watched tensors, with the versions of their memory, and goes
// back through them with vjp().
#include "autograd/tape.h"

#include <algorithm>
#include <memory>

#include "vitro/autograd/vjp.h"
#include "vitro/base/error.h"
#include "vitro/ops/binary.h"
#include "vitro/ops/create.h"

namespace vitro::autograd {

namespace {

// What the recorded calls have in place of a complex tensor.
Tensor pairs_of(const Tensor& x) {
  return x.defined() && x.is_complex() ? x.pairs() : x;
}

}  // namespace

void Tape::watch(const Tensor& tensor) {
  watched_.push_back(pairs_of(tensor));
  dependent_.insert(watched_.back().impl());
}

bool Tape::depends(const Operand& operand) const {
  return operand.is_tensor() && dependent_.contains(operand.tensor().impl());
}

void Tape::call(const OpCall& call, std::span<Tensor> results) {
  call_below(call, results);
  if (std::none_of(call.operands.begin(), call.operands.end(),
                   [&](const Operand& o) { return depends(o); }))
    return;
  VITRO_CHECK(!call.in_place, call.op->name,
              "_: writes to a tensor while gradients are recorded; call ", call.op->name,
              " instead");
  keep(call, results);
}

namespace {

// How often the tensor's storage was written; unknown for a deferred tensor.
constexpr uint64_t unknown = ~uint64_t{0};
uint64_t version_of(const Tensor& tensor) {
  return tensor.is_deferred() || !tensor.storage() ? unknown : tensor.storage().version();
}

}  // namespace

void Tape::keep(const OpCall& call, std::span<const Tensor> results) {
  Entry entry{call.op, {}, {}, Attrs(call.attrs), {results.begin(), results.end()}, call.where, {}};
  entry.tensors.reserve(call.operands.size());  // operands point to the elements
  for (const Operand& operand : call.operands) {
    if (operand.is_tensor()) {
      entry.operands.emplace_back(entry.tensors.emplace_back(operand.tensor()));
    } else {
      entry.operands.push_back(operand);
    }
  }
  for (const Tensor& result : results) {
    if (is_floating(result.dtype())) dependent_.insert(result.impl());
  }
  for (const Tensor& tensor : entry.tensors) entry.versions.push_back(version_of(tensor));
  for (const Tensor& result : results) entry.versions.push_back(version_of(result));
  entries_.push_back(std::move(entry));
}

void Tape::check_unchanged(const Entry& entry, const OpCall& call, std::span<const bool> wanted) {
  std::vector<Tensor> all = entry.tensors;
  all.insert(all.end(), entry.results.begin(), entry.results.end());
  const auto was_written = [&](size_t i) {
    return entry.versions[i] != unknown && version_of(all[i]) != entry.versions[i];
  };
  size_t next = 0;
  while (next < all.size() && !was_written(next)) ++next;
  if (next == all.size()) return;
  const Saved saved = saved_for(call, wanted);
  next = 0;
  const auto check = [&](bool is_saved, std::string_view what, size_t i) {
    const bool written = was_written(next++);
    VITRO_CHECK(!written || !is_saved, "vjp: the gradient of ", entry.op->name, " needs ", what,
                ' ', i,
                " of the call, which was written after the call; clone it before the write");
  };
  for (size_t i = 0; i < entry.operands.size(); ++i) {
    if (entry.operands[i].is_tensor()) check(saved.operands[i], "operand", i);
  }
  for (size_t k = 0; k < entry.results.size(); ++k) check(saved.results[k], "result", k);
}

namespace {

void add_to(Tensor& total, const Tensor& one) {
  if (one.defined()) total = total.defined() ? add(total, one) : one;
}

}  // namespace

void Tape::back_through(const Entry& entry, Gradients& gradients) const {
  std::vector<Tensor> of_results;
  for (const Tensor& result : entry.results) {
    const auto found = gradients.find(result.impl());
    of_results.push_back(found == gradients.end() ? Tensor() : found->second);
  }
  const size_t n = entry.operands.size();
  const auto wanted = std::make_unique<bool[]>(n);
  for (size_t i = 0; i < n; ++i) wanted[i] = depends(entry.operands[i]);
  const OpCall call{entry.op, entry.operands, entry.attrs.view(), false, entry.where};
  check_unchanged(entry, call, {wanted.get(), n});
  const auto of_operands = vjp(call, entry.results, of_results, {wanted.get(), n});
  for (size_t i = 0; i < n; ++i) {
    if (wanted[i]) add_to(gradients[entry.operands[i].tensor().impl()], of_operands[i]);
  }
}

std::vector<Tensor> Tape::back(std::span<const Tensor> outputs, std::span<const Tensor> gradients,
                               std::span<const Tensor> inputs) const {
  Gradients all;
  for (size_t k = 0; k < outputs.size(); ++k)
    add_to(all[pairs_of(outputs[k]).impl()], pairs_of(gradients[k]));
  for (auto entry = entries_.rbegin(); entry != entries_.rend(); ++entry) back_through(*entry, all);
  std::vector<Tensor> out;
  for (const Tensor& input : inputs) {
    const Tensor& one = out.emplace_back(all[pairs_of(input).impl()]);
    if (one.defined() && input.defined() && input.is_complex())
      out.back() = Tensor::as_complex(contiguous(one));
  }
  return out;
}

}  // namespace vitro::autograd
