// `vitro bench`: latency, throughput, first call and memory of an exported model, eager and
// compiled. Each row is measured by a process of its own, so that its first call and its memory are
// not those of others; a row's numbers come back as one Row through a pipe, an error as its text.
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>

#include "command.h"
#include "comparison.h"
#include "model_inputs.h"
#include "vitro/base/cat.h"
#include "vitro/base/clock.h"
#include "vitro/base/error.h"
#include "vitro/ops/concat.h"
#include "vitro/ops/create.h"
#include "vitro/ops/view.h"
#include "vitro/report/chart.h"
#include "vitro/report/json.h"
#include "vitro/report/svg.h"
#include "vitro/report/table.h"
#include "vitro/report/units.h"
#include "vitro/runtime/parallel.h"

namespace vitro::cli {
namespace {

constexpr size_t least_calls = 10, most_calls = 1'000'000;
constexpr int warm_calls = 3;  // the first calls of a compiled model may run op by op

struct BenchSetting {
  std::string file, model, svg;
  std::vector<std::string> inputs;
  std::vector<int64_t> batches;
  std::vector<int> threads;
  double seconds = 1;
  bool json = false;
};

// Times in ns.
struct Row {
  bool compiled = false;
  int threads = 1;
  int64_t batch = 0;  // 0: the model has no size called so
  size_t calls = 0;
  double load = 0, first = 0, p50 = 0, p90 = 0, p99 = 0, mean = 0;
  double resident = 0;                // bytes, the most that there were
  std::array<char, 4096> error = {};  // if it could not be measured

  double per_second() const {
    return static_cast<double>(std::max<int64_t>(batch, 1)) * 1e9 / mean;
  }
  std::string_view mode() const { return compiled ? "compiled" : "eager"; }
};

double ns_since(uint64_t moment) {
  return static_cast<double>(ticks_to_ns(ticks() - moment));
}

// The most memory that was resident in this process, without that of its parent.
double most_resident() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    double kib = 0;
    if (word == "VmHWM:" && status >> kib) return kib * 1024;
  }
  return 0;
}

