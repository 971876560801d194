// Formats averages as a table, CSV and JSON; the columns of the table are those of PyTorch's
// key_averages().table().

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "base/sort_list.h"
#include "vitro/base/cat.h"
#include "vitro/base/counted.h"
#include "vitro/base/error.h"
#include "vitro/profiler/averages.h"
#include "vitro/report/json.h"
#include "vitro/report/table.h"
#include "vitro/report/units.h"

namespace vitro {
namespace {

double average_ns(const Average& entry) {
  return static_cast<double>(entry.total_ns) /
         static_cast<double>(std::max<uint64_t>(entry.count, 1));
}

struct SortKey {
  std::string_view name;
  double (*value)(const Average&);
};
constexpr auto keys = std::to_array<SortKey>(
    {{"self_cpu_time_total", [](const Average& e) { return static_cast<double>(e.self_ns); }},
     {"cpu_time_total", [](const Average& e) { return static_cast<double>(e.total_ns); }},
     {"cpu_time", average_ns},
     {"self_cpu_memory_usage", [](const Average& e) { return static_cast<double>(e.self_bytes); }},
     {"cpu_memory_usage", [](const Average& e) { return static_cast<double>(e.total_bytes); }},
     {"count", [](const Average& e) { return static_cast<double>(e.count); }},
     {"flops", [](const Average& e) { return static_cast<double>(e.flops); }},
     {"bytes", [](const Average& e) { return static_cast<double>(e.kernel_bytes); }}});
constexpr std::string_view by_name = "name";

const SortKey& key_of(std::string_view name) {
  const auto found = std::ranges::find(keys, name, &SortKey::name);
  if (found != keys.end()) return *found;
  std::string valid;
  for (const std::string_view each : sort_keys()) valid += cat(valid.empty() ? "" : ", ", each);
  throw_error(cat("table: sort_by: there is no \"", name, "\"; valid keys are ", valid));
}

// PyTorch's unit for FLOPs: the largest in which the smallest number is at least 1.
struct FlopsUnit {
  std::string name;
  double factor = 1;

  explicit FlopsUnit(const std::vector<const Average*>& rows) {
    uint64_t least = 0;
    for (const Average* entry : rows) {
      if (entry->flops != 0 && (least == 0 || entry->flops < least)) least = entry->flops;
    }
    if (least == 0) return;
    constexpr const char* names[] = {"FLOPs", "KFLOPs", "MFLOPs", "GFLOPs", "TFLOPs", "PFLOPs"};
    const double thousands = std::min(std::floor(std::log10(static_cast<double>(least)) / 3), 5.0);
    name = cat("Total ", names[static_cast<size_t>(thousands)]);
    factor = std::pow(1000.0, -thousands);
  }
};

std::string fixed(double v, int decimals) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", decimals, v);
  return text;
}

// A quantity per nanosecond, that is, in units of 1e9 per second.
std::string rate_text(uint64_t amount, int64_t ns) {
  if (amount == 0 || ns <= 0) return "-";
  return fixed(static_cast<double>(amount) / static_cast<double>(ns), 2);
}

std::string name_in_table(const Average& entry) {
  if (entry.kind == SliceKind::work) return cat(entry.name, " (other threads' share)");
  if (!entry.compiled_function.empty()) return cat(entry.name, " (", entry.compiled_function, ")");
  if (!entry.product.empty()) return cat(entry.name, " (", entry.product, ")");
  return entry.name;
}

// Chooses and fills the columns.
class Columns {
 public:
  Columns(const std::vector<const Average*>& rows, const TableOptions& options, bool memory,
          int64_t busy_ns)
      : options_(options), flops_(rows), memory_(memory), busy_(static_cast<double>(busy_ns)) {
    const auto any = [&](auto has) {
      return std::ranges::any_of(rows, [&](const Average* entry) { return has(*entry); });
    };
    thread_ = any([](const Average& e) { return !e.thread.empty(); });
    stack_ = any([](const Average& e) { return !e.stack.empty(); });
    shapes_ = any([](const Average& e) { return !e.input_shapes.empty(); });
    rates_ = any([](const Average& e) { return e.kernel_bytes != 0; });
    peak_ = any([](const Average& e) { return e.least_ns > 0; });
  }

