// A program of somebody who has only what `cmake --install` put there: a function is compiled, and
// its kernel runs.
#include <vitro/images/file.h>
#include <vitro/models/mlp.h>
#include <vitro/vitro.h>

#include <cstdio>

using vitro::Tensor;

int main() {
  auto fast = vitro::compile([](const Tensor& x) { return vitro::sin(x) + vitro::cos(x); });
  vitro::Profiler profiler;
  const Tensor y = fast(Tensor::from({0.0f, 0.0f, 0.0f}, {3}));
  const float first = y.data<float>()[0];
  profiler.stop();
  std::printf("%s", profiler.averages().table().c_str());
  int kernels = 0;
  for (const auto& entry : profiler.averages().entries())
    kernels += entry.kind == vitro::SliceKind::kernel;
  const vitro::models::Mlp model{3, 2};
  const bool has_models = model(reshape(y, {1, 3})).numel() == 2;
  const Tensor dot = vitro::zeros({1, 1, 1}, vitro::DType::u8);
  const bool has_images = vitro::images::decode_image(vitro::images::encode_png(dot), "dot").ok();
  return first == 1 && kernels == 1 && has_models && has_images ? 0 : 1;
}
