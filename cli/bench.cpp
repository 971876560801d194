// `vitro bench`: latency, throughput, first call, memory and power of an exported model, eager and
// compiled, and beside other libraries.  Each contender is a process of its own, so that its first
// call and its memory are not those of others; they take turns, and each is stopped while it is not
// its own.
#include "bench.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "command.h"
#include "model_inputs.h"
#include "power.h"
#include "python.h"
#include "temporary_folder.h"
#include "vitro/base/cat.h"
#include "vitro/base/clock.h"
#include "vitro/base/error.h"
#include "vitro/runtime/parallel.h"

namespace vitro::cli {
namespace {

constexpr int of_signal = 128;  // as shells report it
constexpr double grace = 30;    // seconds for a contender to write its caches and end

struct Runner {
  BenchRow row;
  std::unique_ptr<Contender> process = {};  // null: it failed
  std::vector<double> times = {};
  double joules = 0, seconds = 0;
};

// The numbers of an answer that begins with that word.
std::vector<double> numbers(const std::string& answer, std::string_view word) {
  std::istringstream text(answer);
  std::string got;
  text >> got;
  VITRO_CHECK(got == word, "gave another answer than \"", word, "\": ", answer.substr(0, 80));
  std::vector<double> out;
  for (double number = 0; text >> number;) out.push_back(number);
  VITRO_CHECK(!out.empty(), "gave an answer without numbers: ", answer.substr(0, 80));
  return out;
}

class Bench {
 public:
  explicit Bench(const BenchSetting& setting)
      : setting_(setting), is_compiled_(load(setting.file, setting.model).is_compiled()) {
    if (!setting.compare) return;
    VITRO_CHECK(!is_compiled_, "--compare: ", setting.file,
                " is of vitro compile, which other libraries do not read; give the file of "
                "torch.export.save");
    scratch_ = std::make_unique<TemporaryFolder>();
    std::ofstream file(script());
    VITRO_CHECK(file << peers_script << std::flush, script(), ": cannot be written");
  }

  std::vector<BenchRow> run() {
    std::vector<int> threads = setting_.threads;
    if (threads.empty()) threads.push_back(num_threads());
    for (const int64_t batch : batches_of(setting_))
      for (const int count : threads) measure(batch, count);
    return std::move(rows_);
  }

 private:
  std::string folder() const { return scratch_ ? scratch_->path : ""; }
  std::string script() const { return folder() + "/peers.py"; }
  std::string caches() const { return folder() + "/" + std::string(caches_name); }

  // All contenders with that batch and number of threads.
  void measure(int64_t batch, int threads) {
    if (scratch_) std::filesystem::remove_all(caches());
    std::vector<Runner> all;
    for (const std::string_view mode : {eager_mode, compiled_mode}) {
      if (is_compiled_ && mode == eager_mode) continue;
      all.push_back(model({.mode = std::string(mode), .threads = threads, .batch = batch}));
    }
    const size_t compiled = all.size() - 1;
    if (setting_.compare)
      for (const std::string& name : setting_.peers.empty() ? peer_names() : setting_.peers)
        all.push_back(peer({.mode = name, .threads = threads, .batch = all[0].row.batch}));
    for (int round = 0; round < setting_.rounds; ++round)
      for (size_t i = 0; i < all.size(); ++i)
        take_turn(all[(i + static_cast<size_t>(round)) % all.size()]);
    for (Runner& one : all) finish(one);
    for (Runner& one : all) compare(one, all[compiled]);
    for (Runner& one : all) rows_.push_back(std::move(one.row));
  }

  // ---- starting ----

  Runner model(BenchRow row) {
    Runner out{.row = std::move(row)};
    const auto begin = [&] {
      out.process = start_model(setting_, out.row, folder());
      const std::vector<double> ready = numbers(out.process->answer(setting_.limit), "ready");
      VITRO_CHECK(ready.size() == 3, out.row.mode, ": gave another answer than three numbers");
      return ready;
    };
    const std::vector<double> ready = begin();
    out.row.load = ready[0];
    out.row.first = ready[1];
    out.row.batch = static_cast<int64_t>(ready[2]);
    if (setting_.compare && out.row.mode == compiled_mode) {
      out.process->finish(grace);
      const std::vector<double> again = begin();
      out.row.again = again[0] + again[1];
    }
    out.process->stop();
    return out;
  }

