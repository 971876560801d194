// Tests the call tree, the stacks written from it, and flame graphs, on a small profile built by
// hand.
#include "vitro/profiler/call_tree.h"

#include <gtest/gtest.h>

#include "vitro/base/error.h"

namespace vitro {
namespace {

constexpr uint32_t none = Slice::none;

Slice slice(SliceKind kind, std::string_view name, int64_t begin, int64_t end, uint32_t parent) {
  Slice made{.kind = kind};
  made.name_id = events::intern(name);
  made.begin = begin;
  made.end = end;
  made.parent = parent;
  return made;
}

// Two threads of the same name: a step with two products and a kernel, and a single product.
Profile sample() {
  Profile profile{.begin = 0, .end = 1000};
  profile.tracks.resize(2);
  Track& main = profile.tracks[0];
  main.name = "worker";
  main.slices = {slice(SliceKind::range, "step; <1>\n", 0, 500, none),
                 slice(SliceKind::op, "aten::mm", 100, 200, 0),
                 slice(SliceKind::kernel, "tile", 110, 190, 1),
                 slice(SliceKind::op, "aten::mm", 300, 400, 0),
                 slice(SliceKind::op, "aten::mm", 600, 650, none)};
  main.memory.resize(3);
  main.memory[0] = {.at = 120, .address = 1, .bytes = 64, .live_bytes = 64, .slice = 1};
  main.memory[1] = {.at = 130, .address = 1, .bytes = -64, .live_bytes = 0, .slice = 1};
  main.memory[2] = {.at = 900, .address = 2, .bytes = 32, .live_bytes = 32};
  profile.tracks[1].name = "worker";
  profile.tracks[1].slices = {slice(SliceKind::op, "aten::mm", 0, 7, none)};
  return profile;
}

std::string stacks(Metric metric) {
  report::TextOutput out;
  write_stacks(CallTree(sample(), metric), out);
  out.finish();
  return out.text();
}

std::string picture(const Profile& profile) {
  report::TextOutput out;
  write_flame_graph(CallTree(profile), "a <b> & c", out);
  out.finish();
  return out.text();
}

size_t count(std::string_view text, std::string_view part) {
  size_t n = 0;
  for (size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

}  // namespace

TEST(CallTree, adds_what_has_the_same_names_around_it) {
  const CallTree tree(sample());
  ASSERT_EQ(tree.nodes().size(), 6u);
  const CallTree::Node& root = tree.nodes()[0];
  EXPECT_EQ(root.total, 557);
  EXPECT_EQ(tree.nodes()[1].name, "worker");
  EXPECT_EQ(tree.nodes()[2].name, "aten::mm");
  EXPECT_EQ(tree.nodes()[2].total, 57);
  EXPECT_EQ(tree.nodes()[2].calls, 2u);
  EXPECT_EQ(tree.nodes()[3].name, "step; <1>\n");
  EXPECT_EQ(tree.nodes()[3].total, 500);
  EXPECT_EQ(tree.nodes()[3].self, 300);
  EXPECT_EQ(tree.nodes()[4].self, 120);
  EXPECT_EQ(tree.nodes()[5].depth, 4u);
  int64_t self = 0;
  for (const CallTree::Node& node : tree.nodes()) self += node.self;
  EXPECT_EQ(self, root.total);
}

TEST(CallTree, is_written_as_flame_graph_tools_read_it) {
  EXPECT_EQ(stacks(Metric::self_cpu_time),
            "worker;aten::mm 57\n"
            "worker;step_ <1>_ 300\n"
            "worker;step_ <1>_;aten::mm 120\n"
            "worker;step_ <1>_;aten::mm;tile 80\n");
  EXPECT_EQ(stacks(Metric::calls),
            "worker;aten::mm 2\n"
            "worker;step_ <1>_ 1\n"
            "worker;step_ <1>_;aten::mm 2\n"
            "worker;step_ <1>_;aten::mm;tile 1\n");
  EXPECT_EQ(stacks(Metric::allocated),
            "worker 32\n"
            "worker;step_ <1>_;aten::mm 64\n");
}

TEST(CallTree, has_the_functions_of_the_program_around_what_they_called) {
  Profile profile{.begin = 0, .end = 1000};
  profile.stacks = {{16, 48}, {32, 16, 48}, {64, 48}};  // unknown addresses are shown as they are
  profile.tracks.resize(1);
  Track& track = profile.tracks[0];
  track.name = "main";
  track.slices = {
      slice(SliceKind::range, "step", 0, 500, none), slice(SliceKind::op, "aten::mm", 100, 200, 0),
      slice(SliceKind::kernel, "tile", 110, 190, 1), slice(SliceKind::op, "aten::mm", 300, 400, 0),
      slice(SliceKind::op, "aten::mm", 600, 650, none)};
  track.extras.resize(4);
  const uint32_t stacks_of[] = {0, 1, none, 0, 2};  // the kernel's is unknown
  for (uint32_t i = 0, extra = 0; i < 5; ++i) {
    if (stacks_of[i] == none) continue;
    track.extras[extra].stack = stacks_of[i];
    track.slices[i].extra = extra++;
  }
  track.memory.resize(1);
  track.memory[0] = {.at = 120, .bytes = 64, .slice = 1, .stack = 1};
  const auto lines = [&](Metric metric, bool functions) {
    report::TextOutput out;
    write_stacks(CallTree(profile, metric, functions), out);
    out.finish();
    return out.text();
  };
  EXPECT_EQ(lines(Metric::self_cpu_time, true),
            "main;0x30;0x10;step 300\n"
            "main;0x30;0x10;step;0x20;aten::mm 20\n"
            "main;0x30;0x10;step;0x20;aten::mm;tile 80\n"
            "main;0x30;0x10;step;aten::mm 100\n"
            "main;0x30;0x40;aten::mm 50\n");
  EXPECT_EQ(lines(Metric::allocated, true), "main;0x30;0x10;step;0x20;aten::mm 64\n");
  EXPECT_EQ(lines(Metric::self_cpu_time, false),
            "main;aten::mm 50\n"
            "main;step 300\n"
            "main;step;aten::mm 120\n"
            "main;step;aten::mm;tile 80\n");
}

TEST(CallTree, knows_metrics_by_the_names_that_pytorch_gives_them) {
  EXPECT_EQ(metric_named("self_cpu_time_total"), Metric::self_cpu_time);
  try {
    metric_named("self_cuda_time_total");
    FAIL();
  } catch (const Error& e) {
    EXPECT_STREQ(e.what(),
                 "export_stacks: there is no metric \"self_cuda_time_total\"; valid metrics are "
                 "self_cpu_time_total, self_cpu_memory_usage, calls");
  }
}

TEST(FlameGraph, has_a_box_with_a_tooltip_for_each_node) {
  const std::string svg = picture(sample());
  EXPECT_EQ(count(svg, "<svg class=\"frame "), 6u);
  EXPECT_NE(svg.find("<title>a &lt;b&gt; &amp; c</title>"), std::string::npos);
  EXPECT_NE(svg.find("<title>tile\n80ns (14.36%), 80ns of its own, 1 call</title>"),
            std::string::npos);
  EXPECT_NE(svg.find("step; &lt;1&gt;\n\n500ns"), std::string::npos);
  EXPECT_EQ(count(svg, "<script>"), 1u);
  EXPECT_EQ(count(svg, "http"), count(svg, "http://www.w3.org/"));  // namespaces
  EXPECT_EQ(svg, picture(sample()));
}

TEST(FlameGraph, leaves_out_what_is_too_small_to_see) {
  Profile profile{.begin = 0, .end = 1'000'000};
  profile.tracks.resize(1);
  profile.tracks[0].name = "main";
  profile.tracks[0].slices = {slice(SliceKind::op, "long", 0, 1'000'000, none),
                              slice(SliceKind::op, "short", 10, 20, 0)};
  EXPECT_EQ(count(picture(profile), "<svg class=\"frame "), 3u);
}

TEST(FlameGraph, of_nothing_is_a_picture_too) {
  EXPECT_EQ(count(picture(Profile{}), "<svg class=\"frame "), 1u);
}

}  // namespace vitro
