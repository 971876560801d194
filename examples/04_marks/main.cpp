// Lesson 4: see a program in VTune or Nsight.
//
// A convolution and a linear layer, three iterations, each marked by name.  A profiler's timeline
// shows iteration_0, iteration_1 and iteration_2, inside each aten::convolve and aten::linear, and
// inside these the ops that they consist of; without a profiler the marks cost nothing.
//   vtune -collect threading -- examples/04_marks/launch.sh
//   nsys profile --trace=nvtx examples/04_marks/launch.sh
#include <vitro/vitro.h>

#include <cstdio>
#include <string>

namespace nn = vitro::nn;

class Sample : public nn::Module {
 public:
  vitro::Tensor operator()(const vitro::Tensor& images) const {
    const vitro::Tensor y = conv(images);
    return linear(vitro::view(y, {y.size(0), -1}));
  }
  nn::Conv2d conv{*this, "conv", 3, 5, 3};
  nn::Linear linear{*this, "linear", 292'820, 1000};
};

int main() {
  const Sample model;
  const vitro::Tensor images = nn::uniform({10, 3, 244, 244}, 0, 1);

  const auto marks = vitro::emit_itt();        // every op from here on, for VTune
  const auto nvtx_marks = vitro::emit_nvtx();  // and for Nsight
  vitro::Tensor y;
  for (int i = 0; i < 3; ++i) {
    const auto iteration = vitro::itt::range("iteration_" + std::to_string(i));
    const auto same = vitro::nvtx::range("iteration_" + std::to_string(i));
    y = model(images);
  }
  std::printf("%lld x %lld results, the first is %g; ITT %s, NVTX %s\n",
              static_cast<long long>(y.size(0).value()), static_cast<long long>(y.size(1).value()),
              y.to_vector<float>()[0], vitro::itt::is_available() ? "listens" : "does not listen",
              vitro::nvtx::is_available() ? "listens" : "does not listen");
  return y.size(0) == 10 && y.size(1) == 1000 ? 0 : 1;
}
