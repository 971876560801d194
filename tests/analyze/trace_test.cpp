// Tests reading traces: every real one against Python's json, formats of numbers and files,
// truncated and malformed input, and the cache.
#include "vitro/analyze/trace.h"

#include <gtest/gtest.h>
#include <zstd.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "analyze/packed.h"
#include "analyze/trace_files.h"
#include "vitro/base/cache_folder.h"
#include "vitro/base/cat.h"

namespace vitro::analyze {
namespace {

// `python3 tests/cli/values counts FILE`.
struct Known {
  const char* file;
  size_t events, complete;
  int64_t total_ns;  // of events of phase X
  size_t names, categories, correlated, tracks;
};
constexpr Known known[] = {
    {"alexnet_cuda.json.gz", 1408, 868, 307784449000, 94, 10, 500, 17},
    {"backward_thread.json", 7, 7, 521799000, 7, 4, 2, 3},
    {"cpu_only.json.gz", 30, 16, 3635095146, 11, 4, 0, 8},
    {"cuda_event_sync.json.gz", 149, 57, 65876000, 26, 8, 50, 18},
    {"cupti_counters.json.gz", 4222, 2324, 109939346000, 90, 7, 1862, 16},
    {"mtia_inference.json.gz", 16158, 14179, 7594837696, 75, 7, 1801, 68},
    {"nccl_two_ranks.json.gz", 40573, 26933, 4383359174, 199, 11, 12514, 18},
    {"no_distributed_info.json.gz", 2467, 2467, 250549000, 134, 2, 0, 1},
    {"rocm_mi250_train.json.gz", 220, 113, 52276266, 73, 10, 37, 23},
    {"sampled_rank_0.json.gz", 4855, 4811, 7917027000, 404, 8, 2408, 18},
    {"sampled_rank_1.json.gz", 4720, 4676, 8020966000, 381, 8, 2308, 18},
    {"torch_2_13_cpu_compile_phases.json.gz", 87, 77, 291410635, 61, 4, 0, 6},
    {"torch_2_13_cpu_model_with_breaks.json.gz", 403, 377, 17915739, 38, 4, 0, 6},
    {"torch_2_13_cpu_resnet18_compiled.json.gz", 1592, 1570, 2155233287, 47, 5, 0, 6},
    {"torch_2_13_cpu_resnet18_eager.json.gz", 7247, 3655, 1935662155, 80, 6, 0, 6},
    {"torch_2_13_cpu_threads_stacks.json.gz", 548, 538, 788349391, 134, 5, 0, 6},
    {"torch_compile_triton.json.gz", 71, 8, 13693360730, 15, 8, 3, 24},
    {"v100_train_rank0.json.gz", 108936, 67217, 7904659000, 303, 9, 41671, 25},
};

TEST(Trace, reads_every_real_trace_whole) {
  for (const Known& want : known) {
    for (const int threads : {1, 3}) {
      const auto trace = open_alone(real_trace(want.file), threads);
      ASSERT_TRUE(trace) << trace.why();
      EXPECT_TRUE(trace->notes().empty()) << want.file << ": " << trace->notes()[0].text;
      size_t complete = 0, correlated = 0;
      int64_t total = 0;
      for (EventId e = 0; e < trace->size(); ++e) {
        const bool flow =
            std::string_view("stf").find(trace->phases()[e]) != std::string_view::npos;
        correlated += !flow && trace->links()[e] != none;
        if (trace->phases()[e] != 'X') continue;
        ++complete;
        total += trace->dur()[e] == none ? 0 : trace->dur()[e];
      }
      EXPECT_EQ(trace->size(), want.events) << want.file;
      EXPECT_EQ(complete, want.complete) << want.file;
      EXPECT_EQ(total, want.total_ns) << want.file;
      EXPECT_EQ(trace->names().size(), want.names) << want.file;
      EXPECT_EQ(trace->categories().size(), want.categories) << want.file;
      EXPECT_EQ(correlated, want.correlated) << want.file;
      EXPECT_EQ(trace->tracks().size(), want.tracks) << want.file;
    }
  }
}

TEST(Trace, times_are_nanoseconds_however_they_are_written) {
  const auto trace = trace_of(R"({"traceEvents": [
    {"ph": "X", "name": "a", "ts": 1683564901550122, "dur": 7, "pid": 1, "tid": 1},
    {"ph": "X", "name": "b", "ts": 4410266946280.690, "dur": 0.001, "pid": 1, "tid": 1},
    {"ph": "X", "name": "c", "ts": "12.5", "dur": "1.0005", "pid": 1, "tid": 1},
    {"ph": "X", "name": "d", "ts": 1e3, "dur": 1.5e-1, "pid": 1, "tid": 1},
    {"ph": "i", "name": "e", "ts": -2.25, "pid": 1, "tid": 1}]})");
  ASSERT_TRUE(trace) << trace.why();
  EXPECT_EQ(std::vector(trace->ts().begin(), trace->ts().end()),
            (std::vector<int64_t>{1683564901550122000, 4410266946280690, 12500, 1000000, -2250}));
  EXPECT_EQ(std::vector(trace->dur().begin(), trace->dur().end()),
            (std::vector<int64_t>{7000, 1, 1001, 150, none}));
}