double quantile(const std::vector<double>& sorted, double at) {
  const double place = at * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<size_t>(place);
  const size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (place - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

// The size that is called the batch: the first one, if it may vary, of the first input with sizes.
std::optional<ModelSize> batch_of(const ExportedModel& model) {
  for (const ModelInput& one : model.inputs())
    if (one.kind == ModelInput::Kind::tensor && !one.sizes.empty())
      return one.sizes[0].number ? std::nullopt : std::optional(one.sizes[0]);
  return std::nullopt;
}

// The tensor with another size, by repeating or leaving out elements.
Tensor with_size(const Tensor& x, int64_t dim, int64_t size) {
  const int64_t has = x.size(dim).value();
  VITRO_CHECK(has > 0, "--batch: an input has no elements to repeat");
  std::vector<Tensor> copies(static_cast<size_t>((size + has - 1) / has), x);
  const Tensor all = copies.size() == 1 ? x : cat(std::span<const Tensor>(copies), dim);
  return contiguous(narrow(all, dim, 0, size));
}

std::vector<ArgValue> inputs_of(const ExportedModel& model, const BenchSetting& setting,
                                int64_t batch) {
  std::vector<ArgValue> out = read_inputs(model, setting.inputs);
  const std::optional<ModelSize> size = batch_of(model);
  if (batch == 0 || !size) return out;
  for (size_t i = 0; i < out.size(); ++i) {
    auto* tensor = std::get_if<Tensor>(&out[i]);
    const std::vector<ModelSize>& sizes = model.inputs()[i].sizes;
    for (size_t d = 0; tensor && d < sizes.size(); ++d)
      if (sizes[d].text == size->text) *tensor = with_size(*tensor, static_cast<int64_t>(d), batch);
  }
  return out;
}

// What --batch gives, checked; 0: the batch of the inputs.
std::vector<int64_t> batches_of(const BenchSetting& setting) {
  if (setting.batches.empty()) return {0};
  for (const int64_t one : setting.batches)
    VITRO_CHECK(one > 0, "--batch: needs sizes of at least 1, got ", one);
  VITRO_CHECK(batch_of(load(setting.file, setting.model)),
              "--batch: the first size of the model's first input is fixed; export it with "
              "dynamic_shapes");
  return setting.batches;
}

// The batch that the inputs have; 0 if the model has no size called so.
int64_t batch_in(const ExportedModel& model, const std::vector<ArgValue>& inputs) {
  if (!batch_of(model)) return 0;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const auto* tensor = std::get_if<Tensor>(&inputs[i]);
    if (tensor && !model.inputs()[i].sizes.empty()) return tensor->size(0).value();
  }
  return 0;
}

void measure(const BenchSetting& setting, Row& row) {
  set_num_threads(row.threads);
  const uint64_t begin = ticks();
  ExportedModel model = load(setting.file, setting.model);
  row.load = ns_since(begin);
  const std::vector<ArgValue> inputs = inputs_of(model, setting, row.batch);
  row.batch = batch_in(model, inputs);
  if (row.compiled && !model.is_compiled()) model = model.compile();
  const auto call = [&] {
    const uint64_t from = ticks();
    (void)model(std::span<const ArgValue>(inputs));
    return ns_since(from);
  };
  row.first = call();
  for (int i = 0; i < warm_calls; ++i) call();
  std::vector<double> times;
  const uint64_t start = ticks();
  while (times.size() < least_calls ||
         (ns_since(start) < setting.seconds * 1e9 && times.size() < most_calls))
    times.push_back(call());
  row.calls = times.size();
  row.mean = std::accumulate(times.begin(), times.end(), 0.0) / static_cast<double>(times.size());
  std::ranges::sort(times);
  row.p50 = quantile(times, 0.5);
  row.p90 = quantile(times, 0.9);
  row.p99 = quantile(times, 0.99);
  row.resident = most_resident();
}

void measure_or_say_why_not(const BenchSetting& setting, Row& row) {
  try {
    measure(setting, row);
  } catch (const std::exception& e) {
    const std::string_view what = e.what();
    const size_t size = std::min(what.size(), row.error.size() - 1);
    std::memcpy(row.error.data(), what.data(), size);
  }
}

// The row measured by a child.  Before it this process has run no model, so that it has no threads
// that a child would miss.
Row measured(const BenchSetting& setting, Row row) {
  std::array<int, 2> ends{};
  VITRO_CHECK(pipe(ends.data()) == 0, "cannot make a pipe: ", std::strerror(errno));
  std::fflush(nullptr);
  const pid_t child = fork();
  VITRO_CHECK(child >= 0, "cannot start a process: ", std::strerror(errno));
  if (child == 0) {
    measure_or_say_why_not(setting, row);
    const bool written = write(ends[1], &row, sizeof row) == static_cast<ssize_t>(sizeof row);
    _exit(written ? 0 : failed);
  }
  close(ends[1]);
  Row out;
  auto* to = reinterpret_cast<char*>(&out);
  size_t got = 0;
  for (ssize_t n = 1; n > 0 && got < sizeof out;
       got += static_cast<size_t>(std::max<ssize_t>(n, 0)))
    n = read(ends[0], to + got, sizeof out - got);
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  VITRO_CHECK(got == sizeof out, row.mode(), ", ", row.threads,
              " threads: the process ended with status ", status);
  if (out.error[0] != 0) throw_error(out.error.data());
  return out;
}

std::string batch_text(const Row& row) {
  return row.batch == 0 ? "-" : cat(row.batch);
}

std::string rate_text(double rate) {
  return rate < 100 ? short_number(rate) : report::count_text(rate);
}

void print_table(const std::vector<Row>& rows) {
  report::Table table({{"Mode", report::Align::left},
                       {"Batch"},
                       {"Threads"},
                       {"Calls"},
                       {"First call"},
                       {"p50"},
                       {"p90"},
                       {"p99"},
                       {"Per second"},
                       {"Resident"}});
  for (const Row& row : rows) {
    table.row({std::string(row.mode()), batch_text(row), cat(row.threads), cat(row.calls),
               report::time_text(row.first), report::time_text(row.p50), report::time_text(row.p90),
               report::time_text(row.p99), rate_text(row.per_second()),
               report::bytes_text(row.resident)});
  }
  std::fputs(table.text().c_str(), stdout);
}

void print_json(const BenchSetting& setting, const std::vector<Row>& rows) {
  report::TextOutput text;
  report::Json json(text, 2);
  json.begin_object().member("file", setting.file).key("rows").begin_array();
  for (const Row& row : rows) {
    json.begin_object().member("mode", row.mode()).key("batch");
    if (row.batch == 0) {
      json.null();
    } else {
      json.value(row.batch);
    }
    json.member("threads", row.threads).member("calls", row.calls);
    json.member("load_ns", row.load).member("first_call_ns", row.first);
    json.member("p50_ns", row.p50).member("p90_ns", row.p90).member("p99_ns", row.p99);
    json.member("mean_ns", row.mean).member("per_second", row.per_second());
    json.member("resident_bytes", row.resident).end();
  }
  json.end().end();
  text.finish();
  std::printf("%s\n", text.text().c_str());
}

// A bar as long as p50 for each row, and a line from it to p99.
void draw(const BenchSetting& setting, const std::vector<Row>& rows) {
  constexpr double width = 800, label = 240, line_height = 24, top = 40;
  const double bottom = top + line_height * static_cast<double>(rows.size());
  double longest = 0;
  for (const Row& row : rows) longest = std::max(longest, row.p99);
  const report::Axis axis{.low = 0, .high = longest / 1e6, .from = label, .to = width - 30};
  const std::unique_ptr<report::Output> out = report::create_file(setting.svg);
  report::Svg svg(*out, {.width = width, .height = bottom + 50, .title = "Latency"});
  svg.text({10, 20}, cat(setting.file, ": latency, p50 (bar) to p99 (line)"));
  for (const double tick : axis.ticks()) {
    svg.line({axis.at(tick), top}, {axis.at(tick), bottom}, "grid");
    svg.text({axis.at(tick), bottom + 16}, cat(tick), report::Anchor::middle, "muted");
  }
  svg.text({width / 2, bottom + 36}, "ms", report::Anchor::middle, "muted");
  for (size_t i = 0; i < rows.size(); ++i) {
    const Row& row = rows[i];
    const double y = top + line_height * static_cast<double>(i);
    const double p50 = axis.at(row.p50 / 1e6), p99 = axis.at(row.p99 / 1e6);
    const std::string text = cat(row.mode(), row.batch == 0 ? "" : cat(", batch ", row.batch), ", ",
                                 row.threads, row.threads == 1 ? " thread" : " threads");
    svg.text({10, y + 16}, text);
    svg.rect({label, y + 4, p50 - label, line_height - 8}, row.compiled ? "fill1" : "fill0",
             cat(text, ": ", report::time_text(row.p50)));
    svg.line({p50, y + line_height / 2}, {p99, y + line_height / 2}, "axis");
  }
  svg.finish();
  out->finish();
}

int bench(const BenchSetting& setting) {
  VITRO_CHECK(setting.seconds >= 0 && setting.seconds <= 3600, "--seconds: needs 0 to 3600, got ",
              setting.seconds);
  std::vector<int> threads = setting.threads;
  if (threads.empty()) threads.push_back(num_threads());
  std::vector<Row> rows;
  const bool is_compiled = load(setting.file, setting.model).is_compiled();
  for (const int64_t batch : batches_of(setting)) {
    for (const int count : threads) {
      for (const bool compiled : {false, true}) {
        if (is_compiled && !compiled) continue;
        Row row;
        row.compiled = compiled;
        row.threads = count;
        row.batch = batch;
        rows.push_back(measured(setting, row));
      }
    }
  }
  if (!setting.svg.empty()) draw(setting, rows);
  if (setting.json) {
    print_json(setting, rows);
  } else {
    print_table(rows);
  }
  return 0;
}

int run(const BenchSetting& setting) {
  try {
    return bench(setting);
  } catch (const Error& e) {
    std::fprintf(stderr, "vitro bench: %s\n", e.what());
    return bad_usage;
  }
}

std::function<int()> declare(CLI::App& app) {
  auto setting = std::make_shared<BenchSetting>();
  app.add_option("file", setting->file, "a file of torch.export.save or of vitro compile")
      ->required();
  app.add_option("--input", setting->inputs,
                 cat(input_words, "; inputs without one are the export's example, or random"));
  app.add_option("--model", setting->model, "one of the models in the file");
  app.add_option("--batch", setting->batches,
                 "batch sizes: of the first input's first size, which must be dynamic")
      ->delimiter(',');
  app.add_option("--threads", setting->threads, "numbers of threads; without it the usual one")
      ->delimiter(',');
  app.add_option("--seconds", setting->seconds, "how long each row is measured")
      ->capture_default_str();
  app.add_flag("--json", setting->json, "as JSON, times in ns");
  app.add_option("--svg", setting->svg, "also write a picture of the latencies");
  app.footer(
      "Each row is measured in a process of its own: the first call of a compiled model compiles "
      "it, "
      "or loads its kernels from the cache; \"Resident\" is the most memory the process had.");
  return [setting] { return run(*setting); };
}

const AddCommand bench_command("bench", "Measure latency and throughput of a model (.pt2)",
                               declare);

}  // namespace
}  // namespace vitro::cli
