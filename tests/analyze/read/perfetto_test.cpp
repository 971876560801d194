// Tests the reader of Perfetto's traces with packets as the Perfetto SDK and rocprofv3 write them;
// tests/vitro/trace_formats_test.cpp compares Vitro's own with its Chrome traces.
#include "analyze/read/perfetto.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <string>

#include "analyze/model/index.h"
#include "analyze/trace_files.h"
#include "report/protobuf.h"
#include "vitro/analyze/events.h"

namespace vitro::analyze {
namespace {

using report::Protobuf;

// Appends packets to a trace.
class Packets {
 public:
  // `fill` adds the fields of a packet of this sequence.
  template <class Fill>
  Packets& add(uint32_t sequence, Fill fill) {
    Protobuf packet;
    packet.begin(1);
    fill(packet);
    packet.integer(10, sequence).end();
    bytes_ += packet.bytes();
    return *this;
  }
  const std::string& bytes() const { return bytes_; }

  // The same, each packet compressed in another.
  std::string compressed() const {
    uLongf size = compressBound(bytes_.size());
    std::string packed(size, '\0');
    compress(reinterpret_cast<Bytef*>(packed.data()), &size,
             reinterpret_cast<const Bytef*>(bytes_.data()), bytes_.size());
    packed.resize(size);
    std::string out = "\x0a", length;
    Protobuf field;  // of any bytes, which Protobuf::text() would repair
    field.integer(1, packed.size());
    length = std::string(field.bytes().substr(1));
    std::string packet = "\x92\x03" + length + packed;  // field 50
    field.clear();
    field.integer(1, packet.size());
    return out + std::string(field.bytes().substr(1)) + packet;
  }

