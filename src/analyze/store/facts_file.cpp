// Writes and reads the facts of a trace (names, tracks, metadata, notes) as a file with a hash,
// kept beside its columns.
#include "analyze/store/facts_file.h"

#include <cstring>

#include "vitro/base/cat.h"
#include "vitro/base/hash.h"
#include "vitro/report/output.h"

namespace vitro::analyze {
namespace {

constexpr std::string_view first_bytes = "vitro trace columns 3\n";
constexpr size_t hash_bytes = 32;

class Writer {
 public:
  Writer& number(uint64_t n) {
    char bytes[sizeof n];
    std::memcpy(bytes, &n, sizeof n);
    out_.append(bytes, sizeof n);
    return *this;
  }
  Writer& text(std::string_view t) {
    number(t.size());
    out_ += t;
    return *this;
  }
  template <class List, class One>
  Writer& list(const List& all, One one) {
    number(all.size());
    for (const auto& each : all) one(each);
    return *this;
  }
  const std::string& bytes() const { return out_; }

 private:
  std::string out_;
};

// Malformed values read as 0 or empty: the hash has been checked already.
class FactsReader {
 public:
  explicit FactsReader(std::string_view bytes) : rest_(bytes) {}
  uint64_t number() {
    uint64_t n = 0;
    if (rest_.size() < sizeof n) return 0;
    std::memcpy(&n, rest_.data(), sizeof n);
    rest_.remove_prefix(sizeof n);
    return n;
  }
  std::string text() {
    const size_t size = number();
    if (rest_.size() < size) return {};
    std::string out(rest_.substr(0, size));
    rest_.remove_prefix(size);
    return out;
  }
  template <class One>
  void list(One one) {
    for (uint64_t n = number(); n > 0; --n) one();
  }

 private:
  std::string_view rest_;
};

}  // namespace

void write_facts(const std::string& path, const Facts& facts) {
  Writer w;
  w.number(facts.events).number(facts.file_bytes).number(facts.unpacked_bytes);
  w.number(static_cast<uint64_t>(facts.base));
  w.list(facts.names, [&](const std::string& name) { w.text(name); });
  w.list(facts.categories, [&](const std::string& name) { w.text(name); });
  w.list(facts.tracks, [&](const TrackInfo& track) {
    w.text(track.pid).text(track.tid).text(track.process).text(track.thread).text(track.labels);
    w.number(static_cast<uint64_t>(track.sort_index));
  });
  w.list(facts.metadata, [&](const auto& member) { w.text(member.first).text(member.second); });
  w.list(facts.notes, [&](const Note& note) { w.number(note.offset).text(note.text); });
  w.list(facts.offset_bases,
         [&](const OffsetBase& base) { w.number(base.first_event).number(base.offset); });
  const auto out = report::create_file(path);
  out->write(first_bytes);
  out->write(hash_of(w.bytes()).hex());
  out->write(w.bytes());
  out->finish();
}

Result<Facts> read_facts(const std::string& path) {
  auto mapped = Mapped::open(path);
  if (!mapped) return mapped.failure();
  const auto bytes = mapped->as<char>();
  std::string_view all(bytes.data(), bytes.size());
  if (!all.starts_with(first_bytes) || all.size() < first_bytes.size() + hash_bytes)
    return Failure{cat(path, ": written by another version")};
  all.remove_prefix(first_bytes.size());
  const std::string_view hash = all.substr(0, hash_bytes);
  all.remove_prefix(hash_bytes);
  if (hash_of(all).hex() != hash) return Failure{cat(path, ": corrupt: its hash does not match")};
  FactsReader r(all);
  Facts facts;
  facts.events = r.number();
  facts.file_bytes = r.number();
  facts.unpacked_bytes = r.number();
  facts.base = static_cast<int64_t>(r.number());
  r.list([&] { facts.names.push_back(r.text()); });
  r.list([&] { facts.categories.push_back(r.text()); });
  r.list([&] {
    TrackInfo track;
    for (std::string* text : {&track.pid, &track.tid, &track.process, &track.thread, &track.labels})
      *text = r.text();
    track.sort_index = static_cast<int64_t>(r.number());
    facts.tracks.push_back(std::move(track));
  });
  r.list([&] {
    std::string name = r.text();
    facts.metadata[name] = r.text();
  });
  r.list([&] {
    const uint64_t offset = r.number();
    facts.notes.push_back({offset, r.text()});
  });
  r.list([&] {
    const uint64_t first_event = r.number();
    facts.offset_bases.push_back({first_event, r.number()});
  });
  return facts;
}

}  // namespace vitro::analyze
