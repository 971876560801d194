// Decodes Perfetto traces and checks their rules; perfetto_trace_test.cpp and the random tests
// read traces with it.
#include "profiler/perfetto_reader.h"

#include <bit>
#include <cstring>
#include <stdexcept>

namespace vitro::perfetto_reader {
namespace {

void need(bool condition, const char* what) {
  if (!condition) throw std::runtime_error(what);
}

class Bytes {
 public:
  explicit Bytes(std::string_view rest) : rest_(rest) {}
  bool empty() const { return rest_.empty(); }

  uint64_t varint() {
    uint64_t value = 0;
    for (int shift = 0;; shift += 7) {
      need(shift < 70, "an unterminated varint");
      const auto byte = static_cast<uint8_t>(take(1)[0]);
      value |= static_cast<uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  }
  uint64_t fixed(size_t size) {
    uint64_t value = 0;
    const std::string_view raw = take(size);
    std::memcpy(&value, raw.data(), size);
    return value;
  }
  std::string_view take(size_t size) {
    need(size <= rest_.size(), "a field that ends after its message");
    const std::string_view taken = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return taken;
  }

 private:
  std::string_view rest_;
};

std::string text(const std::vector<Field>& message, uint32_t number) {
  for (const Field& field : message) {
    if (field.number == number) return std::string(field.bytes);
  }
  return {};
}

std::optional<uint64_t> number(const std::vector<Field>& message, uint32_t which) {
  for (const Field& field : message) {
    if (field.number == which) return field.value;
  }
  return std::nullopt;
}

using Names = std::map<uint64_t, std::string>;

nlohmann::json annotation_value(const std::vector<Field>& annotation, const Names& names);

const std::string& name_in(const Names& names, uint64_t iid) {
  const auto found = names.find(iid);
  need(found != names.end(), "a name that was not introduced");
  return found->second;
}

void add_annotation(nlohmann::json& args, std::string_view bytes, const Names& names) {
  const auto annotation = fields(bytes);
  args[name_in(names, number(annotation, 1).value_or(0))] = annotation_value(annotation, names);
}

nlohmann::json annotation_value(const std::vector<Field>& annotation, const Names& names) {
  nlohmann::json value;
  for (const Field& field : annotation) {
    if (field.number == 2) value = field.value != 0;
    if (field.number == 3) value = field.value;
    if (field.number == 4) value = static_cast<int64_t>(field.value);
    if (field.number == 5) value = std::bit_cast<double>(field.value);
    if (field.number == 6) value = std::string(field.bytes);
    if (field.number == 9) value = nlohmann::json::parse(field.bytes);
    if (field.number == 11) add_annotation(value, field.bytes, names);
    if (field.number == 12) value.push_back(annotation_value(fields(field.bytes), names));
  }
  if (value == "[]") return nlohmann::json::array();
  if (value == "{}") return nlohmann::json::object();
  return value;
}

struct Row {
  int64_t tid = 0;
  std::string counter;
  std::vector<Slice> open;
  int64_t last = 0;
};

struct SequenceState {
  bool begun = false;
  uint64_t track = 0, clock = 0;
  Names categories, names, arguments;
};

class PacketReader {
 public:
  explicit PacketReader(Trace& trace) : trace_(trace) {}

  void packet(std::string_view bytes) {
    const auto message = fields(bytes);
    SequenceState& sequence = sequences_[number(message, 10).value_or(0)];
    if (number(message, 13).value_or(0) == 1) sequence = {.begun = true};
    for (const Field& field : message) {
      if (field.number == 6) clocks(fields(field.bytes));
      if (field.number == 12) interned(fields(field.bytes), sequence);
      if (field.number == 59) defaults(fields(field.bytes), sequence);
      if (field.number == 60) row(fields(field.bytes));
    }
    for (const Field& field : message) {
      if (field.number == 11) event(fields(field.bytes), message, sequence);
    }
  }

  void finish() const {
    for (const auto& [uuid, row] : rows_) need(row.open.empty(), "a slice that does not end");
  }

 private:
  void clocks(const std::vector<Field>& snapshot) {
    for (const Field& field : snapshot) {
      const auto clock = fields(field.bytes);
      trace_.clocks[*number(clock, 1)] = static_cast<int64_t>(*number(clock, 2));
    }
  }

