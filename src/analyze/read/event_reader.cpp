// Finds the members of events at the marks set by simdjson, without building a document;
// event_parser.cpp converts them.
#include "analyze/read/event_reader.h"

#include <simdjson.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "vitro/base/error.h"

namespace vitro::analyze {
namespace {

// What kind of value begins at a mark.
enum class Kind : uint8_t { scalar, open, close, between };

constexpr std::array<Kind, 256> kinds = [] {
  std::array<Kind, 256> all{};
  for (const char c : {'{', '['}) all[static_cast<unsigned char>(c)] = Kind::open;
  for (const char c : {'}', ']'}) all[static_cast<unsigned char>(c)] = Kind::close;
  for (const char c : {',', ':'}) all[static_cast<unsigned char>(c)] = Kind::between;
  return all;
}();

Kind kind_of(char c) {
  return kinds[static_cast<unsigned char>(c)];
}

// Whether a text, starting after its opening quote, equals `word`.
bool is(const char* key, std::string_view wanted) {
  return std::memcmp(key, wanted.data(), wanted.size()) == 0 && key[wanted.size()] == '"';
}

std::string_view* place_of(const char* key, RawEvent& event) {
  switch (*key) {
    case 'n':
      return is(key, "name") ? &event.name : nullptr;
    case 'c':
      return is(key, "cat") ? &event.category : nullptr;
    case 'p':
      if (is(key, "ph")) return &event.phase;
      return is(key, "pid") ? &event.pid : nullptr;
    case 't':
      if (is(key, "ts")) return &event.ts;
      return is(key, "tid") ? &event.tid : nullptr;
    case 'd':
      return is(key, "dur") ? &event.dur : nullptr;
    case 'i':
      return is(key, "id") ? &event.id : nullptr;
    default:
      return nullptr;
  }
}

std::string_view* place_of_argument(const char* key, RawEvent& event) {
  switch (*key) {
    case 'c':
      return is(key, "correlation") || is(key, "correlation_id") ? &event.correlation : nullptr;
    case 'E':
      return is(key, "External id") ? &event.external : nullptr;
    case 'e':
      return is(key, "external id") ? &event.external : nullptr;
    case 'n':
      return is(key, "name") ? &event.arg_name : nullptr;
    case 'l':
      return is(key, "labels") ? &event.arg_labels : nullptr;
    case 's':
      return is(key, "sort_index") ? &event.arg_sort_index : nullptr;
    default:
      return nullptr;
  }
}

// Steps from mark to mark: a mark is a brace, bracket, colon or comma outside texts, or the first
// byte of a text, number or word.  A step returns the error it finds, or null.
class Walk {
 public:
  using Why = const char*;

  Walk(std::string_view text, const uint32_t* marks, size_t count)
      : text_(text.data()), mark_(marks), end_(marks + count) {}

  Why list(EventSink& sink, size_t* bad);

 private:
  static constexpr Why ends_inside = "an event that does not end";
  // A member, its object's end and the list's: with fewer marks the event is malformed.
  static constexpr ptrdiff_t least_of_member = 5;

  char at() const { return text_[*mark_]; }
  // The text from the mark up to the next.
  std::string_view token() const {
    const char *begin = text_ + mark_[0], *end = text_ + mark_[1];
    while (end > begin && static_cast<unsigned char>(end[-1]) <= ' ') --end;
    return {begin, static_cast<size_t>(end - begin)};
  }

  template <class Use>
  Why members(Use use);
  Why event(RawEvent& event);
  Why arguments(RawEvent& event);
  Why value();
  Why leave(int64_t depth);