 private:
  std::string bytes_;
};

// A process 7 with the thread 8 (track 2), a row "queue 0" (track 3) and a counter (track 4).  The
// clock 64 of sequence 1 counts microseconds on, from 1 s after the boot.
Packets rows() {
  Packets out;
  out.add(1, [](Protobuf& p) {
    p.integer(13, 1).begin(6);
    p.begin(1).integer(1, 6).integer(2, 1'000'000'000).end();
    p.begin(1).integer(1, 1).integer(2, int64_t{1'700'000'000'000'000'000}).end();
    p.begin(1).integer(1, 64).integer(2, 5).integer(3, 1).integer(4, 1000).end();
    p.end().begin(59).integer(58, 64).begin(11).integer(11, 2).end().end();
  });
  const auto row = [&](uint64_t uuid, auto fill) {
    out.add(1, [&](Protobuf& p) {
      p.begin(60).integer(1, uuid);
      fill(p);
      p.end();
    });
  };
  row(1, [](Protobuf& p) { p.begin(3).integer(1, 7).text(6, "train").end(); });
  row(2, [](Protobuf& p) {
    p.integer(5, 1).begin(4).integer(1, 7).integer(2, 8).text(5, "main").end();
  });
  row(3, [](Protobuf& p) { p.integer(5, 1).text(2, "queue 0"); });
  row(4, [](Protobuf& p) { p.integer(5, 1).text(2, "memory").begin(8).integer(4, 1024).end(); });
  return out;
}

// A slice "launch" of 10 us with a nested instant, that launches a kernel of 5 us on the queue.
Packets small_trace() {
  Packets out = rows();
  out.add(1, [](Protobuf& p) {
    p.integer(8, 20).begin(12);
    p.begin(1).integer(1, 1).text(2, "hip_api").end();
    p.begin(2).integer(1, 1).text(2, "hipLaunchKernel").end();
    p.begin(3).integer(1, 1).text(2, "corr_id").end();
    p.begin(29).integer(1, 1).text(2, "interned text").end();
    p.end().begin(11).integer(9, 1).integer(3, 1).integer(10, 1).fixed64(47, 99);
    p.begin(4).integer(1, 1).integer(3, 42).end();
    p.begin(4).text(10, "kind").integer(17, 1).end();
    p.begin(4).text(10, "list").begin(12).integer(4, -1).end().begin(12).number(5, 0.5).end().end();
    p.begin(4).text(10, "dict").begin(11).text(10, "on").integer(2, 1).end().end();
    p.end();
  });
  out.add(1, [](Protobuf& p) { p.integer(8, 4).begin(11).integer(9, 3).text(23, "note").end(); });
  out.add(1, [](Protobuf& p) { p.integer(8, 6).begin(11).integer(9, 2).end(); });
  out.add(1, [](Protobuf& p) {
    p.integer(8, 1).begin(11).integer(9, 4).integer(11, 4).integer(30, 3).end();
  });
  out.add(2, [](Protobuf& p) {  // with the default clock
    p.integer(8, 1'000'040'000).begin(11).integer(9, 1).integer(11, 3);
    p.text(22, "kernel_dispatch").text(23, "gemm").fixed64(48, 99);
    p.begin(4).text(10, "corr_id").integer(3, 42).end().end();
  });
  out.add(2, [](Protobuf& p) {
    p.integer(8, 1'000'045'500).begin(11).integer(9, 2).integer(11, 3).end();
  });
  return out;
}

// The event's text from its arguments on.
std::string arguments_of(const Trace& trace, EventId event) {
  std::string out;
  const auto done = trace.read_events(std::vector{event}, [&](EventId, std::string_view text) {
    const size_t at = text.find("\"args\"");
    out = text.substr(at == text.npos ? 0 : at);
  });
  EXPECT_TRUE(done) << done.why();
  return out;
}

EventId named(const Trace& trace, const std::string& name) {
  const auto found = find(trace, {.name = "^" + name + "$"});
  EXPECT_EQ(found.size(), 1U) << name;
  return found.empty() ? 0 : found.front();
}

TEST(Perfetto, gives_slices_instants_counters_and_arrows) {
  const Packets packets = small_trace();
  const TraceFolder folder;
  for (const std::string& bytes : {packets.bytes(), packets.compressed()}) {
    const auto trace = open_alone(folder.file("trace.pftrace", bytes));
    ASSERT_TRUE(trace) << trace.why();
    EXPECT_TRUE(trace->notes().empty());
    EXPECT_EQ(trace->base(), 1'700'000'000'000'000'000 - 1'000'000'000);
    const EventId launch = named(*trace, "hipLaunchKernel"), kernel = named(*trace, "gemm");
    EXPECT_EQ(trace->ts()[launch], 1'000'020'000);
    EXPECT_EQ(trace->dur()[launch], 10'000);
    EXPECT_EQ(trace->category(launch), "hip_api");
    EXPECT_EQ(trace->links()[launch], 42);
    EXPECT_EQ(
        arguments_of(*trace, launch),
        R"("args": {"correlation": 42,"kind": "interned text","list": [-1,0.5],"dict": {"on": true}}})");
    EXPECT_EQ(trace->ts()[named(*trace, "note")], 1'000'024'000);
    EXPECT_EQ(trace->phases()[named(*trace, "note")], 'i');
    EXPECT_EQ(arguments_of(*trace, named(*trace, "memory")), R"("args": {"value": 3072}})");
    EXPECT_EQ(trace->ts()[kernel], 1'000'040'000);
    EXPECT_EQ(trace->dur()[kernel], 5'500);
    const TrackInfo& thread = trace->tracks()[trace->track_ids()[launch]];
    EXPECT_EQ(thread.pid + " " + thread.tid + " " + thread.process + " " + thread.thread,
              "7 8 train main");
    const TrackInfo& queue = trace->tracks()[trace->track_ids()[kernel]];
    EXPECT_EQ(queue.pid + " " + queue.tid, "7 queue 0");
    const auto arrows = find(*trace, {.name = "^ac2g$"});
    ASSERT_EQ(arrows.size(), 2U);
    EXPECT_EQ(trace->ts()[arrows[0]], trace->ts()[launch]);
    EXPECT_EQ(trace->ts()[arrows[1]], trace->ts()[kernel]);
    const TraceIndex index(*trace);
    EXPECT_EQ(index->links().launch_of(kernel), launch);
  }
}

TEST(Perfetto, is_recognised_by_its_first_bytes) {
  EXPECT_TRUE(begins_perfetto(small_trace().bytes().substr(0, 12)));
  for (const std::string_view text :
       {"", "\n", "\n{", "\n{\"traceEvents\": []}", "\n[\n{}]", "\n\n\n{\"a\":1}", "\n  {\"a\":1}",
        "\n\t[]", "{\"traceEvents\": []}", "[", "\n\"x\""})
    EXPECT_FALSE(begins_perfetto(text)) << text;
}

TEST(Perfetto, that_ends_early_gives_what_is_whole_and_says_so) {
  const std::string bytes = small_trace().bytes();
  const TraceFolder folder;
  const auto trace = open_alone(folder.file("trace.pftrace", bytes.substr(0, bytes.size() - 3)));
  ASSERT_TRUE(trace) << trace.why();
  EXPECT_EQ(trace->phases()[named(*trace, "hipLaunchKernel")], 'X');
  EXPECT_EQ(trace->phases()[named(*trace, "gemm")], 'B');
  EXPECT_TRUE(std::ranges::any_of(
      trace->notes(), [](const Note& note) { return note.text == "the trace ends in a packet"; }));
}

TEST(Perfetto, that_is_compressed_is_whole_or_damaged) {
  const std::string packed = small_trace().compressed(), rest = small_trace().bytes();
  const TraceFolder folder;
  const auto notes_of = [&](const std::string& bytes) {
    const auto trace = open_alone(folder.file("trace.pftrace", bytes));
    EXPECT_TRUE(trace) << trace.why();
    std::string notes;
    for (const Note& note : trace->notes()) notes += note.text;
    return notes;
  };
  EXPECT_EQ(notes_of(packed + rest), "");
  std::string damaged = packed;
  damaged[damaged.size() / 2] ^= 0x55;
  EXPECT_EQ(notes_of(rest + damaged), "the trace has a damaged packet");
}

TEST(Perfetto, that_is_damaged_is_read_up_to_there) {
  const std::string whole = small_trace().bytes();
  const TraceFolder folder;
  for (size_t at = rows().bytes().size(); at < whole.size(); ++at) {
    for (const char byte : {'\0', '\x7f', '\xff'}) {
      std::string bytes = whole;
      bytes[at] = byte;
      const auto trace = open_alone(folder.file("trace.pftrace", bytes));
      ASSERT_TRUE(trace) << trace.why();
      for (const EventId e : trace->events())
        EXPECT_TRUE(arguments_of(*trace, e).ends_with("}")) << at;
    }
  }
}

}  // namespace
}  // namespace vitro::analyze