TEST(Trace, members_may_come_before_and_after_the_events) {
  const auto trace = trace_of(R"({"schemaVersion": 1, "distributedInfo": {"rank": 3, "x": [1, "]"]},
    "traceEvents": [{"ph": "i", "name": "a", "ts": 1}], "baseTimeNanoseconds": 1700000000000000000,
    "traceName": "/tmp/\"x\".json"})");
  ASSERT_TRUE(trace) << trace.why();
  EXPECT_EQ(trace->base(), 1700000000000000000);
  EXPECT_EQ(trace->metadata().at("distributedInfo"), R"({"rank": 3, "x": [1, "]"]})");
  EXPECT_EQ(trace->metadata().at("traceName"), R"("/tmp/\"x\".json")");
}

TEST(Trace, a_bare_list_of_events_is_a_trace_and_needs_no_end) {
  for (const char* text : {R"([{"ph": "X", "name": "a", "ts": 1, "dur": 2}])",
                           "[{\"ph\": \"X\", \"name\": \"a\", \"ts\": 1, \"dur\": 2},\n"}) {
    const auto trace = trace_of(text);
    ASSERT_TRUE(trace) << trace.why();
    EXPECT_EQ(trace->size(), 1U);
    EXPECT_TRUE(trace->notes().empty());
  }
}

TEST(Trace, names_are_read_without_their_escapes) {
  const auto trace =
      trace_of(R"([{"ph":"i","ts":1,"name":"a\"b\\c\/\n\u00e9\ud83d\ude00\ud83dx"}])");
  ASSERT_TRUE(trace) << trace.why();
  EXPECT_EQ(trace->name(0), "a\"b\\c/\n\u00e9\U0001F600\uFFFDx");
}

TEST(Trace, a_file_that_ends_early_gives_what_was_whole_and_says_so) {
  const std::string whole =
      R"({"traceEvents": [{"ph":"i","ts":1,"name":"a"},{"ph":"i","ts":2,"name":"b"}]})";
  for (size_t size = 0; size < whole.size(); ++size) {
    const auto trace = trace_of(whole.substr(0, size));
    if (size < std::string_view(R"({"traceEvents": [)").size()) {
      EXPECT_FALSE(trace) << size;
      EXPECT_NE(trace.why().find("at byte"), std::string::npos) << trace.why();
      continue;
    }
    ASSERT_TRUE(trace) << trace.why();
    EXPECT_FALSE(trace->notes().empty()) << size;
    const size_t events =
        std::count(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size), '}');
    EXPECT_EQ(trace->size(), std::min<size_t>(events, 2)) << size;
  }
}

