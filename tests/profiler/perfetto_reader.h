// Reads Perfetto traces for tests: written from the documentation of protobuf's encoding and
// Perfetto's schema, independently of the code under test.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace vitro::perfetto_reader {

struct Field {
  uint32_t number;
  uint64_t value;          // of varints and fixed numbers
  std::string_view bytes;  // of texts and messages
};

// The fields of a message, in order.  Throws std::runtime_error if it is malformed.
std::vector<Field> fields(std::string_view message);

struct Slice {
  int64_t tid, begin, end;
  std::string name, category;
  nlohmann::json args;
  std::vector<uint64_t> flows;
  int64_t depth;
};
struct Instant {
  int64_t tid, at;  // tid 0: of the process
  std::string name;
  nlohmann::json args;
};
struct CounterValue {
  std::string counter;
  int64_t at;
  double value;
};

struct Trace {
  std::string process;
  int64_t pid = 0;
  std::map<int64_t, std::string> threads;
  std::vector<Slice> slices;  // in order of their ends
  std::vector<Instant> instants;
  std::vector<CounterValue> counters;
  std::map<uint64_t, int64_t> clocks;
};

// Throws std::runtime_error if the trace breaks a rule: an end without a beginning, decreasing
// times within a thread's slices, a name or row that was not introduced.
Trace read(std::string_view bytes);

}  // namespace vitro::perfetto_reader
