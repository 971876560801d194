// The driver of pointwise ops: finds the kernel, converts operands to the compute type where the
// kernel cannot read them directly, and runs it over strided operands on all threads.
#include <algorithm>
#include <array>
#include <cstring>

#include "eager/copy.h"
#include "eager/loop.h"
#include "eager/on_demand.h"
#include "eager/places.h"
#include "eager/run.h"
#include "eager/stage.h"
#include "eager/stream.h"
#include "vitro/base/error.h"
#include "vitro/ops/all.h"
#include "vitro/runtime/parallel.h"

namespace vitro::eager {
namespace {

constexpr size_t most_operands = 4;
constexpr int64_t grain = 8 * 1024;

// An element repeated sixteen times, as kernels take operands that are constant along a run.
struct alignas(64) Repeated {
  std::byte bytes[16 * 8];
};

struct Operands {
  std::array<Strided, StridedLoop::most> strided;  // the result first
  std::array<Conversion, most_operands> conversion;
  // Operands that are one element everywhere, converted once.
  std::array<bool, most_operands> constant{}, unused{};
  std::array<Repeated, most_operands> constants;
  size_t count = 0;
};

// A call's operands for the dtype rules, which use only the rank, not the sizes.
class Arguments {
 public:
  explicit Arguments(std::span<const Operand> operands) : count_(operands.size()) {
    VITRO_ASSERT(operands.size() <= most_operands);
    for (size_t i = 0; i < operands.size(); ++i) {
      if (operands[i].is_tensor()) {
        metas_[i].dtype = operands[i].tensor().dtype();
        metas_[i].sizes = Sizes(static_cast<size_t>(operands[i].tensor().rank()));
        list_[i].meta = &metas_[i];
      } else if (operands[i].is_number()) {
        list_[i].number = &operands[i].number();
      }
    }
  }
  Arguments(const Arguments&) = delete;
  std::span<const Argument> list() const { return {list_.data(), count_}; }

 private:
  std::array<TensorMeta, most_operands> metas_;
  std::array<Argument, most_operands> list_;
  size_t count_;
};

// One pointwise call, prepared to run.
class Pointwise {
 public:
  Pointwise(const OpCall& call, DType result, const Tensor& out);
  // False if no kernel was compiled ahead for the dtype.
  bool has_kernel() const { return kernel_.run != nullptr; }
  void run();

 private:
  // `rounded` is the dtype that the operand is rounded to before it is converted to `to`.
  void add_operand(size_t i, DType rounded, DType to);
  void make_constants(const StridedLoop& loop);
  void make_args(const StridedLoop& loop);
  void run_blocks(PointwiseArgs& args, std::byte* const* at, const int64_t* stride,
                  int64_t n) const;
  void run_block(PointwiseArgs& args, std::byte* const* at, const int64_t* stride, std::byte* to,
                 int64_t n) const;
  const std::byte* repeated(size_t i, const std::byte* at, Repeated& room) const;
  const std::byte* staged(size_t i, const std::byte* at, int64_t stride, int64_t n,
                          Buffer& buffer) const;
  void put(const std::byte* made, std::byte* to, int64_t stride, int64_t n) const;
  bool goes_direct(const StridedLoop& loop, DType stored) const;
  bool is_stored_as(size_t i, DType stored) const;
  void choose_way(const StridedLoop& loop);
  void run_rows(PointwiseArgs& args, const StridedLoop::Runs& runs,
                std::array<Repeated, most_operands>& same) const;
  void run_range(const StridedLoop& loop, int64_t begin, int64_t end) const;
  Ints index_of(int64_t first) const;

