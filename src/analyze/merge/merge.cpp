// Adds kernels known only by their times to the trace of their host; used by `vitro trace merge
// HOST TIMES`.
#include "vitro/analyze/merge.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "analyze/model/arguments.h"
#include "analyze/model/classes.h"
#include "analyze/model/index.h"
#include "analyze/model/timeline.h"
#include "analyze/read/bytes.h"
#include "analyze/read/token.h"
#include "analyze/store/written_event.h"
#include "base/sort_list.h"
#include "kineto/names.h"
#include "vitro/analyze/compare.h"
#include "vitro/base/cat.h"
#include "vitro/base/error.h"
#include "vitro/report/json.h"
#include "vitro/report/output.h"

namespace vitro::analyze {
namespace {

// One entry of the file of times.
struct Measured {
  int64_t ns = 0;
  std::optional<int64_t> memory;
  std::string stream;  // empty: not given
};

Result<std::map<std::string, Measured>> read_times(const std::string& path) {
  auto bytes = open_bytes(path);
  if (!bytes) return bytes.failure();
  std::string text;
  constexpr size_t piece = size_t{1} << 20;
  for (size_t got = 1; got > 0;) {
    const size_t before = text.size();
    text.resize(before + piece);
    got = (*bytes)->read(text.data() + before, piece);
    text.resize(before + got);
  }
  std::map<std::string, Measured> out;
  const Arguments entries = Arguments::of(text);
  for (const auto& [key, value] : entries.all()) {
    const Arguments members = Arguments::of(value);
    const auto time = members.decimal("kernel_time");
    if (!time) continue;
    out[unescaped(key)] = {std::llround(*time * 1000), members.number("device_memory_usage"),
                           members.text("stream").value_or("")};
  }
  if (out.empty())
    return Failure{
        cat(path,
            ": contains no kernel times: needs an object whose members have `kernel_time`, as in "
            "kernel_event_{rank}.json")};
  return out;
}

struct Kernel {
  EventId op = 0;  // nobody: launched before the recording
  std::string name;
  int64_t id = 0;
  int64_t launched = 0, begin = 0;
  Measured measured;
};

// "aten::mm_12_1": the name and the id.
std::optional<std::pair<std::string, int64_t>> name_and_id(std::string_view key) {
  const size_t thread = key.rfind('_');
  if (thread == std::string_view::npos || thread == 0) return {};
  const size_t at = key.rfind('_', thread - 1);
  if (at == std::string_view::npos) return {};
  const auto id = number_in<int64_t>(key.substr(at + 1, thread - at - 1));
  if (!id) return {};
  return std::pair(std::string(key.substr(0, at)), *id);
}

bool communicates(std::string_view op) {
  for (const std::string_view part : {"c10d", "all_reduce", "allreduce"})
    if (op.find(part) != std::string_view::npos) return true;
  return is_communication(op);
}

class Merger {
 public:
  Merger(const Trace& host, const MergeOptions& options)
      : host_(host), options_(options), index_(host), ordinals_(threads()) {}

  std::vector<Kernel> kernels(const std::map<std::string, Measured>& times, MergeResult& result) {
    std::set<std::string> found;
    std::vector<Kernel> valid;
    read_calls();
    for (const EventId e : host_.events()) {
      if (!has_id(e)) continue;
      const std::string key =
          cat(host_.name(e), "_", host_.external_ids()[e], "_", ordinals_.at(host_.track_ids()[e]));
      const auto time = times.find(key);
      if (time == times.end() || !found.insert(key).second) continue;
      if (std::ranges::find(options_.ignored, host_.name(e)) != options_.ignored.end()) {
        ++result.ignored;
      } else if (static_cast<double>(time->second.ns) < options_.threshold_us * 1000) {
        ++result.too_short;
      } else {
        valid.push_back({e, std::string(host_.name(e)), host_.external_ids()[e], launch_in(e), 0,
                         time->second});
      }
    }
    const size_t all = valid.size();
    keep_leaves(valid);
    result.not_leaves = all - valid.size();
    add_earlier(times, valid, result);
    result.not_found = times.size() - found.size() - result.before;
    place(valid, result);
    return valid;
  }

 private:
  bool has_id(EventId e) const {
    return host_.phases()[e] == 'X' && host_.external_ids()[e] != none;
  }

  void read_calls() {
    const Classes& classes = index_->classes();
    std::set<int64_t> communication;
    for (const EventId e : host_.events())
      if (has_id(e) && communicates(host_.name(e))) communication.insert(host_.external_ids()[e]);
    for (const EventId e : host_.events()) {
      if (classes[e] != EventClass::runtime) continue;
      const std::string_view name = host_.name(e);
      const int64_t id = host_.external_ids()[e];
      if (name.ends_with("StreamWaitEvent") && !communication.contains(id))
        joins_.push_back(host_.ts()[e]);
      if (id != none && (name.find("Launch") != std::string_view::npos ||
                         name.find("Mem") != std::string_view::npos))
        calls_.try_emplace(id, host_.ts()[e]);
    }
    sort_list(joins_);
  }

