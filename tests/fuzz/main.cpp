// Command line of the fuzzer: compares random programs eager and compiled; see `usage`.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "chunks.h"
#include "vitro/ops/all.h"
#include "vitro/ops/overload.h"

namespace vitro::fuzz {
namespace {

constexpr const char* usage =
    "usage: %s [--count N] [--seed S] [--backend NAME] [--jobs PROCESSES] [--seconds T]\n"
    "          [--log FILE] [--unwanted FALLBACK]... [--without SURROUNDING]... [--stats] "
    "[--show]\n"
    "With a log, the same command resumes an interrupted run.  A fallback whose code or reason\n"
    "contains FALLBACK counts as a difference.  --jobs 0 keeps all in one process.  --without "
    "leaves\n"
    "out a SURROUNDING: forms (argument structures), caches, parameters, twins, threads,\n"
    "interpreting, misbehaving (user backends), overlaps (views that overlap themselves), "
    "gradients.\n";

struct Arguments {
  Work work;
  bool stats = false;
};

bool read(int argc, char** argv, Arguments& out) {
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--stats") {
      out.stats = true;
      continue;
    }
    if (word == "--show") {
      out.work.show = true;
      continue;
    }
    if (i + 1 == argc) return false;
    const char* value = argv[++i];
    if (word == "--count") {
      out.work.count = std::strtoull(value, nullptr, 10);
    } else if (word == "--seed") {
      out.work.seed = std::strtoull(value, nullptr, 10);
    } else if (word == "--backend") {
      out.work.setup.backend = value;
    } else if (word == "--unwanted") {
      out.work.setup.unwanted.emplace_back(value);
    } else if (word == "--without" && surroundings().contains(value)) {
      out.work.without.insert(value);
    } else if (word == "--jobs") {
      out.work.jobs = std::atoi(value);
    } else if (word == "--seconds") {
      out.work.seconds = std::atof(value);
    } else if (word == "--log") {
      out.work.log = value;
    } else {
      return false;
    }
  }
  return true;
}

void print_counts(const Counts& counts, const std::string& what) {
  for (const auto& [key, times] : counts.all()) {
    if (key.first == what)
      std::printf("%10llu  %s\n", static_cast<unsigned long long>(times), key.second.c_str());
  }
}

void print_stats(const Counts& counts) {
  std::string last;
  for (const auto& [key, times] : counts.all()) {
    if (key.first == last) continue;
    last = key.first;
    if (last == "fallback") continue;
    std::printf("\n%s\n", last.c_str());
    print_counts(counts, last);
  }
  for (const OpDef* op : ops::all()) {
    if (counts.of("op", std::string(op->name)) == 0)
      std::printf("%10d  %.*s NEVER OCCURRED\n", 0, static_cast<int>(op->name.size()),
                  op->name.data());
  }
  for (const ops::Overload& one : ops::overloads()) {
    if (counts.of("call", one.schema.full_name()) == 0)
      std::printf("%10d  %s NEVER CALLED\n", 0, one.schema.full_name().c_str());
  }
}

void print_summary(const Tally& tally, double seconds) {
  const auto number = [](uint64_t n) { return static_cast<unsigned long long>(n); };
  const uint64_t eager = tally.counts.of("segment", "interpreted");
  std::printf("%llu programs, %llu steps, %.1f s: %llu differences\n", number(tally.programs),
              number(tally.steps), seconds, number(tally.differences));
  std::printf("%llu segments compiled, %llu run op by op\n",
              number(tally.counts.of("segment", "compiled")), number(eager));
  print_counts(tally.counts, "fallback");
}

}  // namespace
}  // namespace vitro::fuzz

int main(int argc, char** argv) {
  vitro::fuzz::Arguments arguments;
  if (!vitro::fuzz::read(argc, argv, arguments)) {
    std::fprintf(stderr, vitro::fuzz::usage, argv[0]);
    return 2;
  }
  setenv("VITRO_LOGS", "-capture", 0);  // fallbacks are counted, not logged
  std::printf("%llu random programs from seed %llu, backend %s\n",
              static_cast<unsigned long long>(arguments.work.count),
              static_cast<unsigned long long>(arguments.work.seed),
              arguments.work.setup.backend.c_str());
  const auto begin = std::chrono::steady_clock::now();
  const vitro::fuzz::Tally tally = vitro::fuzz::work_off(arguments.work);
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
  if (arguments.stats) vitro::fuzz::print_stats(tally.counts);
  vitro::fuzz::print_summary(tally, taken.count());
  return tally.differences == 0 ? 0 : 1;
}
