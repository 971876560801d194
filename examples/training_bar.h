// A progress bar for training on a terminal, with the loss, the samples per second, and the time
// that is left.  Shared by lessons 10 and 11.
#pragma once

#include <vitro/base/cat.h>
#include <vitro/report/progress.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <utility>

class TrainingBar {
 public:
  // `unit` is what the samples are called: "images".
  TrainingBar(int64_t steps, std::string unit)
      : bar_("training", static_cast<uint64_t>(steps)), unit_(std::move(unit)) {}

  void step(float loss, int64_t samples) {
    samples_ += static_cast<double>(samples);
    bar_.at(++steps_, vitro::cat("loss ", loss, ", ", rate(), ' ', unit_, "/s"));
  }
  int64_t rate() const {  // samples per second
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin_;
    return static_cast<int64_t>(samples_ / time.count());
  }

 private:
  vitro::report::Progress bar_;
  std::string unit_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  double samples_ = 0;
  uint64_t steps_ = 0;
};
