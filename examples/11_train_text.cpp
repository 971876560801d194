// Lesson 11: a language model.
//
// A small GPT-2 learns from the pages of this repository which character follows the others, and
// then writes a few lines itself.  The whole training step is one compiled program.
//
//   train_text [FILE [STEPS]]
#include <vitro/models/generate.h>
#include <vitro/models/gpt2.h>
#include <vitro/vitro.h>

#include <cstdio>
#include <iostream>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "test_data.h"
#include "training_bar.h"

namespace {

namespace data = vitro::data;
namespace models = vitro::models;
namespace optim = vitro::optim;
using vitro::Tensor;

constexpr int64_t length = 64;  // characters that the model sees at once

// The characters of ASCII in the files.
std::string read_text(const std::vector<std::string>& paths) {
  std::string text;
  for (const std::string& path : paths) {
    const std::string bytes = *data::read_bytes(path);
    for (const char c : bytes)
      if (static_cast<unsigned char>(c) < 128) text += c;
  }
  return text;
}

std::vector<std::string> pages_of_the_repository() {
  const std::string root = VITRO_TEST_DATA "/../../";
  std::vector<std::string> paths{root + "README.md"};
  for (const char* page : {"architecture", "backend", "behaviour", "capture", "numerics", "traces"})
    paths.push_back(vitro::cat(root, "docs/", page, ".md"));
  return paths;
}

float mean(const std::vector<float>& losses, size_t first, size_t count) {
  const auto begin = losses.begin() + static_cast<ptrdiff_t>(first);
  return std::accumulate(begin, begin + static_cast<ptrdiff_t>(count), 0.0F) /
         static_cast<float>(count);
}

// Goes on after the prompt, whose characters the alphabet must have.
std::string write(const models::Gpt2& model, const data::Characters& characters,
                  const std::string& prompt) {
  std::vector<int64_t> ids;
  for (const char c : prompt) ids.push_back(static_cast<int64_t>(characters.alphabet.find(c)));
  const Tensor all = models::generate(
      model, Tensor::from(ids, {1, static_cast<int64_t>(ids.size())}),
      {.max_new_tokens = length - static_cast<int64_t>(ids.size()), .do_sample = true, .top_k = 5});
  std::string out;
  for (const int64_t id : all.to_vector<int64_t>())
    out += characters.alphabet[static_cast<size_t>(id)];
  return out;
}

// What texts begin with: of a text of the user, its own beginning, whose characters the alphabet
// has.
std::vector<std::string> prompts_for(const std::string& text, bool is_of_user) {
  if (is_of_user) return {text.substr(0, 8)};
  return {"The ", "A compiled ", "If a "};
}

}  // namespace

int main(int argc, char** argv) try {
  const std::string text =
      read_text(argc > 1 ? std::vector<std::string>{argv[1]} : pages_of_the_repository());
  const int64_t steps = argc > 2 ? std::stoll(argv[2]) : 300;
  if (steps < 10) throw std::invalid_argument("train_text: needs 10 steps or more");
  vitro::manual_seed(1);

  const data::Characters characters = data::characters_of(text);
  const data::SequenceDataset windows(characters.numbers, length);
  data::DataLoader loader(windows,
                          {.batch_size = 16, .shuffle = true, .drop_last = true, .num_workers = 1});
  if (loader.size() == 0) throw std::invalid_argument("train_text: the text is too short");

  models::Gpt2 model({.vocabulary = static_cast<int64_t>(characters.alphabet.size()),
                      .width = 96,
                      .layers = 3,
                      .heads = 4,
                      .positions = length,
                      .dropout = 0.05});
  model.requires_grad_();
  optim::AdamW optimizer(model.parameters(), {.lr = 2e-3});
  optim::OneCycleLR schedule(optimizer, 4e-3, steps);
  const auto step = vitro::compile(
      [&](const Tensor& x, const Tensor& y) {
        optimizer.zero_grad();
        const Tensor loss = cross_entropy_loss(flatten(model(x), 0, 1), flatten(y));
        loss.backward();
        vitro::nn::clip_grad_norm_(model.parameters(), 1.0);
        optimizer.step();
        optimizer.zero_grad();
        return detach(loss);
      },
      {.name = "step"});

  std::vector<float> losses;
  TrainingBar bar(steps, "characters");
  while (static_cast<int64_t>(losses.size()) < steps) {
    for (const data::Sample& batch : loader) {
      if (static_cast<int64_t>(losses.size()) == steps) break;
      losses.push_back(step(batch[0], batch[1]).item<float>());
      schedule.step();
      bar.step(losses.back(), batch[0].numel().value());
      if (losses.size() % 50 == 0)
        std::printf("step %zu: loss %.3f\n", losses.size(), mean(losses, losses.size() - 10, 10));
    }
  }

  std::cout << explain(step).so_far().summary();
  const float first = losses.front(), last = mean(losses, losses.size() - 10, 10);
  std::printf("loss of the first step %.3f, of the last ten %.3f; %lld characters a second\n",
              first, last, static_cast<long long>(bar.rate()));
  model.eval();
  for (const std::string& prompt : prompts_for(text, argc > 1))
    std::printf("--- %s\n", write(model, characters, prompt).c_str());
  return last < 0.65F * first ? 0 : 1;
} catch (const std::exception& e) {
  std::cerr << e.what() << '\n';
  return 1;
}
