// Converts the events of a window to rows of columns, repairing or dropping malformed ones; one
// parser per reading thread (load.cpp).
#include "analyze/read/event_parser.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <tuple>
#include <utility>

#include "analyze/read/event_reader.h"
#include "analyze/read/mend.h"
#include "analyze/read/pairs.h"
#include "analyze/read/scan.h"
#include "analyze/read/texts.h"
#include "analyze/read/token.h"
#include "vitro/base/cat.h"

namespace vitro::analyze {

namespace {

// An integer, decimal or hexadecimal, with or without quotes.  Any other text gives its own number.
int64_t number_of(std::string_view token) {
  std::string_view text = unquoted(token);
  if (text.empty() || text == "null") return none;
  const bool hex = text.starts_with("0x");
  if (hex) text.remove_prefix(2);
  int64_t value = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), value, hex ? 16 : 10);
  if (end.ec == std::errc{} && end.ptr == text.data() + text.size()) return value;
  uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return static_cast<int64_t>(hash >> 2 | uint64_t{1} << 62);
}

uint64_t word_at(const char* bytes) {
  uint64_t word;
  std::memcpy(&word, bytes, sizeof word);
  if constexpr (std::endian::native == std::endian::big) word = __builtin_bswap64(word);
  return word;
}

// Of eight bytes.
bool are_digits(const char* bytes) {
  const uint64_t word = word_at(bytes);
  const uint64_t above = word + 0x4646464646464646, below = word - 0x3030303030303030;
  return ((above | below) & 0x8080808080808080) == 0;
}

