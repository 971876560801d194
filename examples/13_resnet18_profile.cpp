// Lesson 13: a profile of a network's forward and backward pass.
//
// ResNet-18 is compiled and trained on made-up images; the profiler skips the step that compiles
// and records three.  The trace shows each kernel in the region of its pass, the table where the
// time went.
//
//   resnet18_profile [BATCH [SIDE]]
#include <vitro/models/resnet.h>
#include <vitro/vitro.h>

#include <cstdio>
#include <iostream>
#include <string>

namespace {

using vitro::Tensor;

// How many slices of the recording have a name that begins so.
int count(const vitro::Profiler& profiler, std::string_view name) {
  int found = 0;
  for (const vitro::FunctionEvent& event : profiler.events()) found += event.name.starts_with(name);
  return found;
}

}  // namespace

int main(int argc, char** argv) try {
  const int64_t batch = argc > 1 ? std::stoll(argv[1]) : 5;
  const int64_t side = argc > 2 ? std::stoll(argv[2]) : 224;
  vitro::manual_seed(1);

  vitro::models::ResNet model(vitro::models::ResNetConfig::resnet18());
  model.train();
  model.requires_grad_();
  const auto forward_and_backward = vitro::compile(
      [&](const Tensor& images) {
        model.zero_grad();
        vitro::sum(model(images)).backward();
      },
      {.name = "resnet18"});

  const Tensor images = vitro::randn({batch, 3, side, side});
  vitro::Profiler profiler({.schedule = vitro::schedule({.warmup = 1, .active = 3, .repeat = 1})});
  for (int step = 0; step < 4; ++step) {
    forward_and_backward(images);
    profiler.step();
  }
  profiler.stop();

  std::cout << profiler.averages().table({.sort_by = "self_cpu_time_total", .row_limit = 20})
            << '\n';
  profiler.write_trace("resnet18.json");
  std::cout << "resnet18.json opens in Perfetto and chrome://tracing\n";
  return count(profiler, "ProfilerStep#") == 3 ? 0 : 1;
} catch (const std::exception& e) {
  std::cerr << e.what() << '\n';
  return 1;
}
