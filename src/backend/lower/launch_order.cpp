// List scheduling: kernels are emitted in the order of the program, each after those that it
// depends on. What became complete and frees memory follows at once.
#include "backend/lower/launch_order.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

namespace vitro::backend {
namespace {

// A size that varies between calls counts as this.
constexpr int64_t unknown_size = 64;

int64_t bytes_of_buffer(const BufferInfo& buffer) {
  std::vector<std::pair<Expr, Expr>> known;
  for (const Expr symbol : sym::symbols_of(buffer.count))
    known.emplace_back(symbol, Expr(unknown_size));
  const auto count = sym::substitute(buffer.count, known).constant();
  return count.value_or(unknown_size) * bytes_of(buffer.dtype);
}

class LaunchOrder {
 public:
  LaunchOrder(const std::vector<LoweredKernel>& kernels, const BufferAssignment& assignment)
      : kernels_(kernels),
        used_(kernels.size()),
        before_(kernels.size()),
        after_(kernels.size()),
        waits_for_(kernels.size(), 0),
        emitted_(kernels.size(), false),
        writes_(kernels.size(), false) {
    for (const BufferInfo& info : assignment.buffers()) {
      Buffer& buffer = buffers_.emplace_back();
      buffer.input = info.kind == BufferKind::input;
      const bool in_arena = info.kind == BufferKind::temporary || info.kind == BufferKind::packed;
      buffer.bytes = in_arena ? bytes_of_buffer(info) : 0;
    }
    for (uint32_t k = 0; k < kernels.size(); ++k) connect(k);
  }

  std::vector<uint32_t> order() {
    for (uint32_t k = 0; k < kernels_.size(); ++k) {
      if (!only_allocates(k)) demand(k);
    }
    return std::move(order_);
  }

 private:
  struct Buffer {
    bool input = false, touched = false;
    int64_t bytes = 0;                    // in the arena
    std::vector<uint32_t> users;          // kernels, in program order
    size_t left = 0;                      // users that are not emitted
    std::vector<uint32_t> written, read;  // the last writes, and the reads after them
  };

  void need(uint32_t kernel, uint32_t before) {
    if (kernel == before) return;
    before_[kernel].push_back(before);
  }
  void need_all(uint32_t kernel, const std::vector<uint32_t>& before) {
    for (const uint32_t one : before) need(kernel, one);
  }

  // Whether it has checks other than those of indices that are elements of an input, which can be
  // checked before a call (LateIndex).
  bool may_fail(const LoweredKernel& lowered) const {
    const auto is_given = [&](const loop::IndirectIndex& index) {
      const std::optional<BufferId> buffer = lowered.given(index);
      return buffer && buffers_[buffer->n].input;
    };
    const auto given = std::ranges::count_if(lowered.kernel.indirect_indices, is_given);
    return static_cast<size_t>(given) < lowered.kernel.checks.size();
  }

  // Adds the kernels that `k` depends on, all of which precede it in the program.
  void connect(uint32_t k) {
    const LoweredKernel& lowered = kernels_[k];
    std::vector<BufferId>& used = used_[k] = lowered.buffers;
    std::ranges::sort(used, {}, &BufferId::n);
    used.erase(std::unique(used.begin(), used.end()), used.end());
    for (const BufferId id : used) buffers_[id.n].users.push_back(k), ++buffers_[id.n].left;
    if (lowered.opaque) {  // whose effects are unknown
      for (uint32_t before = opaque_.value_or(0); before < k; ++before) need(k, before);
    } else if (opaque_) {
      need(k, *opaque_);
    }
    for (size_t b = 0; b < lowered.buffers.size(); ++b) {
      Buffer& buffer = buffers_[lowered.buffers[b].n];
      const bool writes = lowered.opaque || lowered.kernel.buffers[b].written;
      need_all(k, buffer.written);
      if (writes) need_all(k, buffer.read);
      if (writes && buffer.input) need_all(k, may_fail_);
      writes_[k] = writes_[k] || (writes && buffer.bytes == 0);
    }
    for (size_t b = 0; b < lowered.buffers.size(); ++b) {
      Buffer& buffer = buffers_[lowered.buffers[b].n];
      const bool writes = lowered.opaque || lowered.kernel.buffers[b].written;
      if (writes) buffer.read.clear(), buffer.written.assign(1, k);
      if (!writes) buffer.read.push_back(k);
    }
    if (lowered.opaque) opaque_ = k;
    if (may_fail(lowered)) may_fail_.push_back(k);
    std::vector<uint32_t>& before = before_[k];
    std::ranges::sort(before);
    before.erase(std::unique(before.begin(), before.end()), before.end());
    waits_for_[k] = before.size();
    for (const uint32_t one : before) after_[one].push_back(k);
  }

