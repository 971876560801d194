// vitro_bench: measures the registered workloads and steps (harness.h), or serves bench/compare and
// bench/sweep.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "harness.h"
#include "sweep.h"
#include "trained.h"
#include "vitro/base/error.h"
#include "vitro/base/option.h"

namespace vitro::bench {
namespace {

using Clock = std::chrono::steady_clock;
using Json = nlohmann::ordered_json;

double ms_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

double median(std::vector<double> v) {
  std::sort(v.begin(), v.end());
  return v.empty() ? 0 : v[v.size() / 2];
}

double resident_mb() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

// Measures the first call, then as many as fit into the time (at least 20, at most 2000).
Json measure(const Workload& work, const Contender& who, Mode mode, double seconds) {
  const Entry entry = enter(work, who, mode);
  const auto begun = Clock::now();
  const Started started = start(entry);
  const double first = ms_since(begun);
  const Runner& runner = started.runner;
  std::vector<double> times;
  for (int i = 0; i < 3; ++i) runner.once();
  const auto begin = Clock::now();
  while (times.size() < 20 || (ms_since(begin) < 1000 * seconds && times.size() < 2000)) {
    const auto t = Clock::now();
    runner.once();
    times.push_back(ms_since(t) / runner.times);
  }
  return {{"first_ms", first},       {"calls_ms", started.calls_ms},
          {"med_ms", median(times)}, {"min_ms", *std::min_element(times.begin(), times.end())},
          {"n", times.size()},       {"kernels", runner.kernels ? runner.kernels() : -1},
          {"rss_mb", resident_mb()}};
}

std::string text_of(Mode mode) {
  return mode == Mode::train ? "train" : "fwd";
}
std::optional<Mode> mode_of(std::string_view text) {
  if (text == "train") return Mode::train;
  return text == "fwd" ? std::optional(Mode::fwd) : std::nullopt;
}

// Runs this program as a child process with `cache` as its kernel cache; the child prints one line
// of JSON.
Json in_child(const std::string& work, const std::string& who, Mode mode, const std::string& cache,
              double seconds) {
  const std::string command = "VITRO_CACHE_DIR='" + cache + "' '" +
                              std::filesystem::read_symlink("/proc/self/exe").string() +
                              "' --child " + work + " " + who + " " + text_of(mode) + " " +
                              std::to_string(seconds);
  FILE* pipe = popen(command.c_str(), "r");
  if (!pipe) return nullptr;
  std::string text;
  char buffer[4096];
  while (const size_t n = fread(buffer, 1, sizeof buffer, pipe)) text.append(buffer, n);
  const int status = pclose(pipe);
  return status == 0 ? Json::parse(text, nullptr, false) : Json(nullptr);
}

struct Arguments {
  bool list = false, json = false;
  std::vector<std::string> only, who;
  Mode mode = Mode::fwd;
  double seconds = 1.5;
};

bool wanted(const std::vector<std::string>& chosen, std::string_view name) {
  return chosen.empty() || std::find(chosen.begin(), chosen.end(), name) != chosen.end();
}

void show(const Json& row, bool json) {
  if (json) {
    std::printf("%s\n", row.dump().c_str());
  } else {
    const auto text = [&](const char* key) {
      return row[key].is_number() ? row[key].get<double>() : -1.0;
    };
    std::printf(
        "%-16s %-10s median %10.4f ms   least %10.4f ms   first call %8.1f ms, with the cache "
        "%8.1f ms   kernels %g\n",
        row["work"].get<std::string>().c_str(), row["who"].get<std::string>().c_str(),
        text("med_ms"), text("min_ms"), text("cold_ms"), text("warm_ms"), text("kernels"));
  }
  std::fflush(stdout);
}

// `peak` can run only programs that consist of a product.
bool can_run(const Workload& work, const Contender& who, Mode mode) {
  if (mode == Mode::fwd)
    return work.make && who.prepare && (who.name != "peak" || work.name.starts_with("mm_"));
  return work.train && who.train && who.with_loss.value_or(work.has_loss) == work.has_loss;
}

bool run_pair(const Workload& work, const Contender& who, const Arguments& arguments,
              int64_t threads) {
  char folder[] = "/tmp/vitro_bench.XXXXXX";
  if (!mkdtemp(folder)) return false;
  const std::string name(work.name), contender(who.name);
  const Json cold = in_child(name, contender, arguments.mode, folder, 0),
             warm = in_child(name, contender, arguments.mode, folder, arguments.seconds);
  std::filesystem::remove_all(folder);
  if (!cold.is_object() || !warm.is_object()) {
    std::fprintf(stderr, "vitro_bench: %s by %s failed in its child process\n", name.c_str(),
                 contender.c_str());
    return false;
  }
  show({{"work", name},
        {"mode", text_of(arguments.mode)},
        {"who", contender},
        {"threads", threads},
        {"cold_ms", cold["first_ms"]},
        {"warm_ms", warm["first_ms"]},
        {"med_ms", warm["med_ms"]},
        {"min_ms", warm["min_ms"]},
        {"n", warm["n"]},
        {"kernels", warm["kernels"]},
        {"rss_mb", warm["rss_mb"]}},
       arguments.json);
  return true;
}

// Returns f(workload, contender), or 2 if one of them does not exist.
template <class F>
int with_pair(const std::string& work, const std::string& who, F f) {
  for (const Workload& w : registry().workloads) {
    for (const Contender& c : registry().contenders) {
      if (w.name == work && c.name == who) return f(w, c);
    }
  }
  std::fprintf(stderr, "vitro_bench: no workload %s or no contender %s; --list names them\n",
               work.c_str(), who.c_str());
  return 2;
}

int child(const std::string& work, const std::string& who, Mode mode, double seconds) {
  return with_pair(work, who, [=](const Workload& w, const Contender& c) {
    std::printf("%s\n", measure(w, c, mode, seconds).dump().c_str());
    return 0;
  });
}

void list() {
  for (const Workload& w : registry().workloads)
    std::printf("%-16s %s\n", w.name.data(), w.about.data());
  for (const Step& s : registry().steps) std::printf("%-16s %s\n", s.name.data(), s.about.data());
  for (const Contender& c : registry().contenders)
    std::printf("who: %-11s %s\n", c.name.data(), c.about.data());
}

int64_t thread_count() {
  for (const OptionBase* option : all_options()) {
    if (option->variable() == "VITRO_NUM_THREADS" && option->text() != "0")
      return std::stol(option->text());
  }
  return sysconf(_SC_NPROCESSORS_ONLN);
}

int run(const Arguments& arguments) {
  bool all_well = true;
  const int64_t threads = thread_count();
  for (const Workload& w : registry().workloads) {
    if (!wanted(arguments.only, w.name)) continue;
    for (const Contender& c : registry().contenders) {
      if (wanted(arguments.who, c.name) && can_run(w, c, arguments.mode))
        all_well &= run_pair(w, c, arguments, threads);
    }
  }
  for (const Step& s : registry().steps) {
    if (arguments.mode == Mode::train || !wanted(arguments.only, s.name)) continue;
    const double ns = s.ns();
    show({{"work", s.name},
          {"mode", "step"},
          {"who", "vitro"},
          {"threads", 1},
          {"cold_ms", nullptr},
          {"warm_ms", nullptr},
          {"med_ms", ns * 1e-6},
          {"min_ms", nullptr},
          {"n", 1},
          {"kernels", nullptr},
          {"rss_mb", resident_mb()}},
         true);
  }
  return all_well ? 0 : 1;
}

int usage(const char* program) {
  std::fprintf(
      stderr,
      "usage: %s [--list] [--only NAME]... [--who NAME]... [--mode fwd|train] [--seconds S] "
      "[--json]\n"
      "       %s --serve WORK WHO MODE answers bench/compare\n"
      "       %s --sweep               answers bench/sweep\n"
      "       %s --trained FOLDER      runs a model for bench/trained\n"
      "       %s --layouts SEED COUNT  random layouts on which compiled is slower than eager\n",
      program, program, program, program, program);
  return 2;
}

}  // namespace

Entry enter(const Workload& work, const Contender& who, Mode mode) {
  if (mode == Mode::fwd) {
    VITRO_CHECK(work.make && who.prepare, "vitro_bench: ", work.name, " by ", who.name,
                " is only a training step: use the mode train");
    return {[&who, program = work.make()] { return who.prepare(program); }};
  }
  VITRO_CHECK(work.train && who.train, "vitro_bench: ", work.name, " by ", who.name,
              " has no training step: use the mode fwd");
  const Training training = work.train();
  return {[&who, training] { return who.train(training); }, training.model->parameter_count()};
}

Started start(const Entry& entry) {
  auto begin = Clock::now();
  Started out{entry.begin(), {}, {}};
  for (int i = 0; i < (out.runner.loss ? 2 : 1); ++i) {
    out.runner.once();
    out.calls_ms.push_back(ms_since(begin));
    if (out.runner.loss) out.losses.push_back(out.runner.loss());
    begin = Clock::now();
  }
  return out;
}

Registry& registry() {
  static auto* one = new Registry;
  return *one;
}

Add::Add(Workload w) {
  registry().workloads.push_back(w);
}
Add::Add(Contender c) {
  registry().contenders.push_back(c);
}
Add::Add(Step s) {
  registry().steps.push_back(s);
}

double median_ns(int rounds, int times, const std::function<void()>& body) {
  std::vector<double> each;
  for (int r = 0; r < rounds; ++r) {
    const auto start = Clock::now();
    for (int i = 0; i < times; ++i) body();
    each.push_back(ms_since(start) * 1e6 / times);
  }
  return median(each);
}

}  // namespace vitro::bench

