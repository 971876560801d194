// Safetensors files: reading, writing, and rejecting every kind of malformed file.
#include "vitro/io/safetensors.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <complex>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <limits>
#include <random>

#include "io/files.h"
#include "io/scratch.h"
#include "vitro/base/cat.h"
#include "vitro/base/error.h"

namespace vitro::io {
namespace {

std::string sample(std::string_view name) {
  return cat(VITRO_TEST_DATA, "/safetensors/", name, ".safetensors");
}

// A file with this header and this many bytes of data.
std::string file_of(const std::string& header, size_t data_bytes) {
  uint64_t length = header.size();
  std::string bytes(reinterpret_cast<const char*>(&length), sizeof length);
  return bytes + header + std::string(data_bytes, '\1');
}

Result<Safetensors> read_bytes(const std::string& bytes) {
  std::string path = scratch("case");
  std::ofstream(path, std::ios::binary) << bytes;
  return Safetensors::read(path);
}

// What follows the file's name in the message.
std::string why(const std::string& bytes) {
  auto file = read_bytes(bytes);
  if (file) return "fine";
  const std::string prefix = scratch("case") + ": ";
  EXPECT_TRUE(file.why().starts_with(prefix)) << file.why();
  return file.why().substr(prefix.size());
}

std::string why(const std::string& header, size_t data_bytes) {
  return why(file_of(header, data_bytes));
}

std::string entry(const std::string& name, const std::string& shape, const std::string& offsets) {
  return "\"" + name + R"(":{"dtype":"F32","shape":)" + shape + R"(,"data_offsets":)" + offsets +
         "}";
}

std::vector<double> as_doubles(const Tensor& tensor) {
  std::vector<double> values;
  const auto* data = static_cast<const std::byte*>(tensor.const_data());
  dispatch(tensor.dtype(), [&]<class T>() {
    for (int64_t i = 0; i < tensor.numel().value(); ++i) {
      T value;
      std::memcpy(&value, data + static_cast<size_t>(i) * sizeof value, sizeof value);
      if constexpr (std::is_arithmetic_v<T>) {
        values.push_back(static_cast<double>(value));
      } else {
        values.push_back(static_cast<float>(value));
      }
    }
  });
  return values;
}

TEST(Safetensors, a_file_written_by_python_reads_with_all_dtypes) {
  auto file = Safetensors::read(sample("all_dtypes"));
  ASSERT_TRUE(file) << file.why();
  EXPECT_EQ(file->metadata(),
            (std::map<std::string, std::string>{{"format", "pt"}, {"note", "línea"}}));
  EXPECT_EQ(file->entries().size(), 13U);
  for (const char* name : {"f32", "f64", "f16", "bf16", "i8", "i16", "i32", "i64", "u8", "bool"}) {
    Tensor t = file->tensor(cat("each.", name)).value();
    EXPECT_EQ(t.dtype(), *dtype_named(name));
    EXPECT_EQ(t.size(0), 2);
    EXPECT_EQ(t.size(1), 3);
    bool boolean = std::string_view(name) == "bool";
    EXPECT_EQ(as_doubles(t), boolean ? (std::vector<double>{0, 1, 0, 1, 0, 1})
                                     : (std::vector<double>{0, 1, 2, 3, 4, 5}))
        << name;
  }
  EXPECT_EQ(file->tensor("scalar").value().rank(), 0);
  EXPECT_EQ(as_doubles(file->tensor("scalar").value()), std::vector<double>{2.5});
  EXPECT_EQ(file->tensor("empty").value().numel(), 0);
  EXPECT_EQ(as_doubles(file->tensor("é水").value()), std::vector<double>{1});
}

TEST(Safetensors, tensors_lie_in_mapped_memory_and_keep_it) {
  constexpr uint64_t page = 4096;
  Tensor t;
  uint64_t begin = 0;
  {
    auto file = Safetensors::read(sample("all_dtypes"));
    t = file->tensor("each.f32").value();
    begin = file->find("each.f32")->begin;
  }
  ASSERT_NE(begin % 64, 0U) << "as allocated memory";
  EXPECT_EQ(reinterpret_cast<uintptr_t>(t.const_data()) % page, begin % page);
  EXPECT_EQ(as_doubles(t), (std::vector<double>{0, 1, 2, 3, 4, 5}));
  EXPECT_FALSE(t.storage().exposed());
}

TEST(Safetensors, tensors_of_one_name_do_not_share_memory) {
  auto file = Safetensors::read(sample("all_dtypes")).value();
  const std::vector<double> given = {0, 1, 2, 3, 4, 5};
  Tensor a = file.tensor("each.f32").value(), b = file.tensor("each.f32").value();
  a.data<float>()[1] = 7;
  EXPECT_EQ(as_doubles(b), given);
  EXPECT_EQ(as_doubles(file.tensor("each.f32").value()), given);
  EXPECT_EQ(as_doubles(a), (std::vector<double>{0, 7, 2, 3, 4, 5}));
}

TEST(Safetensors, writing_to_a_tensor_leaves_the_file_alone) {
  std::string path = scratch("private");
  write_safetensors(path, {{"w", Tensor::from({1.0F, 2.0F}, {2})}});
  std::string before = content_of(path);
  Tensor t = Safetensors::read(path).value().tensor("w").value();
  t.data<float>()[0] = 7;
  EXPECT_EQ(as_doubles(t), (std::vector<double>{7, 2}));
  EXPECT_EQ(content_of(path), before);
  EXPECT_EQ(as_doubles(Safetensors::read(path).value().tensor("w").value()),
            (std::vector<double>{1, 2}));
}

TEST(Safetensors, all_tensors_come_in_order_of_their_names) {
  const auto all = Safetensors::read(sample("all_dtypes"))->tensors();
  ASSERT_TRUE(all.ok());
  EXPECT_EQ(all->size(), Safetensors::read(sample("all_dtypes"))->entries().size());
  for (size_t i = 1; i < all->size(); ++i) EXPECT_LT((*all)[i - 1].name, (*all)[i].name);
  EXPECT_FALSE(Safetensors::read(sample("other_dtypes"))->tensors().ok());
}

TEST(Safetensors, dtypes_that_are_not_ours_are_listed_but_give_no_tensor) {
  auto file = Safetensors::read(sample("other_dtypes"));
  ASSERT_TRUE(file) << file.why();
  EXPECT_EQ(file->find("w8")->dtype, "F8_E4M3");
  EXPECT_EQ(file->find("u")->bytes.size(), 6U);
  EXPECT_EQ(as_doubles(file->tensor("w").value()), (std::vector<double>{1, 1}));
  EXPECT_EQ(
      file->tensor("u").why(),
      cat(sample("other_dtypes"), ": tensor \"u\" has dtype U16, which vitro does not support"));
}

TEST(Safetensors, a_name_that_is_not_there_is_refused_with_what_there_is) {
  auto file = Safetensors::read(sample("other_dtypes"));
  std::string message = file->tensor("nope").why();
  EXPECT_NE(message.find("has no tensor \"nope\" among its 3, which begin with "),
            std::string::npos)
      << message;
  EXPECT_EQ(Safetensors::read(sample("nothing")).value().tensor("x").ok(), false);
  message = Safetensors::read(sample("all_dtypes")).value().tensor("each.f23").why();
  EXPECT_TRUE(message.ends_with("; did you mean \"each.f32\"?")) << message;
}

TEST(Safetensors, what_was_written_reads_back_and_the_same_tensors_give_the_same_bytes) {
  auto file = Safetensors::read(sample("all_dtypes"));
  std::vector<NamedTensor> tensors;
  for (const SafetensorsEntry& e : file->entries())
    tensors.push_back({e.name, file->tensor(e.name).value()});
  std::string path = scratch("copy"), again = scratch("again");
  write_safetensors(path, tensors, file->metadata());
  std::ranges::reverse(tensors);
  write_safetensors(again, tensors, file->metadata());
  EXPECT_EQ(content_of(path), content_of(again));
  auto copy = Safetensors::read(path);
  ASSERT_TRUE(copy) << copy.why();
  EXPECT_EQ(copy->metadata(), file->metadata());
  for (const SafetensorsEntry& e : file->entries()) {
    const SafetensorsEntry* other = copy->find(e.name);
    ASSERT_TRUE(other) << e.name;
    EXPECT_EQ(other->sizes, e.sizes);
    EXPECT_EQ(other->dtype, e.dtype);
    EXPECT_TRUE(std::ranges::equal(other->bytes, e.bytes)) << e.name;
  }
}

TEST(Safetensors, a_tensor_of_any_layout_is_written_in_order_of_its_indices) {
  Tensor base = Tensor::from({0.0F, 1.0F, 2.0F, 3.0F, 4.0F, 5.0F}, {2, 3});
  int64_t sizes[] = {3, 2}, strides[] = {1, 3};
  std::string path = scratch("strided");
  write_safetensors(path, {{"t", Tensor::over(base.storage(), DType::f32, sizes, strides)}});
  EXPECT_EQ(as_doubles(Safetensors::read(path).value().tensor("t").value()),
            (std::vector<double>{0, 3, 1, 4, 2, 5}));
}

TEST(Safetensors, complex_numbers_of_single_precision_are_written) {
  using C = std::complex<float>;
  const std::vector<C> numbers = {{1, 2}, {3, 4}, {5, 6}, {7, 8}};
  const Tensor z = Tensor::from(numbers, {2, 2});
  const int64_t sizes[] = {2, 2}, strides[] = {1, 2};
  std::string path = scratch("complex");
  write_safetensors(path, {{"z", z}, {"t", Tensor::over(z.storage(), DType::c64, sizes, strides)}});
  auto file = Safetensors::read(path);
  ASSERT_TRUE(file) << file.why();
  EXPECT_EQ(file->find("z")->dtype, "C64");
  EXPECT_EQ(file->tensor("z").value().to_vector<C>(), numbers);
  EXPECT_EQ(file->tensor("t").value().to_vector<C>(),
            (std::vector<C>{numbers[0], numbers[2], numbers[1], numbers[3]}));
  EXPECT_THROW(write_safetensors(path, {{"w", Tensor::empty({1}, DType::c128)}}), Error);
}

TEST(Safetensors, a_name_given_twice_or_no_text_cannot_be_written) {
  Tensor t = Tensor::from({1.0F}, {1});
  std::string path = scratch("refused");
  EXPECT_THROW(write_safetensors(path, {{"w", t}, {"w", t}}), Error);
  EXPECT_THROW(write_safetensors(path, {{"\xff", t}}), Error);
  EXPECT_THROW(write_safetensors(path, {{"__metadata__", t}}), Error);
  EXPECT_THROW(write_safetensors(path, {{"w", Tensor()}}), Error);
  EXPECT_THROW(write_safetensors("/nowhere/at/all", {{"w", t}}), Error);
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(Safetensors, a_tensor_that_lies_askew_is_copied_to_where_its_elements_are_aligned) {
  std::string header =
      R"({"b":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"w":{"dtype":"F32","shape":[1],"data_offsets":[1,5]}})";
  std::string bytes = file_of(header, 1) + std::string("\0\0\x80\x3f", 4);
  auto file = read_bytes(bytes);
  ASSERT_TRUE(file) << file.why();
  Tensor w = file->tensor("w").value();
  EXPECT_EQ(reinterpret_cast<uintptr_t>(w.const_data()) % 4, 0U);
  EXPECT_EQ(w.item<float>(), 1);
}

TEST(Safetensors, a_file_that_ends_too_soon_is_refused) {
  EXPECT_EQ(why(""), "byte 0: the file ends within the length of its header");
  EXPECT_EQ(why("abc"), "byte 3: the file ends within the length of its header");
  EXPECT_EQ(why(std::string(8, '\xff')),
            "byte 0: a header of 18446744073709551615 bytes does not fit: the file has 8 bytes, "
            "and headers have at most 100000000");
  EXPECT_EQ(why(std::string("\x09\0\0\0\0\0\0\0{}", 10)),
            "byte 0: a header of 9 bytes does not fit: the file has 10 bytes, and headers have at "
            "most 100000000");
  EXPECT_EQ(why("{" + entry("w", "[2]", "[0,8]") + "}", 7),
            "byte 12: tensor \"w\": data_offsets 0 to 8 are outside the 7 bytes of data");
}

TEST(Safetensors, a_header_that_is_no_header_is_refused_where_it_goes_wrong) {
  EXPECT_EQ(why("", 0), "byte 8: the header does not begin with {");
  EXPECT_EQ(why("[]", 0), "byte 8: the header does not begin with {");
  EXPECT_NE(why("{\"w\":", 0).find("the header is not JSON near"), std::string::npos);
  EXPECT_NE(why("{}x", 0).find("the header is not JSON near"), std::string::npos);
  EXPECT_NE(why("{\"\xff\":1}", 0).find("the header is not JSON near"), std::string::npos);
  EXPECT_EQ(why("{\"w\":1}", 0), "byte 15: got a number for \"w\", needed an object");
  EXPECT_EQ(why("{\"w\":{\"x\":1}}", 0),
            "byte 17: got \"x\" of tensor \"w\", needed dtype, shape or data_offsets");
  EXPECT_EQ(why("{\"w\":{}}", 0), "byte 15: tensor \"w\" needs dtype, shape and data_offsets");
  EXPECT_EQ(why("{\"w\":{\"dtype\":\"F33\"}}", 0),
            "byte 27: the format has no dtype \"F33\" of tensor \"w\"");
  EXPECT_EQ(why("{\"__metadata__\":{\"a\":1}}", 0),
            "byte 31: got a number for \"a\" in the metadata, needed a text");
  EXPECT_EQ(why("{\"w\":" + std::string(100'000, '['), 0),
            "byte 14: got a list for \"w\", needed an object");
}

TEST(Safetensors, a_name_or_member_that_comes_twice_is_refused) {
  std::string w = entry("w", "[1]", "[0,4]");
  EXPECT_NE(why("{" + w + "," + w + "}", 4).find("tensor \"w\" is defined twice"),
            std::string::npos);
  EXPECT_NE(
      why(R"({"w":{"dtype":"F32","dtype":"F32"}})", 0).find("dtype of tensor \"w\" is given twice"),
      std::string::npos);
  EXPECT_NE(
      why(R"({"__metadata__":{"a":"1","a":"2"}})", 0).find("\"a\" occurs twice in the metadata"),
      std::string::npos);
  EXPECT_NE(why(R"({"__metadata__":{},"__metadata__":{}})", 0).find("is defined twice"),
            std::string::npos);
}

TEST(Safetensors, sizes_and_places_must_agree) {
  auto one = [](const char* shape, const char* offsets) {
    return why("{" + entry("w", shape, offsets) + "}", 8);
  };
  EXPECT_EQ(one("[2]", "[0,8]"), "fine");
  EXPECT_NE(one("[3]", "[0,8]").find("data_offsets give it 8 bytes, but its shape needs 12 of F32"),
            std::string::npos);
  EXPECT_NE(one("[2]", "[8,0]").find("data_offsets 8 to 0 are outside the 8 bytes"),
            std::string::npos);
  EXPECT_NE(one("[2]", "[0,18446744073709551615]").find("are outside the"), std::string::npos);
  EXPECT_NE(one("[2]", "[0,8,8]").find("more than 2 data_offsets"), std::string::npos);
  EXPECT_NE(one("[2]", "[8]").find("got 1 data_offsets"), std::string::npos);
  EXPECT_NE(one("[-2]", "[0,8]").find("got a negative number in the shape"), std::string::npos);
  EXPECT_NE(one("[2.0]", "[0,8]").find("a fraction"), std::string::npos);
  EXPECT_NE(one("[99999999999999999999]", "[0,8]").find("too large"), std::string::npos);
  EXPECT_NE(one("[9223372036854775808]", "[0,8]").find("is too large"), std::string::npos);
  EXPECT_NE(one("[4611686018427387904,4]", "[0,8]").find("its shape needs more than"),
            std::string::npos);
  EXPECT_NE(one("[4611686018427387904,4,0]", "[0,0]").find("its shape needs more than"),
            std::string::npos);
  EXPECT_NE(one(("[1" + std::string(200, ' ') + ",1]").c_str(), "[0,8]").find("its shape needs 4"),
            std::string::npos);
}

TEST(Safetensors, tensors_cover_the_data_exactly_once) {
  auto two = [](const char* a, const char* b, size_t bytes) {
    return why("{" + entry("a", "[1]", a) + "," + entry("b", "[1]", b) + "}", bytes);
  };
  EXPECT_EQ(two("[4,8]", "[0,4]", 8), "fine");
  EXPECT_NE(two("[0,4]", "[2,6]", 6).find("tensor \"b\": overlaps the tensor before it"),
            std::string::npos);
  EXPECT_NE(two("[0,4]", "[0,4]", 4).find("overlaps"), std::string::npos);
  EXPECT_NE(two("[0,4]", "[5,9]", 9).find("1 bytes before it do not belong to a tensor"),
            std::string::npos);
  EXPECT_NE(two("[0,4]", "[4,8]", 9).find("1 bytes at the end do not belong to a tensor"),
            std::string::npos);
}

TEST(Safetensors, a_boolean_that_is_neither_is_refused) {
  std::string header = R"({"m":{"dtype":"BOOL","shape":[2],"data_offsets":[0,2]}})";
  auto file = read_bytes(file_of(header, 1) + "\2");
  ASSERT_TRUE(file) << file.why();
  EXPECT_EQ(file->tensor("m").why(), cat(scratch("case"), ": byte ", 8 + header.size() + 1,
                                         ": tensor \"m\": got 2 for a boolean, needed 0 or 1"));
}

TEST(Safetensors, what_is_no_file_is_refused) {
  EXPECT_NE(Safetensors::read("/nowhere.safetensors").why().find("cannot be opened"),
            std::string::npos);
  EXPECT_NE(Safetensors::read(scratch("")).why().find("is not a regular file"), std::string::npos);
}

// Whatever is done to a file, it is refused, or everything that it says can be read.
TEST(Safetensors, broken_files_never_break_the_reader) {
  const unsigned seed = std::random_device()();
  std::cout << "seed " << seed << std::endl;
  std::mt19937 random(seed);
  auto below = [&](size_t n) { return static_cast<size_t>(random() % n); };
  const std::string whole = content_of(sample("all_dtypes"));
  const std::string odd =
      "{}[]\",:0189-+.eE \\u\0\xff\x80tn"
      "F3U";
  size_t readable = 0;
  for (int round = 0; round < 500; ++round) {
    std::string bytes = whole;
    for (size_t change = 1 + below(3); change > 0 && !bytes.empty(); --change) {
      const size_t at = below(below(4) == 0 ? bytes.size() : std::min<size_t>(bytes.size(), 1000));
      switch (below(5)) {
        case 0:
          bytes[at] = odd[below(odd.size())];
          break;
        case 1:
          bytes[at] = static_cast<char>(random());
          break;
        case 2:
          bytes.insert(at, 1, odd[below(odd.size())]);
          break;
        case 3:
          bytes.erase(at, 1 + below(4));
          break;
        default:
          bytes.resize(below(8) == 0 ? at + 1 : bytes.size());
          break;
      }
    }
    auto file = read_bytes(bytes);
    if (!file) {
      ASSERT_NE(file.why().find("byte "), std::string::npos) << file.why();
      continue;
    }
    ++readable;
    for (const SafetensorsEntry& e : file->entries())
      if (auto tensor = file->tensor(e.name)) (void)as_doubles(*tensor);
  }
  EXPECT_GT(readable, 0U);
  EXPECT_LT(readable, 500U);
}

}  // namespace
}  // namespace vitro::io