  const OpCall& call_;
  const PointwiseInfo& info_;
  const Tensor& out_;
  std::array<Tensor, most_operands> tensors_;  // operands, some of them copied
  const Ints& sizes_;
  PointwiseKernel kernel_;
  DType made_;    // dtype that the kernel stores
  DType result_;  // dtype of the op's result, which is then converted to that of `out`
  Operands operands_;
  PointwiseArgs args_{};                         // arguments that are the same for all runs
  DType common_;                                 // dtype that operands are rounded to
  void (*run_)(const PointwiseArgs&) = nullptr;  // variant of kernel_ for how elements are stored
  bool direct_ = false;                          // the kernel accesses tensors without staging
  bool by_rows_ = false;                         // direct_, with several runs per kernel call
  bool streams_ = false;                         // the result is written past the caches
};

Pointwise::Pointwise(const OpCall& call, DType result, const Tensor& out)
    : call_(call),
      info_(*call.op->pointwise),
      out_(out),
      sizes_(out.impl()->sizes),
      result_(result) {
  const Arguments arguments(call.operands);
  common_ = ops::common_dtype(arguments.list(), info_, result);
  const Compute compute = compute_for(common_);
  const int place = place_of(*call.op);
  if (place < 0) return;
  kernel_ = kernel_table().pointwise[place][static_cast<int>(compute)];
  if (!kernel_.run) return;
  made_ = kernel_.gives_truth ? DType::boolean : storage_of(compute);
  operands_.strided[0] = strided(out, sizes_);
  for (size_t i = 0; i < call.operands.size(); ++i) {
    const bool is_condition = i == 0 && info_.first_is_condition;
    add_operand(i, ops::operand_dtype(arguments.list()[i], i, info_, common_),
                is_condition ? DType::boolean : storage_of(compute));
  }
}

// Returns `t`, or if it is transposed relative to `out`, a copy in the layout of `out`.
Tensor beside(const Tensor& t, const Tensor& out) {
  const Ints& sizes = out.impl()->sizes;
  if (count_of(sizes) < 4096 || !(t.impl()->sizes == sizes)) return t;
  const Strided both[] = {strided(out, sizes), strided(t, sizes)};
  if (!StridedLoop(sizes, both).turned(bytes_of(t.dtype()), 8)) return t;
  const Tensor copy = Tensor::empty_strided(sizes, out.impl()->strides, t.dtype(), t.device());
  copy_elements(t, copy);
  return copy;
}

void Pointwise::add_operand(size_t i, DType rounded, DType to) {
  const Operand& o = call_.operands[i];
  operands_.unused[i] = i == 0 && info_.first_is_shape;
  Strided& where = operands_.strided[i + 1];
  if (o.is_tensor() && !operands_.unused[i]) {
    operands_.conversion[i] = {o.tensor().dtype(), rounded, to};
    tensors_[i] = beside(o.tensor(), out_);
    where = strided(tensors_[i], sizes_);
  } else {
    operands_.conversion[i] = {to, to, to};
    where = {operands_.constants[i].bytes, Ints(sizes_.size(), 0)};
    if (o.is_number()) store_number(o.number(), rounded, to, operands_.constants[i].bytes);
  }
  operands_.count = std::max(operands_.count, i + 1);
}

void Pointwise::make_constants(const StridedLoop& loop) {
  for (size_t i = 0; i < operands_.count; ++i) {
    if (!loop.is_constant(i + 1)) continue;
    operands_.constant[i] = true;
    const Conversion& c = operands_.conversion[i];
    std::byte one[8];
    c.run(operands_.strided[i + 1].data, one, 1);
    repeat(one, operands_.constants[i].bytes, bytes_of(c.to), 16);
  }
}

void Pointwise::make_args(const StridedLoop& loop) {
  args_.attrs = call_.attrs.data;
  args_.rank = static_cast<int>(sizes_.size());
  for (size_t i = 0; i < operands_.count; ++i) {
    const bool same = operands_.constant[i] || loop.inner_stride(i + 1) == 0;
    args_.walks[i] = same ? 0 : -1;
    args_.in[i] = operands_.constants[i].bytes;
  }
  args_.rows = 1;
  choose_way(loop);
  streams_ =
      loop.inner_stride(0) == bytes_of(out_.dtype()) && should_stream(out_, tensors_, loop.inner());
}

// Converts the element of an operand that is constant along a run, and repeats it.
const std::byte* Pointwise::repeated(size_t i, const std::byte* at, Repeated& room) const {
  const Conversion& c = operands_.conversion[i];
  std::byte one[8];
  if (!c.none()) c.run(at, one, 1);
  repeat(c.none() ? at : one, room.bytes, bytes_of(c.to), 16);
  return room.bytes;
}

const std::byte* Pointwise::staged(size_t i, const std::byte* at, int64_t stride, int64_t n,
                                   Buffer& buffer) const {
  const Conversion& c = operands_.conversion[i];
  const int64_t from_bytes = bytes_of(c.from);
  if (stride == from_bytes) {
    if (c.none()) return at;
    c.run(at, buffer.bytes, n);
  } else if (c.none()) {
    gather_run(at, stride, buffer.bytes, from_bytes, n);
  } else {
    Buffer raw;
    gather_run(at, stride, raw.bytes, from_bytes, n);
    c.run(raw.bytes, buffer.bytes, n);
  }
  return buffer.bytes;
}

void Pointwise::put(const std::byte* made, std::byte* to, int64_t stride, int64_t n) const {
  const DType dtype = out_.dtype();
  const int64_t bytes = bytes_of(dtype);
  const Conversion cut{made_, result_, dtype};
  if (stride == bytes) return cut.run(made, to, n);
  Buffer out;
  cut.run(made, out.bytes, n);
  scatter_run(out.bytes, to, stride, bytes, n);
}

// Returns whether a kernel for elements stored as `stored` can read operand i without conversion.
bool Pointwise::is_stored_as(size_t i, DType stored) const {
  const Conversion& c = operands_.conversion[i];
  return c.to == DType::boolean ? c.none() : c.from == stored;
}

// Returns whether such a kernel can read all operands and write the result without staging.
bool Pointwise::goes_direct(const StridedLoop& loop, DType stored) const {
  const DType made = kernel_.gives_truth ? DType::boolean : stored;
  if (out_.dtype() != made || loop.inner_stride(0) != bytes_of(made)) return false;
  for (size_t i = 0; i < operands_.count; ++i) {
    if (args_.walks[i] == 0) continue;
    if (!is_stored_as(i, stored)) return false;
    if (loop.inner_stride(i + 1) != bytes_of(operands_.conversion[i].from)) return false;
  }
  return true;
}

void Pointwise::choose_way(const StridedLoop& loop) {
  DType stored = storage_of(compute_for(common_));
  run_ = kernel_.run;
  direct_ = goes_direct(loop, stored);
  auto* half = common_ == DType::f16 ? kernel_.run_f16 : kernel_.run_bf16;
  if (common_ != DType::f16 && common_ != DType::bf16) half = nullptr;
  if (!direct_ && half && result_ == out_.dtype() && goes_direct(loop, common_))
    direct_ = true, run_ = half, stored = common_;
  by_rows_ = direct_ && !info_.uses_index;
  for (size_t i = 0; i < operands_.count; ++i) {
    if (args_.walks[i] == 0 && !operands_.constant[i]) by_rows_ &= is_stored_as(i, stored);
  }
}

// Computes n elements, at most a block, and writes them to `to`.
void Pointwise::run_block(PointwiseArgs& args, std::byte* const* at, const int64_t* stride,
                          std::byte* to, int64_t n) const {
  std::array<Buffer, most_operands> buffers;
  for (size_t i = 0; i < operands_.count; ++i) {
    if (args.walks[i] == 0) continue;
    args.in[i] = direct_ ? at[i + 1] : staged(i, at[i + 1], stride[i + 1], n, buffers[i]);
  }
  args.n = n;
  if (direct_ || (out_.dtype() == made_ && stride[0] == bytes_of(made_))) {
    args.out = to;
    return run_(args);
  }
  Buffer made;
  args.out = made.bytes;
  run_(args);
  put(made.bytes, to, stride[0], n);
}

// Returns the multi-dimensional index of element number `first` of the result, in row-major order.
Ints Pointwise::index_of(int64_t first) const {
  Ints index(sizes_.size(), 0);
  for (size_t d = sizes_.size(); d-- > 0;) {
    index[d] = first % sizes_[d];
    first /= sizes_[d];
  }
  return index;
}

// Computes a run block by block, with staged operands or streamed results.
void Pointwise::run_blocks(PointwiseArgs& args, std::byte* const* at, const int64_t* stride,
                           int64_t n) const {
  Ints index(std::span(args.index, info_.uses_index ? sizes_.size() : 0));
  args.index = index.data();
  std::array<std::byte*, StridedLoop::most> here;
  const auto run = [&](std::byte* to, int64_t begin, int64_t count) {
    for (size_t o = 0; o <= operands_.count; ++o) here[o] = at[o] + begin * stride[o];
    run_block(args, here.data(), stride, to ? to : here[0], count);
    if (info_.uses_index) index.back() += count;
  };
  if (streams_) return stream_run(at[0], stride[0], n, run);
  for (int64_t i = 0; i < n; i += block) run(nullptr, i, std::min(block, n - i));
}

// Computes several runs with one kernel call.
void Pointwise::run_rows(PointwiseArgs& args, const StridedLoop::Runs& runs,
                         std::array<Repeated, most_operands>& same) const {
  for (size_t i = 0; i < operands_.count; ++i) {
    if (operands_.constant[i]) continue;
    args.in[i] = runs.at[i + 1], args.steps[i] = runs.step[i + 1];
    if (args.walks[i] == 0 && (runs.count == 1 || args.steps[i] == 0))
      args.in[i] = repeated(i, runs.at[i + 1], same[i]), args.steps[i] = 0;
  }
  args.out = runs.at[0], args.out_step = runs.step[0];
  args.n = runs.n, args.rows = runs.count;
  run_(args);
}

void Pointwise::run_range(const StridedLoop& loop, int64_t begin, int64_t end) const {
  PointwiseArgs args = args_;
  std::array<Repeated, most_operands> same;
  loop.run(begin, end, [&](const StridedLoop::Runs& runs) {
    if (by_rows_ && !streams_) return run_rows(args, runs, same);
    std::array<std::byte*, StridedLoop::most> at = runs.at;
    for (int64_t r = 0; r < runs.count; ++r) {
      Ints index;
      if (info_.uses_index) index = index_of(runs.first + r * runs.n);
      args.index = index.data();
      for (size_t i = 0; i < operands_.count; ++i) {
        if (operands_.constant[i]) continue;
        args.in[i] = args.walks[i] == 0 ? repeated(i, at[i + 1], same[i]) : at[i + 1];
      }
      if (direct_ && !streams_) {
        args.out = at[0], args.n = runs.n;
        run_(args);
      } else {
        run_blocks(args, at.data(), runs.stride, runs.n);
      }
      for (size_t o = 0; o <= operands_.count; ++o) at[o] += runs.step[o];
    }
  });
  if (streams_) kernel_table().end_streams();
}

void Pointwise::run() {
  const StridedLoop loop(
      sizes_, {operands_.strided.data(), operands_.count + 1},
      info_.uses_index ? StridedLoop::Order::as_given : StridedLoop::Order::by_stride);
  if (loop.count() == 0) return;
  make_constants(loop);
  make_args(loop);
  parallel_for(loop.count(), grain,
               [&](int64_t begin, int64_t end) { run_range(loop, begin, end); });
}

// Returns whether the divisor is 0 after conversion to `dtype`: a 0-dimensional divisor may have a
// wider dtype.
bool has_zero(const Operand& divisor, DType dtype) {
  if (divisor.is_number()) {
    const auto bits = static_cast<uint64_t>(divisor.number().hint().as_int());
    return bits << (64 - 8 * bytes_of(dtype)) == 0;
  }
  const Tensor dense = dense_copy(dense_copy(divisor.tensor(), dtype), DType::boolean);
  const auto* truth = static_cast<const uint8_t*>(dense.const_data());
  const int64_t n = count_of(dense.impl()->sizes);
  return std::find(truth, truth + n, uint8_t{0}) != truth + n;
}

void check_divisor(const OpCall& call, DType result) {
  if (!call.op->pointwise->integer_divisor || is_floating(result)) return;
  VITRO_CHECK(
      !has_zero(call.operands[1], result), call.op->name,
      ": integer division by zero; replace the zeros, or cast to a floating-point dtype first");
}

}  // namespace

void run_pointwise(const OpCall& call, DType result, const Tensor& out) {
  const int copied = call.op->pointwise->copied_operand;
  if (copied >= 0) {
    const Operand& from = call.operands[static_cast<size_t>(copied)];
    return from.is_number() ? fill_elements(from.number(), out) : copy_elements(from.tensor(), out);
  }
  if (out.numel().hint() == 0) return;
  check_divisor(call, result);
  Pointwise pointwise(call, result, out);
  pointwise.has_kernel() ? pointwise.run() : run_on_demand(call, {&out, 1});
}

}  // namespace vitro::eager