  std::vector<report::Column> heads() const {
    std::vector<report::Column> all{{"Name", report::Align::left, options_.max_name_column_width},
                                    {"Self CPU %"},
                                    {"Self CPU"},
                                    {"CPU total %"},
                                    {"CPU total"},
                                    {"CPU time avg"}};
    if (memory_) all.insert(all.end(), {{"CPU Mem"}, {"Self CPU Mem"}});
    all.push_back({"# of Calls"});
    if (thread_) all.push_back({"Thread", report::Align::left});
    if (shapes_)
      all.push_back({"Input Shapes", report::Align::left, options_.max_shapes_column_width});
    if (stack_)
      all.push_back({"Source Location", report::Align::left, options_.max_src_column_width});
    if (!flops_.name.empty()) all.push_back({flops_.name});
    if (rates_) all.insert(all.end(), {{"Bytes"}, {"GB/s"}, {"GFLOP/s"}});
    if (peak_) all.push_back({"of peak"});
    return all;
  }

  std::vector<report::Cell> cells(const Average& entry) const {
    const auto self = static_cast<double>(entry.self_ns);
    const auto total = static_cast<double>(entry.total_ns);
    std::vector<report::Cell> row{
        name_in_table(entry),     {report::percent_text(self, busy_), colour(self)},
        report::time_text(self),  report::percent_text(total, busy_),
        report::time_text(total), report::time_text(average_ns(entry))};
    if (memory_) {
      row.emplace_back(report::bytes_text(static_cast<double>(entry.total_bytes)));
      row.emplace_back(report::bytes_text(static_cast<double>(entry.self_bytes)));
    }
    row.emplace_back(cat(entry.count));
    if (thread_) row.emplace_back(entry.thread);
    if (shapes_) row.emplace_back(entry.input_shapes);
    if (stack_) row.emplace_back(entry.stack.empty() ? "" : entry.stack[0]);
    if (!flops_.name.empty()) {
      const double flops = static_cast<double>(entry.flops) * flops_.factor;
      row.emplace_back(entry.flops == 0 ? "--" : fixed(flops, 3));
    }
    add_rates(entry, row);
    return row;
  }

  // The lines after an entry: the remaining frames of its stack.
  std::vector<std::vector<report::Cell>> more_lines(const Average& entry) const {
    const size_t columns = heads().size(),
                 place = 7 + (memory_ ? 2 : 0) + (thread_ ? 1 : 0) + (shapes_ ? 1 : 0);
    std::vector<std::vector<report::Cell>> lines;
    for (size_t i = 1; i < entry.stack.size(); ++i) {
      lines.emplace_back(columns, report::Cell(""));
      lines.back()[place] = entry.stack[i];
    }
    return lines;
  }

 private:
  void add_rates(const Average& entry, std::vector<report::Cell>& row) const {
    const bool kernel = entry.kind == SliceKind::kernel;
    if (rates_) {
      row.emplace_back(kernel ? report::bytes_text(static_cast<double>(entry.kernel_bytes)) : "-");
      row.emplace_back(kernel ? rate_text(entry.kernel_bytes, entry.self_ns) : "-");
      row.emplace_back(kernel ? rate_text(entry.flops, entry.self_ns) : "-");
    }
    if (!peak_) return;
    const bool known = entry.least_ns > 0 && entry.self_ns > 0;
    row.emplace_back(
        known ? report::percent_text(entry.least_ns, static_cast<double>(entry.self_ns)) : "-");
  }

  report::Colour colour(double self) const {
    constexpr double hot = 0.3, warm = 0.1;
    if (self >= hot * busy_) return report::Colour::red;
    return self >= warm * busy_ ? report::Colour::yellow : report::Colour::none;
  }

  const TableOptions& options_;
  FlopsUnit flops_;
  bool memory_, thread_ = false, shapes_ = false, stack_ = false, rates_ = false, peak_ = false;
  double busy_;
};

// Calls visit(key, value) for each number of an entry.
void each_number(const Average& e, bool memory, auto visit) {
  visit("count", e.count);
  visit("self_cpu_time_total_ns", e.self_ns);
  visit("cpu_time_total_ns", e.total_ns);
  if (memory) {
    visit("self_cpu_memory_usage", e.self_bytes);
    visit("cpu_memory_usage", e.total_bytes);
  }
  visit("flops", e.flops);
  visit("bytes", e.kernel_bytes);
  visit("peak_ns", static_cast<int64_t>(e.least_ns));
}

std::string quoted(std::string_view text) {
  if (text.find_first_of(",\"\n\r") == std::string_view::npos) return std::string(text);
  std::string field = "\"";
  for (const char c : text) field += c == '"' ? std::string("\"\"") : std::string(1, c);
  return field + "\"";
}

}  // namespace

std::vector<std::string_view> sort_keys() {
  std::vector<std::string_view> names;
  for (const SortKey& key : keys) names.push_back(key.name);
  names.push_back(by_name);
  return names;
}

