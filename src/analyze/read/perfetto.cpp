// Reads traces of Perfetto (protobuf) as Chrome's trace events: packets become the text of events
// one after another, so that everything else reads one format.
#include "analyze/read/perfetto.h"

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analyze/read/protobuf_fields.h"
#include "kineto/names.h"
#include "report/inflate.h"
#include "report/perfetto_fields.h"
#include "vitro/base/cat.h"
#include "vitro/report/json.h"
#include "vitro/report/json_check.h"
#include "vitro/report/output.h"

namespace vitro::analyze {
namespace {

using Field = ProtobufField;
using Fields = ProtobufFields;

using perfetto::EventType;
namespace annotation = perfetto::annotation;
namespace event_fields = perfetto::track_event;
namespace interned = perfetto::interned;
namespace packet_fields = perfetto::trace_packet;
namespace row_fields = perfetto::track_descriptor;

// Text that was written so far, to be taken.
class Text : public report::Output {
 public:
  std::string take() {
    finish();  // moves what is buffered here; more may follow
    return std::exchange(text_, {});
  }

 protected:
  void drain(std::string_view bytes) override { text_.append(bytes); }

 private:
  std::string text_;
};

using Names = std::map<uint64_t, std::string>;

// What a clock shows at a moment of the trace's own clock.
struct Clock {
  int64_t value = 0, at = 0;
  int64_t unit = 1;        // nanoseconds
  bool counts_on = false;  // each time is given since the last one
  int64_t last = 0;
};
using Clocks = std::map<uint64_t, Clock>;

// Packets with the same tables of names.
struct Sequence {
  Names categories, names, arguments, texts;
  Clocks clocks;
  uint64_t track = 0, clock = perfetto::boottime_clock;
};

struct Slice {
  int64_t begin = 0;
  std::string category, name, arguments;
};

// A row; `pid` and `tid` are JSON.
struct Track {
  std::string pid, tid, name;
  uint64_t parent = 0;
  int64_t unit = 1;  // of a counter
  std::vector<Slice> open;
};

struct FlowEnd {
  int64_t at = 0;
  uint64_t track = 0;
  bool is_share = false, is_of_device = false;
};

std::vector<Field> fields_of(std::string_view message) {
  std::vector<Field> out;
  Fields fields(message);
  for (Field field; fields.next(field);) out.push_back(field);
  return out;
}

std::string json_of(std::string_view text) {
  Text out;
  report::Json(out).value(text);
  return out.take();
}

// Times of a damaged file may be any numbers.
int64_t sum_of(int64_t a, int64_t b, int64_t factor = 1) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) +
                              static_cast<uint64_t>(b) * static_cast<uint64_t>(factor));
}

bool is_of_device(std::string_view category) {
  return category.starts_with("kernel") || category.starts_with("gpu_mem") ||
         category == "memory_copy";
}

// Turns packets into events.
class Converter {
 public:
  Converter() { out_.write("{\"displayTimeUnit\": \"ms\", \"traceEvents\": [\n"); }

  // False if it is not a packet.
  bool packet(std::string_view bytes);
  void finish();
  std::string take() { return out_.take(); }

 private:
  void clocks(std::string_view snapshot, Sequence& sequence);
  int64_t time_of(uint64_t clock, int64_t value, Sequence& sequence);
  static void names(std::string_view data, Sequence& sequence);
  static void defaults(std::string_view message, Sequence& sequence);
  void descriptor(std::string_view message);
  void describe(std::string_view message, bool process, Track& track);
  bool unpack(std::string_view packed);

  struct Event {
    EventType type = EventType::other;
    uint64_t track = 0;
    std::string category, name;
    std::vector<std::string_view> arguments;
    std::vector<uint64_t> flows;
    double value = 0;
  };
  static Event event_of(std::string_view message, const Sequence& sequence);
  void event(std::string_view message, int64_t at, const Sequence& sequence);
  void begin(const Event& event, int64_t at, std::string arguments);
  void end(Track& track, int64_t at);
  // An event up to its arguments, which the caller adds.
  report::Json& row(std::string_view phase, std::string_view category, std::string_view name,
                    const Track& track, int64_t at);
  void done() {
    json_->end();
    json_.reset();
  }
  void name_row(std::string_view what, const Track& track, std::string_view name);
  const Track& place(uint64_t track);
  void arrows();

