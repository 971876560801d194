// Packages of torch.export: each layout gives the tensors that torch has, shared where torch shares
// them; what is not a package is named, and what is wrong in one is refused.
#include "io/pt2/package.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <complex>
#include <map>

#include "io/files.h"
#include "io/zip_archive.h"
#include "io/zip_writer.h"
#include "vitro/base/cat.h"
#include "vitro/io/npy.h"

namespace vitro::io {
namespace {

std::string sample(std::string_view name) {
  return cat(VITRO_TEST_DATA, "/packages/", name);
}

bool has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

Package opened(const std::string& path) {
  auto package = Package::open(path);
  EXPECT_TRUE(package) << package.why();
  return *std::move(package);
}

// What torch has in tensors.pt2.
std::map<std::string, Tensor> torchs_tensors() {
  std::map<std::string, Tensor> tensors;
  for (const auto& [name, tensor] : read_npz(sample("tensors.npz")).value())
    tensors.emplace(name, tensor);
  return tensors;
}

TEST(Package, all_tensors_are_those_that_torch_has) {
  const Package package = opened(sample("tensors.pt2"));
  const PackageModel model = package.model().value();
  const auto expected = torchs_tensors();
  size_t compared = 0;
  for (const bool constants : {false, true}) {
    for (const auto& [name, is_parameter] : constants ? model.constants : model.weights) {
      const auto tensor = constants ? model.constant(name) : model.weight(name);
      if (name == "as_uint16" || name == "as_float8_e4m3fn") {
        EXPECT_FALSE(tensor);
        continue;
      }
      ASSERT_TRUE(tensor) << tensor.why();
      EXPECT_EQ(is_parameter, name == "first" || name == "tied") << name;
      const Tensor& torchs = expected.at(name);
      EXPECT_TRUE(std::ranges::equal(
          Ints(tensor->impl() && tensor->is_complex() ? tensor->pairs().impl()->sizes
                                                      : tensor->impl()->sizes),
          torchs.is_complex() ? torchs.pairs().impl()->sizes : torchs.impl()->sizes))
          << name;
      if (name == "as_bfloat16") {
        EXPECT_EQ(tensor->dtype(), DType::bf16);
        EXPECT_EQ(elements_of(*tensor), std::string("\x80\x3f\x00\x40\x40\x40", 6));
      } else {
        EXPECT_EQ(tensor->dtype(), torchs.dtype()) << name;
        EXPECT_EQ(elements_of(*tensor), elements_of(torchs)) << name;
      }
      ++compared;
    }
  }
  EXPECT_EQ(compared, expected.size());
}

TEST(Package, a_package_says_what_it_is) {
  const Package package = opened(sample("tensors.pt2"));
  EXPECT_EQ(package.path(), sample("tensors.pt2"));
  EXPECT_EQ(package.archive_version(), "0");
  EXPECT_FALSE(package.is_flat());
  EXPECT_EQ(package.serialization_id().size(), 40U);
  EXPECT_EQ(package.extra_files(), std::vector<std::string>{"notes/a.txt"});
  EXPECT_EQ(package.extra_file("notes/a.txt").value(), "hello");
  EXPECT_TRUE(has(package.extra_file("b.txt").why(), "has no entry \"tensors/extra/b.txt\""));
  EXPECT_TRUE(package.check());
  EXPECT_TRUE(package.verify());
  const PackageModel& model = package.models().at(0);
  EXPECT_EQ(model.name, "model");
  EXPECT_TRUE(model.program_json.starts_with("{\"graph_module\""));
  EXPECT_TRUE(model.has_sample_inputs);
}

TEST(Package, tensors_of_one_storage_share_memory_and_the_file_stays) {
  const std::string path = file_of("shared.pt2", content_of(sample("tensors.pt2")));
  const std::string before = content_of(path);
  {
    const PackageModel model = opened(path).model().value();  // outlives its package
    Tensor first = model.weight("first").value(), tied = model.weight("tied").value();
    EXPECT_EQ(first.data<float>(), tied.data<float>());
    EXPECT_TRUE(first.storage() == tied.storage());
    Tensor low = model.weight("low").value(), high = model.weight("high").value();
    EXPECT_TRUE(low.storage() == high.storage());
    low.data<float>()[4] = 40;  // the first element of `high`
    EXPECT_EQ(high.to_vector<float>(), (std::vector<float>{40, 5, 6, 7, 8, 9}));
    EXPECT_EQ(model.weight("high").value().to_vector<float>()[0], 40);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(first.const_data()) % 64, 0U);
  }
  EXPECT_EQ(content_of(path), before);
  EXPECT_EQ(opened(path).model().value().weight("high").value().to_vector<float>()[0], 4);
}

TEST(Package, views_keep_their_strides) {
  const PackageModel model = opened(sample("tensors.pt2")).model().value();
  EXPECT_EQ(model.weight("turned").value().strides()[0], 1);
  EXPECT_EQ(model.weight("expanded").value().strides()[0], 0);
  EXPECT_EQ(model.weight("empty").value().numel(), 0);
  EXPECT_EQ(model.weight("scalar").value().item<int64_t>(), 7);
}

TEST(Package, a_tensor_that_cannot_be_had_does_not_refuse_the_package) {
  const PackageModel model = opened(sample("tensors.pt2")).model().value();
  const std::string begin = cat(sample("tensors.pt2"), ": tensor ");
  EXPECT_EQ(model.weight("as_uint16").why(),
            begin +
                "\"as_uint16\": it has dtype uint16, which Vitro does not support: convert it "
                "in the module before the export");
  EXPECT_TRUE(has(model.weight("as_float8_e4m3fn").why(), "it has dtype float8_e4m3fn"));
  EXPECT_EQ(
      model.weight("fist").why(),
      cat(sample("tensors.pt2"), ": has no weight \"fist\" among its 20; did you mean \"first\"?"));
  EXPECT_TRUE(has(model.constant("first").why(), "has no constant \"first\" among its 2"));
}

TEST(Package, several_models_have_their_names) {
  const Package package = opened(sample("two.pt2"));
  ASSERT_EQ(package.models().size(), 2U);
  EXPECT_EQ(package.model("a").value().weight("w").value().to_vector<float>(),
            (std::vector<float>{1, 2}));
  EXPECT_EQ(package.model("a").value().constant("kept").value().to_vector<float>(),
            std::vector<float>{5});
  EXPECT_TRUE(package.model("b").value().weights.empty());
  EXPECT_EQ(package.model().why(),
            cat(sample("two.pt2"), ": has 2 models, \"a\", \"b\": name one"));
  EXPECT_EQ(package.model("c").why(),
            cat(sample("two.pt2"), ": has no model \"c\", but \"a\", \"b\""));
}

TEST(Package, the_layouts_of_older_versions_give_the_same_tensors) {
  for (const char* name : {"pickled.pt2", "flat.pt2"}) {
    const Package package = opened(sample(name));
    const bool flat = std::string_view(name) == "flat.pt2";
    EXPECT_EQ(package.is_flat(), flat);
    EXPECT_EQ(package.archive_version(), flat ? "8.2" : "0");
    const PackageModel model = package.model().value();
    EXPECT_EQ(model.name, "model");
    EXPECT_TRUE(model.program_json.starts_with("{\"graph_module\""));
    ASSERT_EQ(model.weights.size(), 2U);
    EXPECT_EQ(model.weight("w").value().to_vector<float>(), (std::vector<float>{1, 2}));
    EXPECT_EQ(model.weight("b").value().to_vector<int64_t>(), (std::vector<int64_t>{3, 4}));
    EXPECT_EQ(model.constant("kept").value().to_vector<float>(), std::vector<float>{5});
    EXPECT_TRUE(model.weights[0].name == "w" && model.weights[0].is_parameter);
    EXPECT_FALSE(model.weights[1].is_parameter);
    EXPECT_TRUE(package.verify());
  }
  const Package flat = opened(sample("flat.pt2"));
  EXPECT_EQ(flat.extra_file("note.txt").value(), "hello");
}

TEST(Package, sample_inputs_are_those_of_the_export) {
  for (const char* name : {"two.pt2", "flat.pt2"}) {
    const PackageModel model = opened(sample(name)).models().at(0);
    const auto inputs = model.sample_tensors();
    ASSERT_TRUE(inputs) << inputs.why();
    ASSERT_EQ(inputs->size(), 1U);
    EXPECT_EQ(inputs->at(0).to_vector<float>(), (std::vector<float>{1, 1}));
  }
  EXPECT_EQ(opened(sample("pickled.pt2")).models().at(0).sample_tensors().why(),
            cat(sample("pickled.pt2"), ": has no sample inputs"));
}

// What follows the file's name in the message of Package::open.
std::string why(const std::string& path) {
  const auto package = Package::open(path);
  if (package) return "fine";
  EXPECT_TRUE(package.why().starts_with(path + ": ")) << package.why();
  return package.why().substr(path.size() + 2);
}

TEST(Package, other_files_are_named_with_what_to_do) {
  const std::string export_it =
      "save the program with torch.export.save(torch.export.export(model, args), \"model.pt2\")";
  EXPECT_EQ(why(sample("aotinductor.pt2")),
            "holds machine code that AOTInductor compiled for cpu/x86_64/AVX2, and no program: " +
                export_it);
  EXPECT_EQ(why(sample("torchscript.pt2")),
            "is a TorchScript file (torch.jit.save), which is not read: " + export_it);
  EXPECT_EQ(why(sample("checkpoint.pt2")),
            "is a checkpoint of torch.save, which has weights and no program: load the weights "
            "into the model in Python and " +
                export_it);
  EXPECT_EQ(why(sample("tensors.npz")), "is a .npz archive of arrays: read it with io::read_npz");
  EXPECT_EQ(why(cat(VITRO_TEST_DATA, "/safetensors/all_dtypes.safetensors")),
            "is a safetensors file, which has weights and no program: read it with "
            "io::Safetensors, or " +
                export_it);
  EXPECT_EQ(why(cat(VITRO_TEST_DATA, "/npy/f32.npy")),
            "is a NumPy array: it has no program; " + export_it);
  const auto of = [](std::string_view bytes) { return why(file_of("case.pt2", bytes)); };
  EXPECT_EQ(of(""), "is empty");
  EXPECT_EQ(of("some text"), "is not a package of torch.export.save");
  EXPECT_TRUE(
      has(of(std::string_view("\x08\x08\x12\x07pytorch", 11)), "seems to be an ONNX model"));
  EXPECT_TRUE(has(of("\x80\x02}q\x01."), "is a pickle, perhaps of an old torch.save"));
  EXPECT_TRUE(has(of("\x7f"
                     "ELF\x02"),
                  "is machine code"));
  EXPECT_TRUE(has(of("version https://git-lfs.github.com/spec/v1"), "run git lfs pull"));
  EXPECT_TRUE(has(of("<!DOCTYPE html>"), "the download may have failed"));
  EXPECT_TRUE(has(of("....ET12"), "is a program of ExecuTorch"));
  EXPECT_TRUE(has(of("PK\x03\x04"), "it may be truncated"));
  EXPECT_TRUE(has(why("/nowhere.pt2"), "cannot be opened"));
  EXPECT_TRUE(has(why(scratch("")), "is not a regular file"));
}

using Entries = std::vector<std::pair<std::string, std::string>>;

// A package with one weight of two elements, before it is changed.
Entries small_package() {
  return {{"m/data/weights/weight_0", std::string("\0\0\x80\x3f\0\0\0\x40", 8)},
          {"m/data/weights/model_weights_config.json",
           R"({"config":{"w":{"path_name":"weight_0","is_param":true,"use_pickle":false,)"
           R"("tensor_meta":{"dtype":7,"sizes":[{"as_int":2}],"requires_grad":true,)"
           R"("device":{"type":"cpu","index":null},"strides":[{"as_int":1}],)"
           R"("storage_offset":{"as_int":0},"layout":7}}}})"},
          {"m/models/model.json", "{}"},
          {"m/archive_format", "pt2"},
          {"m/archive_version", "0"},
          {"m/byteorder", "little"}};
}

std::string written(const Entries& entries) {
  report::TextOutput out;
  ZipWriter zip(out);
  for (const auto& [name, content] : entries) zip.add(name, content);
  zip.finish();
  out.finish();
  return file_of("case.pt2", out.text());
}

// The package with an entry's content replaced; with an empty one, without it.
std::string with_entry(std::string_view name, std::string_view content) {
  Entries entries = small_package();
  std::erase_if(entries, [&](const auto& e) { return e.first == name; });
  if (!content.empty()) entries.emplace_back(name, content);
  return written(entries);
}

TEST(Package, what_a_package_must_have_is_asked_for) {
  EXPECT_EQ(why(written(small_package())), "fine");
  EXPECT_EQ(why(with_entry("m/models/model.json", "")),
            "has no program: no entry models/NAME.json");
  EXPECT_EQ(why(with_entry("m/archive_format", "")),
            "is a zip archive, but not a package of torch.export.save: its archive_format is "
            "missing, needed \"pt2\"");
  EXPECT_TRUE(has(why(with_entry("m/archive_format", "pt3")), "its archive_format is \"pt3\""));
  EXPECT_TRUE(has(why(with_entry("m/archive_version", "1")),
                  "has version \"1\" of the archive, and only \"0\" is known"));
  EXPECT_TRUE(has(why(with_entry("m/byteorder", "big")), "has byte order \"big\""));
  EXPECT_EQ(why(with_entry("n/stray", "x")),
            "entry \"n/stray\" is outside the folder \"m/\" of the others");
  EXPECT_TRUE(has(why(with_entry("m/archive_format", std::string(100, 'x'))),
                  "has 100 bytes, and at most 64 are read"));
}

TEST(Package, a_damaged_program_is_refused) {
  std::string bytes = content_of(written(small_package()));
  bytes[bytes.find("{}")] = '[';
  EXPECT_TRUE(has(why(file_of("damaged.pt2", bytes)),
                  "entry \"m/models/model.json\": its content has checksum"));
}

TEST(Package, a_damaged_weight_is_found_by_verify) {
  std::string bytes = content_of(written(small_package()));
  bytes[bytes.find("\x80\x3f")] = 1;
  const Package package = opened(file_of("damaged.pt2", bytes));
  EXPECT_TRUE(has(package.verify().why(), "entry \"m/data/weights/weight_0\": its content has"));
}

TEST(Package, a_list_of_weights_that_is_wrong_is_refused) {
  const auto list = [](std::string_view json) {
    return why(with_entry("m/data/weights/model_weights_config.json", json));
  };
  const std::string begin = "entry \"m/data/weights/model_weights_config.json\": ";
  EXPECT_TRUE(has(list("{"), begin + "it is not JSON: "));
  EXPECT_EQ(list("[]"), begin + R"(it needs an object {"config": {...}})");
  EXPECT_EQ(list(R"({"config":[]})"), begin + R"(it needs an object {"config": {...}})");
  EXPECT_EQ(list(R"({"config":{"w":1,"w":2}})"), begin + "two tensors have the name \"w\"");
  EXPECT_TRUE(has(list(std::string(5000, '[')), begin + "it is not JSON: "));
  EXPECT_EQ(list(R"({"config":{}})"), "fine");
}

// Why there is no weight "w" if this part of the list is replaced.
std::string weight(std::string_view what, std::string_view by) {
  Entries entries = small_package();
  entries[1].second = with(entries[1].second, what, by);
  const auto package = Package::open(written(entries));
  if (!package) return package.why();
  const auto tensor = package->model().value().weight("w");
  if (!tensor) return tensor.why().substr(cat(scratch("case.pt2"), ": tensor \"w\": ").size());
  return cat("fine: ", tensor->numel().value());
}

TEST(Package, an_entry_that_is_no_storage_is_refused) {
  EXPECT_EQ(weight("weight_0", "weight_0"), "fine: 2");
  EXPECT_EQ(weight("weight_0", "weight_1"), "the package has no entry \"m/data/weights/weight_1\"");
  EXPECT_EQ(weight("weight_0", "../../byteorder"),
            "the package has no entry \"m/data/weights/../../byteorder\"");
  EXPECT_EQ(weight("weight_0", "model_weights_config.json"),
            "the package has no entry \"m/data/weights/model_weights_config.json\"");
  EXPECT_EQ(weight("path_name", "name"), "its path_name is missing");
  EXPECT_EQ(weight("\"weight_0\"", "3"), "its path_name is missing");
}

TEST(Package, pickled_tensors_of_other_classes_are_refused) {
  EXPECT_EQ(weight("\"use_pickle\":false", "\"use_pickle\":true"),
            "it is a Python object or a tensor of a class of its own, stored as a pickle in "
            "\"weight_0\", and no pickle is executed");
  EXPECT_TRUE(
      has(weight("\"tensor_meta\":{", "\"tensor_meta\":null,\"x\":{"), "stored as a pickle"));
}

TEST(Package, dtypes_and_layouts_that_are_unknown_are_refused) {
  EXPECT_EQ(weight("\"dtype\":7", "\"dtype\":99"), "it has dtype 99, an unknown number");
  EXPECT_EQ(weight("\"dtype\":7", "\"dtype\":\"f\""), "its dtype is not given as a number");
  EXPECT_EQ(weight("\"dtype\":7", "\"dtype\":8"),
            "its view (sizes [2], strides [1], offset 0 of f64) ends at byte 16 of its storage "
            "\"m/data/weights/weight_0\", which has 8");
  EXPECT_TRUE(has(weight("\"dtype\":7", "\"dtype\":9"), "it has dtype complex32"));
  EXPECT_EQ(weight("\"layout\":7", "\"layout\":2"),
            "it has layout 2 (sparse or of a library), and only strided tensors (7) can be read: "
            "make it dense before the export");
}

TEST(Package, views_outside_of_their_storage_are_refused) {
  const std::string sizes = R"("sizes":[{"as_int":2}])", strides = R"("strides":[{"as_int":1}])",
                    offset = R"("storage_offset":{"as_int":0})";
  const auto sized = [&](std::string_view by) { return weight(sizes, cat("\"sizes\":", by)); };
  EXPECT_TRUE(has(sized(R"([{"as_int":3}])"), "ends at byte 12 of its storage"));
  EXPECT_EQ(sized(R"([{"as_int":0}])"), "fine: 0");
  EXPECT_EQ(sized("[]"), "it has 0 sizes and 1 strides");
  EXPECT_EQ(sized("[2]"), "its sizes, strides or offset are missing or not numbers");
  EXPECT_EQ(sized(R"([{"as_int":1.5}])"),
            "its sizes, strides or offset are missing or not numbers");
  const std::string absurd = "a size, a stride or the offset is negative or larger than any memory";
  EXPECT_EQ(sized(R"([{"as_int":-1}])"), absurd);
  EXPECT_EQ(sized(R"([{"as_int":9223372036854775807}])"), absurd);
  EXPECT_TRUE(has(sized(R"([{"as_int":70000000000000000}])"), "ends at byte 280000000000000000"));
  EXPECT_TRUE(has(weight(strides, R"("strides":[{"as_int":2}])"), "ends at byte 12"));
  EXPECT_EQ(weight(strides, R"("strides":[{"as_int":0}])"), "fine: 2");
  EXPECT_EQ(weight(strides, R"("strides":[{"as_int":-1}])"), absurd);
  EXPECT_TRUE(has(weight(offset, R"("storage_offset":{"as_int":1})"), "ends at byte 12"));
  EXPECT_EQ(weight(offset, R"("storage_offset":{"as_int":-1})"), absurd);
  EXPECT_EQ(weight(offset, R"("storage_offset":null)"),
            "its sizes, strides or offset are missing or not numbers");
  std::string many = "[", ones = many;
  for (int i = 0; i < 65; ++i) many += i == 0 ? R"({"as_int":1})" : R"(,{"as_int":1})";
  EXPECT_EQ(sized(many + "]"), "it has 65 dimensions, at most 64 can be read");
}

TEST(Package, sizes_whose_product_overflows_are_refused) {
  const std::string big = R"({"as_int":70000000000000000})";
  Entries entries = small_package();
  entries[1].second = with(entries[1].second, R"("sizes":[{"as_int":2}])",
                           cat("\"sizes\":[", big, ",", big, ",", big, "]"));
  entries[1].second = with(entries[1].second, R"("strides":[{"as_int":1}])",
                           R"("strides":[{"as_int":0},{"as_int":0},{"as_int":0}])");
  const auto tensor = opened(written(entries)).model().value().weight("w");
  EXPECT_FALSE(tensor);
  EXPECT_TRUE(has(tensor.why(), "has more elements than 64 bits can count")) << tensor.why();
}

TEST(Package, a_boolean_that_is_neither_is_refused) {
  EXPECT_EQ(weight("\"dtype\":7", "\"dtype\":12"), "fine: 2");
  Entries entries = small_package();
  entries[1].second = with(entries[1].second, "\"dtype\":7", "\"dtype\":12");
  entries[1].second = with(entries[1].second, R"([{"as_int":2}])", R"([{"as_int":3}])");
  EXPECT_TRUE(has(opened(written(entries)).model().value().weight("w").why(),
                  "byte 2 of its storage \"m/data/weights/weight_0\" is not a boolean, 0 or 1"));
}

TEST(Package, one_storage_serves_several_dtypes) {
  Entries entries = small_package();
  std::string config = entries[1].second;
  std::string other =
      config.substr(config.find("\"w\":"), config.size() - config.find("\"w\":") - 2);
  other = with(with(other, "\"w\"", "\"as_ints\""), "\"dtype\":7", "\"dtype\":4");
  entries[1].second = with(config, "\"w\":", other + ",\"w\":");
  const PackageModel model = opened(written(entries)).model().value();
  Tensor floats = model.weight("w").value(), ints = model.weight("as_ints").value();
  EXPECT_EQ(ints.to_vector<int32_t>(), (std::vector<int32_t>{0x3f800000, 0x40000000}));
  floats.data<float>()[0] = 2;
  EXPECT_EQ(ints.to_vector<int32_t>()[0], 0x40000000);
}

TEST(Package, a_storage_that_is_not_aligned_is_copied_once) {
  // The archive inside of flat.pt2 begins at any byte.
  const PackageModel model = opened(sample("flat.pt2")).model().value();
  const Tensor w = model.weight("w").value(), again = model.weight("w").value();
  EXPECT_EQ(w.const_data(), again.const_data());
  EXPECT_EQ(reinterpret_cast<uintptr_t>(w.const_data()) % 4, 0U);
}

TEST(Package, a_compressed_entry_is_refused_with_what_to_do) {
  std::string bytes = content_of(written(small_package()));
  // The method of weight_0, in the directory and in its own header.
  const size_t listed = bytes.find("PK\x01\x02"), own = bytes.find("PK\x03\x04");
  bytes[listed + 10] = bytes[own + 8] = 8;
  const PackageModel model = opened(file_of("packed.pt2", bytes)).model().value();
  EXPECT_TRUE(has(model.weight("w").why(),
                  "it is compressed (method 8); store it: unpack the archive and pack it with zip "
                  "-0"));
}

TEST(Package, a_file_that_became_shorter_is_found_before_a_weight_is_mapped) {
  const std::string path = file_of("shrinking.pt2", content_of(sample("tensors.pt2")));
  const Package package = opened(path);
  const PackageModel model = package.model().value();
  // A page of the file stays: touching it is safe, and the size tells.
  std::filesystem::resize_file(path, 8192);
  EXPECT_TRUE(has(package.check().why(), "another program shortened it to 8192 bytes"));
  EXPECT_TRUE(has(model.weight("first").why(), "another program shortened it to 8192 bytes"));
}

}  // namespace
}  // namespace vitro::io
