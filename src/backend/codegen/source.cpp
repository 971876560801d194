// Finds the distinct kernels of a graph, names and comments them, and groups them into modules for
// the compiler.
#include "backend/codegen/source.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "backend/codegen/kernel_text.h"
#include "backend/codegen/names.h"
#include "base/sort_list.h"
#include "loop/structure.h"

namespace vitro::backend {
namespace {

constexpr std::string_view include_prelude = "#include \"vitro_prelude.h\"\n";

std::string list_of(const std::vector<std::string>& words, std::string_view between, size_t most) {
  std::string out;
  for (size_t i = 0; i < words.size() && i < most; ++i) {
    if (i != 0) out += between;
    out += words[i];
  }
  if (words.size() > most) out += cat(between, "…");
  return out;
}

// The names of the called ops, without duplicates.
std::string name_for(const loop::Kernel& kernel) {
  std::vector<std::string> words;
  if (!kernel.name.empty()) words.push_back(kernel.name);
  for (const std::string& op : kernel.called) {
    const bool again = std::find(words.begin(), words.end(), op) != words.end();
    if (!again && (op != "copy" || kernel.called.size() == 1)) words.push_back(op);
  }
  return list_of(words, "_", words.size());
}

std::string comment_for(const loop::Kernel& kernel, size_t used, bool moves) {
  std::string out = cat("// ", list_of(kernel.ops, ", ", 24), "\n");
  if (!kernel.product.empty()) out += cat("//   computes: ", kernel.product, "\n");
  if (!kernel.locations.empty()) out += cat("//   ", list_of(kernel.locations, ", ", 6), "\n");
  if (!kernel.reason.empty()) out += cat("//   one kernel: ", kernel.reason, "\n");
  if (!kernel.reading.empty()) out += cat("//   right operand: ", kernel.reading, "\n");
  if (!kernel.schedule.empty()) out += cat("//   loops: ", kernel.schedule, "\n");
  if (used > 1) {
    out += cat("//   launched ", used, " times by this graph",
               moves ? ", with different buffer offsets" : "", "\n");
  }
  return out;
}

struct Unique {
  std::string text;
  const loop::Kernel* first = nullptr;
  std::string base;  // name without a number
  Hash content;      // of `base` and the text with plain names
  size_t used = 0;
  bool moves = false;  // some launch has buffer offsets
};

void replace_all(std::string& text, std::string_view what, std::string_view by) {
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size())) {
    text.replace(at, what.size(), by);
  }
}

Unique unique_kernel(const loop::Kernel& kernel, std::span<const sym::Expr> symbols,
                     const std::string& plain) {
  Unique out{kernel_text(kernel, symbols), &kernel, name_for(kernel), {}};
  Hasher content;
  content.add(out.base);
  content.add(plain);
  out.content = content.finish();
  return out;
}

// The distinct kernels; `kernel_of` maps each kernel to one.  Kernels with equal structure have
// equal text; others may, too.
std::vector<Unique> find_unique(std::span<const LoweredKernel> kernels,
                                std::span<const sym::Expr> symbols,
                                std::vector<size_t>& kernel_of) {
  std::vector<Unique> unique;
  std::unordered_map<loop::Structure, size_t, loop::HashStructure> by_structure;
  std::unordered_map<std::string, size_t> by_text;
  for (const LoweredKernel& lowered : kernels) {
    if (lowered.opaque) {
      kernel_of.push_back(Sources::none);
      continue;
    }
    const auto [at, is_new] = by_structure.emplace(loop::structure_of(lowered.kernel), 0);
    if (is_new) {
      std::string plain = kernel_text(lowered.kernel, symbols, Naming::plain);
      const auto [same, added] = by_text.emplace(std::move(plain), unique.size());
      if (added) unique.push_back(unique_kernel(lowered.kernel, symbols, same->first));
      at->second = same->second;
    }
    ++unique[at->second].used;
    unique[at->second].moves |= !lowered.offsets.empty();
    kernel_of.push_back(at->second);
  }
  return unique;
}