  static std::string arguments_of(const Event& event, const Sequence& sequence);
  static void argument(std::string_view message, const Sequence& sequence, report::Json& json,
                       int depth);
  static void value(const std::vector<Field>& fields, const Sequence& sequence, report::Json& json,
                    int depth);
  static bool scalar(const Field& field, const Sequence& sequence, report::Json& json);

  Text out_;
  std::optional<report::Json> json_;
  bool any_ = false, is_unpacking_ = false;
  std::map<uint64_t, Sequence> sequences_;
  std::map<uint64_t, Track> tracks_;
  Clocks clocks_;
  std::map<uint64_t, std::vector<FlowEnd>> flows_;
  std::string about_;  // members of the file that Vitro's event "Profile" has
};

bool Converter::packet(std::string_view bytes) {
  uint64_t at = 0, number = 0, flags = 0, clock = 0;
  bool dated = false;
  std::vector<Field> messages;
  Fields fields(bytes);
  for (Field field; fields.next(field);) {
    switch (field.number) {
      case packet_fields::timestamp:
        at = field.value;
        dated = true;
        break;
      case packet_fields::sequence:
        number = field.value;
        break;
      case packet_fields::sequence_flags:
        flags = field.value;
        break;
      case packet_fields::timestamp_clock:
        clock = field.value;
        break;
      default:
        if (!field.bytes.empty()) messages.push_back(field);
    }
  }
  if (!fields.whole()) return false;
  Sequence& sequence = sequences_[number];
  if (flags & perfetto::names_begin_anew) sequence = {};
  for (const Field& field : messages) {
    if (field.number == packet_fields::clock_snapshot) clocks(field.bytes, sequence);
    if (field.number == packet_fields::interned_data) names(field.bytes, sequence);
    if (field.number == packet_fields::defaults) defaults(field.bytes, sequence);
    if (field.number == packet_fields::track_descriptor) descriptor(field.bytes);
    if (field.number == packet_fields::compressed_packets && !unpack(field.bytes)) return false;
  }
  const int64_t time =
      dated ? time_of(clock != 0 ? clock : sequence.clock, static_cast<int64_t>(at), sequence) : 0;
  for (const Field& field : messages)
    if (field.number == packet_fields::track_event) event(field.bytes, time, sequence);
  return true;
}

// The trace's own clock is that of the first snapshot's boot time, or its first clock.
void Converter::clocks(std::string_view snapshot, Sequence& sequence) {
  std::vector<std::pair<uint64_t, Clock>> all;
  Fields fields(snapshot);
  for (Field field; fields.next(field);) {
    if (field.number != perfetto::clock_snapshot::clock) continue;
    auto& [id, clock] = all.emplace_back();
    Fields members(field.bytes);
    for (Field member; members.next(member);) {
      if (member.number == perfetto::clock_snapshot::id) id = member.value;
      if (member.number == perfetto::clock_snapshot::time)
        clock.value = static_cast<int64_t>(member.value);
      if (member.number == perfetto::clock_snapshot::counts_on) clock.counts_on = member.value != 0;
      if (member.number == perfetto::clock_snapshot::unit_ns)
        clock.unit = static_cast<int64_t>(member.value);
    }
  }
  if (all.empty()) return;
  const auto given =
      std::ranges::find(all, perfetto::boottime_clock, [](const auto& each) { return each.first; });
  const auto& [id, reference] = given == all.end() ? all.front() : *given;
  const int64_t now = clocks_.contains(id) ? time_of(id, reference.value, sequence)
                                           : sum_of(0, reference.value, reference.unit);
  for (auto& [each, clock] : all) {
    clock.at = now;
    clock.last = clock.value;
    const bool is_of_sequence = each >= 64 && each < 128;
    is_of_sequence ? sequence.clocks.insert_or_assign(each, clock) : clocks_.emplace(each, clock);
  }
}