  std::unique_ptr<Contender> peer_process(const std::string& step, const BenchRow& row) const {
    const std::string threads = cat(row.threads);
    const std::map<std::string, std::string> environment = {{"OMP_NUM_THREADS", threads},
                                                            {"MKL_NUM_THREADS", threads},
                                                            {"OPENBLAS_NUM_THREADS", threads},
                                                            {"PYTHONDONTWRITEBYTECODE", "1"},
                                                            {"TMPDIR", folder()}};
    return std::make_unique<Contender>(
        std::vector<std::string>{setting_.python, script(), step, row.mode,
                                 std::filesystem::absolute(setting_.file), folder(), threads},
        environment, cat(folder(), "/", row.mode, ".", step, ".txt"));
  }

  // What the peer reads instead of the model; once for all rows.
  void convert(BenchRow& row) {
    auto found = converted_.find(row.mode);
    if (found == converted_.end()) {
      std::string failure;
      double ns = 0;
      try {
        ns = numbers(peer_process("convert", row)->answer(setting_.limit), "ready")[0];
      } catch (const Error& e) {
        failure = e.what();
      }
      found = converted_.emplace(row.mode, std::pair(ns, failure)).first;
    }
    const auto& [ns, failure] = found->second;
    if (!failure.empty()) throw_error(failure);
    row.convert = ns;
  }

  // Of a peer that cannot run the model, the row has the reason.
  Runner peer(BenchRow row) {
    Runner out{.row = std::move(row)};
    const auto begin = [&] {
      out.process = peer_process("serve", out.row);
      const std::vector<double> ready = numbers(out.process->answer(setting_.limit), "ready");
      VITRO_CHECK(ready.size() == 3, "gave another answer than three numbers");
      return ready;
    };
    try {
      convert(out.row);
      const std::vector<double> ready = begin();
      out.row.load = ready[0];
      out.row.first = ready[1];
      if (ready[2] != 0) {
        out.process->finish(grace);
        const std::vector<double> again = begin();
        out.row.again = again[0] + again[1];
      }
      out.process->stop();
    } catch (const Error& e) {
      out.row.failure = e.what();
      out.process.reset();
    }
    return out;
  }

  // ---- measuring ----

  void take_turn(Runner& one) {
    if (!one.process) return;
    one.process->go_on();
    energy_.used();
    const uint64_t begin = ticks();
    std::vector<double> times;
    try {
      times = numbers(one.process->ask(cat(setting_.seconds / setting_.rounds), setting_.limit),
                      "times");
    } catch (const Error& e) {
      VITRO_CHECK(setting_.compare && one.row.mode != compiled_mode, one.row.mode, ", ",
                  one.row.threads, " threads: ", e.what());
      one.row.failure = e.what();
      one.process.reset();
      return;
    }
    one.seconds += static_cast<double>(ticks_to_ns(ticks() - begin)) / 1e9;
    one.joules += energy_.used();
    one.process->stop();
    BenchRow round;
    set_statistics(round, times);
    one.row.round_least.push_back(round.least);
    one.times.insert(one.times.end(), times.begin(), times.end());
  }

  void finish(Runner& one) const {
    if (!one.process) return;
    set_statistics(one.row, std::move(one.times));
    one.row.resident = one.process->most_resident();
    if (energy_.is_known() && one.seconds > 0) one.row.watts = one.joules / one.seconds;
    one.process.reset();
  }

  void compare(Runner& one, const Runner& ours) const {
    if (!setting_.compare || !one.row.failure.empty()) return;
    std::vector<double> ratios;
    for (size_t i = 0; i < one.row.round_least.size(); ++i)
      ratios.push_back(one.row.round_least[i] / ours.row.round_least[i]);
    BenchRow rounds;
    set_statistics(rounds, std::move(ratios));
    one.row.ratio = rounds.p50;
    if (&one == &ours) return;
    try {
      one.row.differs = difference_of_results(setting_, folder(), one.row.mode);
    } catch (const Error& e) {
      one.row.differs = cat("cannot be compared: ", e.what());
    }
  }

