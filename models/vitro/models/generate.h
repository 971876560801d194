// Text from a language model, token by token. Names and defaults are those of `generate` in
// transformers.
//   Decoder decoder(model);                                        // compiled
//   Tensor ids = decoder.generate(prompt, {.max_new_tokens = 50});  // the most likely tokens
//   ids = decoder.generate(prompt, {.do_sample = true, .temperature = 0.8, .seed = 1});
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "vitro/compile/compile.h"
#include "vitro/models/language_model.h"

namespace vitro::models {

struct GenerateOptions {
  int64_t max_new_tokens = 20;
  bool do_sample = false;  // draw tokens by their probabilities; else take the most likely one
  // When drawing: logits are divided by the temperature, which must be positive; then only the k
  // most likely tokens are kept (0: all), and of these the fewest whose probabilities sum up to
  // top_p.
  double temperature = 1;
  int64_t top_k = 50;
  double top_p = 1;
  // Calls manual_seed() first. None: the numbers are the next ones of the process.
  std::optional<uint64_t> seed = {};
  // A text ends with this token; in a batch, what follows is the same token.
  std::optional<int64_t> eos_token_id = {};
};

// Logits [batch, vocabulary] -> tokens [batch] i64.
Tensor choose_tokens(const Tensor& logits, const GenerateOptions& options = {});

struct DecoderOptions {
  int64_t batch = 1;
  int64_t capacity = 0;  // tokens of a text, with the prompt; 0: the positions of the model
  bool compiled = true;
};

// Generates texts with one cache and, if compiled, two programs: for prompts, and for a token that
// follows. The model must live as long, and should be in evaluation mode.
// Threads: one at a time.
class Decoder {
 public:
  explicit Decoder(const LanguageModel& model, const DecoderOptions& options = {});
  Decoder(const Decoder&) = delete;

  // input_ids [batch, length] i64 -> the prompt and the new tokens [batch, length + new].
  // `on_tokens` gets the new tokens of each step, [batch, 1]. Error if the prompt is empty, or if
  // prompt and new tokens do not fit into the capacity.
  Tensor generate(const Tensor& input_ids, const GenerateOptions& options = {},
                  const std::function<void(const Tensor& tokens)>& on_tokens = {});

  // Of the two programs; empty if not compiled.
  CompiledReport prompt_report() const { return prompt_.report(); }
  CompiledReport token_report() const { return token_.report(); }

 private:
  using Step = std::function<Tensor(const Tensor& input_ids)>;
  Tensor step(const Tensor& input_ids);  // the tokens that follow, [batch, 1]
  void check(const Tensor& input_ids, const GenerateOptions& options) const;

  const LanguageModel& model_;
  bool is_compiled_;
  KvCache cache_;
  GenerateOptions options_;  // of the call that runs
  Compiled<Step> prompt_, token_;
};

// One text, without compiling.
Tensor generate(const LanguageModel& model, const Tensor& input_ids,
                const GenerateOptions& options = {});

}  // namespace vitro::models