  // When the first runtime call of the op that launches something begins; else the op.
  int64_t launch_in(EventId op) const {
    const auto call = calls_.find(host_.external_ids()[op]);
    return call == calls_.end() ? host_.ts()[op] : call->second;
  }

  // Whether a stream was made to wait for an event between these moments.
  bool joins(int64_t from, int64_t to) const {
    const auto join = std::ranges::lower_bound(joins_, from);
    return join != joins_.end() && *join <= to;
  }

  // Entries that were launched before everything in the trace.
  void add_earlier(const std::map<std::string, Measured>& times, std::vector<Kernel>& valid,
                   MergeResult& result) const {
    int64_t least = INT64_MAX;
    for (const EventId e : host_.events())
      if (has_id(e)) least = std::min(least, host_.external_ids()[e]);
    const int64_t begin = index_->windows().front().window.begin;
    for (const auto& [key, measured] : times) {
      const auto known = name_and_id(key);
      if (!known || known->second >= least || is_left_out(known->first, measured)) continue;
      ++result.before;
      valid.push_back({Links::nobody, known->first, known->second, begin, 0, measured});
    }
  }

  bool is_left_out(const std::string& name, const Measured& time) const {
    return std::ranges::find(options_.ignored, name) != options_.ignored.end() ||
           static_cast<double>(time.ns) < options_.threshold_us * 1000;
  }

  // Tracks with such events, numbered from 1 in the order of their thread ids.
  std::map<uint32_t, size_t> threads() const {
    std::map<int64_t, std::vector<uint32_t>> by_number;
    std::set<uint32_t> seen;
    for (const EventId e : host_.events()) {
      const uint32_t track = host_.track_ids()[e];
      if (!has_id(e) || !seen.insert(track).second) continue;
      const std::string& tid = host_.tracks()[track].tid;
      int64_t number = INT64_MAX;
      std::from_chars(tid.data(), tid.data() + tid.size(), number);
      by_number[number].push_back(track);
    }
    std::map<uint32_t, size_t> out;
    size_t next = 1;
    for (const auto& [number, tracks] : by_number) {
      for (const uint32_t track : tracks) out[track] = next++;
    }
    return out;
  }

  void keep_leaves(std::vector<Kernel>& valid) const {
    std::vector<bool> outer(host_.size());
    for (const Kernel& kernel : valid) {
      EventId around = index_->timeline().parent(kernel.op);
      while (around != Timeline::nobody && !outer[around]) {
        outer[around] = true;
        around = index_->timeline().parent(around);
      }
    }
    std::erase_if(valid, [&](const Kernel& kernel) { return outer[kernel.op]; });
  }

  void place(std::vector<Kernel>& kernels, MergeResult& result) const {
    sort_list(kernels, {},
              [](const Kernel& k) { return std::tuple(k.op != Links::nobody, k.launched, k.id); });
    const int64_t latency = std::llround(options_.latency_us * 1000);
    const int64_t gap = std::llround(options_.gap_us * 1000);
    const std::string beside = cat(options_.stream, " (communication)");
    std::map<std::string, int64_t> free;  // by stream: when it may begin the next
    int64_t last_communication = INT64_MAX;
    for (Kernel& kernel : kernels) {
      std::string& stream = kernel.measured.stream;
      if (stream.empty()) stream = communicates(kernel.name) ? beside : options_.stream;
      const int64_t ready = kernel.launched + (kernel.op == Links::nobody ? 0 : latency);
      int64_t& next = free.try_emplace(stream, INT64_MIN).first->second;
      if (stream == beside) {
        last_communication = kernel.launched;
        next = std::max(next, free.try_emplace(options_.stream, INT64_MIN).first->second);
      } else if (joins(last_communication, kernel.launched)) {
        last_communication = INT64_MAX;
        next = std::max(next, free[beside]);
      }
      kernel.begin = std::max(ready, next);
      next = kernel.begin + kernel.measured.ns + gap;
      result.kernel_ns += kernel.measured.ns;
      result.waited_ns += kernel.begin - ready;
    }
    result.kernels = kernels.size();
  }

  const Trace& host_;
  const MergeOptions& options_;
  const TraceIndex index_;
  const std::map<uint32_t, size_t> ordinals_;
  std::map<int64_t, int64_t> calls_;  // begins of launches, by the id of their op
  std::vector<int64_t> joins_;        // when streams were made to wait, ascending
};

// Kernels as events of a trace.
class Writer {
 public:
  Writer(const Trace& host, const MergeOptions& options, report::Output& out)
      : host_(host), options_(options), out_(out), number_(last_arrow(host)) {}

