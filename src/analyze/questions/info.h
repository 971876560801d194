// The contents of a trace: size and span, kinds of events, threads and streams, and what was lost
// while reading.
//   Info i = info(trace);  i.events, i.begin, i.end
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "vitro/analyze/answer.h"

namespace vitro::analyze {

struct Info {
  uint64_t file_bytes = 0, unpacked_bytes = 0, events = 0;
  int64_t base = 0;                  // nanoseconds since the Unix epoch; 0: not given
  int64_t begin = none, end = none;  // of all events with a duration or moment, from base
  std::string schema;                // `schemaVersion`, or what the file is instead

  struct Kind {
    std::string category, phase;
    uint64_t events = 0;
    int64_t total_ns = 0;  // sum of all durations, nested ones included
  };
  std::vector<Kind> kinds;  // the most frequent first

  struct Row {
    TrackInfo track;
    uint64_t events = 0;
    int64_t begin = none, end = none;
  };
  std::vector<Row> rows;  // ordered as in viewers

  struct Member {
    std::string name, json;
  };
  std::vector<Member> metadata;
  std::vector<Note> notes;
};

Info info(const Trace& trace);
Answer answer(const Info& info);

}  // namespace vitro::analyze
