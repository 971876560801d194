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

#include "analyze/model/arguments.h"
#include "analyze/model/index.h"
#include "analyze/model/timeline.h"
#include "analyze/read/bytes.h"
#include "analyze/read/token.h"
#include "analyze/store/written_event.h"
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
    out[unescaped(key)] = {std::llround(*time * 1000), members.number("device_memory_usage")};
  }
  if (out.empty())
    return Failure{
        cat(path,
            ": contains no kernel times: needs an object whose members have `kernel_time`, as in "
            "kernel_event_{rank}.json")};
  return out;
}

struct Kernel {
  EventId launch = 0;
  int64_t begin = 0;
  Measured measured;
};

class Merger {
 public:
  Merger(const Trace& host, const MergeOptions& options)
      : host_(host), options_(options), index_(host), ordinals_(threads()) {}

  std::vector<Kernel> kernels(const std::map<std::string, Measured>& times, MergeResult& result) {
    std::set<std::string> found;
    std::vector<Kernel> valid;
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
        valid.push_back({e, 0, time->second});
      }
    }
    result.not_found = times.size() - found.size();
    const size_t before = valid.size();
    keep_leaves(valid);
    result.not_leaves = before - valid.size();
    place(valid, result);
    return valid;
  }

 private:
  bool has_id(EventId e) const {
    return host_.phases()[e] == 'X' && host_.external_ids()[e] != none;
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
      EventId around = index_->timeline().parent(kernel.launch);
      while (around != Timeline::nobody && !outer[around]) {
        outer[around] = true;
        around = index_->timeline().parent(around);
      }
    }
    std::erase_if(valid, [&](const Kernel& kernel) { return outer[kernel.launch]; });
  }

  void place(std::vector<Kernel>& kernels, MergeResult& result) const {
    std::ranges::stable_sort(kernels, {}, [&](const Kernel& k) { return host_.ts()[k.launch]; });
    const int64_t latency = std::llround(options_.latency_us * 1000);
    int64_t free = INT64_MIN;
    for (Kernel& kernel : kernels) {
      const int64_t ready = host_.ts()[kernel.launch] + latency;
      kernel.begin = std::max(ready, free);
      free = kernel.begin + kernel.measured.ns;
      result.kernel_ns += kernel.measured.ns;
      result.waited_ns += kernel.begin - ready;
    }
    result.kernels = kernels.size();
  }

  const Trace& host_;
  const MergeOptions& options_;
  const TraceIndex index_;
  const std::map<uint32_t, size_t> ordinals_;
};

// Kernels as events of a trace.
class Writer {
 public:
  Writer(const Trace& host, const MergeOptions& options, report::Output& out)
      : host_(host), options_(options), out_(out), number_(last_arrow(host)) {}

  void add(const Kernel& kernel) {
    ++number_;
    slice(kernel);
    const TrackInfo& row = host_.tracks()[host_.track_ids()[kernel.launch]];
    write(out_, {'s', "ac2g", number_, row, host_.ts()[kernel.launch]});
    write(out_, {'f', "ac2g", number_, stream(), kernel.begin});
    if (kernel.measured.memory) memory(kernel);
  }

  void name_rows() {
    named("process_name", "name", cat("device ", options_.device));
    named("process_labels", "labels", cat("GPU ", options_.device));
    named("thread_name", "name", cat("stream ", options_.stream, " "));
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
  TrackInfo stream() const { return {options_.device, options_.stream, {}, {}, {}, 0}; }

  void named(const char* what, const char* member, const std::string& name) {
    report::Json json(out_);
    begin(json, "M", what, "", stream());
    json.member("ts", 0).key("args").begin_object().member(member, name).end();
    end(json);
  }

  void slice(const Kernel& kernel) {
    report::Json json(out_);
    begin(json, "X", host_.name(kernel.launch), "kernel", stream());
    json.key("ts").thousandths(kernel.begin);
    json.key("dur").thousandths(kernel.measured.ns);
    json.key("args").begin_object();
    json.member("External id", host_.external_ids()[kernel.launch]);
    write_id(json, "device", options_.device);
    write_id(json, "stream", options_.stream);
    json.member("begin", "inferred from the launches").end();
    end(json);
  }

  void memory(const Kernel& kernel) {
    report::Json json(out_);
    begin(json, "C", "device memory", "", stream());
    json.key("ts").thousandths(host_.ts()[kernel.launch]);
    json.key("args").begin_object().member("bytes", *kernel.measured.memory).end();
    end(json);
  }

  const Trace& host_;
  const MergeOptions& options_;
  report::Output& out_;
  int64_t number_;  // of the last arrow
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
    if (!kernels.empty()) writer.name_rows();
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
                     {"not_found", "not in the trace", Unit::count},
                     {"kernel_ns", "kernels take", Unit::ns},
                     {"waited_ns", "kernels waited for others", Unit::ns}},
                    {}};
  const auto count = [](uint64_t number) { return static_cast<int64_t>(number); };
  table.rows.push_back({count(result.times), count(result.kernels), count(result.ignored),
                        count(result.too_short), count(result.not_leaves), count(result.not_found),
                        result.kernel_ns, result.waited_ns});
  table.is_record = true;
  return {"merge", {std::move(table)}, {}};
}

}  // namespace vitro::analyze
