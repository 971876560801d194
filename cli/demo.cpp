// `vitro demo`: runs a real model on real sentences, eagerly and compiled, and shows the speed-up,
// its cost, and where to look further.
#include <stdlib.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <vector>

#include "../examples/sentence_encoder.h"
#include "command.h"
#include "vitro/debug/explain.h"
#include "vitro/graph/pass.h"
#include "vitro/report/progress.h"
#include "vitro/report/table.h"
#include "vitro/report/units.h"

namespace vitro::cli {
namespace {

using Clock = std::chrono::steady_clock;
using sentences::Encoder;
using Compute = std::function<Tensor(const Tensor&)>;

const char* const texts[] = {"The cat sits outside.", "A kitten is resting in the garden.",
                             "The new film is great.",
                             "I did not expect to enjoy the movie that much."};

double ms_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

double median_ms(const Compute& compute, const Tensor& input) {
  std::vector<double> times;
  const auto start = Clock::now();
  while (times.size() < 20 || (ms_since(start) < 500 && times.size() < 500)) {
    const auto t = Clock::now();
    (void)compute(input).const_data();
    times.push_back(ms_since(t));
  }
  std::nth_element(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2),
                   times.end());
  return times[times.size() / 2];
}

double first_call_ms(const Compute& compute, const Tensor& input) {
  const auto start = Clock::now();
  (void)compute(input).const_data();
  return ms_since(start);
}

struct Setting {
  std::string model, folder = "vitro_demo";
  bool seeded = false, warm_start = false;
};

// If the weights cannot be had, `setting` is seeded afterwards.
std::unique_ptr<Encoder> encoder_of(Setting& setting, report::Progress& progress) {
  if (setting.seeded) return Encoder::seeded();
  if (setting.model.empty()) {
    progress.step("fetching the weights of MiniLM-L6 (once)");
    const auto files = models::fetch_minilm(
        [](std::string_view line) { std::fprintf(stderr, "%s\n", std::string(line).c_str()); });
    if (!files) {
      std::fprintf(
          stderr,
          "%s\nThe same model runs with random weights instead; its similarities mean nothing.\n",
          files.why().c_str());
      setting.seeded = true;
      return Encoder::seeded();
    }
  }
  return Encoder::load(setting.model).value();
}

// The first call in a process with a filled kernel cache: runs this program again as a child.
double warm_start_ms(const Setting& setting, const std::string& cache) {
  const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
  std::string command = "VITRO_CACHE_DIR='" + cache + "' '" + self + "' demo --warm-start";
  if (setting.seeded) command += " --seeded";
  if (!setting.model.empty()) command += " --model '" + setting.model + "'";
  FILE* child = popen(command.c_str(), "r");
  double ms = -1;
  if (child && std::fscanf(child, "%lf", &ms) != 1) ms = -1;
  if (child) pclose(child);
  return ms;
}

struct Totals {
  int64_t ops = 0, kernels = 0, eager_bytes = 0, compiled_bytes = 0;
};

int64_t bytes_of(const TensorMeta& meta) {
  int64_t n = vitro::bytes_of(meta.dtype);
  for (const Size s : meta.sizes) n *= s.value();
  return n;
}

// The bytes that running op by op would read and write.
void count_eager(const graph::Graph& captured, Totals& totals) {
  const graph::Graph g = graph::run_passes(captured, graph::standard_passes());
  for (const graph::Node& node : g.nodes()) {
    if (node.is_input() || node.op->kind == OpKind::view) continue;
    ++totals.ops;
    for (const TensorMeta& result : node.results) totals.eager_bytes += bytes_of(result);
    for (const graph::Arg& arg : node.args) {
      if (const auto* value = std::get_if<graph::Value>(&arg))
        totals.eager_bytes += bytes_of(g.meta(*value));
    }
  }
}

Totals totals_of(const CompiledReport& report) {
  Totals totals;
  for (const SegmentReport& segment : report.segments) {
    totals.kernels += segment.kernels;
    count_eager(segment.graph, totals);
    if (!segment.build) continue;
    for (const LaunchReport& launch : segment.build->launches) {
      if (launch.once) continue;
      const std::string& bytes = segment.build->kernel_of(launch).bytes;
      totals.compiled_bytes += std::strtoll(bytes.c_str(), nullptr, 10);
    }
  }
  return totals;
}

std::string number(double v, const char* unit) {
  char text[40];
  std::snprintf(text, sizeof text, v < 10 ? "%.2f %s" : "%.0f %s", v, unit);
  return text;
}

void print_similarities(const std::vector<std::vector<float>>& vectors) {
  std::printf("Similarity of the sentences (1: identical):\n\n");
  for (size_t i = 0; i < vectors.size(); ++i) {
    for (const std::vector<float>& other : vectors) {
      double product = 0;
      for (size_t k = 0; k < other.size(); ++k)
        product += static_cast<double>(vectors[i][k]) * static_cast<double>(other[k]);
      std::printf("%7.2f", product);
    }
    std::printf("   %s\n", texts[i]);
  }
  std::printf("\n");
}

int run_demo(Setting setting) {
  report::Progress progress("starting");
  const std::unique_ptr<Encoder> encoder = encoder_of(setting, progress);
  const Compute eager = [&](const Tensor& ids) { return (*encoder)(ids); };
  auto fast = compile(eager, {.name = "sentence"});
  const Compute compiled = [&](const Tensor& ids) { return fast(ids); };
  const Tensor input = Encoder::tensor(encoder->ids(texts[3]));
  if (setting.warm_start) {
    std::printf("%.3f\n", first_call_ms(compiled, input));
    return 0;
  }
  std::filesystem::create_directories(setting.folder);
  progress.step("running eagerly");
  const double eager_ms = median_ms(eager, input);
  progress.step("compiling");
  const double first_ms = first_call_ms(compiled, input);
  progress.step("running compiled");
  const double compiled_ms = median_ms(compiled, input);
  const Totals totals = totals_of(fast.report());
  const char* cache = getenv("VITRO_CACHE_DIR");
  progress.step("starting again with the kernel cache filled");
  const double warm_ms = warm_start_ms(setting, cache ? cache : "");

  progress.step("recording a trace");
  std::vector<std::vector<float>> vectors;
  Profiler profiler;
  for (const char* text : texts) {
    RecordFunction range("sentence");
    vectors.push_back(fast(Encoder::tensor(encoder->ids(text))).to_vector<float>());
  }
  profiler.stop();
  const std::string trace = setting.folder + "/trace.json.gz",
                    report_file = setting.folder + "/explain.txt";
  profiler.write_trace(trace);
  {
    const auto out = report::create_file(report_file);
    out->write(explain(eager)(input).text());
    out->finish();
  }
  progress.step("done");

  print_similarities(vectors);
  report::Table table({{"MiniLM-L6, one sentence", report::Align::left}, {"eager"}, {"compiled"}});
  table.row({"a call", number(eager_ms, "ms"), number(compiled_ms, "ms")});
  table.row({"the first call, nothing cached", "", number(first_ms, "ms")});
  table.row({"the first call of a new process, kernels cached", "", number(warm_ms, "ms")});
  table.row({"kernels launched", cat(totals.ops), cat(totals.kernels)});
  table.row({"ops that share a kernel with others", "", cat(totals.ops - totals.kernels)});
  table.row({"bytes read and written", report::bytes_text(static_cast<double>(totals.eager_bytes)),
             report::bytes_text(static_cast<double>(totals.compiled_bytes))});
  table.row({"bytes saved", "",
             report::bytes_text(static_cast<double>(totals.eager_bytes - totals.compiled_bytes))});
  std::printf(
      "%s\nLook further:\n  %-34s opens in Perfetto: regions, kernels, bytes, rates\n  %-34s "
      "graphs, guards, fusion decisions with their "
      "reasons, kernels\n  %-34s graphs, loops and generated C++ of every stage\n",
      table.text(report::wants_colours(STDOUT_FILENO)).c_str(), trace.c_str(), report_file.c_str(),
      "VITRO_COMPILE_DEBUG=1 vitro demo");
  return 0;
}

// The demo's own kernel cache, empty at the start and removed at the end, so that the first call
// shows its real cost.
class OwnCache {
 public:
  explicit OwnCache(bool wanted) {
    char name[] = "/tmp/vitro_demo.XXXXXX";
    if (!wanted || !mkdtemp(name)) return;
    folder_ = name;
    setenv("VITRO_CACHE_DIR", name, 1);
  }
  ~OwnCache() {
    std::error_code ignored;
    if (!folder_.empty()) std::filesystem::remove_all(folder_, ignored);
  }

 private:
  std::string folder_;
};

const AddCommand demo("demo", "Run a real model eagerly and compiled, and show the speed-up",
                      [](CLI::App& app) -> std::function<int()> {
                        auto setting = std::make_shared<Setting>();
                        app.add_option(
                            "--model", setting->model,
                            "folder with model.safetensors and vocab.txt of a MiniLM-L6");
                        app.add_option("--folder", setting->folder,
                                       "where the trace and the explanation are written")
                            ->capture_default_str();
                        app.add_flag("--seeded", setting->seeded, "random weights, no download");
                        app.add_flag("--warm-start", setting->warm_start)->group("");
                        return [setting] {
                          const OwnCache cache(!setting->warm_start);
                          return run_demo(*setting);
                        };
                      });

}  // namespace
}  // namespace vitro::cli