int64_t Converter::time_of(uint64_t clock, int64_t value, Sequence& sequence) {
  Clocks& all = clock >= 64 && clock < 128 ? sequence.clocks : clocks_;
  const auto found = all.find(clock);
  if (found == all.end()) return value;
  Clock& known = found->second;
  known.last = known.counts_on ? sum_of(known.last, value) : value;
  return sum_of(known.at, sum_of(known.last, known.value, -1), known.unit);
}

void Converter::names(std::string_view data, Sequence& sequence) {
  Fields fields(data);
  for (Field field; fields.next(field);) {
    Names* const list = field.number == interned::categories         ? &sequence.categories
                        : field.number == interned::names            ? &sequence.names
                        : field.number == interned::annotation_names ? &sequence.arguments
                        : field.number == interned::annotation_texts ? &sequence.texts
                                                                     : nullptr;
    if (!list) continue;
    uint64_t number = 0;
    std::string_view text;
    Fields members(field.bytes);
    for (Field member; members.next(member);) {
      if (member.number == interned::iid) number = member.value;
      if (member.number == interned::text) text = member.bytes;
    }
    list->insert_or_assign(number, std::string(text));
  }
}

void Converter::defaults(std::string_view message, Sequence& sequence) {
  Fields fields(message);
  for (Field field; fields.next(field);) {
    if (field.number == perfetto::defaults::timestamp_clock) sequence.clock = field.value;
    if (field.number != perfetto::defaults::track_event) continue;
    Fields members(field.bytes);
    for (Field member; members.next(member);)
      if (member.number == perfetto::defaults::track) sequence.track = member.value;
  }
}

// The pid (of a thread also the tid) and the name of a process or thread.
void Converter::describe(std::string_view message, bool process, Track& track) {
  std::string name;
  track.pid = track.tid = "0";
  Fields fields(message);
  for (Field field; fields.next(field);) {
    if (field.number == perfetto::process::pid) track.pid = cat(static_cast<int64_t>(field.value));
    if (!process && field.number == perfetto::thread::tid)
      track.tid = cat(static_cast<int64_t>(field.value));
    if (field.number == (process ? perfetto::process::name : perfetto::thread::name))
      name = field.bytes;
  }
  if (!name.empty()) name_row(process ? "process_name" : "thread_name", track, name);
}

void Converter::descriptor(std::string_view message) {
  const std::vector<Field> fields = fields_of(message);
  const auto uuid = std::ranges::find(fields, row_fields::uuid, &Field::number);
  if (uuid == fields.end()) return;
  Track& track = tracks_[uuid->value];
  for (const Field& field : fields) {
    if (field.number == row_fields::name || field.number == row_fields::static_name)
      track.name = field.bytes;
    if (field.number == row_fields::parent) track.parent = field.value;
    if (field.number == row_fields::process) describe(field.bytes, true, track);
    if (field.number == row_fields::thread) describe(field.bytes, false, track);
    if (field.number != row_fields::counter) continue;
    Fields counter(field.bytes);
    for (Field member; counter.next(member);)
      if (member.number == perfetto::counter::unit_multiplier && member.value != 0)
        track.unit = static_cast<int64_t>(member.value);
  }
}

// A row that is neither a thread nor a process belongs to the process above it.
const Track& Converter::place(uint64_t number) {
  Track& track = tracks_[number];
  if (!track.tid.empty()) return track;
  std::string pid = "0";
  uint64_t above = track.parent;
  for (int depth = 0; depth < 16 && tracks_.contains(above); ++depth) {
    const Track& parent = tracks_[above];
    if (!parent.pid.empty()) {
      pid = parent.pid;
      break;
    }
    above = parent.parent;
  }
  track.pid = pid;
  track.tid = json_of(track.name.empty() ? cat("track ", number) : track.name);
  if (!track.name.empty()) name_row("thread_name", track, track.name);
  return track;
}

