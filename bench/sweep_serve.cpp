// Measures one contender on one program for a few milliseconds per request of bench/sweep, so that
// rounds of contenders in several processes interleave.
//   {"list": true}                    -> names, sizes, shapes of inputs
//   {"load": "add_t", "size": 512}    -> eager's result; whether compiled is bit-identical
//   {"measure": "compiled", "ms": 5}  -> times of a call in microseconds, measured for 5 ms
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "sweep.h"
#include "vitro/base/error.h"
#include "vitro/compile/compile.h"
#include "vitro/ops/all.h"

namespace vitro::bench {
namespace {

using Clock = std::chrono::steady_clock;
using Json = nlohmann::ordered_json;
using Run = std::function<Tensor(In)>;

struct Input {
  std::vector<int64_t> sizes;
  std::string kind = "f32";
};

// Evaluates "n*n/64" for the given n.
int64_t size_of(const std::string& text, int64_t n) {
  int64_t out = 1;
  bool divides = false;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find_first_of("*/", at), text.size());
    const std::string word = text.substr(at, end - at);
    const int64_t value = word == "n" ? n : std::stoll(word);
    out = divides ? std::max<int64_t>(1, out / value) : out * value;
    divides = end < text.size() && text[end] == '/';
    at = end + 1;
  }
  return out;
}

Input input_of(std::string word, int64_t n) {
  Input out;
  if (const size_t colon = word.find(':'); colon != std::string::npos) {
    out.kind = word.substr(colon + 1);
    word.resize(colon);
  }
  for (size_t at = 0; at <= word.size();) {
    const size_t end = std::min(word.find('x', at), word.size());
    out.sizes.push_back(size_of(word.substr(at, end - at), n));
    at = end + 1;
  }
  return out;
}

std::vector<Input> inputs_of(const SweepProgram& program, int64_t n) {
  std::vector<Input> out;
  const std::string all(program.inputs);
  for (size_t at = 0; at <= all.size();) {
    const size_t end = std::min(all.find(' ', at), all.size());
    const std::string word = all.substr(at, end - at);
    const size_t many = word.find('@');  // "n@500": 500 inputs
    const int64_t count = many == std::string::npos ? 1 : std::stoll(word.substr(many + 1));
    out.insert(out.end(), static_cast<size_t>(count), input_of(word.substr(0, many), n));
    at = end + 1;
  }
  return out;
}

// Elements as in bench/peers/sweep.py: a function of the index of the element.
Tensor make(const Input& input, int64_t which, int64_t n) {
  int64_t count = 1;
  for (const int64_t size : input.sizes) count *= size;
  const bool byte = input.kind == "u8", whole = byte || input.kind == "i64";
  Tensor flat = Tensor::empty(input.sizes, whole ? DType::i64 : DType::f32);
  for (int64_t i = 0; i < count; ++i) {
    if (whole) {
      flat.data<int64_t>()[i] = (i * 7919 + which) % (byte ? 256 : n);
    } else {
      const auto value = static_cast<float>((i * 7919 + which * 104729) % 2003) / 1001.5F - 1.0F;
      flat.data<float>()[i] = input.kind == "positive" ? value + 1.25F : value;
    }
  }
  if (byte) return to(flat, DType::u8);
  if (input.kind == "bool") return flat > 0;
  if (input.kind == "bf16") return to(flat, DType::bf16);
  if (input.kind == "f64") return to(flat, DType::f64);
  return flat;
}

double microseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}

// Involuntary context switches of the threads of this process.
int64_t interruptions() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_nivcsw;
}

bool same_bits(const Tensor& a, const Tensor& b) {
  if (!(a.dtype() == b.dtype() && a.sizes() == b.sizes() && a.strides() == b.strides())) {
    return false;
  }
  const Tensor x = contiguous(a), y = contiguous(b);
  const int64_t bytes = x.numel().value() * bytes_of(x.dtype());
  return std::memcmp(x.const_data(), y.const_data(), static_cast<size_t>(bytes)) == 0;
}

