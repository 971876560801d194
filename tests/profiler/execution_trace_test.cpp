// Tests execution traces: the attributes written by torch, nesting, inputs, and dependencies
// through tensor numbers.
#include "profiler/execution_trace.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "eager/eager.h"
#include "vitro/core/dtype.h"
#include "vitro/events/values.h"
#include "vitro/ops/all.h"
#include "vitro/profiler/profiler.h"

namespace vitro {
namespace {

using nlohmann::json;

Slice slice(SliceKind kind, std::string_view name, int64_t begin, int64_t end,
            uint32_t parent = Slice::none) {
  Slice made{.kind = kind};
  made.name_id = events::intern(name);
  made.begin = begin;
  made.end = end;
  made.parent = parent;
  return made;
}

// A cat in a range, an op inside a compile phase, and the gradient of the cat on another thread.
Profile sample(events::ValueWriter& inputs) {
  const auto f32 = static_cast<uint8_t>(DType::f32);
  constexpr int64_t sizes[] = {3, 4}, strides[] = {4, 1};
  inputs.tensors(2).tensor(f32, sizes, strides).tensor(f32, sizes, strides);
  inputs.name("dim").integer(0).integers(sizes).floating(2.5).boolean(true).none().text("sum");
  inputs.tensor(static_cast<uint8_t>(DType::f16), sizes, strides);

  Profile profile;
  profile.begin = 1'000'000'000;
  profile.end = 3'000'000'000;
  profile.tracks.resize(2);
  Track& main = profile.tracks[0];
  main.tid = 70;
  main.slices = {
      slice(SliceKind::range, "mine \"x\"", 0, 500), slice(SliceKind::op, "aten::cat", 100, 200, 0),
      slice(SliceKind::phase, "fold", 210, 400, 0), slice(SliceKind::op, "aten::add", 220, 230, 2)};
  main.slices[1].sequence = 5;
  main.extras.resize(1);
  main.extras[0].inputs = inputs.bytes();
  main.slices[1].extra = 0;
  main.incidents.resize(1);
  profile.tracks[1].tid = 71;
  profile.tracks[1].slices = {slice(SliceKind::op, "CatBackward", 600, 700),
                              slice(SliceKind::kernel, "tile", 610, 690, 0)};
  profile.flows = {{events::FlowKind::forward_backward, 1, {0, 1}, {1, 0}}};
  return profile;
}

json written() {
  events::ValueWriter inputs;
  const Profile profile = sample(inputs);
  report::TextOutput out;
  write_execution_trace(profile, out);
  out.finish();
  return json::parse(out.text());
}

std::map<std::string, json> by_name(const json& trace) {
  std::map<std::string, json> found;
  for (const json& node : trace["nodes"]) {
    json attributes;
    for (const json& a : node["attrs"]) attributes[a["name"].get<std::string>()] = a["value"];
    found[node["name"].get<std::string>() +
          (node["name"].get<std::string>().ends_with("thread]") ? attributes["tid"].dump() : "")] =
        node;
    found[node["name"]]["attributes"] = attributes;
  }
  return found;
}

}  // namespace

// The keys and attributes written by torch 2.13.
TEST(ExecutionTrace, has_the_form_of_a_real_one) {
  const json trace = written();
  EXPECT_EQ(trace["schema"], "1.1.1-chakra.0.0.4");
  EXPECT_EQ(trace["pid"], getpid());
  EXPECT_EQ(trace["start_ts"], 1000);
  EXPECT_EQ(trace["finish_ts"], 3000);
  const std::vector<std::pair<std::string, std::string>> attributes{
      {"rf_id", "uint64"},       {"fw_parent", "uint64"},
      {"seq_id", "int64"},       {"scope", "uint64"},
      {"tid", "uint64"},         {"fw_tid", "uint64"},
      {"op_schema", "string"},   {"kernel_backend", "string"},
      {"kernel_file", "string"}, {"tensor_range", "string"}};
  std::set<uint64_t> ids;
  for (const json& node : trace["nodes"]) {
    EXPECT_TRUE(ids.insert(node["id"].get<uint64_t>()).second);
    for (const char* side : {"inputs", "outputs"}) {
      for (const char* list : {"values", "shapes", "types", "strides"})
        EXPECT_EQ(node[side][list].size(), node[side]["values"].size());
    }
    ASSERT_EQ(node["attrs"].size(), attributes.size());
    for (size_t i = 0; i < attributes.size(); ++i) {
      EXPECT_EQ(node["attrs"][i]["name"], attributes[i].first);
      EXPECT_EQ(node["attrs"][i]["type"], attributes[i].second);
    }
  }
  for (const json& node : trace["nodes"])
    EXPECT_TRUE(ids.contains(node["ctrl_deps"].get<uint64_t>()));
  EXPECT_EQ(ids.size(), 1 + 2 + 5u);  // no compile phase
}

TEST(ExecutionTrace, says_what_ran_in_what) {
  auto nodes = by_name(written());
  const std::string thread = "[pytorch|profiler|execution_trace|thread]";
  EXPECT_EQ(nodes["[pytorch|profiler|execution_trace|process]"]["id"], 1);
  EXPECT_EQ(nodes[thread + "70"]["ctrl_deps"], 1);
  EXPECT_EQ(nodes["mine \"x\""]["ctrl_deps"], nodes[thread + "70"]["id"]);
  EXPECT_EQ(nodes["aten::cat"]["ctrl_deps"], nodes["mine \"x\""]["id"]);
  EXPECT_EQ(nodes["aten::add"]["ctrl_deps"], nodes["mine \"x\""]["id"]);
  EXPECT_EQ(nodes["tile"]["ctrl_deps"], nodes["CatBackward"]["id"]);
  EXPECT_EQ(nodes["mine \"x\""]["attributes"]["scope"], 7);
  EXPECT_EQ(nodes["tile"]["attributes"]["kernel_backend"], "vitro");
  EXPECT_EQ(nodes["tile"]["attributes"]["rf_id"], 7);  // after four slices and an incident
  EXPECT_EQ(nodes["aten::cat"]["attributes"]["seq_id"], 5);
}

TEST(ExecutionTrace, leads_from_a_gradient_to_its_op) {
  auto nodes = by_name(written());
  const json& attributes = nodes["CatBackward"]["attributes"];
  EXPECT_EQ(attributes["fw_parent"], nodes["aten::cat"]["id"]);
  EXPECT_EQ(attributes["fw_tid"], 70);
  EXPECT_EQ(attributes["scope"], 1);
}

TEST(ExecutionTrace, has_inputs_as_torch_writes_them) {
  auto nodes = by_name(written());
  EXPECT_EQ(nodes["aten::cat"]["inputs"], json::parse(R"json({
      "values": [[[0, 0, 0, 12, 4, "cpu"], [0, 0, 0, 12, 4, "cpu"]], 0, [3, 4], 2.5, true, "<None>",
                 "sum", [0, 0, 0, 12, 2, "cpu"]],
      "shapes": [[[3, 4], [3, 4]], [], [[], []], [], [], [], [], [3, 4]],
      "types": ["GenericList[Tensor(float),Tensor(float)]", "Int", "GenericList[Int,Int]", "Double",
                "Bool", "None", "String", "Tensor(c10::Half)"],
      "strides": [[[4, 1], [4, 1]], [], [[], []], [], [], [], [], [4, 1]]
})json"));
}

// [tensor, storage, offset, elements, bytes of each, device]
TEST(ExecutionTrace, links_outputs_to_inputs) {
  eager::init();
  const Tensor a = Tensor::empty({4, 3}, DType::f32), b = Tensor::empty({3}, DType::f32);
  Profiler profiler({.with_tensors = true});
  {
    const Tensor sum = add(a, b), joined = cat({sum, a}, 0), turned = permute(sum, {1, 0});
    const Tensor row = select(joined, 0, 2);
    neg(turned);
    mul(row, b);
  }
  const Tensor other = exp(b);  // may reuse the memory of the others
  profiler.stop();
  report::TextOutput out;
  write_execution_trace(profiler.profile(), out);
  out.finish();
  const json trace = json::parse(out.text());
  std::set<uint64_t> ids;
  for (const json& node : trace["nodes"]) ids.insert(node["id"].get<uint64_t>());
  auto nodes = by_name(trace);
  const auto input = [&](const char* op, size_t i) { return nodes[op]["inputs"]["values"][i]; };
  const auto output = [&](const char* op) { return nodes[op]["outputs"]["values"][0]; };
  EXPECT_EQ(input("aten::cat", 0)[0], output("aten::add"));
  EXPECT_EQ(input("aten::cat", 0)[1], input("aten::add", 0));
  EXPECT_EQ(nodes["aten::add"]["outputs"]["shapes"], json::parse("[[4, 3]]"));
  EXPECT_EQ(nodes["aten::add"]["outputs"]["types"][0], "Tensor(float)");
  EXPECT_EQ(input("aten::neg", 0), output("aten::permute"));
  EXPECT_EQ(output("aten::permute")[1], output("aten::add")[1]);  // the same memory
  EXPECT_NE(output("aten::permute")[0], output("aten::add")[0]);  // another tensor
  EXPECT_EQ(output("aten::select")[2], 6);
  EXPECT_EQ(input("aten::mul", 0), output("aten::select"));
  EXPECT_EQ(input("aten::exp", 0), input("aten::mul", 1));
  for (const char* op : {"aten::add", "aten::cat", "aten::neg", "aten::mul"})
    EXPECT_NE(output(op)[1], output("aten::exp")[1]) << op;
  EXPECT_FALSE(ids.contains(output("aten::add")[0].get<uint64_t>()));
}

}  // namespace vitro
