// Readers of IDX, CSV and text: files as they should be, and damaged ones.
#include "vitro/datasets/files.h"

#include <gtest/gtest.h>
#include <unistd.h>
#include <zlib.h>

#include <cmath>
#include <filesystem>
#include <fstream>

namespace vitro::data {
namespace {

using namespace std::string_literals;

class Files : public testing::Test {
 protected:
  Files() : folder_(testing::TempDir() + "vitro_files_" + std::to_string(getpid())) {
    std::filesystem::create_directories(folder_);
  }
  ~Files() override { std::filesystem::remove_all(folder_); }
  std::string file(const std::string& bytes) {
    const std::string path = folder_ + "/file";
    std::ofstream(path, std::ios::binary) << bytes;
    return path;
  }
  std::string compressed(const std::string& bytes) {
    const std::string path = folder_ + "/file.gz";
    gzFile out = gzopen(path.c_str(), "wb");
    gzwrite(out, bytes.data(), static_cast<unsigned>(bytes.size()));
    gzclose(out);
    return path;
  }
  // Why there is no value, without the path.
  template <class T>
  static std::string why(const Result<T>& result) {
    const std::string text = result ? "there is one" : result.why();
    const size_t at = text.find("/file");
    return at == text.npos ? text : text.substr(at + 5);
  }
  std::string folder_;
};

const std::string idx_u8 = "\0\0\x08\x02\0\0\0\x02\0\0\0\x03"s + "abcdef";

TEST_F(Files, idx_of_bytes) {
  for (const std::string& path : {file(idx_u8), compressed(idx_u8)}) {
    const Tensor t = *read_idx(path);
    EXPECT_EQ(t.dtype(), DType::u8);
    EXPECT_EQ(t.size(0).value(), 2);
    EXPECT_EQ(t.to_vector<uint8_t>(), (std::vector<uint8_t>{'a', 'b', 'c', 'd', 'e', 'f'}));
  }
}

TEST_F(Files, idx_of_wide_numbers_is_big_endian) {
  const Tensor i16 = *read_idx(file("\0\0\x0B\x01\0\0\0\x02\x01\x02\xFF\xFE"s));
  EXPECT_EQ(i16.to_vector<int16_t>(), (std::vector<int16_t>{258, -2}));
  const Tensor i32 = *read_idx(file("\0\0\x0C\x01\0\0\0\x01\x00\x00\x01\x02"s));
  EXPECT_EQ(i32.to_vector<int32_t>(), std::vector<int32_t>{258});
  const Tensor f32 = *read_idx(file("\0\0\x0D\x01\0\0\0\x01\x3F\xC0\0\0"s));
  EXPECT_EQ(f32.to_vector<float>(), std::vector<float>{1.5F});
  const Tensor f64 = *read_idx(file("\0\0\x0E\x00\x3F\xF8\0\0\0\0\0\0"s));
  EXPECT_EQ(f64.item<double>(), 1.5);
}

TEST_F(Files, idx_that_is_damaged) {
  EXPECT_EQ(why(read_idx(file(""))), ": not an IDX file: it does not begin with two bytes of 0");
  EXPECT_EQ(why(read_idx(file("PK\3\4"))),
            ": not an IDX file: it does not begin with two bytes of 0");
  EXPECT_EQ(why(read_idx(file("\0\0\x07\x01\0\0\0\x01z"s))),
            ": its elements are of the unknown kind 7");
  EXPECT_EQ(why(read_idx(file("\0\0\x08\x02\0\0\0\x02\0\0"s))),
            ": it ends within the sizes of its 2 dimensions");
  for (size_t size = 12; size < idx_u8.size(); ++size)
    EXPECT_EQ(why(read_idx(file(idx_u8.substr(0, size)))),
              ": it has " + std::to_string(size - 12) + " bytes of elements, u8[2, 3] needs 6");
  EXPECT_EQ(why(read_idx(file(idx_u8 + "g"))), ": it has 7 bytes of elements, u8[2, 3] needs 6");
  const std::string huge = "\0\0\x08\x03\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF"s;
  EXPECT_NE(why(read_idx(file(huge))).find("it has 0 bytes of elements"), std::string::npos);
  const std::string none = "\0\0\x08\x03\0\0\0\0\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF"s;
  EXPECT_NE(why(read_idx(file(none))).find("do not fit into 64 bits"), std::string::npos);
  EXPECT_EQ(read_idx(file("\0\0\x08\x02\0\0\0\0\0\0\0\x05"s))->numel().value(), 0);
}

TEST_F(Files, compressed_file_that_is_damaged) {
  const std::string path = compressed(idx_u8);
  std::string bytes(std::istreambuf_iterator<char>(std::ifstream(path, std::ios::binary).rdbuf()),
                    {});
  EXPECT_NE(why(read_idx(file(bytes.substr(0, bytes.size() - 6)))).find("cannot be read"),
            std::string::npos);
  bytes[bytes.size() - 7] ^= 1;  // the checksum
  EXPECT_NE(why(read_idx(file(bytes))).find("cannot be read"), std::string::npos);
}

TEST_F(Files, that_are_not_there) {
  EXPECT_EQ(why(read_idx(folder_ + "/file")), ": cannot be opened: No such file or directory");
  EXPECT_NE(why(read_csv(folder_)).find("cannot be"), std::string::npos);
}

TEST_F(Files, csv_of_numbers) {
  const Csv plain = *read_csv(file("1,2\n-3.5,1e3\n"));
  EXPECT_TRUE(plain.names.empty());
  EXPECT_EQ(plain.values.to_vector<float>(), (std::vector<float>{1, 2, -3.5, 1000}));
  const Csv named = *read_csv(compressed("\xEF\xBB\xBF"
                                         "a,\"b, \"\"c\"\"\"\r\n\r\n\"7\", +8 \r\n"),
                              {.header = true, .dtype = DType::i64});
  EXPECT_EQ(named.names, (std::vector<std::string>{"a", "b, \"c\""}));
  EXPECT_EQ(named.values.to_vector<int64_t>(), (std::vector<int64_t>{7, 8}));
}

TEST_F(Files, csv_with_other_separators_quotes_and_gaps) {
  const Csv t = *read_csv(file("\"1\"\t\t3\n4\t5\t"), {.separator = '\t', .dtype = DType::f64});
  const std::vector<double> v = t.values.to_vector<double>();
  ASSERT_EQ(v.size(), 6U);
  EXPECT_EQ(v[0], 1);
  EXPECT_TRUE(std::isnan(v[1]));
  EXPECT_EQ(v[3], 4);
  EXPECT_TRUE(std::isnan(v[5]));
  EXPECT_EQ(read_csv(file(""))->values.numel().value(), 0);
}

TEST_F(Files, csv_that_is_damaged) {
  EXPECT_EQ(why(read_csv(file("1,2\n\n3\n"))),
            ":3: the line has 1 fields, the ones before it have 2");
  EXPECT_EQ(why(read_csv(file("1,two\n"))), ":1: field 2 is \"two\", which is not a number of f32");
  EXPECT_EQ(why(read_csv(file("1,\n"), {.dtype = DType::i64})),
            ":1: field 2 is \"\", which is not a number of i64");
  EXPECT_EQ(why(read_csv(file("a,b\n"))), ":1: field 1 is \"a\", which is not a number of f32");
}

TEST_F(Files, characters_are_numbered_in_order) {
  const Characters text = characters_of("abba c");
  EXPECT_EQ(text.alphabet, " abc");
  EXPECT_EQ(text.numbers.to_vector<int64_t>(), (std::vector<int64_t>{1, 2, 2, 1, 0, 3}));
  EXPECT_EQ(characters_of("").numbers.numel().value(), 0);
}

}  // namespace
}  // namespace vitro::data
