// The thread that runs tasks: it is started by the first one, and never ends by itself.  At the end
// of the process end() waits for the task that runs, before anything that it uses is destroyed.
#include "base/background.h"

#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "base/signals_blocked.h"

namespace vitro::background {
namespace {

thread_local bool is_worker = false;

class Worker {
 public:
  Worker() {
    // A forked process has no such thread, and its lock may be held.
    pthread_atfork(nullptr, nullptr, [] { is_forked = true; });
  }

  bool run(std::function<void()> task) {
    if (is_forked) return false;
    std::unique_lock hold(lock_);
    if (is_ended_ || !start()) return false;
    tasks_.push_back(std::move(task));
    changed_.notify_all();
    return true;
  }

  bool is_elsewhere() const { return !is_worker && !is_forked; }

  void end() {
    if (is_forked) return;
    std::unique_lock hold(lock_);
    is_ended_ = true;
    tasks_.clear();
    if (!is_worker) changed_.wait(hold, [&] { return !is_busy_; });
  }

 private:
  bool start() {
    if (is_started_) return true;
    const SignalsBlocked outside;
    try {
      std::thread([this] { work(); }).detach();
      is_started_ = true;
    } catch (const std::system_error&) {
    }
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

  static inline std::atomic<bool> is_forked = false;
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

// exit() destroys what is local to its thread before everything static, which the task may use. The
// main thread has one from the time when the library is loaded.
struct EndsFirst {
  ~EndsFirst() {
    if (gettid() == getpid()) worker().end();
  }
};
thread_local EndsFirst ends_first;
const void* const of_loading_thread = &ends_first;

}  // namespace

bool run(std::function<void()> task) {
  return worker().run(std::move(task));
}

bool runs_elsewhere() {
  return worker().is_elsewhere();
}

void end_before_what_is_loaded() {
  std::atexit([] { worker().end(); });
}

}  // namespace vitro::background
