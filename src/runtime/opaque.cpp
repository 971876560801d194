#include "runtime/opaque.h"

#include <vector>

#include "vitro/core/reach.h"
#include "vitro/runtime/parallel.h"

namespace vitro::runtime {
namespace {

struct Context {
  const OpDef& op;
  const OpaqueCall& call;
};

void in_parallel(int64_t items, int64_t grain, OpaqueCall::Body body, void* context) {
  parallel_for(items, grain, [&](int64_t begin, int64_t end) { body(context, begin, end); });
}

// Calls the op's kernel with the launch's buffers: those of tensor operands, then those of results.
void run(const void* context, const LaunchArgs& args, int64_t, int64_t) {
  const auto& [op, call] = *static_cast<const Context*>(context);
  std::vector<OpaqueOperand> operands(call.operands.begin(), call.operands.end());
  std::vector<OpaqueTensor> results(call.results.begin(), call.results.end());
  auto address = args.buffers.begin();
  for (OpaqueOperand& operand : operands) {
    if (operand.kind == Operand::Kind::tensor) operand.tensor.data = *address++;
  }
  for (OpaqueTensor& result : results) result.data = *address++;
  op.opaque->kernel({call.device, operands, call.attrs, results, in_parallel});
}

}  // namespace

void launch_opaque(const OpDef& op, const OpaqueCall& call, DeviceRuntime& device) {
  std::vector<void*> buffers;
  int64_t bytes = 0;
  const auto add = [&](const OpaqueTensor& tensor) {
    buffers.push_back(tensor.data);
    bytes += bytes_for(op.name, tensor.sizes, tensor.dtype);
  };
  for (const OpaqueOperand& operand : call.operands) {
    if (operand.kind == Operand::Kind::tensor) add(operand.tensor);
  }
  for (const OpaqueTensor& result : call.results) add(result);
  const KernelRange range(op.name, 1, {.bytes = static_cast<double>(bytes)});
  const Context context{op, call};
  device.launch(run, &context, {.buffers = buffers}, {}, nullptr);
}

}  // namespace vitro::runtime
