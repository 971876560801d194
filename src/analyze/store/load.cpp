// Reads a trace file into columns on several threads: windows are cut and parsed concurrently and
// collected in file order.  Called by Trace::open().
#include "analyze/store/load.h"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <condition_variable>
#include <exception>
#include <map>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <vector>

#include "analyze/read/event_parser.h"
#include "analyze/read/pairs.h"
#include "analyze/read/scan.h"
#include "analyze/read/texts.h"
#include "analyze/read/token.h"
#include "analyze/store/columns.h"
#include "analyze/store/rewrite.h"
#include "analyze/store/row_kinds.h"
#include "base/sort_list.h"
#include "vitro/base/cat.h"
#include "vitro/base/counted.h"
#include "vitro/report/progress.h"

namespace vitro::analyze {
namespace {

// The names of devices by their number, from the member deviceProperties of PyTorch's traces.
std::map<std::string, std::string> device_names(std::string_view json) {
  std::map<std::string, std::string> out;
  for (size_t at = json.find('{'); at != std::string_view::npos; at = json.find('{', at)) {
    const size_t length = value_length(json.substr(at));
    if (length == 0) break;
    std::string id, name;
    rewritten(json.substr(at, length), [&](std::string_view key, std::string_view value, bool) {
      if (key == "id") id = said(value);
      if (key == "name") name = said(value);
      return std::nullopt;
    });
    if (!id.empty() && !name.empty()) out[id] = name;
    at += length;
  }
  return out;
}

// Maps the numbers that a parser assigns to those of the trace.
struct Numbers {
  std::vector<uint32_t> names, categories, tracks;
};

// Each free thread cuts the next window and parses it; the thread that finishes the next batch in
// file order collects it and the finished ones that follow.
class Loader {
 public:
  // `progress` may be null.
  Loader(Windows& windows, ColumnWriter& writer, report::Progress* progress)
      : windows_(windows), writer_(writer), progress_(progress) {}

  void run(int threads) {
    numbers_.resize(static_cast<size_t>(threads));
    std::vector<std::thread> others;
    try {
      for (int t = 1; t < threads; ++t) others.emplace_back([this, t] { work(numbers_[t]); });
    } catch (const std::system_error&) {  // fewer threads do the work
    }
    work(numbers_[0]);
    for (std::thread& other : others) other.join();
    if (error_) std::rethrow_exception(error_);
  }

  Facts take_facts();

 private:
  struct Parsed {
    Numbers* numbers = nullptr;  // of its parser
    Batch batch;
  };

  void work(Numbers& numbers);
  uint64_t next(TextWindow& window);
  Batch empty_batch();
  bool hand_in(uint64_t number, Parsed parsed);
  void collect(Parsed& parsed);
  void meet(const Batch& batch, Numbers& numbers);
  void set_apart(Rows& rows);
  void set_categories(Rows& rows);
  void note_left();
  void apply(const TrackFact& fact);
  void share_names();

  Windows& windows_;
  ColumnWriter& writer_;
  report::Progress* progress_;
  std::vector<Numbers> numbers_;  // of each parser; used by the collecting thread

  std::mutex cutting_;  // windows are cut one at a time
  uint64_t last_cut_ = 0;
  bool at_end_ = false;
  std::atomic<uint64_t> consumed_{0};  // of the file; the collector reads it while others cut

  std::mutex handing_in_;  // the five below
  std::condition_variable collected_;
  std::map<uint64_t, Parsed> waiting_;  // by number of the window
  std::vector<Batch> empty_;
  uint64_t last_collected_ = 0;
  bool collecting_ = false;  // some thread is; it owns everything below
  std::exception_ptr error_;

