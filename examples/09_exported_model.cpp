// Lesson 9: a model that PyTorch exported.
//
// The file comes from Python:
//
//   class Dynamic(nn.Module):
//       def __init__(self):
//           super().__init__()
//           self.e = nn.Embedding(10, 4)
//
//       def forward(self, ids, x):
//           b, s = ids.shape
//           y = self.e(ids).reshape(b * s, 4)
//           m = torch.full((b, s), -float("inf")).triu(1)
//           y = y.view(b, s, 4) + x[:, : s // 2 + 1].sum(1, keepdim=True)
//           return y, m.expand(b, s), torch.arange(b * 2), s - 1
//
//   sizes = {0: Dim("batch", min=1, max=64), 1: 2 * Dim("_seq", min=1, max=64)}
//   example = (torch.randint(0, 10, (2, 6)), torch.randn(2, 6, 4))
//   program = torch.export.export(Dynamic(), example, dynamic_shapes={"ids": sizes, "x": sizes})
//   torch.export.save(program, "dynamic.pt2")
//
// `vitro run model.pt2` and `vitro inspect model.pt2` do most of what follows without a program.
#include <vitro/vitro.h>

#include <cstdio>
#include <iostream>
#include <string>
#include <vector>

#include "test_data.h"

namespace {

using vitro::Tensor;

void describe(const vitro::ExportedModel& model) {
  std::cout << "exported by PyTorch " << model.torch_version() << '\n';
  for (const vitro::ModelInput& one : model.inputs()) std::cout << "input " << one.text() << '\n';
  for (const vitro::ModelOutput& one : model.outputs())
    std::cout << "output " << one.text() << '\n';
  for (const vitro::ModelWeight& one : model.parameters())
    std::cout << "parameter " << one.name << ": " << one.tensor.dtype() << one.tensor.sizes()
              << '\n';
}

// Kernels may round otherwise than single ops do.
bool are_close(const vitro::ModelResults& a, const vitro::ModelResults& b) {
  for (size_t i = 0; i < a.size(); ++i) {
    const auto* tensor = std::get_if<Tensor>(&a.value(i));
    if (tensor && !vitro::allclose(*tensor, b[i])) return false;
  }
  return a.size() == b.size();
}

}  // namespace

int main(int argc, char** argv) try {
  const auto model = vitro::load(argc > 1 ? argv[1] : VITRO_TEST_DATA "/pt2/dynamic.pt2");
  describe(model);

  // Inputs are given by position or by name; the file has the example of the export.
  const std::vector<Tensor> example = model.example();
  const Tensor ids = example.at(0), x = example.at(1);
  const vitro::ModelResults eager = model({ids, x});
  const vitro::ModelResults by_name = model({{"x", x}, {"ids", ids}});
  if (!are_close(eager, by_name)) return std::printf("by position and by name differ\n"), 1;
  std::cout << "output_0 = " << by_name["output_0"] << '\n';

  // Compiled: the same model with fused kernels, here at once for all sizes of the export.
  const vitro::ExportedModel fast = model.compile({.dynamic = true});
  for (const int64_t batch : {2, 5}) {
    const Tensor words = vitro::randint(0, 10, {batch, 8});
    const Tensor more = vitro::nn::normal({batch, 8, 4}, 0, 1);
    if (!are_close(model({words, more}), fast({words, more})))
      return std::printf("eager and compiled differ\n"), 1;
  }

  // A profile of one call.
  vitro::Profiler profiler;
  (void)fast({ids, x});
  profiler.stop();
  std::cout << profiler.averages().table() << '\n';

  // Each op and each kernel is shown with its lines of the Python code,
  std::cout << vitro::explain(fast.report()) << '\n';
  // and an error says where the model was, too.
  try {
    fast({vitro::full({2, 6}, 10, vitro::DType::i64), x});
  } catch (const vitro::Error& error) {
    std::cout << error.what() << '\n';
    return error.location().empty() ? 1 : 0;
  }
  return std::printf("index 10 of 10 was taken\n"), 1;
} catch (const vitro::Error& error) {
  return std::cerr << error.what() << '\n', 1;
}