  const BenchSetting& setting_;
  bool is_compiled_;  // the model's file is of `vitro compile`
  std::unique_ptr<TemporaryFolder> scratch_;
  Energy energy_;
  std::map<std::string, std::pair<double, std::string>> converted_;  // time or reason, by peer
  std::vector<BenchRow> rows_;
};

int bench(const BenchSetting& setting) {
  VITRO_CHECK(setting.seconds >= 0 && setting.seconds <= 3600, "--seconds: needs 0 to 3600, got ",
              setting.seconds);
  VITRO_CHECK(setting.rounds >= 1 && setting.rounds <= 1000, "--rounds: needs 1 to 1000, got ",
              setting.rounds);
  VITRO_CHECK(setting.limit > 0, "--limit: needs seconds above 0, got ", setting.limit);
  const WatchSignals watched;
  const std::vector<BenchRow> rows = Bench(setting).run();
  if (!setting.svg.empty()) draw_bench(setting, rows);
  if (setting.json) {
    print_bench_json(setting, rows);
  } else {
    print_bench_table(setting, rows);
  }
  return 0;
}

int run(const BenchSetting& setting) {
  try {
    return or_report("bench", [&] { return bench(setting); });
  } catch (const Interrupted& by) {
    return of_signal + by.signal;
  }
}

void declare_comparison(CLI::App& app, const std::shared_ptr<BenchSetting>& setting) {
  CLI::Option* compare = app.add_flag(
      "--compare", setting->compare,
      "also measure PyTorch, Inductor, ONNX Runtime and OpenVINO, as far as Python has them");
  app.add_option("--peers", setting->peers, "with --compare: only these")
      ->delimiter(',')
      ->check(CLI::IsMember(peer_names()))
      ->needs(compare);
  app.add_option("--python", setting->python, "with --compare: the Python that has the peers")
      ->capture_default_str()
      ->needs(compare);
  app.add_option("--limit", setting->limit,
                 "seconds that a contender may take to convert, to load and call first, or for a "
                 "round")
      ->capture_default_str();
}

std::function<int()> declare(CLI::App& app) {
  auto setting = std::make_shared<BenchSetting>();
  app.add_option("file", setting->file, model_words)->required();
  app.add_option("--input", setting->inputs,
                 cat(input_words, "; inputs without one are the export's example, or random"));
  app.add_option("--model", setting->model, "one of the models in the file");
  app.add_option("--batch", setting->batches,
                 "batch sizes: of the first input's first size, which must be dynamic")
      ->delimiter(',');
  app.add_option("--threads", setting->threads, "numbers of threads; without it the usual one")
      ->check(CLI::PositiveNumber)
      ->delimiter(',');
  app.add_option("--seconds", setting->seconds, "how long each row is measured, in all rounds")
      ->capture_default_str();
  app.add_option("--rounds", setting->rounds, "rounds, in which all contenders take turns")
      ->capture_default_str();
  declare_comparison(app, setting);
  app.add_flag("--asynchronous", setting->asynchronous,
               "compile on another thread, so that the first call runs op by op meanwhile");
  app.add_flag("--json", setting->json, "as JSON, times in ns");
  app.add_option("--svg", setting->svg, "also write a picture of the latencies");
  app.footer(
      "Each row is measured in a process of its own, which is stopped during the turns of others. "
      "The first call of a compiled model compiles it, or loads its kernels from the cache; with "
      "--compare, \"First result\" is loading and the first call with empty caches, from imported "
      "libraries, \"Again\" the same with what the first start has left in them. \"Resident\" is "
      "the most memory that the process had; \"Power\", shown where the kernel lets it be read, "
      "that of the machine's processors. A peer that is not installed or refuses the model has a "
      "row with the reason.");
  return [setting] { return run(*setting); };
}

const AddCommand bench_command("bench", "Measure latency and throughput of a model (.pt2)",
                               declare);

}  // namespace

const std::vector<std::string>& peer_names() {
  static const auto* names =
      new std::vector<std::string>{"torch", "inductor", "onnxruntime", "openvino"};
  return *names;
}

}  // namespace vitro::cli
