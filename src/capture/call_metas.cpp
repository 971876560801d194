#include "capture/call_metas.h"

#include "vitro/ops/compaction.h"

namespace vitro::capture {
namespace {

TensorMeta plain_meta(const TensorImpl& impl) {
  TensorMeta out{impl.dtype, impl.device, {}, {}, impl.offset};
  for (const int64_t size : impl.sizes) out.sizes.push_back(size);
  for (const int64_t stride : impl.strides) out.strides.push_back(stride);
  return out;
}

class PathMetas {
 public:
  PathMetas(const TraceNode& last, const Slots& slots, const CallValues& values)
      : values_(values), metas_(last.slots_after) {
    for (uint32_t slot = 0; slot < metas_.size(); ++slot) {
      if (slots.is_used(slot) && !slots.is_deferred(slots[slot]))
        metas_[slot] = plain_meta(slots[slot]);
    }
    for (const TraceNode* node : path_to(last)) add(*node);
  }
  std::vector<TensorMeta> take() { return std::move(metas_); }

 private:
  Size now(Size size) const { return values_.symbols.value(size); }

  void add(const TraceNode& node) {
    if (node.result_count == 0) return;  // in-place write
    std::vector<Scalar> numbers(node.operands_owned.size());
    std::vector<Argument> operands(node.operands_owned.size());
    for (size_t i = 0; i < operands.size(); ++i)
      operands[i] = argument(node.operands_owned[i], numbers[i]);
    const Attrs attrs = node.attrs_owned.map_sizes([this](Size size) { return now(size); });
    std::vector<TensorMeta> results;
    ShapeCall call{node.op->name, operands, attrs.view(), results};
    node.op->shape(call);
    if (node.data_size.defined()) ops::set_count(results[0], now(Size(0, node.data_size)));
    for (uint32_t k = 0; k < node.result_count; ++k)
      metas_[node.first_slot + k] = std::move(results[k]);
  }

  Argument argument(const NodeOperand& recorded, Scalar& number) const {
    if (recorded.kind == NodeOperand::Kind::none) return {};
    if (recorded.kind == NodeOperand::Kind::varying)
      return {.number = &values_.numbers[recorded.slot]};
    if (recorded.slot != no_slot) return {.meta = &metas_[recorded.slot]};
    number = recorded.number.is_symbolic() ? Scalar(values_.symbols.value(recorded.number.expr()))
                                           : recorded.number;
    return {.number = &number};
  }

  const CallValues& values_;
  std::vector<TensorMeta> metas_;
};

}  // namespace

std::vector<TensorMeta> metas_in_call(const TraceNode& last, const Slots& slots,
                                      const CallValues& values) {
  return PathMetas(last, slots, values).take();
}

}  // namespace vitro::capture
