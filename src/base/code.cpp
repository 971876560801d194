#include "vitro/base/code.h"

#include <algorithm>
#include <mutex>

#include "vitro/base/error.h"

namespace vitro {
namespace {

struct Registry {
  std::mutex lock;
  std::vector<const Code*> codes;
};

Registry& registry() {
  static auto* one = new Registry;
  return *one;
}

}  // namespace

Code::Code(std::string_view id_, std::string_view title_, std::string_view meaning_,
           std::string_view example_, std::string_view advice_)
    : id(id_), title(title_), meaning(meaning_), example(example_), advice(advice_) {
  Registry& all = registry();
  std::lock_guard hold(all.lock);
  for (const Code* other : all.codes)
    VITRO_ASSERT(other->id != id, "code ", id, " is declared twice");
  all.codes.push_back(this);
}

std::vector<const Code*> all_codes() {
  Registry& all = registry();
  std::lock_guard hold(all.lock);
  std::vector<const Code*> sorted = all.codes;
  std::sort(sorted.begin(), sorted.end(),
            [](const Code* a, const Code* b) { return a->id < b->id; });
  return sorted;
}

}  // namespace vitro
