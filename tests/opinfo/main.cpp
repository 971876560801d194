// Command line of the checker of PyTorch's samples, for tools/check_ops; see `usage`.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <string>

#include "opinfo/check_call.h"
#include "opinfo/in_children.h"

namespace vitro::test {
namespace {

constexpr const char* usage =
    "usage: %s PREFIX [--jobs PROCESSES] [--eager] [--gradients]\n"
    "Checks the samples that tools/make_opinfo_samples.py has written, and prints for each\n"
    "  ENTRY <tab> NUMBER <tab> passed | skipped | failed <tab> WHY\n"
    "--eager: not compiled.  --gradients: the samples are of gradients.\n";

constexpr const char* names[] = {"passed", "skipped", "failed"};

// A finding as text, for the pipe between processes.
std::string text_of(const Finding& finding) {
  return std::to_string(static_cast<int>(finding.kind)) + finding.why;
}
Finding finding_of(const std::string& text) {
  return {static_cast<Finding::Kind>(text.at(0) - '0'), text.substr(1)};
}

struct Options {
  std::string prefix;
  int jobs = 2;
  bool compiled = true, gradients = false;
};

std::vector<Finding> check_calls(const std::vector<OpSample>& calls, const Options& options) {
  const auto check = [&](size_t i) {
    const auto& checked = options.gradients ? check_gradients : check_call;
    return text_of(checked(calls[i], options.compiled));
  };
  const auto lost = [](const std::string& how) { return text_of({Finding::Kind::failed, how}); };
  const std::vector<std::string> texts = in_children(calls.size(), options.jobs, check, lost);
  std::vector<Finding> out;
  for (size_t i = 0; i < texts.size(); ++i) {
    out.push_back(finding_of(texts[i]));
    if (out[i].kind == Finding::Kind::failed && !out[i].why.starts_with(calls[i].where))
      out[i].why = calls[i].where + ": " + out[i].why;
  }
  return out;
}

// Of a sample: the worst finding of its calls, the first if there are several.
Finding finding_of(const nlohmann::json& sample, const std::vector<Finding>& calls) {
  if (sample.contains("skip")) return {Finding::Kind::skipped, sample["skip"]};
  Finding worst;
  for (const size_t call : sample.at("calls")) {
    if (calls.at(call).kind > worst.kind) worst = calls[call];
  }
  return worst;
}

void print(const nlohmann::json& sample, Finding finding) {
  std::ranges::replace(finding.why, '\n', ' ');
  std::ranges::replace(finding.why, '\t', ' ');
  std::printf("%s\t%s\t%s\t%s\n", sample.at("entry").get<std::string>().c_str(),
              sample.at("number").get<std::string>().c_str(), names[static_cast<int>(finding.kind)],
              finding.why.c_str());
}

int run(const Options& options) {
  const OpSamples calls = OpSamples::read_files(options.prefix);
  std::ifstream lines(options.prefix + ".samples.jsonl");
  if (!lines) throw std::runtime_error("cannot open " + options.prefix + ".samples.jsonl");
  const std::vector<Finding> findings = check_calls(calls.samples(), options);
  for (std::string line; std::getline(lines, line);) {
    const auto sample = nlohmann::json::parse(line);
    print(sample, finding_of(sample, findings));
  }
  return 0;
}

}  // namespace
}  // namespace vitro::test

int main(int argc, char** argv) {
  vitro::test::Options options;
  bool understood = true;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--eager") {
      options.compiled = false;
    } else if (word == "--gradients") {
      options.gradients = true;
    } else if (word == "--jobs" && i + 1 < argc) {
      options.jobs = std::max(1, std::atoi(argv[++i]));
    } else if (options.prefix.empty() && !word.starts_with("-")) {
      options.prefix = word;
    } else {
      understood = false;
    }
  }
  if (!understood || options.prefix.empty()) {
    std::fprintf(stderr, vitro::test::usage, argv[0]);
    return 2;
  }
  setenv("VITRO_LOGS", "-capture", 0);  // fallbacks are findings
  setenv("VITRO_NUM_THREADS", "1", 0);  // the processes share the machine
  try {
    return vitro::test::run(options);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}
