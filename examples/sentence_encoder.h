// Encodes sentences as vectors: WordPiece, BERT, mean over tokens, normalised to unit length.
// Shared by lesson 3 and `vitro demo`.
#pragma once

#include <vitro/models/bert.h>
#include <vitro/models/minilm.h>
#include <vitro/models/wordpiece.h>
#include <vitro/vitro.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sentences {

class Encoder {
 public:
  // Loads weights and vocabulary of a MiniLM-L6 from `folder`; empty: where fetch_minilm() puts
  // them.
  static vitro::Result<std::unique_ptr<Encoder>> load(const std::string& folder = {}) {
    const vitro::models::MinilmFiles files = vitro::models::minilm_files(folder);
    auto tokenizer = vitro::models::WordPiece::read(files.vocabulary);
    if (!tokenizer) return tokenizer.failure();
    auto weights = vitro::io::Safetensors::read(files.weights);
    if (!weights) return weights.failure();
    std::unique_ptr<Encoder> encoder(new Encoder);
    encoder->tokenizer_.emplace(*std::move(tokenizer));
    encoder->bert_.load([&](std::string_view name) {
      auto found = weights->tensor(name);
      return found ? *std::move(found) : vitro::Tensor();
    });
    return encoder;
  }

  // The same model with random weights, for machines without the real ones; token ids are bytes of
  // the text.
  static std::unique_ptr<Encoder> seeded() {
    vitro::manual_seed(0);
    return std::unique_ptr<Encoder>(new Encoder);
  }

  // Uses the weights in `folder`; without a folder the fetched ones, or random ones if there are
  // none.
  static vitro::Result<std::unique_ptr<Encoder>> load_or_seeded(const std::string& folder) {
    if (folder.empty() && !std::filesystem::exists(vitro::models::minilm_files().weights))
      return seeded();
    return load(folder);
  }

  bool has_real_weights() const { return tokenizer_.has_value(); }

  std::vector<int64_t> ids(std::string_view text) const {
    if (tokenizer_) return tokenizer_->encode(text, 256);
    std::vector<int64_t> out{101};
    for (const char c : text.substr(0, 254)) out.push_back(1000 + static_cast<unsigned char>(c));
    out.push_back(102);
    return out;
  }

  // ids [batch, length] -> [batch, 384], each row of length 1.
  vitro::Tensor operator()(const vitro::Tensor& ids) const {
    const vitro::Tensor pooled = vitro::mean(bert_(ids), {1});
    const vitro::Tensor length = vitro::sqrt(vitro::sum(pooled * pooled, {-1}, true));
    return pooled / vitro::maximum(length, 1e-12);
  }

  static vitro::Tensor tensor(const std::vector<int64_t>& ids) {
    return vitro::Tensor::from(ids, {1, static_cast<int64_t>(ids.size())});
  }

 private:
  Encoder() : bert_(vitro::models::BertConfig::mini_lm_l6()) {}
  vitro::models::Bert bert_;
  std::optional<vitro::models::WordPiece> tokenizer_;
};

}  // namespace sentences