  static void interned(const std::vector<Field>& data, SequenceState& sequence) {
    for (const Field& field : data) {
      Names& names = field.number == 1   ? sequence.categories
                     : field.number == 2 ? sequence.names
                                         : sequence.arguments;
      const auto entry = fields(field.bytes);
      need(names.emplace(*number(entry, 1), text(entry, 2)).second, "a name introduced twice");
    }
  }

  static void defaults(const std::vector<Field>& message, SequenceState& sequence) {
    sequence.clock = number(message, 58).value_or(0);
    for (const Field& field : message) {
      if (field.number == 11) sequence.track = number(fields(field.bytes), 11).value_or(0);
    }
  }

  void row(const std::vector<Field>& descriptor) {
    Row& row = rows_[*number(descriptor, 1)];
    for (const Field& field : descriptor) {
      if (field.number == 3) {
        trace_.process = text(fields(field.bytes), 6);
        trace_.pid = static_cast<int64_t>(*number(fields(field.bytes), 1));
      } else if (field.number == 4) {
        row.tid = static_cast<int64_t>(*number(fields(field.bytes), 2));
        trace_.threads[row.tid] = text(fields(field.bytes), 5);
      } else if (field.number == 8) {
        row.counter = text(descriptor, 2);
      }
    }
  }

  void event(const std::vector<Field>& event, const std::vector<Field>& packet,
             SequenceState& sequence) {
    need(sequence.begun && number(packet, 13) == 2, "an event before its sequence began");
    need(trace_.clocks.contains(sequence.clock), "a clock missing from all snapshots");
    const auto found = rows_.find(number(event, 11).value_or(sequence.track));
    need(found != rows_.end(), "a row that was not introduced");
    Row& row = found->second;
    const auto at = static_cast<int64_t>(*number(packet, 8));
    Slice slice{row.tid, at, at, {}, {}, nlohmann::json::object(), {}, 0};
    for (const Field& field : event) {
      if (field.number == 3) slice.category = name_in(sequence.categories, field.value);
      if (field.number == 4) add_annotation(slice.args, field.bytes, sequence.arguments);
      if (field.number == 10) slice.name = name_in(sequence.names, field.value);
      if (field.number == 47) slice.flows.push_back(field.value);
    }
    switch (*number(event, 9)) {
      case 1:
        return begin(row, std::move(slice));
      case 2:
        return end(row, at);
      case 3:
        trace_.instants.push_back({row.tid, at, slice.name, slice.args});
        return;
      default:
        trace_.counters.push_back({row.counter, at, std::bit_cast<double>(*number(event, 44))});
    }
  }

  static void begin(Row& row, Slice slice) {
    need(slice.begin >= row.last, "a slice that begins before the last one ended");
    row.last = slice.begin;
    slice.depth = static_cast<int64_t>(row.open.size());
    row.open.push_back(std::move(slice));
  }

  void end(Row& row, int64_t at) {
    need(!row.open.empty(), "an end without a beginning");
    need(at >= row.last, "a slice that ends before its nested slices");
    row.last = at;
    row.open.back().end = at;
    trace_.slices.push_back(std::move(row.open.back()));
    row.open.pop_back();
  }

  Trace& trace_;
  std::map<uint64_t, SequenceState> sequences_;
  std::map<uint64_t, Row> rows_;
};

}  // namespace

std::vector<Field> fields(std::string_view message) {
  std::vector<Field> found;
  for (Bytes bytes(message); !bytes.empty();) {
    const uint64_t tag = bytes.varint();
    Field field{static_cast<uint32_t>(tag >> 3), 0, {}};
    switch (tag & 7) {
      case 0:
        field.value = bytes.varint();
        break;
      case 1:
        field.value = bytes.fixed(8);
        break;
      case 2:
        field.bytes = bytes.take(bytes.varint());
        break;
      case 5:
        field.value = bytes.fixed(4);
        break;
      default:
        throw std::runtime_error("a field of an unknown kind");
    }
    found.push_back(field);
  }
  return found;
}

Trace read(std::string_view bytes) {
  Trace trace;
  PacketReader reader(trace);
  for (const Field& packet : fields(bytes)) reader.packet(packet.bytes);
  reader.finish();
  return trace;
}

}  // namespace vitro::perfetto_reader
