#include "backend/codegen/source.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "backend/codegen/kernel_text.h"
#include "backend/codegen/names.h"
#include "kernels/prelude.h"
#include "loop/structure.h"

namespace vitro::backend {
namespace {

constexpr std::string_view include_prelude = "#include \"vitro_prelude.h\"\n";

// What generated kernels and the host agree on: backend/launch.h is the other side.
constexpr std::string_view preamble = R"(
using namespace vitro::kernels;
struct ErrorSlot {
  i64 check, index, bound;
};
struct KernelArgs {
  void* const* buffers;
  const i64* sizes;
  const u64* numbers;
  ErrorSlot* error;
  i64 threads;
  const Product* products;
  char* scratch;
};
[[gnu::noinline, maybe_unused]] static void report(const KernelArgs* args, i64 check, i64 index, i64 bound) {
  i64 none = 0;
  if (!__atomic_compare_exchange_n(&args->error->check, &none, check + 1, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) return;
  args->error->index = index;
  args->error->bound = bound;
}
[[maybe_unused]] VITRO_INLINE i64 checked_index(const KernelArgs* args, i64 index, i64 bound, i64 check) {
  if (u64(index) < u64(bound)) [[likely]] return index;
  report(args, check, index, bound);
  return 0;
}
[[maybe_unused]] VITRO_INLINE i64 floordiv(i64 a, i64 b) { return a / b - (a % b != 0 && (a % b < 0) != (b < 0)); }
[[maybe_unused]] VITRO_INLINE i64 mod(i64 a, i64 b) { return a - floordiv(a, b) * b; }
[[maybe_unused]] VITRO_INLINE i64 min(i64 a, i64 b) { return a < b ? a : b; }
[[maybe_unused]] VITRO_INLINE i64 max(i64 a, i64 b) { return a > b ? a : b; }
)";

// Vectors of indices and of divisors.
constexpr std::string_view lane_checks =
    R"([[maybe_unused]] VITRO_INLINE Vec<i64> checked_index(const KernelArgs* args, Vec<i64> index, i64 bound, i64 check, i64 count) {
  Mask bad = (lt(index, splat(i64(0))) | ge(index, splat(bound))) & first_lanes(count);
  if (__builtin_bit_cast(u16, bad) == 0) [[likely]] return index;
  for (i64 i = 0; i < count && i < 16; ++i) checked_index(args, index[i], bound, check);
  return select(bad, splat(i64(0)), index);
}
template <class T>
[[maybe_unused]] VITRO_INLINE Vec<T> not_zero(const KernelArgs* args, Vec<T> v, i64 check, i64 count) {
  Mask bad = eq(v, splat(T(0))) & first_lanes(count);
  if (__builtin_bit_cast(u16, bad) != 0) [[unlikely]] report(args, check, 0, 0);
  return v;
}
)";

std::string list_of(const std::vector<std::string>& words, std::string_view between, size_t most) {
  std::string out;
  for (size_t i = 0; i < words.size() && i < most; ++i) {
    if (i != 0) out += between;
    out += words[i];
  }
  if (words.size() > most) out += cat(between, "…");
  return out;
}

std::string name_for(const loop::Kernel& kernel) {
  std::vector<std::string> words;
  for (const std::string& op : kernel.ops) {
    const bool again = std::find(words.begin(), words.end(), op) != words.end();
    if (!again && (op != "copy" || kernel.ops.size() == 1)) words.push_back(op);
  }
  std::string out = kernel.name.empty() ? "" : kernel.name;
  for (size_t i = 0; i < words.size() && i < 5; ++i) {
    if (!out.empty()) out += "_";
    out += words[i];
  }
  return out;
}

std::string comment_for(const loop::Kernel& kernel, size_t used) {
  std::string out = cat("// ", list_of(kernel.ops, ", ", 24), "\n");
  if (!kernel.places.empty()) out += cat("//   ", list_of(kernel.places, ", ", 6), "\n");
  if (!kernel.reason.empty()) out += cat("//   one kernel: ", kernel.reason, "\n");
  if (!kernel.reading.empty()) out += cat("//   right operand: ", kernel.reading, "\n");
  if (used > 1) out += cat("//   launched ", used, " times by this graph\n");
  return out;
}

struct Unique {
  KernelText text;
  const loop::Kernel* first = nullptr;
  size_t used = 0;
};

void replace_all(std::string& text, std::string_view what, std::string_view by) {
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size())) {
    text.replace(at, what.size(), by);
  }
}

// Kernels go to texts by weight.
std::vector<std::vector<size_t>> share(const std::vector<Unique>& unique, size_t texts) {
  std::vector<size_t> order(unique.size()), weight(texts, 0);
  std::iota(order.begin(), order.end(), 0);
  const auto weight_of = [&](size_t i) { return unique[i].text.text.size(); };
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return weight_of(a) > weight_of(b); });
  std::vector<std::vector<size_t>> out(texts);
  for (const size_t kernel : order) {
    const auto least =
        static_cast<size_t>(std::min_element(weight.begin(), weight.end()) - weight.begin());
    weight[least] += weight_of(kernel);
    out[least].push_back(kernel);
  }
  for (auto& list : out) std::sort(list.begin(), list.end());
  return out;
}

// The kernels that differ, and which of them each one is: those of one structure have one text, and
// so may others.
std::vector<Unique> find_unique(std::span<const LoweredKernel> kernels,
                                std::span<const sym::Expr> symbols,
                                std::vector<size_t>& kernel_of) {
  std::vector<Unique> unique;
  std::unordered_map<loop::Structure, size_t, loop::HashStructure> by_structure;
  std::unordered_map<std::string, size_t> by_text;
  for (const LoweredKernel& lowered : kernels) {
    const auto [at, is_new] = by_structure.emplace(loop::structure_of(lowered.kernel), 0);
    if (is_new) {
      std::string plain = kernel_text(lowered.kernel, symbols, Naming::plain).text;
      const auto [same, added] = by_text.emplace(std::move(plain), unique.size());
      if (added) unique.push_back({kernel_text(lowered.kernel, symbols), &lowered.kernel, 0});
      at->second = same->second;
    }
    ++unique[at->second].used;
    kernel_of.push_back(at->second);
  }
  return unique;
}

}  // namespace

std::string prelude_text() {
  return cat("#ifndef VITRO_PRELUDE_H\n#define VITRO_PRELUDE_H\n",
             vitro::kernels::prelude_text(vitro::kernels::prelude_parts()), preamble, lane_checks,
             "#endif\n");
}

std::string readable_text(const Sources& sources) {
  std::string text(include_prelude);
  for (const SourceKernel& kernel : sources.kernels) text += "\n" + kernel.comment + kernel.text;
  return text;
}

Sources write_sources(std::span<const LoweredKernel> kernels, std::span<const sym::Expr> symbols,
                      int texts) {
  Sources out;
  std::vector<Unique> unique = find_unique(kernels, symbols, out.kernel_of);
  Names names;
  for (const Unique& u : unique) {
    SourceKernel made{names.take(name_for(*u.first)), comment_for(*u.first, u.used), u.text.text};
    replace_all(made.text, kernel_name, made.name);
    out.kernels.push_back(std::move(made));
  }
  const size_t count = std::min(unique.size(), static_cast<size_t>(std::max(texts, 1)));
  for (const std::vector<size_t>& list : share(unique, count)) {
    std::string text(include_prelude);
    for (const size_t k : list) text += "\n" + out.kernels[k].text;
    out.texts.push_back(std::move(text));
  }
  return out;
}

}  // namespace vitro::backend
