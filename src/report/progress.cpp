#include "vitro/report/progress.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <utility>

#include "vitro/base/cat.h"
#include "vitro/report/units.h"

namespace vitro::report {
namespace {

constexpr uint64_t quiet_ms = 1000, between_ms = 100;
constexpr uint64_t bar_width = 24;

uint64_t now_in_ms() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::milliseconds>(now).count());
}

}  // namespace

Progress::Progress(std::string job, uint64_t total)
    : job_(std::move(job)),
      total_(total),
      begin_ms_(now_in_ms()),
      step_ms_(begin_ms_),
      next_ms_(begin_ms_ + quiet_ms),
      terminal_(isatty(STDERR_FILENO) == 1) {}

Progress::~Progress() {
  if (drawn_) std::fputs("\r\033[K", stderr);
}

void Progress::step(std::string job, uint64_t total) {
  job_ = std::move(job);
  total_ = total;
  step_ms_ = now_in_ms();
  if (drawn_) next_ms_ = 0;
  at(0);
}

void Progress::at(uint64_t done, std::string_view note) {
  done_ = done;
  if (!terminal_) return;
  const uint64_t now = now_in_ms();
  if (now < next_ms_) return;
  note_ = note;
  draw(now);
}

void Progress::draw(uint64_t now_ms) {
  next_ms_ = now_ms + between_ms;
  drawn_ = true;
  const auto seconds = static_cast<double>(now_ms - begin_ms_) / 1000;
  if (total_ == 0) {
    std::fprintf(stderr, "\r%s… %.0f s\033[K", job_.c_str(), seconds);
    return;
  }
  const uint64_t filled = bar_width * std::min(done_, total_) / total_;
  const std::string bar = std::string(filled, '#') + std::string(bar_width - filled, '.');
  const std::string share = percent_text(static_cast<double>(done_), static_cast<double>(total_));
  std::string more;
  if (done_ > 0 && done_ < total_) {
    const double rate = static_cast<double>(now_ms - step_ms_) / 1000 / static_cast<double>(done_);
    more = cat(", ", std::lround(rate * static_cast<double>(total_ - done_)), " s left");
  }
  if (!note_.empty()) more += ", " + note_;
  std::fprintf(stderr, "\r%s [%s] %s, %.0f s%s\033[K", job_.c_str(), bar.c_str(), share.c_str(),
               seconds, more.c_str());
}

}  // namespace vitro::report