  void add(const Kernel& kernel) {
    ++number_;
    const TrackInfo stream{options_.device, kernel.measured.stream, {}, {}, {}, 0};
    if (streams_.insert(stream.tid).second) name_row(stream);
    slice(kernel, stream);
    if (kernel.op != Links::nobody) {
      const TrackInfo& row = host_.tracks()[host_.track_ids()[kernel.op]];
      write(out_, {'s', kineto::arrow::device, number_, row, kernel.launched});
      write(out_, {'f', kineto::arrow::device, number_, stream, kernel.begin});
    }
    if (kernel.measured.memory) memory(kernel);
  }

 private:
  void begin(report::Json& json, const char* phase, std::string_view name, const char* category,
             const TrackInfo& row) {
    json.begin_object().member("ph", phase).member("name", name);
    if (*category) json.member("cat", category);
    write_id(json, "pid", row.pid);
    write_id(json, "tid", row.tid);
  }
  void end(report::Json& json) {
    json.end();
    out_.write(",\n");
  }
  void name_row(const TrackInfo& stream) {
    if (streams_.size() == 1) {
      named(stream, "process_name", "name", cat("device ", options_.device));
      named(stream, "process_labels", "labels", cat("GPU ", options_.device));
    }
    named(stream, "thread_name", "name", cat("stream ", stream.tid, " "));
  }

  void named(const TrackInfo& stream, const char* what, const char* member,
             const std::string& name) {
    report::Json json(out_);
    begin(json, "M", what, "", stream);
    json.member("ts", 0).key("args").begin_object().member(member, name).end();
    end(json);
  }

  void slice(const Kernel& kernel, const TrackInfo& stream) {
    report::Json json(out_);
    begin(json, "X", kernel.name, "kernel", stream);
    json.key("ts").thousandths(kernel.begin);
    json.key("dur").thousandths(kernel.measured.ns);
    json.key("args").begin_object();
    json.member(kineto::argument::external_id, kernel.id);
    write_id(json, "device", options_.device);
    write_id(json, "stream", stream.tid);
    json.member("begin", "inferred from the launches").end();
    end(json);
  }

  void memory(const Kernel& kernel) {
    report::Json json(out_);
    begin(json, "C", "device memory", "", {options_.device, kernel.measured.stream, {}, {}, {}, 0});
    json.key("ts").thousandths(kernel.launched);
    json.key("args").begin_object().member("bytes", *kernel.measured.memory).end();
    end(json);
  }

  const Trace& host_;
  const MergeOptions& options_;
  report::Output& out_;
  int64_t number_;                 // of the last arrow
  std::set<std::string> streams_;  // whose rows have names
};

}  // namespace

Result<MergeResult> merge(const Trace& host, const std::string& times, const std::string& out,
                          const MergeOptions& options) {
  const auto measured = read_times(times);
  if (!measured) return measured.failure();
  MergeResult result;
  result.times = measured->size();
  const std::vector<Kernel> kernels = Merger(host, options).kernels(*measured, result);
  const auto file = report::create_file(out);
  const auto copied = host.copy_with(*file, [&](report::Output& into) {
    Writer writer(host, options, into);
    for (const Kernel& kernel : kernels) writer.add(kernel);
  });
  if (!copied) return copied.failure();
  file->finish();
  return result;
}

std::string times_file(const Trace& host, const std::string& times) {
  if (!std::filesystem::is_directory(times)) return times;
  const auto rank = stated_rank(host);
  VITRO_CHECK(rank, times, ": is a folder, and the trace does not give its rank: pass the file");
  const std::string file = cat(times, "/kernel_event_", *rank, ".json");
  VITRO_CHECK(std::filesystem::exists(file), times, ": does not contain kernel_event_", *rank,
              ".json");
  return file;
}

Answer answer_merge(const MergeResult& result) {
  AnswerTable table{"merged",
                    "Kernels added to the trace",
                    {{"times", "times in the file", Unit::count},
                     {"kernels", "added as kernels", Unit::count},
                     {"ignored", "left out: ignored names", Unit::count},
                     {"too_short", "left out: below the threshold", Unit::count},
                     {"not_leaves", "left out: contain other kernels", Unit::count},
                     {"before", "launched before the recording", Unit::count},
                     {"not_found", "not in the trace", Unit::count},
                     {"kernel_ns", "kernels take", Unit::ns},
                     {"waited_ns", "kernels waited for others", Unit::ns}},
                    {}};
  const auto count = [](uint64_t number) { return static_cast<int64_t>(number); };
  table.rows.push_back({count(result.times), count(result.kernels), count(result.ignored),
                        count(result.too_short), count(result.not_leaves), count(result.before),
                        count(result.not_found), result.kernel_ns, result.waited_ns});
  table.is_record = true;
  return {"merge", {std::move(table)}, {}};
}

}  // namespace vitro::analyze
