// Converts results of rocprofiler-sdk's tool to Chrome's trace events in the terms of PyTorch's
// profiler, which analyses know.  The file is read twice: names first, as records have numbers.
#include "trace_rocprofiler.h"

#include <charconv>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string_view>
#include <system_error>
#include <vector>

#include "json_stream.h"
#include "vitro/base/cat.h"
#include "vitro/report/json.h"
#include "vitro/report/output.h"

namespace vitro::cli {
namespace {

constexpr std::string_view results = "rocprofiler-sdk-tool";

int64_t number_of(std::string_view text) {
  int64_t out = 0;
  std::from_chars(text.data(), text.data() + text.size(), out);
  return out;
}

std::string_view unquoted(std::string_view text) {
  return text.size() >= 2 && text[0] == '"' ? text.substr(1, text.size() - 2) : text;
}

// The values in an object and in the objects inside it: "correlation_id.internal".
class Fields {
 public:
  explicit Fields(JsonStream& json) { read(json, "", 0); }

  std::string_view operator[](std::string_view name) const {
    const auto found = values_.find(name);
    return found == values_.end() ? std::string_view() : std::string_view(found->second);
  }
  int64_t number(std::string_view name) const { return number_of((*this)[name]); }

 private:
  void read(JsonStream& json, const std::string& prefix, int depth) {
    constexpr int deepest = 8;
    json.object([&](std::string_view key) {
      const std::string name = cat(prefix, key);
      if (json.next() == '{' && depth < deepest) return read(json, cat(name, "."), depth + 1);
      values_[name] = json.scalar();
    });
  }

  std::map<std::string, std::string, std::less<>> values_;
};

// What the records of one process refer to.  Names are as written, with quotes.
struct Names {
  struct Kind {
    std::string name;
    std::vector<std::string> operations;
  };
  int64_t process = 0;
  std::map<int64_t, int64_t> devices;      // by the handle of an agent; only GPUs
  std::map<int64_t, std::string> kernels;  // by kernel_id
  std::map<int64_t, std::string> ranges;   // by correlation
  std::vector<Kind> kinds;

  std::string operation(const Fields& record) const {
    const auto kind = static_cast<size_t>(record.number("kind"));
    const auto operation = static_cast<size_t>(record.number("operation"));
    return kind < kinds.size() && operation < kinds[kind].operations.size()
               ? kinds[kind].operations[operation]
               : cat("\"operation ", operation, "\"");
  }
};

struct Gpu {
  std::string name;  // with quotes
  int64_t multiprocessors = 0, version = 0;
};

// Calls `member` for each member of each process's results.
void each_member(JsonStream& json, FunctionRef<void(size_t process, std::string_view key)> member) {
  size_t process = 0;
  json.object([&](std::string_view key) {
    if (key != results || json.next() != '[') return json.skip();
    json.array([&] {
      json.object([&](std::string_view inner) { member(process, inner); });
      ++process;
    });
  });
}

class Converter {
 public:
  Converter(const std::string& file, report::Output& out) : file_(file), json_(out, 2) {}

  // The number of events.
  Result<uint64_t> run() {
    if (!read_names()) return Failure{trouble_};
    json_.begin_object().member("schemaVersion", 1);
    write_devices();
    json_.key("traceEvents").begin_array();
    JsonStream json(file_);
    each_member(json, [&](size_t process, std::string_view key) {
      if (key != "buffer_records") return json.skip();
      json.object([&](std::string_view list) {
        if (json.next() != '[') return json.skip();
        const std::string name(list);
        json.array([&] { write(processes_[process], name, Fields(json)); });
      });
    });
    json_.end().end();
    if (!json.trouble().empty()) return Failure{json.trouble()};
    return events_;
  }

 private:
  bool read_names() {
    JsonStream json(file_);
    each_member(json, [&](size_t process, std::string_view key) {
      if (process >= processes_.size()) processes_.resize(process + 1);
      Names& names = processes_[process];
      if (key == "metadata") {
        names.process = Fields(json).number("pid");
      } else if (key == "agents") {
        json.array([&] { add_agent(names, Fields(json)); });
      } else if (key == "kernel_symbols") {
        json.array([&] { add_kernel(names, Fields(json)); });
      } else if (key == "strings") {
        read_strings(json, names);
      } else {
        json.skip();
      }
    });
    trouble_ = json.trouble();
    return trouble_.empty();
  }

  void add_agent(Names& names, const Fields& agent) {
    constexpr int64_t gpu = 2;
    if (agent.number("type") != gpu) return;
    const int64_t device = agent["logical_node_type_id"].empty()
                               ? std::ssize(names.devices)
                               : agent.number("logical_node_type_id");
    names.devices[agent.number("id.handle")] = device;
    const bool has_product = unquoted(agent["product_name"]) != "";
    gpus_[device] = {std::string(agent[has_product ? "product_name" : "name"]),
                     agent.number("cu_count"), agent.number("gfx_target_version")};
  }

  static void add_kernel(Names& names, const Fields& symbol) {
    std::string_view name;
    for (const std::string_view each :
         {"formatted_kernel_name", "demangled_kernel_name", "kernel_name"})
      if (unquoted(name).empty()) name = symbol[each];
    names.kernels[symbol.number("kernel_id")] = name;
  }

