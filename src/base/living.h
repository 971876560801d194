// Objects that others own, known as long as they live.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

namespace vitro {

// Threads: any.
template <typename T>
class Living {
 public:
  void add(const std::shared_ptr<T>& one) {
    const std::lock_guard hold(lock_);
    all_.push_back(one);
  }
  // In the order in which they were added.
  std::vector<std::shared_ptr<T>> all() {
    std::vector<std::shared_ptr<T>> out;
    const std::lock_guard hold(lock_);
    std::erase_if(all_, [](const auto& one) { return one.expired(); });
    for (const auto& known : all_)
      if (auto one = known.lock()) out.push_back(std::move(one));
    return out;
  }

 private:
  std::mutex lock_;
  std::vector<std::weak_ptr<T>> all_;
};

}  // namespace vitro
