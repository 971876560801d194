// The data loader: an epoch hands out its batches in order, which the thread that asks for them
// makes, or workers ahead of it.
#include "vitro/datasets/loader.h"

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <map>
#include <mutex>
#include <numeric>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "vitro/base/error.h"
#include "vitro/events/name.h"
#include "vitro/events/record.h"

namespace vitro::data {

class DataLoader::Epoch {
 public:
  Epoch(const DataLoader& loader, Position from)
      : loader_(loader),
        epoch_(from.epoch),
        order_(loader.order(from.epoch)),
        count_(loader.batches_of(order_.size())),
        claimed_(from.batch),
        wanted_(from.batch) {
    const LoaderOptions& options = loader.options_;
    ahead_ = int64_t{options.num_workers} * options.prefetch_factor;
    const int64_t useful = std::min<int64_t>(options.num_workers, count_ - from.batch);
    try {
      for (int64_t i = 0; i < useful; ++i) workers_.emplace_back([this, i] { work(i); });
    } catch (const std::system_error&) {  // no more threads: go on with those that started
    }
  }
  Epoch(const Epoch&) = delete;
  ~Epoch() {
    {
      std::lock_guard hold(lock_);
      stops_ = true;
    }
    changed_.notify_all();
    for (std::thread& worker : workers_) worker.join();
  }

  struct Made {
    Sample batch;
    std::exception_ptr error;
  };
  // nullopt at the end.
  std::optional<Made> next() {
    if (wanted_ >= count_) return std::nullopt;
    if (workers_.empty()) return make(wanted_++);
    std::unique_lock hold(lock_);
    changed_.wait(hold, [&] { return made_.contains(wanted_); });
    Made made = std::move(made_.extract(wanted_++).mapped());
    changed_.notify_all();
    return made;
  }

 private:
  void work(int64_t number) {
    events::name_this_thread("DataLoader worker " + std::to_string(number));
    std::unique_lock hold(lock_);
    for (;;) {
      changed_.wait(hold,
                    [&] { return stops_ || claimed_ >= count_ || claimed_ < wanted_ + ahead_; });
      if (stops_ || claimed_ >= count_) return;
      const int64_t batch = claimed_++;
      hold.unlock();
      Made made = make(batch);
      hold.lock();
      made_.emplace(batch, std::move(made));
      changed_.notify_all();
    }
  }

  Made make(int64_t batch) const {
    static const events::NameId name = events::intern("DataLoader batch");
    const events::RangeScope seen(events::RangeBegin{name});
    const auto size = static_cast<size_t>(loader_.options_.batch_size);
    const size_t begin = static_cast<size_t>(batch) * size;
    const auto indices = std::span(order_).subspan(begin, std::min(size, order_.size() - begin));
    Made made;
    try {
      made.batch = loader_.batch(batch, indices, epoch_);
    } catch (const std::exception& e) {
      made.error = std::make_exception_ptr(Error(cat("DataLoader: batch ", batch, " of epoch ",
                                                     epoch_, ": ", std::string_view(e.what()))));
    } catch (...) {
      made.error = std::current_exception();
    }
    return made;
  }

  const DataLoader& loader_;
  const int64_t epoch_;
  const std::vector<int64_t> order_;
  const int64_t count_;
  int64_t ahead_ = 0;
  std::mutex lock_;
  std::condition_variable changed_;
  int64_t claimed_;  // the next batch that a worker makes
  int64_t wanted_;   // the next one that the program is given
  std::map<int64_t, Made> made_;
  bool stops_ = false;
  std::vector<std::thread> workers_;
};

DataLoader::DataLoader(const Dataset& dataset, LoaderOptions options)
    : dataset_(dataset), options_(std::move(options)) {
  VITRO_CHECK(options_.batch_size > 0, "DataLoader: got batch_size ", options_.batch_size,
              ", needs 1 or more");
  VITRO_CHECK(options_.num_workers >= 0, "DataLoader: got num_workers ", options_.num_workers,
              ", needs 0 or more");
  VITRO_CHECK(options_.prefetch_factor > 0, "DataLoader: got prefetch_factor ",
              options_.prefetch_factor, ", needs 1 or more");
  VITRO_CHECK(!options_.sampler || !options_.shuffle,
              "DataLoader: got a sampler and shuffle; the sampler decides the order");
  VITRO_CHECK(!options_.shuffle || dataset.size() > 0,
              "DataLoader: got shuffle for a dataset without samples");
}

DataLoader::~DataLoader() = default;

std::vector<int64_t> DataLoader::order(int64_t epoch) const {
  if (options_.sampler) return options_.sampler(epoch);
  if (options_.shuffle) return permutation(dataset_.size(), {options_.seed, epoch});
  std::vector<int64_t> order(static_cast<size_t>(dataset_.size()));
  std::iota(order.begin(), order.end(), 0);
  return order;
}

int64_t DataLoader::batches_of(size_t samples) const {
  const auto count = static_cast<int64_t>(samples);
  return count / options_.batch_size +
         (!options_.drop_last && count % options_.batch_size != 0 ? 1 : 0);
}

int64_t DataLoader::size() const {
  if (!options_.sampler) return batches_of(static_cast<size_t>(dataset_.size()));
  return batches_of(order(position_.epoch).size());
}

Sample DataLoader::batch(int64_t number, std::span<const int64_t> indices, int64_t epoch) const {
  const Draws draws{options_.seed, epoch};
  Sample out = collated(indices, draws);
  if (!options_.batch_transform) return out;
  Random random = draws.of(-2 - number);  // no sample has that index, and -1 is of the order
  return options_.batch_transform(std::move(out), random);
}

Sample DataLoader::collated(std::span<const int64_t> indices, const Draws& draws) const {
  if (!options_.collate_fn) return dataset_.get_batch(indices, draws);
  std::vector<Sample> samples;
  for (const int64_t index : indices) {
    Random random = draws.of(index);
    samples.push_back(dataset_.get(index, random));
  }
  return options_.collate_fn(std::move(samples));
}

DataLoader::Iterator DataLoader::begin() {
  epoch_.reset();
  if (!resumes_ && position_.batch > 0) position_ = {position_.epoch + 1, 0};
  resumes_ = false;
  epoch_ = std::make_unique<Epoch>(*this, position_);
  next();
  return Iterator(*this);
}

void DataLoader::seek(Position position) {
  VITRO_CHECK(position.epoch >= 0 && position.batch >= 0, "DataLoader: got epoch ", position.epoch,
              " and batch ", position.batch, ", needs 0 or more");
  epoch_.reset();
  position_ = position;
  resumes_ = true;
}

void DataLoader::next() {
  static const events::NameId name = events::intern("enumerate(DataLoader)#next");
  const events::RangeScope seen(events::RangeBegin{name});
  batch_.clear();
  if (std::optional<Epoch::Made> made = epoch_->next()) {
    ++position_.batch;
    if (made->error) std::rethrow_exception(made->error);
    batch_ = std::move(made->batch);
  } else {
    epoch_.reset();
    position_ = {position_.epoch + 1, 0};
  }
}

}  // namespace vitro::data
