// Converts an export of Nsight Systems to Chrome's trace events in PyTorch's terms, table by table:
// analyses then know its kernels, launches and streams.  Columns are those of the exports of 2020
// to 2025; tables that an export lacks are left out.
#include "trace_nsys.h"

#include <sqlite3.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string_view>
#include <system_error>

#include "vitro/base/cat.h"
#include "vitro/report/json.h"
#include "vitro/report/output.h"

namespace vitro::cli {
namespace {

constexpr std::string_view magic{"SQLite format 3\0", 16};

// The rows of a statement; none if the tables or columns that it names are missing.  Other errors
// end the rows and are described in `trouble`.
class Rows {
 public:
  Rows(sqlite3* base, const char* statement, std::string& trouble)
      : base_(base), trouble_(trouble) {
    sqlite3_stmt* prepared = nullptr;
    const int error = sqlite3_prepare_v2(base, statement, -1, &prepared, nullptr);
    rows_.reset(prepared);
    if (error != SQLITE_OK && error != SQLITE_ERROR) trouble_ = sqlite3_errmsg(base);
  }
  bool next() {
    if (!rows_) return false;
    const int state = sqlite3_step(rows_.get());
    if (state != SQLITE_ROW && state != SQLITE_DONE) trouble_ = sqlite3_errmsg(base_);
    return state == SQLITE_ROW;
  }
  int64_t number(int column) const { return sqlite3_column_int64(rows_.get(), column); }
  std::string_view text(int column) const {
    const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(rows_.get(), column));
    return text ? std::string_view(text,
                                   static_cast<size_t>(sqlite3_column_bytes(rows_.get(), column)))
                : std::string_view();
  }

 private:
  sqlite3* base_;
  std::string& trouble_;
  std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)> rows_{nullptr, sqlite3_finalize};
};

std::string_view memory_name(int64_t kind) {
  constexpr std::array<std::string_view, 5> names{"Pageable", "Pinned", "Device", "Array",
                                                  "Managed"};
  return kind >= 0 && kind < 5 ? names[static_cast<size_t>(kind)] : "Unknown";
}

// As PyTorch calls copies.
std::string copy_name(int64_t kind, int64_t from, int64_t to) {
  constexpr std::array<std::string_view, 11> kinds{"?",    "HtoD", "DtoH", "HtoA", "AtoH", "AtoA",
                                                   "AtoD", "DtoA", "DtoD", "HtoH", "PtoP"};
  const std::string_view what = kind > 0 && kind < 11 ? kinds[static_cast<size_t>(kind)] : "?";
  return cat("Memcpy ", what, " (", memory_name(from), " -> ", memory_name(to), ")");
}

class Writer {
 public:
  Writer(sqlite3* base, report::Output& out) : base_(base), json_(out, 2) {}

  // The number of events.  Fails if the database is damaged.
  Result<uint64_t> write() {
    json_.begin_object().member("schemaVersion", 1);
    devices();
    json_.key("traceEvents").begin_array();
    kernels();
    copies();
    fills();
    calls();
    ranges();
    json_.end().end();
    if (!trouble_.empty()) return Failure{trouble_};
    return events_;
  }

 private:
  Rows rows_of(const char* statement) { return {base_, statement, trouble_}; }

  void devices() {
    json_.key("deviceProperties").begin_array();
    for (Rows rows = rows_of("SELECT id, name FROM TARGET_INFO_GPU"); rows.next();)
      json_.begin_object().member("id", rows.number(0)).member("name", rows.text(1)).end();
    json_.end();
  }

  // An event up to its arguments, which the caller ends.
  report::Json& event(std::string_view category, std::string_view name, int64_t pid, int64_t tid,
                      int64_t begin, int64_t end) {
    ++events_;
    json_.begin_object().member("ph", "X").member("cat", category).member("name", name);
    json_.member("pid", pid).member("tid", tid).key("ts").thousandths(begin);
    json_.key("dur").thousandths(end - begin);
    return json_.key("args").begin_object();
  }

  void kernels() {
    Rows rows = rows_of(
        "SELECT k.start, k.end, k.deviceId, k.streamId, k.correlationId, s.value FROM "
        "CUPTI_ACTIVITY_KIND_KERNEL k JOIN StringIds s ON s.id = k.demangledName "
        "ORDER BY k.start");
    while (rows.next())
      event("kernel", rows.text(5), rows.number(2), rows.number(3), rows.number(0), rows.number(1))
          .member("correlation", rows.number(4))
          .end()
          .end();
  }