report::Json& Converter::row(std::string_view phase, std::string_view category,
                             std::string_view name, const Track& track, int64_t at) {
  if (std::exchange(any_, true)) out_.write(",\n");
  json_.emplace(out_).begin_object().member("ph", phase);
  if (!category.empty()) json_->member("cat", category);
  json_->member("name", name).key("pid").raw(track.pid).key("tid").raw(track.tid);
  return json_->key("ts").thousandths(at);
}

void Converter::name_row(std::string_view what, const Track& track, std::string_view name) {
  row("M", {}, what, track, 0).key("args").begin_object().member("name", name).end();
  done();
}

Converter::Event Converter::event_of(std::string_view message, const Sequence& sequence) {
  const auto name_in = [](const Names& names, uint64_t number) {
    const auto found = names.find(number);
    return found == names.end() ? std::string() : found->second;
  };
  Event out;
  out.track = sequence.track;
  Fields fields(message);
  for (Field field; fields.next(field);) {
    switch (field.number) {
      case event_fields::category_iid:
        out.category = name_in(sequence.categories, field.value);
        break;
      case event_fields::annotation:
        out.arguments.push_back(field.bytes);
        break;
      case event_fields::type:
        if (field.value <= 4) out.type = static_cast<EventType>(field.value);
        break;
      case event_fields::name_iid:
        out.name = name_in(sequence.names, field.value);
        break;
      case event_fields::track:
        out.track = field.value;
        break;
      case event_fields::category:
        out.category = field.bytes;
        break;
      case event_fields::name:
        out.name = field.bytes;
        break;
      case event_fields::counter_value:
        out.value = static_cast<double>(static_cast<int64_t>(field.value));
        break;
      case event_fields::double_value:
        out.value = std::bit_cast<double>(field.value);
        break;
      case event_fields::flow_varint:
      case event_fields::ending_flow_varint:
      case event_fields::flow:
      case event_fields::ending_flow:
        out.flows.push_back(field.value);
        break;
      default:
        break;
    }
  }
  return out;
}

void Converter::event(std::string_view message, int64_t at, const Sequence& sequence) {
  const Event event = event_of(message, sequence);
  for (const uint64_t flow : event.flows) {
    flows_[flow].push_back(
        {at, event.track, event.category == kineto::category::share, is_of_device(event.category)});
  }
  const Track& track = place(event.track);
  switch (event.type) {
    case EventType::slice_begin:
      return begin(event, at, arguments_of(event, sequence));
    case EventType::slice_end:
      return end(tracks_[event.track], at);
    case EventType::instant: {
      std::string arguments = arguments_of(event, sequence);
      if (event.name == "Profile" && arguments.starts_with("{\"traceName\"")) {
        about_ = std::move(arguments);
        return;
      }
      row("i", event.category, event.name, track, at).member("s", "t").key("args").raw(arguments);
      return done();
    }
    case EventType::counter: {
      const double value = event.value * static_cast<double>(track.unit);
      const std::string_view name = track.name.empty() ? event.name : track.name;
      row("C", event.category, name, track, at).key("args").begin_object().member("value", value);
      json_->end();
      return done();
    }
    case EventType::other:
      break;
  }
}

void Converter::begin(const Event& event, int64_t at, std::string arguments) {
  tracks_[event.track].open.push_back({at, event.category, event.name, std::move(arguments)});
}

void Converter::end(Track& track, int64_t at) {
  if (track.open.empty()) return;
  const Slice slice = std::move(track.open.back());
  track.open.pop_back();
  row("X", slice.category, slice.name, track, slice.begin)
      .key("dur")
      .thousandths(sum_of(at, slice.begin, -1));
  json_->key("args").raw(slice.arguments);
  done();
}

std::string Converter::arguments_of(const Event& event, const Sequence& sequence) {
  Text text;
  report::Json json(text);
  json.begin_object();
  for (const std::string_view each : event.arguments) argument(each, sequence, json, 0);
  json.end();
  return text.take();
}

