// A recurrent language model: that of PyTorch's example word_language_model, with its parameter
// names.
//   LstmLm model;
//   auto [scores, h, c] = model(input_ids);       // [steps, n] i64 -> [steps, n, 33278]
//   auto [more, h2, c2] = model(next_ids, h, c);  // goes on after them
#pragma once

#include <tuple>

#include "vitro/nn/layers.h"
#include "vitro/nn/recurrent.h"

namespace vitro::models {

struct LstmLmConfig {
  int64_t vocabulary = 33278;  // of WikiText-2
  int64_t width = 200, hidden = 200, layers = 2;
  double dropout = 0.2;  // in training, of the embeddings and of what each layer passes on
  bool tied = false;     // the decoder has the weight of the embedding: needs width == hidden
};

class LstmLm : public nn::Module {
 public:
  explicit LstmLm(const LstmLmConfig& config = {});
  // States [layers, n, hidden]; they begin as 0.
  std::tuple<Tensor, Tensor, Tensor> operator()(const Tensor& input_ids, const Tensor& h = {},
                                                const Tensor& c = {}) const;

 private:
  nn::Dropout drop_;
  nn::Embedding encoder_;
  nn::LSTM rnn_;
  nn::Linear decoder_;
};

}  // namespace vitro::models
