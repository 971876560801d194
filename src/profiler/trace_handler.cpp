#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <system_error>
#include <utility>

#include "profiler/rank.h"
#include "vitro/base/error.h"
#include "vitro/profiler/profiler.h"

namespace vitro {
namespace {

std::string this_worker() {
  char host[256] = "";
  gethostname(host, sizeof host - 1);
  const auto rank = this_rank();
  return cat(host, "_", getpid(), rank ? cat("_rank", rank->rank) : "");
}

int64_t unix_now_ns() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
}

}  // namespace

TraceReady trace_handler(std::string folder, TraceHandlerOptions options) {
  if (options.worker_name.empty()) options.worker_name = this_worker();
  return [folder = std::move(folder), options = std::move(options)](const Profiler& profiler) {
    std::error_code failed;
    std::filesystem::create_directories(folder, failed);
    VITRO_CHECK(!failed, "trace_handler: ", folder, ": cannot be created: ", failed.message());
    const char* ending = options.use_gzip ? ".pt.trace.json.gz" : ".pt.trace.json";
    profiler.write_trace(cat(folder, "/", options.worker_name, ".", unix_now_ns(), ending));
  };
}

}  // namespace vitro