// A number that links a launch to its work has the name that it has in PyTorch's traces, too.
void Converter::argument(std::string_view message, const Sequence& sequence, report::Json& json,
                         int depth) {
  std::string_view name;
  const std::vector<Field> list = fields_of(message);
  for (const Field& field : list) {
    if (field.number == annotation::name) name = field.bytes;
    if (field.number != annotation::name_iid) continue;
    const auto found = sequence.arguments.find(field.value);
    if (found != sequence.arguments.end()) name = found->second;
  }
  json.key(name == "corr_id" || name == "correlation_id" ? "correlation" : name);
  value(list, sequence, json, depth);
}

void Converter::value(const std::vector<Field>& fields, const Sequence& sequence,
                      report::Json& json, int depth) {
  constexpr int deepest = 32;
  const auto is = [&](uint32_t number) {
    return depth < deepest && std::ranges::find(fields, number, &Field::number) != fields.end();
  };
  if (is(annotation::dict_entries)) {
    json.begin_object();
    for (const Field& field : fields)
      if (field.number == annotation::dict_entries)
        argument(field.bytes, sequence, json, depth + 1);
    json.end();
    return;
  }
  if (is(annotation::array_values)) {
    json.begin_array();
    for (const Field& field : fields)
      if (field.number == annotation::array_values)
        value(fields_of(field.bytes), sequence, json, depth + 1);
    json.end();
    return;
  }
  for (const Field& field : fields)
    if (scalar(field, sequence, json)) return;
  json.null();
}

// False if the field is not the value.
bool Converter::scalar(const Field& field, const Sequence& sequence, report::Json& json) {
  switch (field.number) {
    case annotation::bool_value:
      json.value(field.value != 0);
      return true;
    case annotation::uint_value:
    case annotation::pointer_value:
      json.value(field.value);
      return true;
    case annotation::int_value:
      json.value(static_cast<int64_t>(field.value));
      return true;
    case annotation::double_value:
      json.value(std::bit_cast<double>(field.value));
      return true;
    case annotation::string_value:
      field.bytes == "[]" || field.bytes == "{}" ? json.raw(field.bytes) : json.value(field.bytes);
      return true;
    case annotation::legacy_json_value:
      report::can_be_json(field.bytes) ? json.raw(field.bytes) : json.value(field.bytes);
      return true;
    case annotation::string_iid: {
      const auto found = sequence.texts.find(field.value);
      json.value(found == sequence.texts.end() ? std::string_view() : found->second);
      return true;
    }
    default:
      return false;
  }
}

// False if it is not whole, has more than `most` bytes, or is packed twice.
bool Converter::unpack(std::string_view packed) {
  constexpr size_t header = 2, most = size_t{256} << 20;  // of zlib; unpacked bytes
  if (packed.size() < header || is_unpacking_) return false;
  packed.remove_prefix(header);
  const auto inflate = report::make_inflate(report::Inflate::Form::raw);
  std::string text;
  std::array<char, 64 << 10> piece;
  while (!inflate->ended()) {
    const size_t before = packed.size(), got = inflate->run(packed, piece.data(), piece.size());
    text.append(piece.data(), got);
    if ((got == 0 && packed.size() == before) || text.size() > most) return false;
  }
  is_unpacking_ = true;
  bool whole = true;
  Fields fields(text);
  for (Field field; whole && fields.next(field);)
    whole = field.number != perfetto::trace::packet || packet(field.bytes);
  is_unpacking_ = false;
  return whole && fields.whole();
}

// From the earliest end to each of the others.
void Converter::arrows() {
  for (auto& [id, ends] : flows_) {
    if (ends.size() < 2) continue;
    std::ranges::stable_sort(ends, {}, &FlowEnd::at);
    const std::string_view name =
        std::ranges::any_of(ends, &FlowEnd::is_share)       ? kineto::arrow::launch
        : std::ranges::any_of(ends, &FlowEnd::is_of_device) ? kineto::arrow::device
                                                            : kineto::arrow::backward;
    for (size_t i = 0; i < ends.size(); ++i) {
      row(i == 0 ? "s" : "f", name, name, place(ends[i].track), ends[i].at).key("id").exact(id);
      if (i > 0) json_->member("bp", "e");
      done();
    }
  }
}