  const char* text_;
  const uint32_t *mark_, *end_;
};

Walk::Why Walk::list(EventSink& sink, size_t* bad) {
  if (end_ - mark_ < 2 || at() != '[' || text_[end_[-1]] != ']')
    return "a list of events that does not end";
  ++mark_;
  if (at() == ']' && mark_ + 1 == end_) return nullptr;
  for (;;) {
    *bad = *mark_;
    if (at() != '{') return "an event that is not an object";
    RawEvent each;
    if (Why why = event(each)) return why;
    const size_t end = size_t{mark_[-1]} + 1;
    each.text = {text_ + *bad, end - *bad};
    sink.add(each);
    *bad = end;
    const char behind = at();
    ++mark_;
    if (mark_ == end_) return behind == ']' ? nullptr : "a list of events that does not end";
    if (behind != ',') return "needs ',' between events";
  }
}

// Calls use(key) for each member of the object at the mark, with the mark on the member's value;
// use() must move it past the value.
template <class Use>
[[gnu::always_inline]] inline Walk::Why Walk::members(Use use) {
  ++mark_;
  if (at() == '}') return ++mark_, nullptr;
  for (;;) {
    if (end_ - mark_ < least_of_member) return ends_inside;
    const char* key = text_ + mark_[0];
    if (*key != '"') return "needs the name of a member, in quotes";
    if (text_[mark_[1]] != ':') return "needs ':' after the name of a member";
    mark_ += 2;
    bool enough = false;
    if (Why why = use(key + 1, &enough)) return why;
    if (enough) return leave(1);
    const char behind = at();
    ++mark_;
    if (behind == '}') return nullptr;
    if (behind != ',') return "needs ',' or '}' after a member";
  }
}

Walk::Why Walk::event(RawEvent& event) {
  return members([&](const char* key, bool*) {
    if (at() == '{' && is(key, "args")) return arguments(event);
    if (std::string_view* to = place_of(key, event)) *to = token();
    return value();
  });
}

Walk::Why Walk::arguments(RawEvent& event) {
  return members([&](const char* key, bool* enough) {
    if (std::string_view* to = place_of_argument(key, event)) {
      *to = token();
      *enough = !event.correlation.empty() && !event.external.empty();  // an event has no more
    }
    return value();
  });
}

Walk::Why Walk::value() {
  const Kind kind = kind_of(at());
  ++mark_;
  if (kind == Kind::scalar) return nullptr;
  return kind == Kind::open ? leave(1) : "needs a value after ':'";
}

// Moves past the ends of this many lists and objects.
Walk::Why Walk::leave(int64_t depth) {
  while (mark_ < end_) {
    const Kind kind = kind_of(at());
    ++mark_;
    if (kind == Kind::open) ++depth;
    if (kind == Kind::close && --depth == 0) return mark_ < end_ ? nullptr : ends_inside;
  }
  return ends_inside;
}

}  // namespace

struct EventReader::Impl {
  std::unique_ptr<simdjson::internal::dom_parser_implementation> marker;
  size_t room = 0;

  simdjson::error_code mark(std::string_view text) {
    if (!marker || text.size() > room) {
      room = std::max(text.size(), size_t{1} << 16);
      const auto& best = simdjson::get_active_implementation();  // chosen for this machine
      const auto error = best->create_dom_parser_implementation(room, 1, marker);
      if (error) return error;
    }
    return marker->stage1(reinterpret_cast<const uint8_t*>(text.data()), text.size(),
                          simdjson::stage1_mode::regular);
  }
};

EventReader::EventReader() : impl_(std::make_unique<Impl>()) {
  static_assert(padding >= simdjson::SIMDJSON_PADDING);
}
EventReader::~EventReader() = default;

std::string EventReader::read(std::string_view text, EventSink& sink, size_t* bad) {
  *bad = 0;
  if (const auto error = impl_->mark(text)) {
    VITRO_CHECK(error != simdjson::MEMALLOC, "no memory for the marks of ", text.size(), " bytes");
    return simdjson::error_message(error);
  }
  const auto& marker = *impl_->marker;
  const Walk::Why why =
      Walk(text, marker.structural_indexes.get(), marker.n_structural_indexes).list(sink, bad);
  return why ? why : "";
}

}  // namespace vitro::analyze