// The loaded program, prepared for each contender.
class Loaded {
 public:
  Loaded(const SweepProgram& program, int64_t n) {
    const std::vector<Input> inputs = inputs_of(program, n);
    for (size_t i = 0; i < inputs.size(); ++i) {
      inputs_.push_back(make(inputs[i], static_cast<int64_t>(i), n));
    }
    runs_["eager"] = program.run;
    fast_ = std::make_unique<Compiled<Run>>(compile(Run(program.run)));
    runs_["compiled"] = [this](In in) { return (*fast_)(in); };
  }

  Json check() {
    const Tensor eager = runs_["eager"](inputs_);
    const bool same = same_bits(eager, runs_["compiled"](inputs_));
    const auto count = static_cast<size_t>(eager.numel().value());
    Json sizes = Json::array();
    for (const Size size : eager.sizes()) sizes.push_back(size.value());
    const Tensor wide = to(flatten(eager), DType::f64);
    Json some = Json::array();
    for (size_t i = 0; i < 8; ++i) some.push_back(wide.const_data<double>()[i * (count - 1) / 7]);
    int kernels = 0;
    for (const SegmentReport& segment : fast_->report().segments) kernels += segment.kernels;
    return {{"sizes", sizes}, {"some", some}, {"same_bits", same}, {"kernels", kernels}};
  }

  Json measure(const std::string& who, double ms) {
    const Run& run = runs_.at(who);
    const auto call = [&] { (void)run(inputs_).const_data(); };
    for (int i = 0; i < 2; ++i) call();
    const auto first = Clock::now();
    call();
    const double once = std::max(microseconds_since(first), 0.05);
    const int each = std::max(1, static_cast<int>(20 / once));  // calls per sample of 20 us
    std::vector<double> times;
    const int64_t before = interruptions();
    for (const auto begin = Clock::now();
         times.size() < 2 || microseconds_since(begin) < 1000 * ms;) {
      const auto start = Clock::now();
      for (int i = 0; i < each; ++i) call();
      times.push_back(microseconds_since(start) / each);
    }
    std::sort(times.begin(), times.end());
    return {{"least", times[0]},
            {"median", times[times.size() / 2]},
            {"samples", times.size()},
            {"interrupted", interruptions() - before}};
  }

 private:
  std::vector<Tensor> inputs_;
  std::unique_ptr<Compiled<Run>> fast_;
  std::map<std::string, Run> runs_;
};

Json list() {
  Json out = Json::array();
  for (const SweepProgram& program : sweep_programs()) {
    Json sizes = Json::array();
    for (const int64_t n : program.sizes) {
      Json inputs = Json::array();
      for (const Input& input : inputs_of(program, n)) {
        inputs.push_back({{"sizes", input.sizes}, {"kind", input.kind}});
      }
      sizes.push_back({{"size", n}, {"inputs", std::move(inputs)}});
    }
    out.push_back({{"name", program.name}, {"sizes", std::move(sizes)}});
  }
  return out;
}

Json answer(const Json& question, std::unique_ptr<Loaded>& loaded) {
  if (question.contains("list")) return list();
  if (question.contains("load")) {
    const auto& all = sweep_programs();
    const std::string name = question["load"];
    const auto program =
        std::find_if(all.begin(), all.end(), [&](const SweepProgram& p) { return p.name == name; });
    VITRO_CHECK(program != all.end(), "sweep: there is no program ", name);
    loaded = std::make_unique<Loaded>(*program, question["size"].get<int64_t>());
    return loaded->check();
  }
  VITRO_CHECK(loaded && question.contains("measure"), "sweep: load a program first, then measure");
  return loaded->measure(question["measure"], question["ms"]);
}

}  // namespace

SweepPrograms::SweepPrograms(std::initializer_list<SweepProgram> programs) {
  sweep_programs().insert(sweep_programs().end(), programs.begin(), programs.end());
}

std::vector<SweepProgram>& sweep_programs() {
  static auto* all = new std::vector<SweepProgram>;
  return *all;
}

int serve_sweep() {
  std::unique_ptr<Loaded> loaded;
  for (std::string line; std::getline(std::cin, line);) {
    Json out;
    try {
      out = answer(Json::parse(line), loaded);
    } catch (const std::exception& e) {
      out = {{"error", e.what()}};
    }
    std::cout << out.dump() << std::endl;
  }
  return 0;
}

}  // namespace vitro::bench
