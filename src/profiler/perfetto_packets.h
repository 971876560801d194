// The packets of a Perfetto trace; report/perfetto_fields.h has the numbers of their fields.
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "report/perfetto_fields.h"
#include "report/protobuf.h"
#include "vitro/report/output.h"

namespace vitro::perfetto {

// Texts written once and referred to by number afterwards.
class Names {
 public:
  uint64_t number(std::string_view text);
  // Calls write(number, text) for those new since the last time.
  void take_new(auto write) {
    for (const auto& [number, text] : new_) write(number, text);
    new_.clear();
  }
  bool any_new() const { return !new_.empty(); }

 private:
  struct HashText {
    using is_transparent = void;
    size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };
  std::unordered_map<std::string, uint64_t, HashText, std::equal_to<>> numbers_;
  std::vector<std::pair<uint64_t, std::string_view>> new_;
};

// Takes arguments like report::Json, and writes them as debug annotations.
class Annotations {
 public:
  Annotations(report::Protobuf& event, Names& names) : event_(event), names_(names) {}

  Annotations& key(std::string_view name);
  Annotations& value(std::string_view text);
  Annotations& value(const char* text) { return value(std::string_view(text)); }
  Annotations& value(double number);
  Annotations& value(std::same_as<bool> auto yes) { return integer(annotation::bool_value, yes); }
  template <std::integral I>
    requires(!std::same_as<I, bool>)
  Annotations& value(I number) {
    return integer(std::signed_integral<I> ? annotation::int_value : annotation::uint_value,
                   number);
  }
  Annotations& exact(std::integral auto number) { return value(number); }
  Annotations& null() { return value("null"); }
  Annotations& raw(std::string_view json);
  Annotations& begin_array();
  Annotations& begin_object();
  Annotations& end();

  template <class T>
  Annotations& member(std::string_view name, const T& v) {
    return key(name).value(v);
  }

 private:
  struct Level {
    bool array, empty;
  };

  Annotations& integer(uint32_t field, std::integral auto number) {
    begin_value();
    event_.integer(field, number);
    return end_value();
  }
  void begin_value();
  Annotations& end_value();

  report::Protobuf& event_;
  Names& names_;
  std::vector<Level> open_;
};

struct Event {
  EventType type;
  int64_t at;  // nanoseconds since the Unix epoch
  std::string_view name = {}, category = {};
  uint64_t track = 0;  // 0: the track of the sequence
};

// A sequence of packets that share tables of names.
class Sequence {
 public:
  // `number` is not 0 and is unique in the trace.
  Sequence(report::Output& out, uint32_t number, uint64_t track);
  Sequence(const Sequence&) = delete;

  // A packet: `more` adds to the event (message, arguments) besides name and time.
  template <class More>
  void write(const Event& event, More more) {
    begin(event);
    Annotations arguments(packet_, arguments_);
    more(packet_, arguments);
    end();
  }
  void write(const Event& event) {
    begin(event);
    end();
  }

 private:
  void begin(const Event& event);
  void end();
  void write_new(uint32_t field, Names& names);

  report::Output& out_;
  uint32_t number_;
  report::Protobuf packet_;
  Names categories_, names_, arguments_;
};

// Marks a slice at an end of an arrow; both ends have the same number.
void add_flow(report::Protobuf& event, uint64_t id);
void add_counter_value(report::Protobuf& event, double value);

// Rows: a process, its threads and its counters.
struct Process {
  uint64_t track;
  int64_t pid;
  std::string name;
};
void write_process(report::Output& out, const Process& of);
void write_thread(report::Output& out, const Process& of, uint64_t track, int64_t tid,
                  std::string_view name);
void write_counter(report::Output& out, const Process& of, uint64_t track, std::string_view name,
                   bool bytes);

// The relation of this machine's clocks, for combination with traces of other tools.
void write_clocks(report::Output& out);

}  // namespace vitro::perfetto