// Their value: in pairs, then fours, then all.
uint64_t eight_digits(const char* bytes) {
  uint64_t word = word_at(bytes) - 0x3030303030303030;
  word = word * 10 + (word >> 8);
  constexpr uint64_t every_fourth = 0x000000ff000000ff;
  return ((word & every_fourth) * (100 + (uint64_t{1'000'000} << 32)) +
          (word >> 16 & every_fourth) * (1 + (uint64_t{10'000} << 32))) >>
         32;
}

}  // namespace

void Rows::make_room() {
  constexpr size_t least = 4096;
  const size_t room = std::max(least, 2 * phase.size());
  for (auto* column : {&ts, &dur, &link, &external}) column->resize(room);
  for (auto* column : {&offset, &length, &name, &track}) column->resize(room);
  category.resize(room);
  phase.resize(room);
}

void Batch::clear() {
  rows.clear();
  facts.clear();
  notes.clear();
  names.clear();
  categories.clear();
  tracks.clear();
}

bool read_microseconds(std::string_view text, int64_t* ns) {
  constexpr uint64_t most = 9'000'000'000'000'000;  // whose nanoseconds fit in 63 bits
  text = unquoted(text);
  const bool negative = text.starts_with('-');
  const size_t first = negative ? 1 : 0;
  size_t at = first;
  uint64_t whole = 0;
  for (; at + 8 <= text.size() && whole < most / 100'000'000 && are_digits(text.data() + at);
       at += 8)
    whole = whole * 100'000'000 + eight_digits(text.data() + at);
  for (; at < text.size() && whole < most && text[at] >= '0' && text[at] <= '9'; ++at)
    whole = whole * 10 + static_cast<uint64_t>(text[at] - '0');
  if (at == first) return false;
  uint64_t value = whole * 1000;
  if (at < text.size() && text[at] == '.') {
    const size_t point = at;
    uint64_t weight = 100;
    for (++at; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at, weight /= 10) {
      value += weight * static_cast<uint64_t>(text[at] - '0');
      if (at == point + 4 && text[at] >= '5') ++value;  // the fourth decimal rounds
    }
  }
  if (at == text.size() && whole <= most) {
    *ns = negative ? -static_cast<int64_t>(value) : static_cast<int64_t>(value);
    return true;
  }
  double number = 0;  // has an exponent, or is too large
  const auto end = std::from_chars(text.data(), text.data() + text.size(), number);
  if (end.ec != std::errc{} || end.ptr != text.data() + text.size() ||
      !(std::fabs(number) < static_cast<double>(most)))
    return false;
  *ns = static_cast<int64_t>(std::llround(number * 1000));
  return true;
}

struct EventParser::Impl final : EventSink {
  EventReader reader;
  Texts name_numbers, category_numbers, track_numbers;
  Batch* batch = nullptr;
  const char* begin = nullptr;                // of the text being read
  size_t offset = 0;                          // of `begin`, from the window's
  std::string track_key, last_pid, last_tid;  // as written
  uint32_t last_track = UINT32_MAX;

  uint32_t name_of(std::string_view token) {
    bool fresh = false;
    const uint32_t number = name_numbers.number(token, &fresh);
    if (fresh) batch->names.push_back(said(token));
    return number;
  }

  uint16_t category_of(std::string_view token) {
    bool fresh = false;
    constexpr uint32_t most = UINT16_MAX;
    if (category_numbers.size() > most) return static_cast<uint16_t>(most);
    const uint32_t number = category_numbers.number(token, &fresh);
    if (fresh) batch->categories.push_back(said(token));
    return static_cast<uint16_t>(number);
  }

  uint32_t track_of(std::string_view pid, std::string_view tid) {
    if (last_track != UINT32_MAX && pid == last_pid && tid == last_tid) return last_track;
    track_key.assign(pid).append(1, '\0').append(tid);
    bool fresh = false;
    last_track = track_numbers.number(track_key, &fresh);
    if (fresh) batch->tracks.push_back({said(pid), said(tid)});
    last_pid = pid;
    last_tid = tid;
    return last_track;
  }

  // Offset from the start of the window.
  size_t place_of(std::string_view text) const {
    return offset + static_cast<size_t>(text.data() - begin);
  }

  void note(std::string_view at, std::string text) {
    batch->notes.push_back({batch->offset + place_of(at), std::move(text)});
  }

  void add(const RawEvent& event) override {
    Row row;
    row.offset = static_cast<uint32_t>(place_of(event.text));
    row.length = static_cast<uint32_t>(event.text.size());
    row.phase = unquoted(event.phase).empty() ? 'X' : unquoted(event.phase)[0];
    row.track = track_of(event.pid, event.tid);
    if (row.phase == 'M') add_fact(event, row.track);
    if (event.ts.empty() && row.phase != 'M') {
      return note(event.text,
                  cat("an event without a time (\"ts\") was dropped: ", event.text.substr(0, 120)));
    }
    if (!event.ts.empty() && !read_microseconds(event.ts, &row.ts)) {
      return note(event.ts, cat("an event was dropped: its \"ts\" is ", event.ts.substr(0, 60),
                                ", needs microseconds"));
    }
    if (!event.dur.empty() && !read_microseconds(event.dur, &row.dur)) {
      row.dur = none;
      note(event.dur, cat("a \"dur\" is ", event.dur.substr(0, 60), ", needs microseconds"));
    }
    row.name = name_of(event.name);
    row.category = category_of(event.category);
    const bool has_id = is_arrow(row.phase) || is_async(row.phase);
    const std::string_view link = has_id ? event.id : event.correlation;
    if (!link.empty()) row.link = number_of(link);
    if (!event.external.empty()) row.external = number_of(event.external);
    batch->rows.add(row);
  }

  void add_fact(const RawEvent& event, uint32_t track) {
    const std::string_view what = unquoted(event.name);
    const auto keep = [&](TrackFact::Kind kind, std::string_view token) {
      batch->facts.push_back({track, kind, said(token), number_of(token)});
    };
    if (what == "process_name") keep(TrackFact::Kind::process, event.arg_name);
    if (what == "thread_name") keep(TrackFact::Kind::thread, event.arg_name);
    if (what == "process_labels") keep(TrackFact::Kind::labels, event.arg_labels);
    if (what == "process_sort_index") keep(TrackFact::Kind::sort_index, event.arg_sort_index);
  }

  void parse(TextWindow& window);
  void parse_apart(std::string_view events);
  void parse_one(std::string_view event);
};

void EventParser::Impl::parse(TextWindow& window) {
  begin = window.buffer.data() + window.begin;
  offset = 0;
  char* first = window.buffer.data() + window.begin;
  char* behind = window.buffer.data() + window.end;
  first[-1] = '[';
  *behind = ']';
  size_t bad = 0;
  const std::string_view list(first - 1, static_cast<size_t>(behind - first) + 2);
  const std::string why = reader.read(list, *this, &bad);
  if (why.empty()) return;
  const size_t from = bad == 0 ? 0 : bad - 1;
  parse_apart(window.events().substr(from));
}

// One event at a time, so that a malformed one does not affect others.
void EventParser::Impl::parse_apart(std::string_view events) {
  while (!events.empty()) {
    const size_t next = std::min(events.find('{'), events.size());
    const std::string_view between = events.substr(0, next);
    if (between.find_first_not_of(" \t\r\n,") != std::string_view::npos) {
      note(between, cat("not an event, dropped: ", between.substr(0, 60)));
    }
    events.remove_prefix(next);
    if (events.empty()) return;
    const size_t length = value_length(events);
    const std::string_view event = events.substr(0, length == 0 ? events.size() : length);
    parse_one(event);
    events.remove_prefix(event.size());
  }
}

// As written, or repaired if no parser accepts that.
void EventParser::Impl::parse_one(std::string_view event) {
  const size_t place = place_of(event);
  std::string why;
  for (const bool mend : {false, true}) {
    std::string list = cat("[", mend ? mended(event) : std::string(event), "]");
    const size_t length = list.size();
    list.resize(length + Windows::padding);
    const std::string_view text(list.data(), length);
    const auto outer =
        std::pair(std::exchange(begin, list.data() + 1), std::exchange(offset, place));
    size_t bad = 0;
    const size_t rows = batch->rows.size();
    std::string wrong = reader.read(text, *this, &bad);
    std::tie(begin, offset) = outer;
    // With broken quotes the parser may see another end, or another event.
    batch->rows.cut(wrong.empty() ? rows + 1 : rows);
    if (batch->rows.size() > rows) batch->rows.length[rows] = static_cast<uint32_t>(event.size());
    if (wrong.empty()) {
      if (mend)
        batch->notes.push_back({batch->offset + place, cat("an event was repaired (", why, ")")});
      return;
    }
    if (!mend) why = std::move(wrong);
  }
  batch->notes.push_back(
      {batch->offset + place, cat("an event was dropped (", why, "): ", event.substr(0, 120))});
}

EventParser::EventParser() : impl_(std::make_unique<Impl>()) {}
EventParser::~EventParser() = default;

void EventParser::parse(TextWindow& window, Batch& batch) {
  batch.clear();
  batch.offset = window.offset;
  impl_->batch = &batch;
  impl_->parse(window);
  impl_->batch = nullptr;
}

}  // namespace vitro::analyze
