// Counts what the calls of each region move, and keeps a compiled function for each form of its
// tensors.
#include "compile/regions.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <unordered_map>

#include "capture/names.h"
#include "vitro/base/cat.h"
#include "vitro/base/error.h"
#include "vitro/base/hash.h"
#include "vitro/base/option.h"
#include "vitro/base/small_vector.h"
#include "vitro/capture/function.h"

namespace vitro::pipeline {

Option<int64_t> region_kb{
    "VITRO_REGION_KB", 32 << 10,
    "KiB that eager calls of a function written with ops move before it is compiled; a call counts "
    "as 1024 at least; -1: never",
    -1};

namespace {

constexpr int64_t least_kb = 1024;  // of a call, whose time is mostly that of its ops' calls

using Words = SmallVector<uint64_t, 16>;

// What code is specialized for: the dtype, the sizes that are 1, and the order of the strides.
void add_form(const Tensor* t, Words& words) {
  if (!t->defined()) return words.push_back(0);
  const TensorImpl& impl = *t->impl();
  const size_t rank = impl.sizes.size();
  words.push_back(static_cast<uint64_t>(impl.dtype) << 8 | rank << 1 | 1);
  for (size_t d = 0; d < rank; ++d) {
    uint64_t smaller = 0;  // strides of other dimensions
    for (size_t e = 0; e < rank; ++e) smaller += impl.strides[e] < impl.strides[d] ? 1 : 0;
    words.push_back(smaller << 2 | (impl.strides[d] == 0 ? 2U : 0U) |
                    (impl.sizes[d] == 1 ? 1U : 0U));
  }
}

int64_t kb_of(const Tensor* t) {
  if (!t->defined()) return 0;
  int64_t count = bytes_of(t->impl()->dtype);
  for (const int64_t size : t->impl()->sizes) count *= size;
  return count >> 10;
}

// Grows with every write to the inputs.
uint64_t writes_to(std::span<const Tensor* const> inputs) {
  uint64_t count = 0;
  for (const Tensor* t : inputs) count += t->defined() && t->storage() ? t->storage().version() : 0;
  return count;
}

class Region {
 public:
  // Null until the calls have moved enough.
  const capture::Function* function(std::string_view name, int64_t kb) {
    const int64_t least = region_kb.get();
    if (least < 0 || kb_.fetch_add(kb, std::memory_order_relaxed) + kb < least) return nullptr;
    std::call_once(once_, [&] {
      function_.emplace(CompileOptions{.name = cat(capture::eager_prefix, name), .exact = true});
    });
    return &*function_;
  }

 private:
  std::atomic<int64_t> kb_ = 0;
  std::once_flag once_;
  std::optional<capture::Function> function_;
};

struct KeyView {
  std::string_view name;
  std::span<const uint64_t> words;
};
struct Key {
  std::string_view name;
  std::vector<uint64_t> words;
  operator KeyView() const { return {name, words}; }  // NOLINT(google-explicit-constructor)
};
struct HashKey {
  using is_transparent = void;
  size_t operator()(const KeyView& key) const {
    Hasher h;
    h.add(key.name);
    for (const uint64_t word : key.words) h.add(static_cast<int64_t>(word));
    return h.finish().low;
  }
};
struct EqualKey {
  using is_transparent = void;
  bool operator()(const KeyView& a, const KeyView& b) const {
    return a.name == b.name && std::ranges::equal(a.words, b.words);
  }
};

// Kept until the process ends.
class Regions {
 public:
  Region& find_or_make(const KeyView& key) {
    {
      const std::shared_lock hold(lock_);
      if (const auto found = all_.find(key); found != all_.end()) return *found->second;
    }
    const std::unique_lock hold(lock_);
    Key kept{key.name, {key.words.begin(), key.words.end()}};
    return *all_.try_emplace(std::move(kept), std::make_unique<Region>()).first->second;
  }

 private:
  std::shared_mutex lock_;
  std::unordered_map<Key, std::unique_ptr<Region>, HashKey, EqualKey> all_;
};

}  // namespace

void run_in_region(std::string_view name, std::span<const Tensor* const> inputs,
                   FunctionRef<void()> body) {
  static Regions& regions = *new Regions;
  Words words;
  SmallVector<const Tensor*, 8> tensors;
  int64_t kb = least_kb;
  for (const Tensor* given : inputs) {
    const Tensor* t = given->defined() && given->is_complex() ? &given->pairs() : given;
    if (t->defined() && t->device() != cpu) return body();
    add_form(t, words);
    kb += kb_of(t);
    tensors.push_back(t);
  }
  const KeyView key{name, {words.data(), words.size()}};
  const capture::Function* function = regions.find_or_make(key).function(name, kb);
  if (!function) return body();
  const std::span<const Tensor* const> all(tensors.data(), tensors.size());
  const uint64_t before = writes_to(all);
  try {
    function->run(all, body, false);
  } catch (const Error&) {
    if (writes_to(all) != before) throw;  // twice would be wrong
    body();  // fails as well, with the words and the place of this call
  }
}

}  // namespace vitro::pipeline