TEST(Trace, a_broken_event_costs_no_other) {
  const auto trace = trace_of(
      "{\"traceEvents\": [{\"ph\":\"i\",\"ts\":1,\"name\":\"tab\there\"},"
      "{\"ph\":\"i\",\"ts\":2,\"name\":\"bad \xff byte\"},"
      "{\"ph\":\"i\",\"ts\":3,\"name\":\"n\",\"args\":{\"x\":NaN,\"y\":[-Infinity,1]}},"
      "{\"ph\":\"i\",\"ts\":NaN,\"name\":\"no time\"}, 5, \"text\","
      "{\"ph\":\"i\",\"ts\":4,\"name\" \"no colon\"},"
      "{\"ph\":\"i\",\"ts\":5,\"name\":\"last\"}]}");
  ASSERT_TRUE(trace) << trace.why();
  std::vector<std::string_view> names;
  for (EventId e = 0; e < trace->size(); ++e) names.push_back(trace->name(e));
  EXPECT_EQ(names, (std::vector<std::string_view>{"tab here", "bad ? byte", "n", "last"}));
  EXPECT_GE(trace->notes().size(), 4U);
}

TEST(Trace, files_that_are_not_traces_are_refused_with_the_place) {
  const std::pair<const char*, const char*> cases[] = {
      {"", "at byte 0: the file is empty"},
      {"hello", "at byte 0: got 'h', needs '{' or '['"},
      {R"({"a": 1})", "has no member \"traceEvents\""},
      {R"({"a" 1})", "needs ':'"},
      {R"({5: 1})", "needs the name of a member in quotes"}};
  for (const auto& [text, want] : cases) {
    const auto trace = trace_of(text);
    ASSERT_FALSE(trace) << text;
    EXPECT_NE(trace.why().find(want), std::string::npos) << trace.why();
  }
  EXPECT_FALSE(open_alone("/nonexistent/trace.json"));
  EXPECT_FALSE(open_alone("/"));
}

std::string zstd_of(const std::string& text) {
  std::string out(ZSTD_compressBound(text.size()), '\0');
  out.resize(ZSTD_compress(out.data(), out.size(), text.data(), text.size(), 1));
  return out;
}

std::string many_events(int count) {
  std::string text = R"({"traceEvents": [)";
  for (int i = 0; i < count; ++i) {
    text += cat(i == 0 ? "" : ",\n", R"({"ph":"X","cat":"cpu_op","name":"op )", i % 50,
                R"(","pid":1,"tid":)", i % 3, R"(,"ts":)", i,
                R"(.250,"dur":1,"args":{"External id":)", i, R"(,"s":"}{"}})");
  }
  return text + "]}";
}

TEST(Trace, packed_files_are_known_by_their_bytes) {
  const TraceFolder folder;
  const std::string text = many_events(1000), gz = packed(text), zst = zstd_of(text);
  // Two gzip members or two zstd frames, one after the other, are one text.
  const std::string half = text.substr(0, 5000), rest = text.substr(5000);
  for (const std::string& bytes :
       {text, gz, zst, packed(half) + packed(rest), zstd_of(half) + zstd_of(rest)}) {
    const auto trace = open_alone(folder.file("trace.bin", bytes), 2);
    ASSERT_TRUE(trace) << trace.why();
    EXPECT_EQ(trace->size(), 1000U);
    EXPECT_TRUE(trace->notes().empty());
    EXPECT_EQ(trace->unpacked_bytes(), text.size());
  }
}

TEST(Trace, packed_files_that_end_early_give_what_was_whole) {
  const TraceFolder folder;
  const std::string text = many_events(20000), gz = packed(text), zst = zstd_of(text);
  for (const std::string& bytes : {gz.substr(0, gz.size() / 2), zst.substr(0, zst.size() / 2)}) {
    const auto trace = open_alone(folder.file("trace.bin", bytes));
    ASSERT_TRUE(trace) << trace.why();
    EXPECT_GT(trace->size(), 0U);
    EXPECT_LT(trace->size(), 20000U);
    EXPECT_NE(trace->notes().back().text.find("truncated"), std::string::npos);
  }
}