// Marks the kernel for fast compilation, with calls of prelude functions
// (standalone/cc_optimise.cpp).
void make_small(Unique& kernel) {
  constexpr std::string_view small = "[[clang::minsize]] ";
  const size_t at = kernel.text.find("void ");
  kernel.text.insert(at, small);
  Hasher content;
  content.add(kernel.content);
  content.add(small);
  kernel.content = content.finish();
}

size_t bytes_of(const Unique& kernel) {
  return kernel.text.size();
}
size_t bytes_of(const std::vector<Unique>& kernels) {
  return std::accumulate(kernels.begin(), kernels.end(), size_t{0},
                         [](size_t sum, const Unique& k) { return sum + bytes_of(k); });
}

// Splits the kernels into two modules of about the same size.
std::vector<std::vector<size_t>> halves(const std::vector<Unique>& unique,
                                        std::vector<size_t> order) {
  sort_list(order, [&](size_t a, size_t b) { return bytes_of(unique[a]) > bytes_of(unique[b]); });
  std::vector<std::vector<size_t>> out(std::min<size_t>(order.size(), 2));
  size_t bytes[2] = {0, 0};
  for (const size_t kernel : order) {
    const size_t least = out.size() == 2 && bytes[1] < bytes[0] ? 1 : 0;
    bytes[least] += bytes_of(unique[kernel]);
    out[least].push_back(kernel);
  }
  return out;
}

// Sorts kernels by content hash and cuts modules at hashes (content-defined chunking), so that
// adding or removing a kernel usually changes only its module.
std::vector<std::vector<size_t>> modules_of(const std::vector<Unique>& unique, size_t most) {
  std::vector<size_t> order(unique.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
            [&](size_t a, size_t b) { return unique[a].content < unique[b].content; });
  if (bytes_of(unique) <= 2 * most) return halves(unique, std::move(order));
  std::vector<std::vector<size_t>> out;
  size_t bytes = most;
  for (const size_t kernel : order) {
    const size_t own = bytes_of(unique[kernel]);
    if (bytes + own > most) {
      out.emplace_back();
      bytes = 0;
    }
    out.back().push_back(kernel);
    bytes += own;
    if (unique[kernel].content.low % most < own) bytes = most;  // cut, whatever came before
  }
  return out;
}

void add_module(const std::vector<Unique>& unique, const std::vector<size_t>& list, Sources& out) {
  jit::ModuleText module{std::string(include_prelude), {}};
  Hasher content;
  Names names;
  for (const size_t kernel : list) {
    SourceKernel& made = out.kernels[kernel];
    made.module = out.modules.size();
    made.symbol = names.take(unique[kernel].base);
    std::string text = unique[kernel].text;
    replace_all(text, kernel_name, made.symbol);
    module.text += "\n" + text;
    content.add(unique[kernel].content);
  }
  module.content = content.finish();
  out.modules.push_back(std::move(module));
}

}  // namespace

std::string readable_text(const Sources& sources) {
  std::string text(include_prelude);
  for (const SourceKernel& kernel : sources.kernels) text += "\n" + kernel.comment + kernel.text;
  return text;
}

Sources write_sources(std::span<const LoweredKernel> kernels, std::span<const sym::Expr> symbols,
                      size_t large_program_bytes) {
  Sources out;
  std::vector<Unique> unique = find_unique(kernels, symbols, out.kernel_of);
  const bool large = bytes_of(unique) > large_program_bytes;
  if (large) std::for_each(unique.begin(), unique.end(), make_small);
  Names names;
  for (const Unique& u : unique) {
    SourceKernel made{names.take(u.base), comment_for(*u.first, u.used, u.moves), u.text};
    if (large) {
      made.comment += cat("//   optimised for compile time: one of ", unique.size(),
                          " kernels of its program\n");
    }
    replace_all(made.text, kernel_name, made.name);
    out.kernels.push_back(std::move(made));
  }
  for (const auto& list : modules_of(unique, bytes_of_module(large))) add_module(unique, list, out);
  return out;
}

}  // namespace vitro::backend
