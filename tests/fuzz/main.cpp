// Compares random programs eager and compiled.
//
// usage: vitro_fuzz [--count N] [--seed S] [--backend NAME] [--seconds T] [--show yes]
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "program.h"

namespace vitro::fuzz {
namespace {

struct Arguments {
  uint64_t count = 2000, seed = 1;
  std::string backend = "inductor";
  double seconds = 1e9;
  bool show = false;  // prints each program before it runs
};

bool read(int argc, char** argv, Arguments& out) {
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string word = argv[i];
    if (word == "--count") {
      out.count = std::strtoull(argv[i + 1], nullptr, 10);
    } else if (word == "--seed") {
      out.seed = std::strtoull(argv[i + 1], nullptr, 10);
    } else if (word == "--backend") {
      out.backend = argv[i + 1];
    } else if (word == "--show") {
      out.show = argv[i + 1] == std::string("yes");
    } else if (word == "--seconds") {
      out.seconds = std::atof(argv[i + 1]);
    } else {
      return false;
    }
  }
  return argc % 2 == 1;
}

// The seed that runs: a crash names it.
char running[64];
void note_running(uint64_t seed) {
  std::snprintf(running, sizeof running, "crashed in seed %llu\n",
                static_cast<unsigned long long>(seed));
}
void on_crash(int signal) {
  (void)!write(STDOUT_FILENO, running, std::strlen(running));
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

int report(const Program& program, const std::string& backend, const std::string& why) {
  std::printf("seed %llu: %s\n", static_cast<unsigned long long>(program.seed), why.c_str());
  const Program small = shrink(program, backend);
  std::printf("shrunk to %zu steps: %s\n%s", small.steps.size(), compare(small, backend).c_str(),
              print(small).c_str());
  return 1;
}

int run_all(const Arguments& arguments) {
  std::printf("%llu random programs from seed %llu, backend %s\n",
              static_cast<unsigned long long>(arguments.count),
              static_cast<unsigned long long>(arguments.seed), arguments.backend.c_str());
  const auto start = std::chrono::steady_clock::now();
  uint64_t done = 0, steps = 0;
  for (; done < arguments.count; ++done) {
    if (std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() >
        arguments.seconds)
      break;
    note_running(arguments.seed + done);
    const Program program = generate(arguments.seed + done);
    steps += program.steps.size();
    if (arguments.show) {
      std::printf("%s", print(program).c_str());
      std::fflush(stdout);
    }
    if (const std::string why = compare(program, arguments.backend); !why.empty()) {
      return report(program, arguments.backend, why);
    }
  }
  std::printf("%llu programs, %llu steps: eager and compiled agree\n",
              static_cast<unsigned long long>(done), static_cast<unsigned long long>(steps));
  return 0;
}

}  // namespace
}  // namespace vitro::fuzz

int main(int argc, char** argv) {
  vitro::fuzz::Arguments arguments;
  if (!vitro::fuzz::read(argc, argv, arguments)) {
    std::fprintf(stderr,
                 "usage: %s [--count N] [--seed S] [--backend NAME] [--seconds T] [--show yes]\n",
                 argv[0]);
    return 2;
  }
  for (const int signal : {SIGSEGV, SIGABRT, SIGFPE, SIGBUS}) {
    std::signal(signal, &vitro::fuzz::on_crash);
  }
  return vitro::fuzz::run_all(arguments);
}
