// The choice of tokens, and the loop that generates them; see generate.h.
#include "vitro/models/generate.h"

#include "vitro/base/error.h"
#include "vitro/core/generator.h"
#include "vitro/core/interpreter.h"
#include "vitro/ops/all.h"

namespace vitro::models {
namespace {

int64_t capacity_of(const LanguageModel& model, const DecoderOptions& options) {
  VITRO_CHECK(options.capacity <= model.positions(), "generate: texts of ", options.capacity,
              " tokens, but the model has ", model.positions(), " positions");
  return options.capacity == 0 ? model.positions() : options.capacity;
}

void check(const GenerateOptions& options) {
  VITRO_CHECK(options.max_new_tokens >= 0, "generate: max_new_tokens must not be negative, got ",
              options.max_new_tokens);
  if (!options.do_sample) return;
  VITRO_CHECK(options.temperature > 0, "generate: the temperature must be positive, got ",
              options.temperature);
  VITRO_CHECK(options.top_k >= 0, "generate: top_k must not be negative, got ", options.top_k);
  VITRO_CHECK(options.top_p > 0 && options.top_p <= 1, "generate: top_p must be in (0, 1], got ",
              options.top_p);
}

}  // namespace

Tensor choose_tokens(const Tensor& logits, const GenerateOptions& options) {
  check(options);
  if (!options.do_sample) return argmax(logits, -1);
  const Tensor scores = logits / options.temperature;
  const Size count = options.top_k == 0 ? logits.size(1) : min(options.top_k, logits.size(1));
  if (options.top_p == 1 && count == logits.size(1))
    return squeeze(multinomial(softmax(scores, -1), 1), 1);
  const auto [best, tokens] = topk(scores, count);
  const Tensor probabilities = softmax(best, -1);
  const Tensor before = cumsum(probabilities, -1) - probabilities;
  const Tensor kept = where(before < options.top_p, probabilities, 0.0);
  return squeeze(gather(tokens, 1, multinomial(kept, 1)), 1);
}

Decoder::Decoder(const LanguageModel& model, const DecoderOptions& options)
    : model_(model),
      is_compiled_(options.compiled),
      cache_(model.cache(options.batch, capacity_of(model, options))),
      prompt_([this](const Tensor& ids) { return step(ids); }, {.name = "prompt"}),
      token_([this](const Tensor& ids) { return step(ids); }, {.name = "token"}) {}

Tensor Decoder::step(const Tensor& input_ids) {
  return unsqueeze(choose_tokens(model_.next(input_ids, cache_), options_), 1);
}

void Decoder::check(const Tensor& input_ids, const GenerateOptions& options) const {
  models::check(options);
  VITRO_CHECK(input_ids.rank() == 2 && input_ids.size(1) > 0,
              "generate: needs a prompt [batch, length] of one token or more, got ",
              input_ids.sizes());
  VITRO_CHECK(input_ids.size(1) + options.max_new_tokens <= cache_.capacity(),
              "generate: ", input_ids.size(1), " tokens and ", options.max_new_tokens,
              " new ones do not fit into a capacity of ", cache_.capacity());
}

Tensor Decoder::generate(const Tensor& input_ids, const GenerateOptions& options,
                         const std::function<void(const Tensor& tokens)>& on_tokens) {
  check(input_ids, options);
  const NoGrad inference;
  options_ = options;
  cache_.truncate(0);
  if (options.seed) manual_seed(*options.seed);
  std::vector<Tensor> text{input_ids};
  Tensor ended;
  for (int64_t i = 0; i < options.max_new_tokens; ++i) {
    const Compiled<Step>& program = i == 0 ? prompt_ : token_;
    Tensor tokens = is_compiled_ ? program(text.back()) : step(text.back());
    if (options.eos_token_id) {
      if (ended.defined()) tokens = where(ended, *options.eos_token_id, tokens);
      ended = eq(tokens, *options.eos_token_id);
    }
    text.push_back(tokens);
    if (on_tokens) on_tokens(tokens);
    if (ended.defined() && all(ended).item<bool>()) break;
  }
  return cat(text, 1);
}

Tensor generate(const LanguageModel& model, const Tensor& input_ids,
                const GenerateOptions& options) {
  check(options);
  const Size capacity = input_ids.size(1) + options.max_new_tokens;
  Decoder decoder(
      model, {.batch = input_ids.size(0).value(), .capacity = capacity.value(), .compiled = false});
  return decoder.generate(input_ids, options);
}

}  // namespace vitro::models
