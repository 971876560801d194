#include "analyze/load.h"

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

#include "analyze/columns.h"
#include "analyze/read/event_parser.h"
#include "analyze/read/texts.h"
#include "vitro/base/cat.h"
#include "vitro/report/progress.h"

namespace vitro::analyze {
namespace {

// The numbers that a parser gives, as those of the trace.
struct Numbers {
  std::vector<uint32_t> names, categories, tracks;
};

class Loader {
 public:
  // `progress` may be null.
  Loader(Windows& windows, ColumnWriter& writer, report::Progress* progress)
      : windows_(windows), writer_(writer), progress_(progress) {}

  void run(int threads) {
    std::vector<std::thread> others;
    try {
      for (int t = 1; t < threads; ++t) others.emplace_back([this] { work(); });
    } catch (const std::system_error&) {  // those that are there do the work
    }
    work();
    for (std::thread& other : others) other.join();
    if (error_) std::rethrow_exception(error_);
  }

  Facts take_facts();

 private:
  void work();
  uint64_t next(Window& window);
  void collect(const EventParser& parser, Numbers& numbers, Batch& batch);
  void apply(const TrackFact& fact);

  Windows& windows_;
  ColumnWriter& writer_;
  report::Progress* progress_;

  std::mutex cutting_;  // windows come one after the other
  uint64_t last_cut_ = 0;
  bool at_end_ = false;
  std::atomic<uint64_t> consumed_{0};  // of the file; who collects reads it while others cut

  std::mutex collecting_;  // and are collected in their order
  std::condition_variable turn_;
  uint64_t last_collected_ = 0;
  std::exception_ptr error_;

  Facts facts_;
  Texts names_, categories_, tracks_;
};

// The number in `all` of what a parser calls `local`.
template <class New>
uint32_t number_in(std::vector<uint32_t>& known, uint32_t local, Texts& all, std::string_view text,
                   New fresh_one) {
  if (local >= known.size()) known.resize(local + 1, UINT32_MAX);
  if (known[local] == UINT32_MAX) {
    bool fresh = false;
    known[local] = all.number(text, &fresh);
    if (fresh) fresh_one();
  }
  return known[local];
}

void Loader::work() {
  EventParser parser;
  Numbers numbers;
  Window window;
  try {
    while (const uint64_t number = next(window)) {
      Batch batch = parser.parse(window);
      std::unique_lock hold(collecting_);
      turn_.wait(hold, [&] { return last_collected_ + 1 == number || error_; });
      if (error_) return;
      collect(parser, numbers, batch);
      last_collected_ = number;
      turn_.notify_all();
    }
  } catch (...) {
    std::lock_guard hold(collecting_);
    if (!error_) error_ = std::current_exception();
    turn_.notify_all();
  }
}

// The number of the window that was cut, from 1; 0 at the end.
uint64_t Loader::next(Window& window) {
  std::lock_guard hold(cutting_);
  if (at_end_ || !windows_.next(window)) {
    at_end_ = true;
    return 0;
  }
  consumed_.store(windows_.consumed(), std::memory_order_relaxed);
  return ++last_cut_;
}

void Loader::collect(const EventParser& parser, Numbers& numbers, Batch& batch) {
  const auto track_of = [&](uint32_t local) {
    const EventParser::Track& track = parser.tracks()[local];
    return number_in(numbers.tracks, local, tracks_, cat(track.pid, '\0', track.tid),
                     [&] { facts_.tracks.push_back({track.pid, track.tid, {}, {}, {}, 0}); });
  };
  for (Row& row : batch.rows) {
    const std::string& name = parser.names()[row.name];
    row.name =
        number_in(numbers.names, row.name, names_, name, [&] { facts_.names.push_back(name); });
    const std::string& category = parser.categories()[row.category];
    row.category =
        static_cast<uint16_t>(number_in(numbers.categories, row.category, categories_, category,
                                        [&] { facts_.categories.push_back(category); }));
    row.track = track_of(row.track);
  }
  for (TrackFact& fact : batch.facts) {
    fact.track = track_of(fact.track);
    apply(fact);
  }
  constexpr size_t most_notes = 1000;
  for (Note& note : batch.notes) {
    if (facts_.notes.size() < most_notes) facts_.notes.push_back(std::move(note));
  }
  writer_.add(batch.rows);
  if (progress_) progress_->at(consumed_.load(std::memory_order_relaxed));
}

void Loader::apply(const TrackFact& fact) {
  const std::string pid = facts_.tracks[fact.track].pid;
  const auto in_process = [&](auto set) {
    for (TrackInfo& track : facts_.tracks) {
      if (track.pid == pid) set(track);
    }
  };
  switch (fact.kind) {
    case TrackFact::Kind::thread:
      facts_.tracks[fact.track].thread = fact.text;
      break;
    case TrackFact::Kind::process:
      in_process([&](TrackInfo& track) { track.process = fact.text; });
      break;
    case TrackFact::Kind::labels:
      in_process([&](TrackInfo& track) { track.labels = fact.text; });
      break;
    case TrackFact::Kind::sort_index:
      in_process([&](TrackInfo& track) { track.sort_index = fact.number; });
      break;
  }
}

// Names of a process are told once, of whichever track; tracks that came later learn them here.
void share_names(std::vector<TrackInfo>& tracks) {
  std::map<std::string, TrackInfo> processes;
  for (const TrackInfo& track : tracks) {
    TrackInfo& known = processes[track.pid];
    if (!track.process.empty()) known.process = track.process;
    if (!track.labels.empty()) known.labels = track.labels;
    if (track.sort_index != 0) known.sort_index = track.sort_index;
  }
  for (TrackInfo& track : tracks) {
    const TrackInfo& known = processes[track.pid];
    track.process = known.process;
    track.labels = known.labels;
    track.sort_index = known.sort_index;
  }
}

Facts Loader::take_facts() {
  share_names(facts_.tracks);
  facts_.events = writer_.events();
  facts_.file_bytes = windows_.consumed();
  facts_.unpacked_bytes = windows_.unpacked();
  facts_.metadata = windows_.metadata();
  facts_.notes.insert(facts_.notes.end(), windows_.notes().begin(), windows_.notes().end());
  std::ranges::stable_sort(facts_.notes, {}, &Note::offset);
  const auto base = facts_.metadata.find("baseTimeNanoseconds");
  if (base != facts_.metadata.end()) {
    const std::string& text = base->second;
    std::from_chars(text.data(), text.data() + text.size(), facts_.base);
  }
  return std::move(facts_);
}

int threads_of(const LoadOptions& options) {
  constexpr unsigned most = 8;  // beyond, who cuts is the slowest
  if (options.threads > 0) return options.threads;
  return static_cast<int>(std::clamp(std::thread::hardware_concurrency(), 1u, most));
}

}  // namespace

Result<Done> load(const std::string& path, const std::string& folder, const LoadOptions& options) {
  auto bytes = open_bytes(path);
  if (!bytes) return bytes.failure();
  Windows windows(*std::move(bytes));
  ColumnWriter writer(folder);
  std::optional<report::Progress> progress;
  if (options.progress) progress.emplace(cat("reading ", path), windows.total());
  Loader loader(windows, writer, progress ? &*progress : nullptr);
  loader.run(threads_of(options));
  if (!windows.found_events()) {
    const Note why = windows.notes().empty() ? Note{0, "the file has no member \"traceEvents\""}
                                             : windows.notes().front();
    return Failure{cat(path, ": at byte ", why.offset, ": ", why.text)};
  }
  writer.finish(loader.take_facts());
  return Done{};
}

}  // namespace vitro::analyze
