// Cuts the bytes of a trace file into windows of complete events and collects its other members;
// load.cpp parses the windows.
#include "analyze/read/windows.h"

#include <algorithm>
#include <cstring>

#include "analyze/read/number_lists.h"
#include "analyze/read/scan.h"
#include "analyze/read/token.h"
#include "vitro/base/cat.h"

namespace vitro::analyze {
namespace {

constexpr size_t most_metadata = size_t{16} << 20;

}  // namespace

// Extends rest_; false at the end of the file.
bool Windows::fill() {
  if (ended_) return false;
  if (at_ > window_bytes_) {
    rest_.erase(0, at_);
    offset_ += at_;
    at_ = 0;
  }
  const size_t before = rest_.size();
  rest_.resize(before + window_bytes_);
  const size_t got = bytes_->read(rest_.data() + before, window_bytes_);
  rest_.resize(before + got);
  ended_ = got == 0;
  return got > 0;
}

// The next byte; 0 at the end.
char Windows::peek() {
  if (at_ == rest_.size() && !fill()) return 0;
  return rest_[at_];
}

void Windows::step(size_t bytes) {
  at_ += bytes;
}

void Windows::skip_space() {
  while (is_space(peek())) ++at_;
}

void Windows::stop(std::string why) {
  state_ = State::done;
  if (!bytes_->trouble().empty()) why = bytes_->trouble();
  notes_.push_back({offset_ + at_, std::move(why)});
}

void Windows::start() {
  while (static_cast<unsigned char>(peek()) == 0xef || static_cast<unsigned char>(peek()) == 0xbb ||
         static_cast<unsigned char>(peek()) == 0xbf) {
    ++at_;  // a byte order mark
  }
  skip_space();
  const char first = peek();
  bare_list_ = first == '[';
  if (begins_memory_timeline(std::string_view(rest_).substr(at_))) {
    stop(
        "this is a memory timeline written by export_memory_timeline, not a trace: only `vitro "
        "trace "
        "memory` can read it");
  } else if (first == '{' || first == '[') {
    step(1);
    state_ = bare_list_ ? State::events : State::members;
    found_events_ = bare_list_;
  } else if (first == 0) {
    stop("the file is empty");
  } else {
    stop(cat("got '", first, "', needs '{' or '[': this is not a JSON trace"));
  }
}

bool Windows::read_key(std::string& key) {
  step(1);
  key.clear();
  for (;;) {
    const char c = peek();
    if (c == 0 && at_ == rest_.size()) return false;
    step(1);
    if (c == '"') return true;
    key += c;
    if (c != '\\') continue;
    const char escaped = peek();
    if (at_ == rest_.size()) return false;
    step(1);
    key += escaped;
  }
}

// Reads one member of the file's object, or its end.
void Windows::member() {
  skip_space();
  while (peek() == ',') {
    step(1);
    skip_space();
  }
  const char c = peek();
  if (c == '}') {
    step(1);
    state_ = State::done;
    return;
  }
  if (c == 0) return stop("the file ends before its closing '}'");
  std::string key;
  if (c != '"') return stop(cat("got '", c, "', needs the name of a member in quotes"));
  if (!read_key(key)) return stop("the file ends in the name of a member");
  skip_space();
  if (peek() != ':') return stop(cat("member \"", key, "\": needs ':' after its name"));
  step(1);
  skip_space();
  if (key == "traceEvents" && peek() == '[') {
    step(1);
    state_ = State::events;
    found_events_ = true;
    return;
  }
  keep_value(key);
}

void Windows::keep_value(const std::string& key) {
  std::string value;
  const auto take = [&](size_t bytes) {
    if (value.size() + bytes <= most_metadata) value.append(rest_, at_, bytes);
    step(bytes);
  };
  const char first = peek();
  if (first == '{' || first == '[') {
    take(1);
    Scan scan;
    while (!scan.left()) {
      if (peek() == 0 && at_ == rest_.size())
        return stop(cat("the file ends in its member \"", key, "\""));
      size_t unused = 0;
      take(scan.through(std::string_view(rest_).substr(at_), &unused));
    }
  } else if (first == '"') {
    std::string text;
    const bool whole = read_key(text);
    if (!whole) return stop(cat("the file ends in its member \"", key, "\""));
    value = cat('"', text, '"');
  } else {
    while (peek() != 0 && peek() != ',' && peek() != '}' && !is_space(peek())) take(1);
  }
  if (value.size() >= most_metadata)
    notes_.push_back({offset_ + at_, cat("member \"", key, "\" is too long and was dropped")});
  metadata_[key] = std::move(value);
}

bool Windows::next(TextWindow& window) {
  for (;;) {
    switch (state_) {
      case State::start:
        start();
        break;
      case State::members:
        member();
        break;
      case State::events:
        if (cut(window)) return true;
        break;
      case State::done:
        if (!bytes_->trouble().empty() && notes_.empty())
          notes_.push_back({offset_ + at_, bytes_->trouble()});
        return false;
    }
  }
}

// Fills a window with as many complete events as fit; false if there are none left.
bool Windows::cut(TextWindow& window) {
  std::vector<char>& buffer = window.buffer;
  const uint64_t begin = offset_ + at_;
  size_t filled = rest_.size() - at_, room = std::max(window_bytes_, filled);
  buffer.resize(1 + room + padding);
  std::memcpy(buffer.data() + 1, rest_.data() + at_, filled);
  Scan scan;
  size_t looked = 0, last_end = 0;
  for (;;) {
    if (!ended_) {
      const size_t got = bytes_->read(buffer.data() + 1 + filled, room - filled);
      ended_ = got < room - filled;
      filled += got;
    }
    size_t end = 0;
    const size_t now = scan.through({buffer.data() + 1 + looked, filled - looked}, &end);
    if (end != 0) last_end = looked + end;
    looked += now;
    if (scan.left() || last_end != 0 || ended_ || room >= most_bytes) break;
    room *= 2;
    buffer.resize(1 + room + padding);
  }
  size_t end = scan.left() ? looked - 1 : last_end;
  const size_t behind = scan.left() ? looked : last_end;
  rest_.assign(buffer.data() + 1 + behind, filled - behind);
  offset_ = begin + behind;
  at_ = 0;
  if (scan.left()) {
    state_ = bare_list_ ? State::done : State::members;
  } else if (ended_) {
    end_early();
  } else if (last_end == 0) {
    stop(cat("an event is longer than ", most_bytes >> 20, " MiB"));
  }
  const auto is_between = [&](size_t at) { return is_space(buffer[at]) || buffer[at] == ','; };
  window.begin = 1;
  window.end = 1 + end;
  while (window.begin < window.end && is_between(window.begin)) ++window.begin;
  while (window.begin < window.end && is_between(window.end - 1)) --window.end;
  window.offset = begin + window.begin - 1;
  return window.begin < window.end;
}

// The list of events is not closed.  Chrome's format allows that for a bare list.
void Windows::end_early() {
  const bool blank =
      std::all_of(rest_.begin(), rest_.end(), [](char c) { return is_space(c) || c == ','; });
  if (bare_list_ && blank && bytes_->trouble().empty()) {
    state_ = State::done;
    return;
  }
  const std::string lost = cat("; ", rest_.size(), " bytes after the last complete event are lost");
  const std::string why =
      bytes_->trouble().empty() ? "the file ends in its list of events" : bytes_->trouble();
  state_ = State::done;
  notes_.push_back({offset_, why + lost});
}

}  // namespace vitro::analyze