int main(int argc, char** argv) try {
  using namespace vitro::bench;
  if (argc == 6 && std::string(argv[1]) == "--child" && mode_of(argv[4]))
    return child(argv[2], argv[3], *mode_of(argv[4]), std::atof(argv[5]));
  if (argc == 5 && std::string(argv[1]) == "--serve" && mode_of(argv[4])) {
    return with_pair(argv[2], argv[3], [&](const Workload& work, const Contender& who) {
      return serve(work, who, *mode_of(argv[4]));
    });
  }
  if (argc == 2 && std::string(argv[1]) == "--sweep") return serve_sweep();
  if (argc == 3 && std::string(argv[1]) == "--trained") return run_trained(argv[2]);
  if (argc == 4 && std::string(argv[1]) == "--layouts" && std::atoi(argv[3]) > 0)
    return measure_layouts(static_cast<uint32_t>(std::atoi(argv[2])), std::atoi(argv[3]));
  Arguments arguments;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--list") {
      arguments.list = true;
    } else if (word == "--json") {
      arguments.json = true;
    } else if (word == "--only" && i + 1 < argc) {
      arguments.only.emplace_back(argv[++i]);
    } else if (word == "--who" && i + 1 < argc) {
      arguments.who.emplace_back(argv[++i]);
    } else if (word == "--mode" && i + 1 < argc && mode_of(argv[i + 1])) {
      arguments.mode = *mode_of(argv[++i]);
    } else if (word == "--seconds" && i + 1 < argc) {
      arguments.seconds = std::atof(argv[++i]);
    } else {
      return usage(argv[0]);
    }
  }
  if (arguments.list) return list(), 0;
  return run(arguments);
} catch (const std::exception& e) {
  std::fprintf(stderr, "%s\n", e.what());
  return 1;
}
