// Encodes Perfetto's packets with report/protobuf.h; perfetto_trace.cpp writes a profile with
// them.
#include "profiler/perfetto_packets.h"

#include <ctime>

namespace vitro::perfetto {
namespace {

using report::Protobuf;

constexpr uint32_t shared_sequence = 1;  // for packets outside any Sequence

void write_packet(report::Output& out, auto fill) {
  Protobuf packet;
  packet.begin(trace::packet).integer(trace_packet::sequence, shared_sequence);
  fill(packet);
  out.write(packet.end().bytes());
}

uint64_t now(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<uint64_t>(time.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(time.tv_nsec);
}

}  // namespace

uint64_t Names::number(std::string_view text) {
  if (const auto found = numbers_.find(text); found != numbers_.end()) return found->second;
  const auto [added, fresh] = numbers_.emplace(std::string(text), numbers_.size() + 1);
  new_.emplace_back(added->second, added->first);
  return added->second;
}

Annotations& Annotations::key(std::string_view name) {
  if (!open_.empty()) open_.back().empty = false;
  event_.begin(open_.empty() ? track_event::annotation : annotation::dict_entries);
  event_.integer(annotation::name_iid, names_.number(name));
  return *this;
}

// In a list every value is a separate message; elsewhere key() has begun it.
void Annotations::begin_value() {
  if (open_.empty() || !open_.back().array) return;
  open_.back().empty = false;
  event_.begin(annotation::array_values);
}

Annotations& Annotations::end_value() {
  event_.end();
  return *this;
}

Annotations& Annotations::value(std::string_view text) {
  begin_value();
  event_.text(annotation::string_value, text);
  return end_value();
}

Annotations& Annotations::value(double number) {
  begin_value();
  event_.number(annotation::double_value, number);
  return end_value();
}

Annotations& Annotations::raw(std::string_view json) {
  begin_value();
  event_.text(annotation::legacy_json_value, json);
  return end_value();
}

Annotations& Annotations::begin_array() {
  begin_value();
  open_.push_back({true, true});
  return *this;
}

Annotations& Annotations::begin_object() {
  begin_value();
  open_.push_back({false, true});
  return *this;
}

Annotations& Annotations::end() {
  const Level level = open_.back();
  open_.pop_back();
  if (level.empty) event_.text(annotation::string_value, level.array ? "[]" : "{}");
  return end_value();
}

Sequence::Sequence(report::Output& out, uint32_t number, uint64_t track)
    : out_(out), number_(number) {
  packet_.begin(trace::packet).integer(trace_packet::sequence, number);
  packet_.integer(trace_packet::sequence_flags, names_begin_anew);
  packet_.integer(trace_packet::first_on_sequence, true).begin(trace_packet::defaults);
  packet_.integer(defaults::timestamp_clock, realtime_clock);
  packet_.begin(defaults::track_event).integer(defaults::track, track).end().end().end();
  out_.write(packet_.bytes());
}

void Sequence::begin(const Event& event) {
  packet_.clear();
  packet_.begin(trace::packet).integer(trace_packet::timestamp, event.at);
  packet_.integer(trace_packet::sequence, number_);
  packet_.integer(trace_packet::sequence_flags, names_are_needed);
  packet_.begin(trace_packet::track_event);
  packet_.integer(track_event::type, static_cast<uint32_t>(event.type));
  if (event.track != 0) packet_.integer(track_event::track, event.track);
  if (!event.category.empty())
    packet_.integer(track_event::category_iid, categories_.number(event.category));
  if (!event.name.empty()) packet_.integer(track_event::name_iid, names_.number(event.name));
}

void Sequence::end() {
  packet_.end();
  if (categories_.any_new() || names_.any_new() || arguments_.any_new()) {
    packet_.begin(trace_packet::interned_data);
    write_new(interned::categories, categories_);
    write_new(interned::names, names_);
    write_new(interned::annotation_names, arguments_);
    packet_.end();
  }
  out_.write(packet_.end().bytes());
}

void Sequence::write_new(uint32_t field, Names& names) {
  names.take_new([&](uint64_t number, std::string_view text) {
    packet_.begin(field).integer(interned::iid, number).text(interned::text, text).end();
  });
}

void add_flow(Protobuf& event, uint64_t id) {
  event.fixed64(track_event::flow, id);
}

void add_counter_value(Protobuf& event, double value) {
  event.number(track_event::double_value, value);
}

void write_process(report::Output& out, const Process& of) {
  write_packet(out, [&](Protobuf& packet) {
    packet.begin(trace_packet::track_descriptor).integer(track_descriptor::uuid, of.track);
    packet.begin(track_descriptor::process).integer(process::pid, of.pid);
    packet.text(process::name, of.name).end().end();
  });
}

void write_thread(report::Output& out, const Process& of, uint64_t track, int64_t tid,
                  std::string_view name) {
  write_packet(out, [&](Protobuf& packet) {
    packet.begin(trace_packet::track_descriptor).integer(track_descriptor::uuid, track);
    packet.integer(track_descriptor::parent, of.track).begin(track_descriptor::thread);
    packet.integer(thread::pid, of.pid).integer(thread::tid, tid).text(thread::name, name);
    packet.end().end();
  });
}

void write_counter(report::Output& out, const Process& of, uint64_t track, std::string_view name,
                   bool bytes) {
  constexpr uint32_t unit_count = 2, unit_bytes = 3;
  write_packet(out, [&](Protobuf& packet) {
    packet.begin(trace_packet::track_descriptor).integer(track_descriptor::uuid, track);
    packet.integer(track_descriptor::parent, of.track).text(track_descriptor::name, name);
    packet.begin(track_descriptor::counter).integer(counter::unit, bytes ? unit_bytes : unit_count);
    packet.end().end();
  });
}

void write_clocks(report::Output& out) {
  constexpr std::pair<uint64_t, clockid_t> clocks[] = {{realtime_clock, CLOCK_REALTIME},
                                                       {monotonic_clock, CLOCK_MONOTONIC},
                                                       {boottime_clock, CLOCK_BOOTTIME}};
  write_packet(out, [&](Protobuf& packet) {
    packet.begin(trace_packet::clock_snapshot);
    for (const auto& [id, system] : clocks)
      packet.begin(clock_snapshot::clock)
          .integer(clock_snapshot::id, id)
          .integer(clock_snapshot::time, now(system))
          .end();
    packet.end();
  });
}

}  // namespace vitro::perfetto
