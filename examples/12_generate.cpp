// Lesson 12: text, token by token.
//
// A language model computes the probabilities of the next token from all those before.  With a
// cache of their keys and values each new token costs one step of the model, not the whole text.
// Compiled, that step is one program for every position: the cache has a fixed capacity, is written
// in place, and the position is an argument.
//
//   generate [TOKENS]   at least 10, as many as are drawn at the end
//
// The weights are random, so the text means nothing, but its tokens are the same in all three ways.
#include <vitro/models/generate.h>
#include <vitro/models/gpt2.h>
#include <vitro/vitro.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <iostream>
#include <string>

namespace {

namespace models = vitro::models;
using vitro::Tensor;

// The whole text anew for each token.
Tensor generate_without_cache(const models::Gpt2& model, const Tensor& prompt, int64_t tokens) {
  Tensor text = prompt;
  for (int64_t i = 0; i < tokens; ++i)
    text = vitro::cat({text, vitro::argmax(vitro::slice(model(text), 1, -1), -1)}, 1);
  return text;
}

Tensor timed(const char* how, int64_t tokens, const std::function<Tensor()>& generate) {
  const auto begin = std::chrono::steady_clock::now();
  const Tensor text = generate();
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
  std::printf("%-30s %8.1f tokens/s\n", how, static_cast<double>(tokens) / time.count());
  return text;
}

}  // namespace

int main(int argc, char** argv) try {
  const int64_t tokens = std::max<int64_t>(10, argc > 1 ? std::stoll(argv[1]) : 100);
  vitro::manual_seed(1);
  const vitro::NoGrad inference;

  const int64_t prompt_length = 16;
  models::Gpt2 model({.vocabulary = 5000,
                      .width = 256,
                      .layers = 4,
                      .heads = 8,
                      .positions = prompt_length + tokens});
  model.eval();
  const Tensor prompt = vitro::randint(5000, {1, prompt_length});

  const models::GenerateOptions greedy{.max_new_tokens = tokens};
  models::Decoder eager(model, {.compiled = false}), compiled(model);
  (void)compiled.generate(prompt, greedy);  // compiles

  const Tensor all = timed("without a cache", tokens,
                           [&] { return generate_without_cache(model, prompt, tokens); });
  const Tensor cached =
      timed("with a cache", tokens, [&] { return eager.generate(prompt, greedy); });
  const Tensor fast =
      timed("with a cache, compiled", tokens, [&] { return compiled.generate(prompt, greedy); });

  const vitro::CompiledReport report = compiled.token_report();
  std::printf("%llu compiled steps ran %zu programs, the last of %d kernels\n",
              static_cast<unsigned long long>(report.calls), report.segments.size(),
              report.segments.back().kernels);

  // Drawn by their probabilities, the tokens follow from the seed.
  std::printf("drawn:");
  (void)compiled.generate(
      prompt,
      {.max_new_tokens = 10, .do_sample = true, .temperature = 0.8, .top_p = 0.95, .seed = 7},
      [](const Tensor& token) {
        std::printf(" %lld", static_cast<long long>(token.item<int64_t>()));
      });
  std::printf("\n");
  return vitro::equal(all, cached) && vitro::equal(cached, fast) ? 0 : 1;
} catch (const std::exception& e) {
  std::cerr << e.what() << '\n';
  return 1;
}
