#include "vitro/training/summary.h"

#include <vector>

#include "vitro/base/cat.h"
#include "vitro/core/dtype.h"
#include "vitro/report/table.h"
#include "vitro/report/units.h"

namespace vitro::nn {
namespace {

struct Count {
  int64_t all = 0, trainable = 0;
  double bytes = 0;
};
void add(const Tensor& tensor, Count& to) {
  if (!tensor.defined()) return;
  const int64_t n = tensor.numel().value();
  to.all += n;
  if (tensor.requires_grad()) to.trainable += n;
  to.bytes += static_cast<double>(n) * static_cast<double>(bytes_of(tensor.dtype()));
}

Count parameters_of(Module& module) {
  Count out;
  for (const Tensor* parameter : module.parameters()) add(*parameter, out);
  return out;
}

}  // namespace

std::string summary(Module& model) {
  report::Table table({{"Module", report::Align::left},
                       {"Kind", report::Align::left},
                       {"Parameters"},
                       {"Share"},
                       {"Trainable"}});
  const Count total = parameters_of(model);
  const auto row = [&](const std::string& path, Module& module) {
    const Count count = parameters_of(module);
    table.row({path, module.kind(), cat(count.all),
               report::percent_text(static_cast<double>(count.all), static_cast<double>(total.all)),
               cat(count.trainable)});
  };
  for (const auto& [path, module] : model.named_modules())
    if (module != &model) row(path, *module);
  row("total", model);
  Count buffers;
  for (const auto& [name, buffer] : model.named_buffers()) add(*buffer, buffers);
  return cat(table.text(), "buffers: ", buffers.all,
             "; memory: ", report::bytes_text(total.bytes + buffers.bytes), '\n');
}

}  // namespace vitro::nn