TEST(Trace, events_longer_than_a_window_and_many_windows_are_read) {
  const std::string text = many_events(60000);
  const std::string long_event =
      cat(R"({"ph":"i","name":"long","ts":7,"args":{"a":")", std::string(9 << 20, 'x'), "\"}}");
  const auto trace = trace_of(
      cat("[", long_event, ",", text.substr(text.find('[') + 1, text.size() - 19), "]"), 3);
  ASSERT_TRUE(trace) << trace.why();
  EXPECT_EQ(trace->size(), 60001U);
  EXPECT_EQ(trace->name(0), "long");
  for (EventId e = 1; e < trace->size(); ++e) ASSERT_EQ(trace->external_ids()[e], e - 1);
}

TEST(Trace, the_text_of_events_is_found_again) {
  const TraceFolder folder;
  const std::string path = folder.file("trace.gz", packed(many_events(20000)));
  const auto trace = open_alone(path, 2);
  ASSERT_TRUE(trace) << trace.why();
  const std::vector<EventId> events{0, 1, 4711, 19999};
  size_t seen = 0;
  const auto done = trace->read_events(events, [&](EventId e, std::string_view json) {
    EXPECT_EQ(e, events[seen++]);
    EXPECT_TRUE(json.starts_with("{") && json.ends_with("}}")) << json;
    EXPECT_NE(json.find(cat("\"External id\":", e, ",")), std::string_view::npos) << json;
  });
  EXPECT_TRUE(done) << done.why();
  EXPECT_EQ(seen, events.size());
}

TEST(Trace, columns_are_kept_until_the_file_changes) {
  const TraceFolder folder;
  const std::string before = cache_dir.get();
  cache_dir.set(folder.path());
  const std::string path = folder.file("trace.json", many_events(100));
  EXPECT_FALSE(Trace::open(path)->from_cache());
  const auto again = Trace::open(path);
  ASSERT_TRUE(again) << again.why();
  EXPECT_TRUE(again->from_cache());
  EXPECT_EQ(again->size(), 100U);
  EXPECT_EQ(again->name(7), "op 7");
  folder.file("trace.json", many_events(200));
  EXPECT_EQ(Trace::open(path)->size(), 200U);
  // Corrupt columns are rebuilt.
  for (const auto& kept : std::filesystem::directory_iterator(folder.path() + "/traces"))
    std::ofstream(kept.path() / "facts") << "nonsense";
  const auto mended = Trace::open(path);
  ASSERT_TRUE(mended) << mended.why();
  EXPECT_FALSE(mended->from_cache());
  EXPECT_EQ(mended->size(), 200U);
  cache_dir.set(before);
}

