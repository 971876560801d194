#include "base/background.h"

#include <pthread.h>
#include <signal.h>

#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

namespace vitro::background {
namespace {

thread_local bool is_worker = false;

class Worker {
 public:
  bool run(std::function<void()> task) {
    std::unique_lock hold(lock_);
    if (is_ended_ || !start()) return false;
    tasks_.push_back(std::move(task));
    changed_.notify_all();
    return true;
  }

  void end() {
    std::unique_lock hold(lock_);
    is_ended_ = true;
    tasks_.clear();
    if (!is_worker) changed_.wait(hold, [&] { return !is_busy_; });
  }

 private:
  // Signals go to the threads of the program.
  bool start() {
    if (is_started_) return true;
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    try {
      std::thread([this] { work(); }).detach();
      is_started_ = true;
    } catch (const std::system_error&) {
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return is_started_;
  }

  void work() {
    is_worker = true;
    std::unique_lock hold(lock_);
    for (;;) {
      changed_.wait(hold, [&] { return !tasks_.empty(); });
      std::function<void()> task = std::move(tasks_.front());
      tasks_.pop_front();
      is_busy_ = true;
      hold.unlock();
      task();
      task = nullptr;
      hold.lock();
      is_busy_ = false;
      changed_.notify_all();
    }
  }

  std::mutex lock_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> tasks_;
  bool is_started_ = false, is_busy_ = false, is_ended_ = false;
};

// Never freed: its thread waits in it until the process ends.
Worker& worker() {
  static auto* const made = new Worker;
  return *made;
}

}  // namespace

bool run(std::function<void()> task) {
  return worker().run(std::move(task));
}

bool is_this_thread() {
  return is_worker;
}

void end_before_what_is_loaded() {
  std::atexit([] { worker().end(); });
}

}  // namespace vitro::background
