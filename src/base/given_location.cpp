#include "base/given_location.h"

#include <bit>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include "vitro/base/cat.h"

namespace vitro {
namespace {

// What a std::source_location of libstdc++ points to; GCC and Clang fill it in by these members.
struct Record {
  const char* file;
  const char* function;
  unsigned line, column;
};
static_assert(sizeof(std::source_location) == sizeof(const Record*));
static_assert(std::is_trivially_copyable_v<std::source_location>);

struct Places {
  std::mutex lock;
  std::set<std::string, std::less<>> texts;
  std::map<std::tuple<const char*, const char*, unsigned>, Record> records;

  const char* kept(std::string_view text) {
    const auto found = texts.find(text);
    return (found != texts.end() ? found : texts.emplace(text).first)->c_str();
  }
};

Places& places() {
  static auto* one = new Places;
  return *one;
}

}  // namespace

std::source_location given_location(std::string_view file, uint32_t line,
                                    std::string_view function) {
  Places& all = places();
  const std::lock_guard hold(all.lock);
  const char* const name = all.kept(file);
  // As a signature, of which base/function_name.h gives the name again.
  const char* const signature = all.kept(function.empty() ? "" : cat(function, "()"));
  const Record record{name, signature, line, 0};
  const auto made = all.records.try_emplace({name, signature, line}, record).first;
  return std::bit_cast<std::source_location>(&std::as_const(made->second));
}

}  // namespace vitro
