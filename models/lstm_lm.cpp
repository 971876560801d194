#include "vitro/models/lstm_lm.h"

#include "vitro/base/error.h"
#include "vitro/ops/all.h"

namespace vitro::models {

LstmLm::LstmLm(const LstmLmConfig& config)
    : drop_(*this, "drop", config.dropout),
      encoder_(*this, "encoder", config.vocabulary, config.width),
      rnn_(*this, "rnn", config.width, config.hidden,
           {.num_layers = config.layers, .dropout = config.dropout}),
      decoder_(*this, "decoder", config.hidden, config.vocabulary) {
  VITRO_CHECK(!config.tied || config.width == config.hidden,
              "LstmLm: tied weights need equal widths, got an embedding of ", config.width,
              " and a hidden state of ", config.hidden);
  if (config.tied) decoder_.weight = encoder_.weight;
  uniform_(encoder_.weight, -0.1, 0.1);
  if (!config.tied) uniform_(decoder_.weight, -0.1, 0.1);
  zero_(decoder_.bias);
}

std::tuple<Tensor, Tensor, Tensor> LstmLm::operator()(const Tensor& input_ids, const Tensor& h,
                                                      const Tensor& c) const {
  const auto [y, next_h, next_c] = rnn_(drop_(encoder_(input_ids)), h, c);
  return {decoder_(drop_(y)), next_h, next_c};
}

}  // namespace vitro::models