  Facts facts_;
  std::map<std::string, TrackInfo> processes_;  // by pid
  Texts names_, categories_, tracks_;
  EventPairs pairs_;
};

void Loader::work(Numbers& numbers) {
  EventParser parser;
  TextWindow window;
  try {
    while (const uint64_t number = next(window)) {
      Parsed parsed{&numbers, empty_batch()};
      parser.parse(window, parsed.batch);
      if (!hand_in(number, std::move(parsed))) return;
    }
  } catch (...) {
    std::lock_guard hold(handing_in_);
    if (!error_) error_ = std::current_exception();
    collected_.notify_all();
  }
}

// The number of the window just cut, from 1; 0 at the end.
uint64_t Loader::next(TextWindow& window) {
  std::lock_guard hold(cutting_);
  if (at_end_ || !windows_.next(window)) {
    at_end_ = true;
    return 0;
  }
  consumed_.store(windows_.consumed(), std::memory_order_relaxed);
  return ++last_cut_;
}

Batch Loader::empty_batch() {
  std::lock_guard hold(handing_in_);
  if (empty_.empty()) return {};
  Batch batch = std::move(empty_.back());
  empty_.pop_back();
  return batch;
}

// False if another thread failed.
bool Loader::hand_in(uint64_t number, Parsed parsed) {
  std::unique_lock hold(handing_in_);
  const uint64_t most_ahead = 4 * numbers_.size();  // bounds memory
  collected_.wait(hold, [&] { return error_ || number - last_collected_ <= most_ahead; });
  waiting_.emplace(number, std::move(parsed));
  if (collecting_ || error_) return !error_;
  collecting_ = true;
  while (!waiting_.empty() && waiting_.begin()->first == last_collected_ + 1) {
    Parsed first = std::move(waiting_.extract(waiting_.begin()).mapped());
    hold.unlock();
    collect(first);
    hold.lock();
    ++last_collected_;
    empty_.push_back(std::move(first.batch));
    collected_.notify_all();
  }
  collecting_ = false;
  return true;
}

// Assigns trace numbers to the names, categories and tracks that are new in a parser.
void Loader::meet(const Batch& batch, Numbers& numbers) {
  bool fresh = false;
  for (const std::string& name : batch.names) {
    numbers.names.push_back(names_.number(name, &fresh));
    if (fresh) facts_.names.push_back(name);
  }
  for (const std::string& category : batch.categories) {
    numbers.categories.push_back(categories_.number(category, &fresh));
    if (fresh) facts_.categories.push_back(category);
  }
  for (const TrackKey& track : batch.tracks) {
    numbers.tracks.push_back(tracks_.number(cat(track.pid, '\0', track.tid), &fresh));
    if (fresh) facts_.tracks.push_back({track.pid, track.tid, {}, {}, {}, 0});
  }
}

// Events that may overlap get a track of their own, beside that of their thread.
void Loader::set_apart(Rows& rows) {
  for (size_t i = 0; i < rows.size(); ++i) {
    if (!is_async(rows.phase[i])) continue;
    const TrackInfo& thread = facts_.tracks[rows.track[i]];
    const std::string pid = thread.pid, tid = cat(thread.tid, " async");
    bool fresh = false;
    rows.track[i] = tracks_.number(cat(pid, '\0', tid), &fresh);
    if (fresh) facts_.tracks.push_back({pid, tid, {}, {}, {}, 0});
  }
}

// Of events without a category, if the names of their rows tell what they are.
void Loader::set_categories(Rows& rows) {
  std::vector<std::optional<RowKind>> kinds(facts_.tracks.size());
  for (size_t i = 0; i < rows.size(); ++i) {
    if (rows.phase[i] != 'X' || !facts_.categories[rows.category[i]].empty()) continue;
    std::optional<RowKind>& kind = kinds[rows.track[i]];
    if (!kind) {
      TrackInfo row = facts_.tracks[rows.track[i]];
      row.process = processes_[row.pid].process;
      kind = kind_of(row);
    }
    const std::string_view category = category_in(*kind, facts_.names[rows.name[i]]);
    if (category.empty()) continue;
    bool fresh = false;
    rows.category[i] = static_cast<uint16_t>(categories_.number(category, &fresh));
    if (fresh) facts_.categories.emplace_back(category);
  }
}

void Loader::note_left() {
  const auto note = [&](uint64_t count, std::string_view what) {
    if (count > 0) facts_.notes.push_back({0, cat(counted(count, "event"), what)});
  };
  note(pairs_.begins_left(), " with phase B or b without an end: not known how long");
  note(pairs_.ends_left(), " with phase E or e without a begin");
}

void Loader::collect(Parsed& parsed) {
  auto& [numbers, batch] = parsed;
  meet(batch, *numbers);
  for (TrackFact& fact : batch.facts) {
    fact.track = numbers->tracks[fact.track];
    apply(fact);
  }
  Rows& rows = batch.rows;
  for (size_t i = 0; i < rows.size(); ++i) {
    rows.name[i] = numbers->names[rows.name[i]];
    rows.track[i] = numbers->tracks[rows.track[i]];
    rows.category[i] = static_cast<uint16_t>(
        std::min<uint32_t>(numbers->categories[rows.category[i]], UINT16_MAX));
  }
  set_apart(rows);
  set_categories(rows);
  pairs_.add(rows, writer_.events(), [&](uint64_t event, int64_t dur, bool is_async) {
    writer_.complete(event, dur, is_async);
  });
  constexpr size_t most_notes = 1000;
  for (Note& note : batch.notes) {
    if (facts_.notes.size() < most_notes) facts_.notes.push_back(std::move(note));
  }
  if (rows.size() > 0) facts_.offset_bases.push_back({writer_.events(), batch.offset});
  writer_.add(rows);
  if (progress_) progress_->at(consumed_.load(std::memory_order_relaxed));
}

void Loader::apply(const TrackFact& fact) {
  TrackInfo& track = facts_.tracks[fact.track];
  TrackInfo& process = processes_[track.pid];
  switch (fact.kind) {
    case TrackFact::Kind::thread:
      track.thread = fact.text;
      break;
    case TrackFact::Kind::process:
      process.process = fact.text;
      break;
    case TrackFact::Kind::labels:
      process.labels = fact.text;
      break;
    case TrackFact::Kind::sort_index:
      process.sort_index = fact.number;
      break;
  }
}

// Facts about a process, on whichever track they appear, hold for all of its tracks.  A device
// without a label has the name that the file gives for its number.
void Loader::share_names() {
  const auto properties = windows_.metadata().find("deviceProperties");
  const auto devices = properties == windows_.metadata().end()
                           ? std::map<std::string, std::string>()
                           : device_names(properties->second);
  for (const auto& [id, name] : devices) {
    std::string& labels = processes_[id].labels;
    if (labels.empty()) labels = cat("device ", id, " (", name, ")");
  }
  for (TrackInfo& track : facts_.tracks) {
    const auto process = processes_.find(track.pid);
    if (process == processes_.end()) continue;
    track.process = process->second.process;
    track.labels = process->second.labels;
    const RowKind kind = kind_of(track);
    constexpr std::string_view device = "/device:";
    if (track.labels.empty() && (kind == RowKind::work || kind == RowKind::ranges))
      track.labels =
          track.process.starts_with(device) ? track.process.substr(device.size()) : track.process;
    track.sort_index = process->second.sort_index;
  }
}

Facts Loader::take_facts() {
  share_names();
  note_left();
  facts_.events = writer_.events();
  facts_.file_bytes = windows_.consumed();
  facts_.unpacked_bytes = windows_.unpacked();
  facts_.metadata = windows_.metadata();
  facts_.notes.insert(facts_.notes.end(), windows_.notes().begin(), windows_.notes().end());
  sort_list(facts_.notes, {}, &Note::offset);
  const auto base = facts_.metadata.find("baseTimeNanoseconds");
  if (base != facts_.metadata.end()) {
    const std::string& text = base->second;
    std::from_chars(text.data(), text.data() + text.size(), facts_.base);
  }
  return std::move(facts_);
}

int threads_of(const LoadOptions& options) {
  constexpr unsigned most = 8;  // beyond this, cutting is the bottleneck
  if (options.threads > 0) return options.threads;
  return static_cast<int>(std::clamp(std::thread::hardware_concurrency(), 1u, most));
}

}  // namespace

Result<Facts> load(const std::string& path, ColumnWriter& writer, const LoadOptions& options) {
  auto bytes = open_bytes(path);
  if (!bytes) return bytes.failure();
  Windows windows(*std::move(bytes));
  std::optional<report::Progress> progress;
  if (options.progress) progress.emplace(cat("reading ", path), windows.total());
  Loader loader(windows, writer, progress ? &*progress : nullptr);
  loader.run(threads_of(options));
  if (!windows.found_events()) {
    const Note why = windows.notes().empty() ? Note{0, "the file has no member \"traceEvents\""}
                                             : windows.notes().front();
    return Failure{cat(path, ": at byte ", why.offset, ": ", why.text)};
  }
  return loader.take_facts();
}

}  // namespace vitro::analyze
