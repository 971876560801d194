// The tokenizer, compared with the original model's ids and with a reference on unusual texts.
#include "vitro/models/wordpiece.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "io/scratch.h"
#include "vitro/base/error.h"

namespace vitro::models {
namespace {

using Ids = std::vector<int64_t>;

const WordPiece& minilm() {
  static const WordPiece tokenizer = WordPiece::read(VITRO_TEST_DATA "/minilm/vocab.txt").value();
  return tokenizer;
}

std::string bytes_of(const std::string& hex) {
  std::string bytes;
  for (size_t i = 0; i + 1 < hex.size(); i += 2)
    bytes += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
  return bytes;
}

std::string tokens(std::string_view text, size_t max_tokens = 256) {
  std::string line;
  for (int64_t id : minilm().encode(text, max_tokens))
    line += (line.empty() ? "" : " ") + minilm().token(id);
  return line;
}

std::string vocabulary_of(const std::string& content) {
  std::string path = io::scratch("vocabulary.txt");
  std::ofstream(path, std::ios::binary) << content;
  return path;
}

TEST(WordPiece, texts_of_the_original_model_get_its_ids) {
  std::ifstream file(VITRO_TEST_DATA "/minilm/expected.json");
  for (const auto& item : nlohmann::json::parse(file))
    EXPECT_EQ(minilm().encode(item.at("text").get<std::string>()), item.at("input_ids").get<Ids>())
        << item.at("text");
}

// VITRO_TOKENIZER_SAMPLES is a file with more of them, written by tools/make_tokenizer_samples.py.
TEST(WordPiece, odd_texts_get_the_ids_of_the_reference) {
  const char* more = std::getenv("VITRO_TOKENIZER_SAMPLES");
  std::ifstream file(more ? more : VITRO_TEST_DATA "/minilm/odd_texts.jsonl");
  size_t count = 0;
  for (std::string line; std::getline(file, line); ++count) {
    auto item = nlohmann::json::parse(line);
    auto hex = item.at("hex").get<std::string>();
    ASSERT_EQ(minilm().encode(bytes_of(hex)), item.at("ids").get<Ids>()) << hex << "\n"
                                                                         << tokens(bytes_of(hex));
  }
  EXPECT_GE(count, 200U);
}

TEST(WordPiece, what_does_not_fit_is_cut_and_the_end_stays) {
  EXPECT_EQ(tokens("one two three", 4), "[CLS] one two [SEP]");
  EXPECT_EQ(tokens("one [MASK] three", 3), "[CLS] one [SEP]");
  EXPECT_EQ(tokens("one", 2), "[CLS] [SEP]");
  EXPECT_THROW((void)minilm().encode("one", 1), Error);
}

TEST(WordPiece, special_tokens_are_taken_only_as_they_are_written) {
  EXPECT_EQ(tokens("a[MASK]b"), "[CLS] a [MASK] b [SEP]");
  EXPECT_EQ(tokens("[mask]"), "[CLS] [ mask ] [SEP]");
}

TEST(WordPiece, bytes_that_are_no_text_are_skipped) {
  EXPECT_EQ(tokens("com\xff\xfepiler"), tokens("compiler"));
  EXPECT_EQ(tokens(std::string_view("a\0b", 3)), tokens("ab"));
  EXPECT_EQ(tokens("\xed\xa0\x80"), "[CLS] [SEP]");
  EXPECT_EQ(tokens("\xf0\x9f"), "[CLS] [SEP]");
}

TEST(WordPiece, a_file_that_is_no_vocabulary_is_refused_with_the_line) {
  auto why = [](const std::string& content) {
    return WordPiece::read(vocabulary_of(content)).why();
  };
  EXPECT_NE(why("a\nb\n").find("[UNK], [CLS] or [SEP] is missing among its 2 lines"),
            std::string::npos);
  EXPECT_NE(why("a\nb\na\n").find("line 3: 'a' occurs twice"), std::string::npos);
  EXPECT_NE(why(std::string(2000, 'x')).find("line 1: got 2000 bytes"), std::string::npos);
  EXPECT_NE(
      WordPiece::read("/nowhere/vocab.txt").why().find("/nowhere/vocab.txt: cannot be opened"),
      std::string::npos);
}

TEST(WordPiece, lines_may_end_as_on_windows) {
  auto tokenizer = WordPiece::read(vocabulary_of("[UNK]\r\n[CLS]\r\n[SEP]\r\nhi\r\n"));
  ASSERT_TRUE(tokenizer) << tokenizer.why();
  EXPECT_EQ(tokenizer->encode("Hi there"), (Ids{1, 3, 0, 2}));
}

}  // namespace
}  // namespace vitro::models