void Converter::finish() {
  for (auto& [number, track] : tracks_) {
    for (const Slice& slice : track.open) {
      row("B", slice.category, slice.name, track, slice.begin).key("args").raw(slice.arguments);
      done();
    }
  }
  arrows();
  out_.write("\n]");
  const auto epoch = clocks_.find(perfetto::realtime_clock);
  if (epoch != clocks_.end())
    out_.write(
        cat(", \"baseTimeNanoseconds\": ", sum_of(epoch->second.value, epoch->second.at, -1)));
  if (!about_.empty())
    out_.write(cat(", \"producer\": \"vitro\", ", std::string_view(about_).substr(1)));
  else
    out_.write('}');
}

// The text of a stream of packets.
class PerfettoBytes : public Bytes {
 public:
  explicit PerfettoBytes(std::unique_ptr<Bytes> from) : from_(std::move(from)) {}
  uint64_t consumed() const override { return from_->consumed(); }
  uint64_t total() const override { return from_->total(); }

  size_t read(char* to, size_t room) override {
    size_t got = 0;
    while (got < room) {
      if (given_ == text_.size() && !fill()) break;
      const size_t n = text_.copy(to + got, room - got, given_);
      given_ += n;
      got += n;
    }
    return got;
  }

 private:
  bool fill() {
    text_.clear();
    given_ = 0;
    while (text_.empty() && !ended_) {
      if (!next_packet()) {
        ended_ = true;
        if (trouble_.empty()) trouble_ = from_->trouble();
        converter_.finish();
      }
      text_ = converter_.take();
    }
    return !text_.empty();
  }

  // False at the end.
  bool next_packet() {
    for (;;) {
      std::string_view rest = std::string_view(packed_).substr(used_);
      const std::string_view before = rest;
      uint64_t tag = 0, length = 0;
      const bool begun = Fields::take_varint(rest, tag) && Fields::take_varint(rest, length);
      if (begun && (tag != 10 || length > most_bytes)) return stop("is not one of Perfetto's");
      if (begun && length <= rest.size()) {
        used_ += before.size() - rest.size() + length;
        return converter_.packet(rest.substr(0, length)) || stop("has a damaged packet");
      }
      if (more()) continue;
      return before.empty() ? false : stop("ends in a packet");
    }
  }

  bool stop(std::string_view why) {
    trouble_ = cat("the trace ", why);
    return false;
  }

  bool more() {
    packed_.erase(0, std::exchange(used_, 0));
    const size_t before = packed_.size();
    packed_.resize(before + piece);
    const size_t got = from_->read(packed_.data() + before, piece);
    packed_.resize(before + got);
    return got > 0;
  }

  static constexpr size_t piece = size_t{256} << 10, most_bytes = size_t{1} << 30;

  std::unique_ptr<Bytes> from_;
  std::string packed_;
  size_t used_ = 0;
  Converter converter_;
  std::string text_;
  size_t given_ = 0;
  bool ended_ = false;
};

}  // namespace

// A trace is a message whose field 1 is repeated: each packet begins with a newline as a byte.
// After a newline and another character of JSON, no text has one of these numbers.
bool begins_perfetto(std::string_view bytes) {
  constexpr std::array<uint64_t, 20> first{2,  3,  6,  8,  10, 11, 12, 13, 33, 35,
                                           36, 41, 42, 43, 50, 58, 59, 60, 79, 87};
  uint64_t tag = 0, length = 0;
  if (!Fields::take_varint(bytes, tag) || tag != 10 || !Fields::take_varint(bytes, length) ||
      length == 0 || !Fields::take_varint(bytes, tag))
    return false;
  constexpr uint64_t group = 3;  // a kind of field that is not used; some of JSON's brackets
  return (tag & 7) < group && std::ranges::find(first, tag >> 3) != first.end();
}

std::unique_ptr<Bytes> from_perfetto(std::unique_ptr<Bytes> from) {
  return std::make_unique<PerfettoBytes>(std::move(from));
}

}  // namespace vitro::analyze
