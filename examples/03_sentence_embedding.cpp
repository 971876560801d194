// Lesson 3: a real model.  Sentences become vectors (MiniLM-L6, a BERT); the more similar two
// sentences are, the closer to 1 is the dot product of their vectors.
//
// usage: 03_sentence_embedding [--model DIR] [--file FILE] [--json] [--eager] [SENTENCE...]
//   --model DIR   folder with model.safetensors and vocab.txt; default: the folder where `vitro
//                 demo` keeps them, or random weights if there is none
//   --file FILE   one sentence per line
//   --json        one line {"text", "input_ids", "embedding"} per sentence instead of the matrix
//   --eager       op by op, not compiled
#include <vitro/vitro.h>

#include <cstdio>
#include <fstream>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "sentence_encoder.h"

namespace {

struct Arguments {
  std::string model, file;
  bool json = false, eager = false;
  std::vector<std::string> texts;
};

bool read_arguments(int argc, char** argv, Arguments& out) {
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--json") {
      out.json = true;
    } else if (word == "--eager") {
      out.eager = true;
    } else if ((word == "--model" || word == "--file") && i + 1 < argc) {
      (word == "--model" ? out.model : out.file) = argv[++i];
    } else if (word.starts_with("--")) {
      return false;
    } else {
      out.texts.push_back(word);
    }
  }
  return true;
}

void read_texts(Arguments& arguments) {
  if (!arguments.file.empty()) {
    std::ifstream file(arguments.file);
    if (!file) throw vitro::Error(arguments.file + ": cannot be opened");
    for (std::string line; std::getline(file, line);) arguments.texts.push_back(line);
  } else if (arguments.texts.empty()) {
    arguments.texts = {"The cat sits outside.", "A kitten is resting in the garden.",
                       "The new film is great.", "I did not expect to enjoy the movie that much."};
  }
}

void print_json(const std::string& text, const std::vector<int64_t>& ids,
                const std::vector<float>& embedding) {
  vitro::report::TextOutput line;
  vitro::report::Json json(line);
  json.begin_object().member("text", text);
  json.key("input_ids").begin_array();
  for (const int64_t id : ids) json.value(id);
  json.end();
  json.key("embedding").begin_array();
  for (const float v : embedding) json.value(static_cast<double>(v));
  json.end();
  json.end();
  line.finish();
  std::printf("%s\n", line.text().c_str());
}

void print_matrix(const std::vector<std::string>& texts,
                  const std::vector<std::vector<float>>& embeddings) {
  for (size_t i = 0; i < texts.size(); ++i) {
    std::printf("%3zu ", i + 1);
    for (const std::vector<float>& other : embeddings) {
      float product = 0;
      for (size_t k = 0; k < other.size(); ++k) product += embeddings[i][k] * other[k];
      std::printf("%6.2f", static_cast<double>(product));
    }
    std::printf("  %s\n", texts[i].c_str());
  }
}

int embed(const Arguments& arguments) {
  auto loaded = sentences::Encoder::load_or_seeded(arguments.model);
  if (!loaded) return std::fprintf(stderr, "%s\n", loaded.why().c_str()), 3;
  const sentences::Encoder& encoder = **loaded;
  if (!encoder.has_real_weights())
    std::fprintf(stderr, "no weights found: using random ones, whose similarities mean nothing\n");

  // Sentences differ in length: after the second one the length is a symbol, and one graph serves
  // all.
  auto fast =
      vitro::compile([&](const vitro::Tensor& ids) { return encoder(ids); }, {.name = "sentence"});
  std::vector<std::vector<float>> embeddings;
  for (const std::string& text : arguments.texts) {
    const std::vector<int64_t> ids = encoder.ids(text);
    const vitro::Tensor input = sentences::Encoder::tensor(ids);
    embeddings.push_back((arguments.eager ? encoder(input) : fast(input)).to_vector<float>());
    if (arguments.json) print_json(text, ids, embeddings.back());
  }
  if (!arguments.json) print_matrix(arguments.texts, embeddings);
  return 0;
}

}  // namespace

int main(int argc, char** argv) try {
  Arguments arguments;
  if (!read_arguments(argc, argv, arguments)) {
    std::fprintf(stderr, "usage: %s [--model DIR] [--file FILE] [--json] [--eager] [SENTENCE...]\n",
                 argv[0]);
    return 2;
  }
  read_texts(arguments);
  return embed(arguments);
} catch (const vitro::Error& error) {
  return std::fprintf(stderr, "%s\n", error.what()), 3;
}
