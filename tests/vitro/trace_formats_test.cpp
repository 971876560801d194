// A profile written in both formats is the same trace.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <tuple>
#include <vector>

#include "vitro/analyze/trace.h"
#include "vitro/vitro.h"

namespace vitro {
namespace {

using analyze::EventId;
using analyze::Trace;

// What an event of either format has.
using Row = std::tuple<std::string, std::string, char, int64_t, int64_t, std::string, std::string>;

std::vector<Row> rows_of(const Trace& trace) {
  std::vector<EventId> events;
  for (const EventId e : trace.events()) {
    const char phase = trace.phases()[e];
    const bool is_recording = trace.category(e) == "Trace" ||
                              trace.tracks()[trace.track_ids()[e]].pid.empty() ||
                              trace.tracks()[trace.track_ids()[e]].pid == "Traces";
    if ((phase == 'X' || phase == 'i' || phase == 's' || phase == 'f') && !is_recording)
      events.push_back(e);
  }
  std::vector<Row> out;
  const auto done = trace.read_events(events, [&](EventId e, std::string_view text) {
    const size_t args = text.find("\"args\"");
    std::string more(args == text.npos ? "" : text.substr(text.find('{', args)));
    std::erase_if(more, [](char c) { return c == ' '; });
    const bool is_arrow = analyze::is_arrow(trace.phases()[e]);
    out.emplace_back(trace.category(e), trace.name(e), trace.phases()[e],
                     trace.base() + trace.ts()[e], is_arrow ? 0 : trace.dur()[e],
                     trace.tracks()[trace.track_ids()[e]].tid, is_arrow ? "" : more);
  });
  EXPECT_TRUE(done) << done.why();
  std::ranges::sort(out);
  return out;
}

TEST(TraceFormats, have_the_same_events) {
  auto fast = compile([](const Tensor& x) {
    const Tensor y = exp(sin(x));
    graph_break("between");
    return sum(y);
  });
  Profiler profiler({.record_shapes = true, .profile_memory = true});
  for (int i = 0; i < 3; ++i) {
    RecordFunction range("a \"range\"");
    Tensor x = ones({64, 64}).set_requires_grad(true);
    fast(x).backward();
    profiler.step();
  }
  profiler.stop();
  std::string folder = testing::TempDir() + "/formats_XXXXXX";
  ASSERT_TRUE(mkdtemp(folder.data()));
  std::vector<std::vector<Row>> rows;
  for (const std::string name : {"/a.json", "/a.pftrace", "/a.pftrace.gz"}) {
    profiler.write_trace(folder + name);
    const auto trace = Trace::open(folder + name, {.keep = false, .progress = false});
    ASSERT_TRUE(trace) << trace.why();
    EXPECT_TRUE(trace->notes().empty()) << trace->notes().front().text;
    EXPECT_EQ(trace->metadata().at("producer"), "\"vitro\"");
    rows.push_back(rows_of(*trace));
  }
  std::filesystem::remove_all(folder);
  EXPECT_GT(rows[0].size(), 50U);
  EXPECT_EQ(rows[1], rows[0]);
  EXPECT_EQ(rows[2], rows[1]);
}

}  // namespace
}  // namespace vitro
