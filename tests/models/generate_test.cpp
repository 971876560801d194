// Caches of keys and values, the choice of tokens, and generated texts.
#include "vitro/models/generate.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "error_of.h"
#include "made_up.h"
#include "vitro/models/gpt2.h"
#include "vitro/models/llama.h"
#include "vitro/vitro.h"

namespace vitro::models {
namespace {

constexpr Gpt2Config small_gpt2{
    .vocabulary = 50, .width = 48, .layers = 2, .heads = 4, .positions = 96};
constexpr LlamaConfig small_llama{.vocabulary = 50,
                                  .width = 48,
                                  .layers = 2,
                                  .heads = 6,
                                  .inner = 80,
                                  .kv_heads = 2,
                                  .positions = 96};

// Calls `test` with each model, with made-up weights.
void for_each_model(const std::function<void(LanguageModel& model)>& test) {
  const NoGrad inference;
  Gpt2 gpt2(small_gpt2);
  Llama llama(small_llama);
  for (LanguageModel* model :
       {static_cast<LanguageModel*>(&gpt2), static_cast<LanguageModel*>(&llama)}) {
    fill(*model);
    model->eval();
    test(*model);
  }
}

void expect_close(const Tensor& got, const Tensor& want) {
  EXPECT_TRUE(allclose(got, want, 1e-4, 1e-4)) << got.sizes() << want.sizes();
}

TEST(KvCache, gives_the_logits_of_the_whole_text_however_it_is_divided) {
  for_each_model([](const LanguageModel& model) {
    const Tensor ids = made_up_tokens(2, 20, 50);
    const Tensor whole = model(ids);
    KvCache cache = model.cache(2, 24);
    for (const std::vector<int64_t>& parts :
         {std::vector<int64_t>{20}, {7, 1, 1, 5, 6}, {1, 1, 18}}) {
      cache.truncate(0);
      for (const int64_t n : parts) {
        const int64_t begin = cache.length();
        const Tensor part = slice(ids, 1, begin, begin + n);
        expect_close(model(part, cache), slice(whole, 1, begin, begin + n));
      }
      EXPECT_EQ(cache.length(), 20);
    }
  });
}

TEST(KvCache, goes_on_after_the_tokens_that_it_keeps) {
  for_each_model([](const LanguageModel& model) {
    const Tensor ids = made_up_tokens(1, 12, 50);
    KvCache cache = model.cache(1, 12);
    (void)model(cat({slice(ids, 1, 0, 5), slice(ids, 1, 0, 7)}, 1), cache);
    cache.truncate(5);
    expect_close(model.next(slice(ids, 1, 5, 12), cache), select(model(ids), 1, -1));
  });
}

TEST(KvCache, one_compiled_program_serves_every_token) {
  for_each_model([](const LanguageModel& model) {
    const Tensor ids = made_up_tokens(1, 60, 50);
    const Tensor whole = model(ids);
    KvCache cache = model.cache(1, 64);
    const auto fast = compile([&](const Tensor& x) { return model(x, cache); });
    expect_close(fast(slice(ids, 1, 0, 9)), slice(whole, 1, 0, 9));
    for (int64_t at = 9; at < 60; ++at)
      expect_close(fast(slice(ids, 1, at, at + 1)), slice(whole, 1, at, at + 1));
    const CompiledReport report = fast.report();
    EXPECT_LE(report.segments.size(), 3u);  // the prompt, the first token, any token
    EXPECT_TRUE(report.breaks.empty());
    EXPECT_TRUE(report.fallbacks.empty());
    EXPECT_LE(report.segments.back().kernels, 2 * 16);  // half of them pack a weight, once
  });
}

TEST(KvCache, says_what_does_not_fit) {
  for_each_model([](const LanguageModel& model) {
    KvCache cache = model.cache(1, 8);
    (void)model(made_up_tokens(1, 6, 50), cache);
    EXPECT_EQ(error_of([&] { (void)model(made_up_tokens(1, 3, 50), cache); }),
              "KvCache: 6 and 3 more tokens do not fit into a capacity of 8");
    EXPECT_EQ(cache.length(), 6);
    EXPECT_EQ(error_of([&] { (void)model(made_up_tokens(2, 1, 50), cache); }),
              "KvCache: is for a batch of 1, got 2");
    EXPECT_EQ(error_of([&] { cache.truncate(7); }), "KvCache: cannot keep 7 tokens: there are 6");
  });
  EXPECT_EQ(
      error_of([] { KvCache({.layers = 1, .batch = 0, .heads = 1, .capacity = 8, .width = 4}); }),
      "KvCache: a batch of 0 with a capacity of 8: both must be positive");
  const KvCache cache({.layers = 1, .batch = 1, .heads = 2, .capacity = 8, .width = 4});
  const Tensor one = ones({1, 1, 3, 4}), two = ones({1, 2, 3, 4});
  EXPECT_EQ(error_of([&] { (void)cache.append(0, one, one); }),
            "KvCache: has 2 heads of 4, got keys [1, 1, 3, 4] and values [1, 1, 3, 4]");
  EXPECT_EQ(error_of([&] { (void)cache.append(1, two, two); }), "KvCache: no layer 1, there are 1");
}

// By the whole text for each token.
Tensor greedy(const LanguageModel& model, const Tensor& ids, int64_t count) {
  Tensor text = ids;
  for (int64_t i = 0; i < count; ++i) text = cat({text, argmax(slice(model(text), 1, -1), -1)}, 1);
  return text;
}

TEST(Generate, takes_the_most_likely_token_eagerly_and_compiled) {
  for_each_model([](const LanguageModel& model) {
    for (const int64_t batch : {1, 3}) {
      const Tensor ids = made_up_tokens(batch, 7, 50);
      const Tensor want = greedy(model, ids, 50);
      EXPECT_TRUE(equal(generate(model, ids, {.max_new_tokens = 50}), want));
      Decoder decoder(model, {.batch = batch});
      EXPECT_TRUE(equal(decoder.generate(ids, {.max_new_tokens = 50}), want));
    }
  });
}

TEST(Generate, compiles_two_programs_for_any_number_of_texts_and_tokens) {
  for_each_model([](const LanguageModel& model) {
    Decoder decoder(model);
    for (const int64_t length : {7, 12, 3, 20}) {
      const Tensor ids = made_up_tokens(1, length, 50);
      EXPECT_TRUE(equal(decoder.generate(ids, {.max_new_tokens = 20}), greedy(model, ids, 20)));
    }
    const CompiledReport prompt = decoder.prompt_report(), token = decoder.token_report();
    EXPECT_LE(prompt.segments.size(), 2u);  // for 7 tokens, then for any number
    EXPECT_LE(token.segments.size(), 2u);   // for one position, then for any
    EXPECT_EQ(token.calls, 4u * 19u);
    EXPECT_TRUE(prompt.fallbacks.empty() && token.fallbacks.empty());
    EXPECT_TRUE(prompt.breaks.empty() && token.breaks.empty());
  });
}

TEST(Generate, draws_the_same_tokens_from_the_same_seed) {
  for_each_model([](const LanguageModel& model) {
    const Tensor ids = made_up_tokens(2, 7, 50);
    GenerateOptions options{.max_new_tokens = 30, .do_sample = true, .top_k = 10, .top_p = 0.9};
    options.seed = 1;
    const Tensor first = generate(model, ids, options);
    EXPECT_TRUE(equal(generate(model, ids, options), first));
    Decoder decoder(model, {.batch = 2});
    EXPECT_TRUE(equal(decoder.generate(ids, options), first));
    options.seed = 2;
    EXPECT_FALSE(equal(decoder.generate(ids, options), first));
    for (const double temperature : {0.7, 0.8, 0.9, 1.1}) {
      options.temperature = temperature;
      EXPECT_TRUE(equal(decoder.generate(ids, options), generate(model, ids, options)));
    }
    EXPECT_LE(decoder.token_report().segments.size(), 4u);  // for one position and temperature, any
  });
}

TEST(Generate, ends_a_text_with_its_last_token) {
  for_each_model([](const LanguageModel& model) {
    const Tensor ids = made_up_tokens(2, 7, 50);
    const Tensor text = greedy(model, ids, 30);
    const auto token = select(select(text, 0, 0), 0, 10).item<int64_t>();  // the fourth new one
    const GenerateOptions options{.max_new_tokens = 30, .eos_token_id = token};
    std::vector<std::vector<int64_t>> steps;
    Decoder decoder(model, {.batch = 2});
    const Tensor ended = decoder.generate(
        ids, options, [&](const Tensor& t) { steps.push_back(t.to_vector<int64_t>()); });
    EXPECT_EQ(ended.size(1).value(), 7 + static_cast<int64_t>(steps.size()));
    for (int64_t row = 0; row < 2; ++row) {
      bool after = false;
      for (int64_t i = 7; i < ended.size(1); ++i) {
        const auto want = select(select(text, 0, row), 0, i).item<int64_t>();
        EXPECT_EQ(select(select(ended, 0, row), 0, i).item<int64_t>(), after ? token : want);
        after = after || want == token;
      }
    }
    const Tensor alone = generate(model, slice(ids, 0, 0, 1), options);
    EXPECT_LE(alone.size(1).value(), 11);
    EXPECT_EQ(select(select(alone, 0, 0), 0, -1).item<int64_t>(), token);
  });
}

// How often each token was drawn from one row of logits.
std::map<int64_t, int> counts(const std::vector<float>& logits, const GenerateOptions& options,
                              int64_t draws) {
  const auto width = static_cast<int64_t>(logits.size());
  const Tensor rows = expand(Tensor::from(logits, {1, width}), {draws, width});
  std::map<int64_t, int> out;
  for (const int64_t token : choose_tokens(rows, options).to_vector<int64_t>()) ++out[token];
  return out;
}

std::set<int64_t> drawn(const std::vector<float>& logits, const GenerateOptions& options) {
  std::set<int64_t> out;
  for (const auto& [token, count] : counts(logits, options, 2000)) out.insert(token);
  return out;
}

TEST(ChooseTokens, keeps_the_most_likely_ones) {
  manual_seed(1);
  // Probabilities 0.1, 0.4, 0.2, 0.3.
  const std::vector<float> logits{std::log(1.0F), std::log(4.0F), std::log(2.0F), std::log(3.0F)};
  using Tokens = std::set<int64_t>;
  EXPECT_EQ(drawn(logits, {}), Tokens{1});
  EXPECT_EQ(drawn(logits, {.do_sample = true}), (Tokens{0, 1, 2, 3}));
  EXPECT_EQ(drawn(logits, {.do_sample = true, .top_k = 0}), (Tokens{0, 1, 2, 3}));
  EXPECT_EQ(drawn(logits, {.do_sample = true, .top_k = 2}), (Tokens{1, 3}));
  EXPECT_EQ(drawn(logits, {.do_sample = true, .top_p = 0.35}), Tokens{1});
  EXPECT_EQ(drawn(logits, {.do_sample = true, .top_p = 0.6}), (Tokens{1, 3}));
  EXPECT_EQ(drawn(logits, {.do_sample = true, .top_k = 0, .top_p = 0.8}), (Tokens{1, 2, 3}));
  EXPECT_EQ(drawn(logits, {.do_sample = true, .top_k = 1, .top_p = 0.8}), Tokens{1});
}

TEST(ChooseTokens, draws_by_the_probabilities_at_a_temperature) {
  manual_seed(1);
  const std::vector<float> logits{std::log(1.0F), std::log(4.0F)};
  constexpr int draws = 20000;
  const auto share = [&](double temperature) {
    const GenerateOptions options{.do_sample = true, .temperature = temperature};
    return counts(logits, options, draws)[1] / static_cast<double>(draws);
  };
  EXPECT_NEAR(share(1), 0.8, 0.015);
  EXPECT_NEAR(share(2), 2.0 / 3, 0.015);      // the square roots: 2 to 1
  EXPECT_NEAR(share(0.5), 16.0 / 17, 0.015);  // the squares
}

TEST(Generate, says_which_option_is_wrong) {
  for_each_model([](const LanguageModel& model) {
    const Tensor ids = made_up_tokens(1, 7, 50);
    const auto error = [&](const GenerateOptions& options) {
      return error_of([&] { (void)generate(model, ids, options); });
    };
    EXPECT_EQ(error({.do_sample = true, .temperature = 0}),
              "generate: the temperature must be positive, got 0.0");
    EXPECT_EQ(error({.do_sample = true, .top_k = -1}),
              "generate: top_k must not be negative, got -1");
    EXPECT_EQ(error({.do_sample = true, .top_p = 1.5}),
              "generate: top_p must be in (0, 1], got 1.5");
    EXPECT_EQ(error({.max_new_tokens = -8}),
              "generate: max_new_tokens must not be negative, got -8");
    EXPECT_EQ(error({.max_new_tokens = 90}),
              "generate: texts of 97 tokens, but the model has 96 positions");
    Decoder decoder(model, {.capacity = 8});
    EXPECT_EQ(error_of([&] { (void)decoder.generate(ids, {.max_new_tokens = 2}); }),
              "generate: 7 tokens and 2 new ones do not fit into a capacity of 8");
    EXPECT_EQ(error_of([&] { (void)decoder.generate(slice(ids, 1, 0, 0)); }),
              "generate: needs a prompt [batch, length] of one token or more, got [1, 0]");
  });
}

}  // namespace
}  // namespace vitro::models