  // Whether a kernel that other ones read depends on nothing in the arena, and cannot fail.
  bool only_allocates(uint32_t k) const {
    const LoweredKernel& lowered = kernels_[k];
    if (lowered.opaque || !lowered.kernel.checks.empty() || writes_[k] || after_[k].empty())
      return false;
    return std::ranges::all_of(used_[k], [&](BufferId id) {
      const Buffer& buffer = buffers_[id.n];
      return buffer.bytes == 0 || !buffer.touched;
    });
  }

  // Whether no more memory is live after the kernel than before; or after the next one, if it alone
  // reads what the kernel makes and waits for nothing else, as a product waits for its panels.
  bool frees(uint32_t k) const {
    if (frees_with(k, k)) return true;
    return after_[k].size() == 1 && waits_for_[after_[k][0]] == 1 && frees_with(k, after_[k][0]);
  }
  // The same, for two kernels that follow one another, or for one.
  bool frees_with(uint32_t k, uint32_t then) const {
    int64_t freed = 0, allocated = 0;
    const auto add = [&](BufferId id, size_t users) {
      const Buffer& buffer = buffers_[id.n];
      const bool ends = buffer.left == users;
      if (!buffer.touched && !(ends && users == 2)) allocated += buffer.bytes;
      if (buffer.touched && ends) freed += buffer.bytes;
    };
    const auto uses = [&](uint32_t kernel, BufferId id) {
      return std::ranges::binary_search(used_[kernel], id.n, {}, &BufferId::n);
    };
    for (const BufferId id : used_[k]) add(id, then != k && uses(then, id) ? 2 : 1);
    for (const BufferId id : used_[then]) {
      if (then != k && !uses(k, id)) add(id, 1);
    }
    return allocated == 0 || allocated < freed;
  }

  // Emits a kernel after all that it depends on, in program order.
  void demand(uint32_t k) {
    std::vector<std::pair<uint32_t, size_t>> stack{{k, 0}};
    while (!stack.empty()) {
      auto& [at, next] = stack.back();
      if (emitted_[at]) {
        stack.pop_back();
      } else if (next < before_[at].size()) {
        const uint32_t before = before_[at][next++];
        if (!emitted_[before]) stack.emplace_back(before, 0);
      } else {
        emit(at);
      }
    }
  }

  // Emits a kernel whose operands are complete, then all that can follow and free memory.
  void emit(uint32_t k) {
    std::set<uint32_t> next{k};
    bool first = true;
    while (!next.empty()) {
      const uint32_t at = *next.begin();
      next.erase(next.begin());
      if (emitted_[at] || waits_for_[at] > 0 || (!first && !frees(at))) continue;
      first = false;
      emitted_[at] = true;
      order_.push_back(at);
      for (const uint32_t after : after_[at]) {
        if (--waits_for_[after] == 0) next.insert(after);
      }
      for (const BufferId id : used_[at]) use(buffers_[id.n], next);
    }
  }

  void use(Buffer& buffer, std::set<uint32_t>& next) {
    buffer.touched = true;
    if (--buffer.left != 1) return;
    for (const uint32_t user : buffer.users) {
      if (!emitted_[user]) next.insert(user);  // frees it now
    }
  }

  const std::vector<LoweredKernel>& kernels_;
  std::vector<std::vector<BufferId>> used_;            // by kernel: each once
  std::vector<std::vector<uint32_t>> before_, after_;  // by kernel
  std::vector<size_t> waits_for_;                      // by kernel: how many are not emitted
  std::vector<bool> emitted_, writes_;                 // by kernel; writes inputs or outputs
  std::vector<Buffer> buffers_;
  std::vector<uint32_t> may_fail_;
  std::optional<uint32_t> opaque_;  // the last one
  std::vector<uint32_t> order_;
};

}  // namespace

void order_for_memory(std::vector<LoweredKernel>& kernels, const BufferAssignment& assignment) {
  const std::vector<uint32_t> order = LaunchOrder(kernels, assignment).order();
  std::vector<LoweredKernel> ordered;
  ordered.reserve(kernels.size());
  for (const uint32_t k : order) ordered.push_back(std::move(kernels[k]));
  kernels = std::move(ordered);
}

}  // namespace vitro::backend