std::vector<const Average*> Averages::chosen(const TableOptions& options) const {
  std::vector<const Average*> rows;
  for (const Average& entry : options.top_level_events_only ? top_level_ : entries_)
    rows.push_back(&entry);
  if (options.sort_by == by_name) {
    sort_list(rows, {}, &Average::name);
  } else if (!options.sort_by.empty()) {
    sort_list(rows, std::ranges::greater(), [key = &key_of(options.sort_by)](const Average* entry) {
      return key->value(*entry);
    });
  }
  return rows;
}

std::string Averages::table(const TableOptions& options) const {
  std::vector<const Average*> rows = chosen(options);
  const size_t all = rows.size();
  rows.resize(std::min(rows.size(), options.row_limit));
  const Columns columns(rows, options, options_.memory, busy_ns_);
  report::Table table(columns.heads());
  for (const Average* entry : rows) {
    table.row(columns.cells(*entry));
    for (std::vector<report::Cell>& line : columns.more_lines(*entry)) table.row(std::move(line));
  }
  std::string text = options.header.empty() ? "" : options.header + "\n";
  if (options.top_level_events_only) text += "Only top-level events\n";
  return text + table.text(options.colours) + footer(options, all);
}

namespace {

// Whether there are operations of both ops and kernels, which are counted differently.
bool counts_both(const std::vector<Average>& entries) {
  const auto any = [&](SliceKind kind) {
    return std::ranges::any_of(entries,
                               [kind](const Average& e) { return e.kind == kind && e.flops != 0; });
  };
  return any(SliceKind::op) && any(SliceKind::kernel);
}

}  // namespace

std::string Averages::footer(const TableOptions& options, size_t rows) const {
  std::string lines =
      cat("Self CPU time total: ", report::time_text(static_cast<double>(busy_ns_)), "\n");
  if (rows > options.row_limit) {
    const size_t more = rows - options.row_limit;
    lines += cat("(", counted(more, "more row"), ": row_limit)\n");
  }
  if (dropped_ != 0)
    lines += cat("(", counted(dropped_, "event"), " did not fit into max_bytes and ",
                 dropped_ == 1 ? "is" : "are", " missing)\n");
  if (!options_.note.empty()) lines += options_.note + "\n";
  if (counts_both(entries_))
    lines +=
        "(FLOPs: an elementary function counts as one in ops, as the operations computing it in "
        "kernels)\n";
  if (compilations_ != 0) {
    const auto time = [](int64_t ns) { return report::time_text(static_cast<double>(ns)); };
    const bool threads = compiling_threads_ns_ != compiling_ns_;
    lines += cat("Compiled meanwhile: ", counted(compilations_, "compilation"), " took ",
                 time(compiling_ns_), " inside the measured window",
                 threads ? cat(" (", time(compiling_threads_ns_), " summed over threads)") : "",
                 "; later calls do not spend it\n");
  }
  return lines;
}

std::string Averages::csv() const {
  std::string lines = "name,kind,input_shapes,stack,thread";
  each_number({}, options_.memory, [&](const char* key, auto) { lines += cat(",", key); });
  lines += ",compiled_function,product\n";
  for (const Average& entry : entries_) {
    lines += cat(quoted(entry.name), ",", name_of(entry.kind), ",", quoted(entry.input_shapes));
    std::string stack;
    for (const std::string& frame : entry.stack) stack += cat(stack.empty() ? "" : ";", frame);
    lines += cat(",", quoted(stack), ",", quoted(entry.thread));
    each_number(entry, options_.memory, [&](const char*, auto v) { lines += cat(",", v); });
    lines += cat(",", quoted(entry.compiled_function), ",", quoted(entry.product), "\n");
  }
  return lines;
}

std::string Averages::json() const {
  report::TextOutput out;
  report::Json json(out, 2);
  json.begin_object().member("self_cpu_time_total_ns", busy_ns_);
  json.member("dropped_events", dropped_).member("compilations", compilations_);
  json.member("compiling_ns", compiling_ns_);
  json.member("compiling_threads_ns", compiling_threads_ns_).key("averages").begin_array();
  for (const Average& entry : entries_) {
    json.begin_object().member("name", entry.name).member("kind", name_of(entry.kind));
    if (!entry.input_shapes.empty()) json.member("input_shapes", entry.input_shapes);
    if (!entry.thread.empty()) json.member("thread", entry.thread);
    if (!entry.compiled_function.empty()) json.member("compiled_function", entry.compiled_function);
    if (!entry.product.empty()) json.member("product", entry.product);
    if (!entry.stack.empty()) {
      json.key("stack").begin_array();
      for (const std::string& frame : entry.stack) json.value(frame);
      json.end();
    }
    each_number(entry, options_.memory, [&](const char* key, auto v) { json.member(key, v); });
    json.end();
  }
  json.end().end();
  out.finish();
  return out.text() + "\n";
}

}  // namespace vitro