  void copies() {
    Rows rows = rows_of(
        "SELECT start, end, deviceId, streamId, correlationId, copyKind, srcKind, dstKind, "
        "bytes FROM CUPTI_ACTIVITY_KIND_MEMCPY ORDER BY start");
    while (rows.next())
      event("gpu_memcpy", copy_name(rows.number(5), rows.number(6), rows.number(7)), rows.number(2),
            rows.number(3), rows.number(0), rows.number(1))
          .member("correlation", rows.number(4))
          .member("bytes", rows.number(8))
          .end()
          .end();
  }

  void fills() {
    Rows rows = rows_of(
        "SELECT start, end, deviceId, streamId, correlationId, memKind, bytes FROM "
        "CUPTI_ACTIVITY_KIND_MEMSET ORDER BY start");
    while (rows.next())
      event("gpu_memset", cat("Memset (", memory_name(rows.number(5)), ")"), rows.number(2),
            rows.number(3), rows.number(0), rows.number(1))
          .member("correlation", rows.number(4))
          .member("bytes", rows.number(6))
          .end()
          .end();
  }

  // A globalTid holds the process and the thread.
  static int64_t process_of(int64_t global) { return global / 0x1000000 % 0x1000000; }
  static int64_t thread_of(int64_t global) { return global % 0x1000000; }

  void calls() {
    Rows rows = rows_of(
        "SELECT r.start, r.end, r.globalTid, r.correlationId, s.value FROM "
        "CUPTI_ACTIVITY_KIND_RUNTIME r JOIN StringIds s ON s.id = r.nameId ORDER BY r.start");
    while (rows.next()) {
      std::string_view name = rows.text(4);  // cudaLaunchKernel_v7000
      const size_t version = name.rfind("_v");
      if (version != std::string_view::npos &&
          name.find_first_not_of("0123456789", version + 2) == std::string_view::npos)
        name = name.substr(0, version);
      event("cuda_runtime", name, process_of(rows.number(2)), thread_of(rows.number(2)),
            rows.number(0), rows.number(1))
          .member("correlation", rows.number(3))
          .end()
          .end();
    }
  }

  // Push and pop, and start and end, of NVTX.
  void ranges() {
    Rows rows = rows_of(
        "SELECT n.start, n.end, n.globalTid, coalesce(n.text, s.value) FROM NVTX_EVENTS n "
        "LEFT JOIN StringIds s ON s.id = n.textId WHERE n.eventType IN (59, 60, 70, 71) AND "
        "n.end IS NOT NULL ORDER BY n.start");
    while (rows.next())
      event("user_annotation", rows.text(3), process_of(rows.number(2)), thread_of(rows.number(2)),
            rows.number(0), rows.number(1))
          .end()
          .end();
  }

  sqlite3* base_;
  report::Json json_;
  uint64_t events_ = 0;
  std::string trouble_;
};

}  // namespace

bool is_database(const std::string& file) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(file, ignored)) return false;
  std::array<char, magic.size()> head{};
  const std::unique_ptr<FILE, int (*)(FILE*)> opened(std::fopen(file.c_str(), "rb"), std::fclose);
  return opened && std::fread(head.data(), 1, head.size(), opened.get()) == head.size() &&
         std::string_view(head.data(), head.size()) == magic;
}

Result<std::string> as_trace(const std::string& file, const std::string& path) {
  sqlite3* opened = nullptr;
  const int error = sqlite3_open_v2(file.c_str(), &opened, SQLITE_OPEN_READONLY, nullptr);
  const std::unique_ptr<sqlite3, int (*)(sqlite3*)> base(opened, sqlite3_close);
  if (error != SQLITE_OK) return Failure{cat(file, ": ", sqlite3_errmsg(base.get()))};
  const auto out = report::create_file(path);
  const auto events = Writer(base.get(), *out).write();
  if (!events) return Failure{cat(file, ": ", events.why())};
  if (*events == 0)
    return Failure{cat(file,
                       ": has no kernels, copies or calls of CUDA and no NVTX ranges: needs a "
                       "trace, or an export by `nsys export --type sqlite`")};
  out->finish();
  return path;
}

}  // namespace vitro::cli
