// BERT, GPT-2 and the LSTM language model with made-up weights, compared with the same networks in
// torch. The expected numbers are what tests/models/values/language_models.py prints.
#include <gtest/gtest.h>

#include "error_of.h"
#include "made_up.h"
#include "vitro/models/bert.h"
#include "vitro/models/gpt2.h"
#include "vitro/models/lstm_lm.h"
#include "vitro/vitro.h"

namespace vitro::models {
namespace {

constexpr Gpt2Config small_gpt2{
    .vocabulary = 50, .width = 48, .layers = 3, .heads = 4, .positions = 32};
constexpr BertConfig small_bert{
    .vocabulary = 50, .width = 48, .layers = 3, .heads = 4, .inner = 192, .positions = 32};

TEST(Gpt2, has_the_logits_of_torch_eagerly_and_compiled) {
  Gpt2 model(small_gpt2);
  fill(model);
  check("gpt2", [&](const Tensor& x) { return model(x); }, made_up_tokens(2, 19, 50),
        {9.2981F, 397, {-9.2981263F, 4.2412026F, 4.1316863F, 4.6686846F, 5.018782F}});
}

TEST(Gpt2, needs_few_enough_tokens) {
  Gpt2 model(small_gpt2);
  EXPECT_EQ(error_of([&] { (void)model(made_up_tokens(1, 33, 50)); }),
            "Gpt2: 33 tokens, but there are 32 positions");
}

TEST(Bert, has_the_logits_of_torch_eagerly_and_compiled) {
  BertClassifier model(small_bert, 2);
  fill(model);
  check("bert", [&](const Tensor& x) { return model(x); }, made_up_tokens(5, 19, 50),
        {0.54047F,
         1,
         {-0.51475294F, -0.1921011F, -0.53874249F, -0.19991791F, -0.47874354F, -0.18684787F,
          -0.54047242F, -0.19657472F, -0.47662493F, -0.18707452F}});
}

// The same weights with and without dropout: equal in evaluation, different in training.
template <class Model>
void check_dropout(Model& without, Model& with) {
  const Tensor ids = made_up_tokens(2, 9, 50);
  for (Model* model : {&without, &with}) fill(*model);
  const Tensor expected = without(ids);
  EXPECT_FALSE(equal(with(ids), expected));
  with.eval();
  EXPECT_TRUE(equal(with(ids), expected));
}

TEST(Gpt2, drops_in_training_only) {
  Gpt2Config config = small_gpt2;
  Gpt2 without(config);
  config.dropout = 0.1;
  Gpt2 with(config);
  check_dropout(without, with);
}

TEST(Bert, drops_in_training_only) {
  BertConfig config = small_bert;
  BertClassifier without(config, 2);
  config.dropout = 0.1;
  BertClassifier with(config, 2);
  check_dropout(without, with);
}

LstmLmConfig small_lstm(bool tied) {
  return {.vocabulary = 50, .width = 24, .hidden = 24, .layers = 2, .tied = tied};
}

void check_lstm(std::string_view name, bool tied, const Expected& expected) {
  LstmLm model(small_lstm(tied));
  fill(model);
  model.eval();
  check(
      name, [&](const Tensor& x) { return std::get<0>(model(x)); }, made_up_tokens(19, 3, 50),
      expected);
}

TEST(LstmLm, has_the_logits_of_torch_eagerly_and_compiled) {
  check_lstm("lstm_lm", false,
             {0.99765F,
              397,
              {0.63223018F, 0.29001792F, -0.58203261F, -0.39838723F, -0.22542269F, -0.042107567F,
               0.1306875F, 0.31354618F}});
  check_lstm("tied lstm_lm", true,
             {1.1354F,
              397,
              {0.055023897F, 0.66938565F, 0.021744822F, 0.97462917F, 0.44319524F, 0.45878313F,
               -0.20759354F, -0.17176835F}});
}

TEST(LstmLm, goes_on_from_its_states) {
  LstmLm model(small_lstm(false));
  model.eval();
  const Tensor ids = made_up_tokens(12, 3, 50);
  const Tensor whole = std::get<0>(model(ids));
  const auto [first, h, c] = model(slice(ids, 0, 0, 5));
  const Tensor second = std::get<0>(model(slice(ids, 0, 5, 12), h, c));
  EXPECT_TRUE(allclose(cat({first, second}, 0), whole));
}

TEST(LstmLm, has_the_parameter_names_of_the_example_in_torch) {
  LstmLm model(small_lstm(false)), tied(small_lstm(true));
  check_names(model, {"encoder.weight", "rnn.weight_ih_l0", "rnn.bias_hh_l1", "decoder.weight",
                      "decoder.bias"});
  EXPECT_EQ(model.parameter_count() - tied.parameter_count(), 50 * 24);
  EXPECT_EQ(error_of([] { LstmLm wrong({.hidden = 100, .tied = true}); }),
            "LstmLm: tied weights need equal widths, got an embedding of 200 and a hidden state of "
            "100");
}

}  // namespace
}  // namespace vitro::models
