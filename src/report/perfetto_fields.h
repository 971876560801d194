// Numbers of fields in the messages of a Perfetto trace, by message: those of the Perfetto
// project's protos/perfetto/trace, as far as traces are written (profiler) and read (analyze).
#pragma once

#include <cstdint>

namespace vitro::perfetto {

namespace trace {
inline constexpr uint32_t packet = 1;
}
namespace trace_packet {
inline constexpr uint32_t clock_snapshot = 6, timestamp = 8, sequence = 10, track_event = 11,
                          interned_data = 12, sequence_flags = 13, compressed_packets = 50,
                          timestamp_clock = 58, defaults = 59, track_descriptor = 60,
                          first_on_sequence = 87;
}
namespace defaults {
inline constexpr uint32_t track_event = 11, timestamp_clock = 58, track = 11;
}
namespace clock_snapshot {
inline constexpr uint32_t clock = 1, id = 1, time = 2, counts_on = 3, unit_ns = 4;
}
namespace track_event {
inline constexpr uint32_t category_iid = 3, annotation = 4, type = 9, name_iid = 10, track = 11,
                          category = 22, name = 23, counter_value = 30, flow_varint = 36,
                          ending_flow_varint = 42, double_value = 44, flow = 47, ending_flow = 48;
}
namespace annotation {
inline constexpr uint32_t name_iid = 1, bool_value = 2, uint_value = 3, int_value = 4,
                          double_value = 5, string_value = 6, pointer_value = 7,
                          legacy_json_value = 9, name = 10, dict_entries = 11, array_values = 12,
                          string_iid = 17;
}
namespace interned {
inline constexpr uint32_t categories = 1, names = 2, annotation_names = 3, annotation_texts = 29,
                          iid = 1, text = 2;
}
namespace track_descriptor {
inline constexpr uint32_t uuid = 1, name = 2, process = 3, thread = 4, parent = 5, counter = 8,
                          static_name = 10;
}
namespace process {
inline constexpr uint32_t pid = 1, name = 6;
}
namespace thread {
inline constexpr uint32_t pid = 1, tid = 2, name = 5;
}
namespace counter {
inline constexpr uint32_t unit = 3, unit_multiplier = 4;
}

enum class EventType : uint8_t { other, slice_begin, slice_end, instant, counter };

inline constexpr uint64_t names_begin_anew = 1, names_are_needed = 2;  // sequence_flags
// Clocks; those from 64 to 127 are of a sequence.
inline constexpr uint64_t realtime_clock = 1, monotonic_clock = 3, boottime_clock = 6;

}  // namespace vitro::perfetto
