// NumPy's files: what numpy wrote is read, in every dtype and order; what was written reads back;
// everything else is refused with what to do.
#include "vitro/io/npy.h"

#include <gtest/gtest.h>

#include <complex>
#include <filesystem>
#include <map>

#include "io/files.h"
#include "vitro/base/cat.h"
#include "vitro/base/error.h"

namespace vitro::io {
namespace {

std::string sample(std::string_view name) {
  return cat(VITRO_TEST_DATA, "/npy/", name);
}

std::map<std::string, Tensor> arrays_of(const std::string& path) {
  auto arrays = read_npz(path);
  std::map<std::string, Tensor> by_name;
  EXPECT_TRUE(arrays) << arrays.why();
  if (!arrays) return by_name;
  for (const auto& [name, tensor] : *arrays) EXPECT_TRUE(by_name.emplace(name, tensor).second);
  return by_name;
}

// The elements of [[0, 1, 2], [3, 4, 5]] in this dtype; booleans alternate, complex numbers have an
// imaginary part of 10.
std::string expected_elements(DType dtype) {
  std::string bytes;
  const auto add = [&](auto number) {
    bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
  };
  for (int i = 0; i < 6; ++i) {
    if (dtype == DType::c64) {
      add(std::complex<float>(static_cast<float>(i), 10));
    } else if (dtype == DType::c128) {
      add(std::complex<double>(i, 10));
    } else {
      dispatch(dtype, [&]<class T>() {
        if constexpr (std::is_same_v<T, bool>) {
          add(i % 2 != 0);
        } else if constexpr (std::is_arithmetic_v<T>) {
          add(static_cast<T>(i));
        } else {
          add(T(static_cast<float>(i)));
        }
      });
    }
  }
  return bytes;
}

void expect_each_dtype(const std::map<std::string, Tensor>& arrays) {
  for (const char* name :
       {"f32", "f64", "f16", "i8", "i16", "i32", "i64", "u8", "bool", "c64", "c128"}) {
    const Tensor tensor = arrays.at(name);
    const DType dtype = std::string_view(name) == "c64"    ? DType::c64
                        : std::string_view(name) == "c128" ? DType::c128
                                                           : *dtype_named(name);
    EXPECT_EQ(tensor.dtype(), dtype);
    EXPECT_EQ(tensor.rank(), 2);
    EXPECT_EQ(tensor.size(0), 2);
    EXPECT_EQ(tensor.size(1), 3);
    EXPECT_EQ(elements_of(tensor), expected_elements(dtype)) << name;
  }
}

void expect_odd_ones(const std::map<std::string, Tensor>& arrays) {
  EXPECT_EQ(arrays.at("scalar").rank(), 0);
  EXPECT_EQ(arrays.at("scalar").item<double>(), 2.5);
  EXPECT_EQ(arrays.at("empty").dtype(), DType::i32);
  EXPECT_EQ(arrays.at("empty").size(1), 3);
  EXPECT_EQ(arrays.at("empty").numel(), 0);
  EXPECT_EQ(arrays.at("é/水").to_vector<double>(), std::vector<double>{1});
  const Tensor fortran = arrays.at("fortran");
  EXPECT_EQ(fortran.strides()[0], 1);
  EXPECT_EQ(fortran.strides()[1], 2);
  EXPECT_EQ(elements_of(fortran), expected_elements(DType::f64));
}

TEST(Npy, archives_of_numpy_read_in_every_dtype) {
  for (const char* name : {"stored.npz", "compressed.npz"}) {
    const auto arrays = arrays_of(sample(name));
    ASSERT_EQ(arrays.size(), 15U) << name;
    expect_each_dtype(arrays);
    expect_odd_ones(arrays);
  }
}

TEST(Npy, the_other_byte_order_is_swapped) {
  expect_each_dtype(arrays_of(sample("big_endian.npz")));
}

TEST(Npy, entries_keep_the_order_of_the_file) {
  const auto arrays = read_npz(sample("stored.npz"));
  ASSERT_TRUE(arrays) << arrays.why();
  EXPECT_EQ(arrays->front().name, "f32");
  EXPECT_EQ(arrays->back().name, "é/水");
}

TEST(Npy, all_versions_of_the_format_are_read) {
  for (const char* name : {"version_2.npy", "version_3.npy"})
    EXPECT_EQ(read_npy(sample(name)).value().to_vector<int16_t>(), (std::vector<int16_t>{0, 1, 2}));
  EXPECT_EQ(elements_of(read_npy(sample("f32.npy")).value()), expected_elements(DType::f32));
}

TEST(Npy, an_array_is_mapped_and_writes_do_not_reach_the_file) {
  const std::string path = file_of("mapped.npy", content_of(sample("f32.npy")));
  const std::string before = content_of(path);
  Tensor tensor = read_npy(path).value();
  tensor.data<float>()[0] = 42;
  EXPECT_EQ(content_of(path), before);
  EXPECT_EQ(read_npy(path).value().to_vector<float>()[0], 0);
  EXPECT_EQ(tensor.to_vector<float>()[0], 42);
}

TEST(Npy, what_was_written_reads_back) {
  std::vector<NamedTensor> tensors = read_npz(sample("stored.npz")).value();
  const std::string path = scratch("copy.npz");
  write_npz(path, tensors);
  const auto copy = read_npz(path);
  ASSERT_TRUE(copy) << copy.why();
  ASSERT_EQ(copy->size(), tensors.size());
  for (size_t i = 0; i < tensors.size(); ++i) {
    const auto& [name, tensor] = tensors[i];
    const Tensor& again = (*copy)[i].tensor;
    EXPECT_EQ((*copy)[i].name, name);
    EXPECT_EQ(again.dtype(), tensor.dtype()) << name;
    EXPECT_EQ(elements_of(again), elements_of(tensor)) << name;
    EXPECT_TRUE(again.is_contiguous()) << name;
    if (again.numel() != 0) {
      EXPECT_EQ(reinterpret_cast<uintptr_t>(again.const_data()) % 64, 0U) << name;
    }
    const std::string alone = scratch("alone.npy");
    write_npy(alone, tensor);
    EXPECT_EQ(elements_of(read_npy(alone).value()), elements_of(tensor)) << name;
  }
}

TEST(Npy, a_file_of_ours_has_the_bytes_of_numpys) {
  const std::string path = scratch("same.npy");
  write_npy(path, read_npy(sample("f32.npy")).value());
  const std::string numpy = content_of(sample("f32.npy")), ours = content_of(path);
  EXPECT_EQ(ours, numpy);
}

TEST(Npy, what_numpy_does_not_have_is_not_written) {
  const auto refusal = [](auto write) -> std::string {
    try {
      write();
    } catch (const Error& e) {
      return std::string(e.message());
    }
    return "written";
  };
  const std::string path = scratch("refused.npz");
  const Tensor f32 = Tensor::from({1.0F}, {1});
  EXPECT_EQ(refusal([&] { write_npy(path, Tensor::empty({2}, DType::bf16)); }),
            "NumPy has no bf16; convert the tensor first, to(x, DType::f32)");
  EXPECT_EQ(refusal([&] { write_npy(path, Tensor()); }), cat(path, ": the tensor is not defined"));
  EXPECT_EQ(refusal([&] { write_npz(path, {{"x", f32}, {"x", f32}}); }),
            cat(path, ": the name \"x\" is used by two tensors"));
  EXPECT_EQ(refusal([&] { write_npz(path, {{"../x", f32}}); }),
            cat(path, ": \"../x\" cannot be the name of an array: it leaves its folder by \"..\""));
  EXPECT_EQ(refusal([&] { write_npz(path, {{"", f32}}); }),
            cat(path, ": \"\" cannot be the name of an array: it is empty"));
  EXPECT_FALSE(std::filesystem::exists(path));
}

// What follows the file's name in the message of read_npy.
std::string why(const std::string& path) {
  const auto read = read_npy(path);
  if (read) return "fine";
  EXPECT_TRUE(read.why().starts_with(path + ": ")) << read.why();
  return read.why().substr(path.size() + 2);
}

TEST(Npy, arrays_that_are_not_of_our_numbers_are_refused_with_what_to_do) {
  EXPECT_EQ(why(sample("objects.npy")),
            "byte 20: the array's dtype \"|O\" stands for Python objects, stored as a pickle, and "
            "no pickle is executed: save an array of numbers");
  EXPECT_EQ(why(sample("fields.npy")),
            "byte 20: the array has several fields: save each as an array of its own");
  EXPECT_NE(why(sample("no_void.npy")).find("save x.astype('float32')"), std::string::npos);
  EXPECT_NE(why(sample("no_u16.npy")).find("save x.astype('int64')"), std::string::npos);
  EXPECT_NE(why(sample("no_times.npy")).find("save x.astype('int64')"), std::string::npos);
  EXPECT_NE(why(sample("no_text.npy")).find("texts: save numbers"), std::string::npos);
  EXPECT_NE(why(sample("no_long.npy")).find("save x.astype('float64')"), std::string::npos);
}

std::string npy(std::string_view dict, size_t data) {
  std::string text = "\x93NUMPY\x01";
  text += '\0';
  text += static_cast<char>(dict.size() % 256);
  text += static_cast<char>(dict.size() / 256);
  return text + std::string(dict) + std::string(data, '\1');
}

std::string why(std::string_view dict, size_t data) {
  return why(file_of("case.npy", npy(dict, data)));
}

TEST(Npy, headers_that_are_wrong_are_refused_where_they_are) {
  EXPECT_EQ(why("{'shape':(2,),'descr':\"|u1\", 'fortran_order':True}", 2), "fine");
  EXPECT_EQ(why("{'descr':'|u1','fortran_order':False,'shape':(2L,3L)}", 6), "fine");
  EXPECT_EQ(why("  ", 0), "byte 12: needed a dict");
  EXPECT_EQ(why("{'descr':'|u1'}", 0), "byte 25: needed descr, fortran_order and shape");
  EXPECT_EQ(why("{'descr':'|u1','descr':'|u1'}", 0),
            "byte 32: got the key \"descr\", needed descr, fortran_order and shape");
  EXPECT_EQ(why("{'odd':1}", 0),
            "byte 16: got the key \"odd\", needed descr, fortran_order and shape");
  EXPECT_EQ(why("{'descr':'|u1','fortran_order':0,", 0), "byte 41: needed True or False");
  EXPECT_EQ(why("{'shape':(-1,)}", 0), "byte 20: needed a size from 0");
  EXPECT_EQ(why("{'shape':(99999999999999999999,)}", 0), "byte 20: a size is too large");
  EXPECT_EQ(why("{'shape':(1;2)}", 0), "byte 21: needed , or ) after a size");
  EXPECT_EQ(why("{'descr':'=f4'}", 0),
            "byte 19: the array's dtype \"=f4\" stands for numbers of a precision that Vitro "
            "lacks: save x.astype('float64') or 'complex128'");
  EXPECT_EQ(why("{'descr':'f4", 0), "byte 19: needed a text in quotes");
  std::string deep = "{'shape':(";
  for (int i = 0; i < 65; ++i) deep += "1,";
  EXPECT_EQ(why(deep + ")}", 0), "byte 149: the array has more than 64 dimensions");
}

TEST(Npy, sizes_must_be_those_of_the_data) {
  const auto sized = [](std::string_view shape, size_t bytes) {
    return why(cat("{'descr':'<f4','fortran_order':False,'shape':", shape, "}"), bytes);
  };
  EXPECT_EQ(sized("(2,)", 8), "fine");
  EXPECT_EQ(sized("(2,)", 7),
            "byte 60: the sizes need 8 bytes of f32, and the file has 7: it is truncated");
  EXPECT_EQ(sized("(2,)", 9), "byte 60: the sizes need 8 bytes of f32, and the file has 9");
  EXPECT_EQ(sized("(4611686018427387904,2)", 8), "byte 79: the sizes need more than 2^63 bytes");
  EXPECT_EQ(sized("(0,4611686018427387904,2)", 0), "byte 81: the sizes need more than 2^63 bytes");
}

TEST(Npy, a_file_that_ends_in_its_header_is_refused) {
  const std::string whole = content_of(sample("f32.npy"));
  EXPECT_EQ(why(file_of("short.npy", "")),
            "byte 0: it does not begin as a .npy file does, with \\x93NUMPY");
  EXPECT_EQ(why(file_of("short.npy", whole.substr(0, 11))), "byte 11: it ends in its header");
  EXPECT_EQ(why(file_of("short.npy", whole.substr(0, 100))), "byte 100: it ends in its header");
  EXPECT_EQ(why(file_of("newer.npy", with(whole, "\x01", "\x04"))),
            "byte 6: it has version 4.0 of the format, and 1.0 to 3.0 can be read");
  std::string long_header = content_of(sample("version_2.npy"));
  long_header[11] = '\x7f';
  EXPECT_EQ(why(file_of("long.npy", long_header)),
            "byte 8: its header of 2130706548 bytes is longer than 1048576");
}

TEST(Npy, a_boolean_that_is_neither_is_refused) {
  std::string bytes = npy("{'descr':'|b1','fortran_order':False,'shape':(2,)}", 1);
  bytes += '\2';
  EXPECT_EQ(why(file_of("odd.npy", bytes)), "byte 61: got 2 for a boolean, needed 0 or 1");
}

TEST(Npy, one_array_and_an_archive_of_arrays_are_told_apart) {
  EXPECT_EQ(why(sample("stored.npz")), "is a zip archive: use read_npz if it is a .npz file");
  EXPECT_EQ(read_npz(sample("f32.npy")).why(),
            cat(sample("f32.npy"), ": is a .npy file of one array: use read_npy"));
  EXPECT_NE(read_npz(scratch("")).why().find("is not a regular file"), std::string::npos);
  EXPECT_NE(read_npy("/nowhere.npy").why().find("cannot be opened"), std::string::npos);
  EXPECT_NE(read_npz("/nowhere.npz").why().find("cannot be opened"), std::string::npos);
}

}  // namespace
}  // namespace vitro::io
