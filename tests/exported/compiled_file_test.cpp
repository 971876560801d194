// Files of save_compiled: they run without a compiler, and where they do not fit they are refused.
#include "exported/compiled_file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include "../backend/jit_folder.h"
#include "damaged.h"
#include "error_of.h"
#include "vitro/base/cat.h"
#include "vitro/core/print.h"
#include "vitro/exported/export.h"
#include "vitro/exported/model.h"
#include "vitro/nn/layers.h"
#include "vitro/ops/all.h"
#include "vitro/runtime/memory.h"

namespace vitro {
namespace {

std::string package(std::string_view name) {
  return cat(VITRO_TEST_DATA, "/pt2/", name, ".pt2");
}

std::string read(const std::string& path) {
  std::ostringstream out;
  out << std::ifstream(path, std::ios::binary).rdbuf();
  return out.str();
}
void write(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

// Inputs of the export's example sizes, the first varying size as often as said.
std::vector<ArgValue> inputs_of(const ExportedModel& model, int64_t times = 1) {
  std::vector<ArgValue> out;
  for (const ModelInput& one : model.inputs()) {
    if (one.kind == ModelInput::Kind::number) out.push_back(one.literal);
    if (one.kind != ModelInput::Kind::tensor) continue;
    Sizes sizes;
    int64_t count = 1;
    for (const ModelSize& size : one.sizes) {
      sizes.push_back(size.number ? *size.number : size.example * times);
      count *= sizes.back().value();
    }
    Tensor x = cos(arange(count));
    if (!is_floating(one.dtype)) x = remainder(arange(count), 3) + 1;
    out.emplace_back(to(reshape(x, sizes), one.dtype));
  }
  return out;
}

std::string results(const ExportedModel& model, int64_t times = 1) {
  const std::vector<ArgValue> inputs = inputs_of(model, times);
  const ModelResults out = model(std::span<const ArgValue>(inputs));
  std::string text;
  for (size_t i = 0; i < out.size(); ++i) {
    const auto* tensor = std::get_if<Tensor>(&out.value(i));
    text += cat(out.name(i), " ", tensor ? text_of(*tensor) : text_of(out.value(i)), "\n");
  }
  return text;
}

std::string_view other_isa() {
  return kernels::machine_isa() == kernels::Isa::avx2 ? "avx512" : "avx2";
}

class CompiledFile : public testing::Test {
 protected:
  ~CompiledFile() override { jit::cc_library.set(""); }

  std::string save(std::string_view name, const SaveCompiledOptions& options = {}) {
    const ExportedModel model = load(package(name));
    const std::string path = cat(folder_.path(), "/", name, ".vitro");
    model.save_compiled(path, inputs_of(model), options);
    return path;
  }
  // From here on nothing is cached and nothing can be compiled.
  void forget() {
    for (const auto& file : std::filesystem::directory_iterator(folder_.path())) {
      const auto end = file.path().extension();
      if (end == ".so" || end == ".plan") std::filesystem::remove(file.path());
    }
    jit::forget_modules();
    jit::cc_library.set("/nowhere/libvitro-cc.so");
  }
  // The words of an Error of loading.
  static std::string why_not(const std::string& path) {
    return error_of([&] { return load(path); });
  }

  const jit::CacheFolder folder_;
};

TEST_F(CompiledFile, runs_without_a_compiler) {
  for (const std::string_view name :
       {"mlp", "dynamic", "dynamic_core", "tree", "control", "data"}) {
    SCOPED_TRACE(name);
    jit::cc_library.set("");
    const std::string path = save(name), want = results(load(package(name)).compile());
    forget();
    const ExportedModel model = load(path);
    EXPECT_TRUE(model.is_compiled());
    for (int call = 0; call < 3; ++call) {
      if (name == "mlp" && call > 0) break;  // it counts its calls
      EXPECT_EQ(results(model), want);
    }
    for (const SegmentReport& segment : model.report().segments) {
      EXPECT_TRUE(segment.compiled) << segment.why_not;
      ASSERT_TRUE(segment.build);
      EXPECT_TRUE(segment.build->from_plan);
    }
    EXPECT_EQ(folder_.count(".so"), 0U);
  }
}

TEST_F(CompiledFile, has_symbols_for_the_sizes_that_vary) {
  const std::string path = save("dynamic");
  const ExportedModel eager = load(package("dynamic"));
  std::vector<std::string> want;
  for (const int64_t times : {1, 2, 3}) want.push_back(results(eager.compile(), times));
  forget();
  const ExportedModel model = load(path);
  for (const int64_t times : {3, 1, 2})
    EXPECT_EQ(results(model, times), want[static_cast<size_t>(times - 1)]) << times;
  EXPECT_EQ(folder_.count(".so"), 0U);
}

TEST_F(CompiledFile, is_a_package_as_well) {
  const std::string path = save("tree");
  EXPECT_EQ(exported::identity_of(path).value(), exported::identity_of(package("tree")).value());
  EXPECT_EQ(load(path).inputs().size(), load(package("tree")).inputs().size());
  // Compiled once more from it.
  const std::string again = cat(folder_.path(), "/again.vitro");
  const ExportedModel model = load(path);
  model.save_compiled(again, inputs_of(model));
  EXPECT_EQ(read(again), read(path));
}

TEST_F(CompiledFile, may_leave_the_weights_where_they_are) {
  const std::string copy = cat(folder_.path(), "/copy.pt2");
  std::filesystem::copy_file(package("tree"), copy);
  const ExportedModel model = load(copy);
  const std::string path = cat(folder_.path(), "/tree.vitro"), want = results(model.compile());
  model.save_compiled(path, inputs_of(model), {.weights = SaveCompiledOptions::Weights::reference});
  EXPECT_EQ(read(path).find("models/model.json"), std::string::npos);
  forget();
  EXPECT_EQ(results(load(path)), want);
  std::filesystem::remove(copy);
  std::filesystem::copy_file(package("mlp"), copy);
  EXPECT_NE(why_not(path).find("is not the file that it was compiled from"), std::string::npos)
      << why_not(path);
  std::filesystem::remove(copy);
  EXPECT_NE(why_not(path).find("its weights are in another file"), std::string::npos);
}

struct OneLayer : nn::Module {
  nn::Linear linear{*this, "linear", 256, 192};
  Tensor operator()(const Tensor& x) { return linear(x); }
};

// A product whose right operand kernels read as panels.
struct Layer {
  std::string path;
  Tensor x = cos(reshape(arange(32 * 256), {32, 256}));
  explicit Layer(const std::string& folder) : path(cat(folder, "/layer.pt2")) {
    OneLayer model;
    copy_(model.linear.weight, sin(reshape(arange(192 * 256), {192, 256})));
    vitro::save(export_graph(std::ref(model), x), path);
  }
  std::vector<float> result(const ExportedModel& model) const {
    return reshape(model({x})[0], {-1}).to_vector<float>();
  }
};

TEST_F(CompiledFile, has_weights_as_kernels_read_them) {
  using Weights = SaveCompiledOptions::Weights;
  const Layer layer(folder_.path());
  const ExportedModel model = load(layer.path);
  const std::vector<float> want = layer.result(model.compile());
  const auto file = [&](std::string_view name) { return cat(folder_.path(), "/", name, ".vitro"); };
  for (const auto& [name, weights] : {std::pair{"packed", Weights::packed},
                                      {"value", Weights::value},
                                      {"reference", Weights::reference}})
    model.save_compiled(file(name), {layer.x}, {.weights = weights});
  constexpr int64_t bytes = int64_t{192} * 256 * 4;
  const auto has_panels = [&](std::string_view name) {
    return read(file(name)).find("/panels/") != std::string::npos;
  };
  EXPECT_TRUE(has_panels("packed"));
  EXPECT_FALSE(has_panels("value"));
  EXPECT_FALSE(has_panels("reference"));
  forget();
  for (const std::string_view name : {"packed", "value", "reference"}) {
    const ExportedModel soon = load(file(name));
    const int64_t before = memory_stats().live_bytes;
    EXPECT_EQ(layer.result(soon), want) << name;
    const int64_t packed = memory_stats().live_bytes - before;
    EXPECT_EQ(packed < bytes, name == "packed") << name << ": " << packed;
  }
}

// Panels of the file are those of the weights in the file.
TEST_F(CompiledFile, has_no_panels_of_weights_that_were_written) {
  const Layer layer(folder_.path());
  const std::string path = cat(folder_.path(), "/layer.vitro");
  const ExportedModel model = load(layer.path);
  const auto doubled = [&](const ExportedModel& of) {
    for (const ModelWeight& one : of.parameters()) mul_(one.tensor, 2);
  };
  const std::vector<float> want = layer.result(model.compile());
  std::vector<float> twice = want;
  for (float& one : twice) one *= 2;
  model.save_compiled(path, {layer.x});
  forget();
  const ExportedModel soon = load(path);
  EXPECT_EQ(layer.result(soon), want);
  doubled(soon);
  EXPECT_EQ(layer.result(soon), twice);
  jit::cc_library.set("");
  doubled(model);
  EXPECT_EQ(layer.result(model.compile()), twice);
  model.save_compiled(path, {layer.x});
  EXPECT_EQ(read(path).find("/panels/"), std::string::npos);
  forget();
  EXPECT_EQ(layer.result(load(path)), want) << "weights are those of the model's file";
}

TEST_F(CompiledFile, leaves_the_model_and_the_example_as_they_were) {
  const ExportedModel model = load(package("mlp"));  // counts its calls
  const std::vector<ArgValue> inputs = inputs_of(model);
  const std::string want = results(load(package("mlp")));
  model.save_compiled(cat(folder_.path(), "/mlp.vitro"), inputs);
  EXPECT_EQ(results(model), want);
}

TEST_F(CompiledFile, is_not_written_over_the_model) {
  const std::string copy = cat(folder_.path(), "/copy.pt2"), link = cat(folder_.path(), "/link");
  std::filesystem::copy_file(package("tree"), copy);
  std::filesystem::create_symlink(copy, link);
  const ExportedModel model = load(copy);
  const std::string before = read(copy);
  for (const std::string& path : {copy, link}) {
    const std::string why = error_of([&] { model.save_compiled(path, inputs_of(model)); });
    EXPECT_NE(why.find("is the file that the model was loaded from"), std::string::npos) << why;
  }
  EXPECT_EQ(read(copy), before);
  EXPECT_NE(error_of([&] {
              model.save_compiled(copy + ".gz", inputs_of(model));
            }).find("is compressed, by its name"),
            std::string::npos);
}

TEST_F(CompiledFile, is_refused_without_code_for_this_machine) {
  const std::string path = save("tree", {.isas = {std::string(other_isa())}});
  const std::string why = why_not(path);
  EXPECT_NE(why.find(cat("was compiled for ", other_isa(), ", and this machine runs ",
                         kernels::name(kernels::machine_isa()))),
            std::string::npos)
      << why;
  const std::string both =
      save("tree", {.isas = {std::string(other_isa()), kernels::name(kernels::machine_isa())}});
  const std::string want = results(load(package("tree")).compile());
  forget();
  EXPECT_EQ(results(load(both)), want);
  EXPECT_NE(error_of([&] { save("tree", {.isas = {"neon"}}); }).find("no instruction set neon"),
            std::string::npos);
}

TEST_F(CompiledFile, is_refused_by_another_build_of_the_library) {
  const std::string path = save("tree");
  const std::string id = exported::CompiledFile::open(path).value()->header().build;
  ASSERT_FALSE(id.empty());
  // The entry's checksum is that of other bytes, so that the damage is found first.
  std::string bytes = read(path);
  bytes[bytes.find(id)] = bytes[bytes.find(id)] == '0' ? '1' : '0';
  write(path, bytes);
  EXPECT_NE(why_not(path), "");
}

TEST_F(CompiledFile, that_is_damaged_is_an_error_or_a_model_with_other_weights) {
  const std::string path = save("tree"), bytes = read(path);
  std::mt19937 random(1);
  int refused = 0;
  for (int i = 0; i < 150; ++i) {
    write(path, i % 3 == 0 ? bytes.substr(0, random() % bytes.size()) : damaged(bytes, random));
    try {
      (void)results(load(path));
    } catch (const Error&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 100);
}

}  // namespace
}  // namespace vitro