// B and E nest on their track, an end without a name belongs to the last begin; b and e belong
// together by their id.  In files of one window and of several.
TEST(Trace, two_events_of_a_duration_are_one_that_lasts) {
  const std::string text = R"json([
    {"ph":"B","cat":"cpu_op","name":"outer","ts":10,"pid":1,"tid":1},
    {"ph":"B","cat":"cpu_op","name":"inner","ts":20,"pid":1,"tid":1},
    {"ph":"B","cat":"cpu_op","name":"other","ts":25,"pid":1,"tid":2},
    {"ph":"E","ts":30,"pid":1,"tid":1},
    {"ph":"b","cat":"net","name":"get","id":"0x1","ts":31,"pid":1,"tid":1},
    {"ph":"b","cat":"net","name":"get","id":"0x2","ts":32,"pid":1,"tid":1},
    {"ph":"e","cat":"net","name":"get","id":"0x1","ts":35,"pid":1,"tid":1},
    {"ph":"e","cat":"net","name":"get","id":"0x2","ts":39,"pid":1,"tid":1},
    {"ph":"E","name":"outer","ts":40,"pid":1,"tid":1},
    {"ph":"E","ts":41,"pid":1,"tid":1},
    {"ph":"X","cat":"cpu_op","name":"last","ts":50,"dur":1,"pid":1,"tid":1}])json";
  const auto trace = trace_of(text);
  ASSERT_TRUE(trace) << trace.why();
  const auto lasts = [&](EventId e) {
    return trace->phases()[e] == 'X' ? trace->dur()[e] : int64_t{-1};
  };
  EXPECT_EQ(lasts(0), 30'000);
  EXPECT_EQ(lasts(1), 10'000);
  EXPECT_EQ(lasts(2), -1);  // it has no end
  EXPECT_EQ(lasts(4), 4'000);
  EXPECT_EQ(lasts(5), 7'000);
  EXPECT_NE(trace->track_ids()[4], trace->track_ids()[0]);
  EXPECT_EQ(trace->track_ids()[4], trace->track_ids()[5]);
  ASSERT_EQ(trace->notes().size(), 2U);
  EXPECT_EQ(trace->notes()[0].text, "1 event with phase B or b without an end: not known how long");
  EXPECT_EQ(trace->notes()[1].text, "1 event with phase E or e without a begin");
}

TEST(Trace, an_end_belongs_to_the_last_begin_of_its_name_else_to_the_last) {
  const auto trace = trace_of(R"json([
    {"ph":"B","cat":"cpu_op","name":"a","ts":1,"pid":1,"tid":1},
    {"ph":"B","cat":"cpu_op","name":"b","ts":2,"pid":1,"tid":1},
    {"ph":"B","cat":"cpu_op","name":"a","ts":3,"pid":1,"tid":1},
    {"ph":"B","cat":"cpu_op","name":"b","ts":4,"pid":1,"tid":1},
    {"ph":"E","name":"a","ts":10,"pid":1,"tid":1},
    {"ph":"E","name":"c","ts":20,"pid":1,"tid":1},
    {"ph":"E","name":"a","ts":30,"pid":1,"tid":1},
    {"ph":"E","ts":40,"pid":1,"tid":1},
    {"ph":"E","ts":50,"pid":1,"tid":1}])json");
  ASSERT_TRUE(trace) << trace.why();
  const std::vector<int64_t> durations(trace->dur().begin(), trace->dur().begin() + 4);
  EXPECT_EQ(durations, (std::vector<int64_t>{29'000, 38'000, 7'000, 16'000}));
  ASSERT_EQ(trace->notes().size(), 1U);
  EXPECT_EQ(trace->notes()[0].text, "1 event with phase E or e without a begin");
}

TEST(Trace, two_hundred_thousand_begins_may_be_open) {
  std::string large = "[";
  constexpr int pairs = 200'000;
  for (int i = 0; i < pairs; ++i)
    large += cat(R"({"ph":"B","cat":"cpu_op","name":"a","pid":1,"tid":1,"ts":)", i, "},");
  for (int i = 0; i < pairs; ++i)
    large += cat(R"({"ph":"E","pid":1,"tid":1,"ts":)", pairs + i, "},");
  const auto many = trace_of(large, 2);
  ASSERT_TRUE(many) << many.why();
  for (EventId e = 0; e < pairs; e += 1000) {
    EXPECT_EQ(many->phases()[e], 'X');
    EXPECT_EQ(many->dur()[e], 1000 * (2 * (pairs - static_cast<int64_t>(e)) - 1));
  }
}

TEST(Trace, a_device_without_a_label_has_the_name_in_the_file) {
  const auto trace = trace_of(R"json({"deviceProperties":[
      {"id":0,"name":"NVIDIA H200","totalGlobalMem":1},{"id":1,"name":"NVIDIA B200"}],
    "traceEvents":[
    {"ph":"X","cat":"kernel","name":"k","ts":50,"dur":1,"pid":1,"tid":7}]})json");
  ASSERT_TRUE(trace) << trace.why();
  EXPECT_EQ(trace->tracks()[trace->track_ids()[0]].labels, "device 1 (NVIDIA B200)");
}

}  // namespace
}  // namespace vitro::analyze