  static void read_strings(JsonStream& json, Names& names) {
    json.object([&](std::string_view key) {
      if (key == "buffer_records") {
        json.array([&] {
          Names::Kind& kind = names.kinds.emplace_back();
          json.object([&](std::string_view inner) {
            if (inner != "operations") {
              const std::string text = json.scalar();
              if (inner == "kind") kind.name = unquoted(text);
            } else {
              json.array([&] { kind.operations.push_back(json.scalar()); });
            }
          });
        });
      } else if (key == "marker_api") {
        json.array([&] {
          const Fields range(json);
          names.ranges[range.number("key")] = range["value"];
        });
      } else {
        json.skip();
      }
    });
  }

  void write_devices() {
    constexpr int64_t versions_of_major = 10'000;
    json_.key("deviceProperties").begin_array();
    for (const auto& [id, gpu] : gpus_) {
      json_.begin_object().member("id", id).key("name").raw(gpu.name.empty() ? "\"\"" : gpu.name);
      if (gpu.version > 0)
        json_.member("computeMajor", gpu.version / versions_of_major)
            .member("numSms", gpu.multiprocessors);
      json_.end();
    }
    json_.end();
  }

  // One record of a list.
  void write(const Names& names, std::string_view list, const Fields& record) {
    if (record["start_timestamp"].empty() || record["end_timestamp"].empty()) return;
    if (list == "kernel_dispatch") return kernel(names, record);
    if (list == "memory_copy") return copy(names, record);
    if (list == "marker_api") {
      const auto range = names.ranges.find(record.number("correlation_id.internal"));
      if (range != names.ranges.end() && !unquoted(range->second).empty())
        call("user_annotation", range->second, names, record);
    } else if (list.ends_with("_api")) {
      call(list == "hip_api"   ? "cuda_runtime"
           : list == "hsa_api" ? "cuda_driver"
                               : "cpu_op",
           names.operation(record), names, record);
    }
  }

  // Up to the arguments, which the caller goes on with and ends.
  void begin(std::string_view category, std::string_view name, int64_t pid, int64_t tid,
             const Fields& record) {
    ++events_;
    const int64_t start = record.number("start_timestamp"), end = record.number("end_timestamp");
    json_.begin_object().member("ph", "X").member("cat", category).key("name").raw(name);
    json_.member("pid", pid).member("tid", tid).key("ts").thousandths(start);
    json_.key("dur").thousandths(end - start).key("args").begin_object();
    json_.member("correlation", record.number("correlation_id.internal"));
  }

  void call(std::string_view category, std::string_view name, const Names& names,
            const Fields& record) {
    begin(category, name, names.process, record.number("thread_id"), record);
    json_.end().end();
  }

  static int64_t device_of(const Names& names, int64_t agent) {
    const auto found = names.devices.find(agent);
    return found == names.devices.end() ? -1 : found->second;
  }

  // rocprofiler counts work items, PyTorch blocks of them.
  void kernel(const Names& names, const Fields& record) {
    const auto name = names.kernels.find(record.number("dispatch_info.kernel_id"));
    const bool has_stream = !record["stream_id.handle"].empty();
    begin("kernel",
          name == names.kernels.end() ? cat("\"kernel ", record["dispatch_info.kernel_id"], "\"")
                                      : name->second,
          device_of(names, record.number("dispatch_info.agent_id.handle")),
          record.number(has_stream ? "stream_id.handle" : "dispatch_info.queue_id.handle"), record);
    int64_t block[3] = {}, grid[3] = {};
    for (int i = 0; i < 3; ++i) {
      const char axis = "xyz"[i];
      block[i] = record.number(cat("dispatch_info.workgroup_size.", axis));
      grid[i] = record.number(cat("dispatch_info.grid_size.", axis));
      if (block[i] > 0) grid[i] = (grid[i] + block[i] - 1) / block[i];
    }
    list("grid", grid);
    list("block", block);
    json_.end().end();
  }

  void list(std::string_view name, const int64_t (&values)[3]) {
    json_.key(name).begin_array();
    for (const int64_t each : values) json_.value(each);
    json_.end();
  }

  // Between two agents; whether the host's memory is pinned is not recorded.
  void copy(const Names& names, const Fields& record) {
    const int64_t from = device_of(names, record.number("src_agent_id.handle")),
                  to = device_of(names, record.number("dst_agent_id.handle"));
    const std::string name = from < 0     ? (to < 0 ? "\"Memcpy HtoH\"" : "\"Memcpy HtoD\"")
                             : to < 0     ? "\"Memcpy DtoH\""
                             : from == to ? "\"Memcpy DtoD\""
                                          : "\"Memcpy PtoP\"";
    begin("gpu_memcpy", name, from < 0 ? to : from, record.number("stream_id.handle"), record);
    if (!record["bytes"].empty()) json_.member("bytes", record.number("bytes"));
    json_.end().end();
  }

  const std::string& file_;
  report::Json json_;
  std::vector<Names> processes_;
  std::map<int64_t, Gpu> gpus_;
  uint64_t events_ = 0;
  std::string trouble_;
};

}  // namespace

bool is_rocprofiler(const std::string& file) {
  constexpr size_t enough = 4096;
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(file, ignored)) return false;
  JsonStream json(file, enough);
  if (json.next() != '{') return false;
  bool is_first = true, found = false;
  json.object([&](std::string_view key) {
    found |= is_first && key == results;
    is_first = false;
  });
  return found;
}

Result<std::string> rocprofiler_as_trace(const std::string& file, const std::string& path) {
  const auto out = report::create_file(path);
  const auto events = Converter(file, *out).run();
  if (!events) return Failure{cat(file, ": ", events.why())};
  if (*events == 0)
    return Failure{cat(file,
                       ": has no kernels, copies, calls or ranges: record with rocprofv3 "
                       "--runtime-trace, or --kernel-trace")};
  out->finish();
  return path;
}

}  // namespace vitro::cli
