// Lesson 6: see graph breaks in a trace.
//
// Four blocks with three breaks between them: the trace shows a compiled region for each, and the
// breaks with their reasons and places.  A schedule skips the step that compiles.
#include <vitro/vitro.h>

#include <cstdio>
#include <map>
#include <set>
#include <string>

namespace {

using vitro::Tensor;

struct Block : vitro::nn::Module {
  Block(Module& owner, std::string name) : Module(owner, std::move(name)) {}
  vitro::nn::Linear first{*this, "0", 128, 128}, second{*this, "2", 128, 128};
  Tensor operator()(const Tensor& x) const {
    const auto here = scope();
    return vitro::relu(second(vitro::relu(first(x))));
  }
};

struct ModelWithBreaks : vitro::nn::Module {
  Block mod1{*this, "mod1"}, mod2{*this, "mod2"}, mod3{*this, "mod3"}, mod4{*this, "mod4"};
  Tensor operator()(const Tensor& x) const {
    const Tensor a = mod1(x);
    vitro::graph_break("after mod1");
    const Tensor b = mod2(a);
    vitro::graph_break("after mod2");
    const Tensor c = mod3(b);
    vitro::graph_break("after mod3");
    return mod4(c);
  }
};

}  // namespace

int main() try {
  const ModelWithBreaks model;
  auto fast = vitro::compile([&](const Tensor& x) { return model(x); });
  const Tensor x = vitro::nn::normal({128, 128}, 0, 1);

  // Each break is recorded once in every recording whose calls reach it.
  vitro::Profiler first_call;
  (void)fast(x).to_vector<float>();
  first_call.stop();
  size_t breaks = 0;
  for (const vitro::Track& track : first_call.profile().tracks) {
    for (const vitro::Incident& incident : track.incidents) {
      if (incident.kind != "break") continue;
      ++breaks;
      std::printf("%s %s: %s\n", incident.code.c_str(), incident.location.c_str(),
                  incident.reason.c_str());
    }
  }

  // Later calls consist of four compiled regions each.
  vitro::Profiler profiler({.schedule = vitro::schedule({.warmup = 1, .active = 3, .repeat = 1})});
  for (int i = 0; i < 4; ++i) {
    (void)fast(x).to_vector<float>();
    profiler.step();
  }
  profiler.stop();
  std::map<std::string, int> regions;
  for (const vitro::FunctionEvent& event : profiler.events()) {
    if (event.kind == vitro::SliceKind::region) ++regions[std::string(event.name)];
  }
  for (const auto& [name, count] : regions) std::printf("%d x %s\n", count, name.c_str());
  profiler.write_trace("trace_break.json");
  std::printf("trace_break.json opens in Perfetto\n");
  return breaks == 3 && regions.size() == 4 ? 0 : 1;
} catch (const vitro::Error& error) {  // for example if VITRO_PROFILE is recording already
  return std::fprintf(stderr, "%s\n", error.what()), 1;
}
