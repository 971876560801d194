// Simulates training: a host whose ops launch kernels, streams that run them in order, a queue that
// holds so many launches and no more; and writes what a profiler would record.
#include "analyze/planted_traces.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <functional>
#include <map>
#include <utility>

#include "vitro/base/cat.h"

namespace vitro::analyze {
namespace {

constexpr int host_pid = 4000, main_thread = 4000, backward_thread = 4044;
constexpr int compute_stream = 7, communication_stream = 20, copy_stream = 25;
constexpr size_t queue_capacity = 1022;
constexpr int steps = 6, layers = 12;
constexpr double training_us = 9'000, inference_us = 3'200;  // of the device, in a healthy step

// What each step loses to each cause, in microseconds.
using Lost = std::array<double, planted_causes>;

struct Kernel {
  std::string name;
  double us = 10;
  int stream = compute_stream;
  double blocks = 4;  // per multiprocessor
};

class Machine {
 public:
  explicit Machine(Vendor vendor) : is_amd_(vendor == Vendor::amd) {}

  bool is_amd() const { return is_amd_; }
  // "cudaLaunchKernel", "hipLaunchKernel".
  std::string call_name(std::string_view name) const { return cat(is_amd_ ? "hip" : "cuda", name); }
  void on_thread(int tid) { tid_ = tid; }
  // As if everything were replayed from a device graph.
  void be_fast(bool fast) { is_fast_ = fast; }

  void spend(double us) { now_ += ns(us * (is_fast_ ? 0.02 : 1) * noise()); }

  template <class Body>
  void range(std::string_view category, const std::string& name, Body body) {
    const int64_t begin = now_;
    body();
    event(category, name, host_pid, tid_, begin, now_, "");
  }
  template <class Body>
  void op(const std::string& name, Body body) {
    const int outer = std::exchange(op_, ++last_op_);
    const int64_t begin = now_;
    spend(3);
    body();
    spend(2);
    event("cpu_op", name, host_pid, tid_, begin, now_, cat("\"External id\":", op_));
    op_ = outer;
  }
  // A call that launches nothing.
  void call(std::string_view name, double us) {
    const int64_t begin = now_;
    spend(us);
    event("cuda_runtime", call_name(name), host_pid, tid_, begin, now_, link());
  }

  void launch(const Kernel& kernel) {
    const bool is_module = is_amd_ && kernel.name.starts_with("Cijk_");
    const int64_t begin = now_;
    wait_for_queue();
    spend(5);
    const std::string grid =
        cat(",\"grid\":[", static_cast<int>(kernel.blocks * 104), ",1,1],\"block\":[256,1,1]");
    const std::string number = link();
    event("cuda_runtime", call_name(is_module ? "ExtModuleLaunchKernel" : "LaunchKernel"), host_pid,
          tid_, begin, now_, is_amd_ ? number + grid : number);
    work("kernel", kernel.name, kernel.stream, kernel.us * noise(),
         is_amd_ ? number : cat(number, grid, ",\"blocks per SM\":", kernel.blocks));
  }

  // `kind`: "HtoD", "DtoH"; a blocking copy returns when it is done.
  void copy(const std::string& kind, bool pinned, double us, int stream, bool blocks) {
    const std::string number = link();
    const int64_t begin = now_;
    spend(6);
    const bool in = kind == "HtoD";
    const std::string memory = is_amd_ ? "Host" : pinned ? "Pinned" : "Pageable";
    const int64_t end =
        work("gpu_memcpy",
             cat("Memcpy ", kind,
                 in ? cat(" (", memory, " -> Device)") : cat(" (Device -> ", memory, ")")),
             stream, us * noise(), number);
    if (blocks) now_ = std::max(now_, end + ns(3));
    event("cuda_runtime", call_name(is_amd_ && blocks ? "MemcpyWithStream" : "MemcpyAsync"),
          host_pid, tid_, begin, now_, number);
  }

  void synchronize(std::string_view name, int stream = -1) {
    const int64_t begin = now_;
    for (const auto& [each, end] : free_)
      if (stream < 0 || stream == each) now_ = std::max(now_, end + ns(4));
    spend(2);
    event("cuda_runtime", call_name(name), host_pid, tid_, begin, now_, link());
  }

  // The stream goes on when another one has got that far.
  void wait_event(int stream, int for_stream) {
    call("StreamWaitEvent", 1);
    free_[stream] = std::max(free_[stream], free_[for_stream]);
  }

  // The whole time is measured.
  void begin() { first_step_begin_ = now_; }
  void end() { last_step_end_ = now_; }
  int64_t length() const { return last_step_end_ - first_step_begin_; }

  template <class Body>
  void step(int number, Body body) {
    const int64_t begin = now_;
    if (number == 1) first_step_begin_ = begin;
    number > 0 ? range("user_annotation", cat("ProfilerStep#", number), body) : body();
    last_step_end_ = now_;
  }

  std::string json() const {
    return cat(R"({"schemaVersion":1,"deviceProperties":[{"id":0,"name":")",
               is_amd_ ? "AMD Instinct MI250X" : "NVIDIA A100-SXM4-80GB", R"(","computeMajor":)",
               is_amd_ ? 9 : 8, R"(,"computeMinor":0,"warpSize":)", is_amd_ ? 64 : 32,
               R"x(,"numSms":104}],"traceEvents":[
{"ph":"M","name":"process_labels","pid":0,"tid":0,"args":{"labels":"GPU 0"}},
{"ph":"M","name":"thread_name","pid":4000,"tid":4000,"args":{"name":"thread 4000 (python)"}})x",
               events_, "]}\n");
  }

 private:
  // Of the next call and its work.
  std::string link() {
    return cat(op_ > 0 ? cat("\"External id\":", op_, ",") : "",
               "\"correlation\":", ++correlation_);
  }

  static int64_t ns(double us) { return static_cast<int64_t>(us * 1000); }

  // From 0.9 to 1.1, the same in every run.
  double noise() {
    random_ = random_ * 6364136223846793005ULL + 1442695040888963407ULL;
    return 0.9 + 0.2 * static_cast<double>(random_ >> 40) / static_cast<double>(1 << 24);
  }

  void wait_for_queue() {
    std::erase_if(waiting_, [&](int64_t begin) { return begin <= now_; });
    if (waiting_.size() < queue_capacity) return;
    now_ = waiting_[waiting_.size() - queue_capacity];
  }

  int64_t work(std::string_view category, const std::string& name, int stream, double us,
               const std::string& args) {
    const int64_t begin = std::max(now_ + ns(is_fast_ ? 0.1 : 2), free_[stream] + ns(0.9));
    free_[stream] = begin + ns(us);
    waiting_.push_back(begin);
    event(category, name, 0, stream, begin, free_[stream],
          cat("\"device\":0,\"stream\":", stream, ",", args));
    return free_[stream];
  }

  void event(std::string_view category, const std::string& name, int pid, int tid, int64_t begin,
             int64_t end, const std::string& args) {
    char times[96];
    std::snprintf(times, sizeof times, "\"ts\":%.3f,\"dur\":%.3f", static_cast<double>(begin) / 1e3,
                  static_cast<double>(end - begin) / 1e3);
    events_ += cat(",\n{\"ph\":\"X\",\"cat\":\"", category, "\",\"name\":\"", name,
                   "\",\"pid\":", pid, ",\"tid\":", tid, ",", times, ",\"args\":{", args, "}}");
  }

  const bool is_amd_;
  bool is_fast_ = false;
  int tid_ = main_thread;
  int64_t now_ = 1'000'000, first_step_begin_ = 0, last_step_end_ = 0;
  int correlation_ = 0, last_op_ = 0, op_ = 0;
  uint64_t random_ = 1;
  std::map<int, int64_t> free_;   // by stream: when its last work ends
  std::vector<int64_t> waiting_;  // begins of work, ascending
  std::string events_;
};

class Training {
 public:
  Training(Machine& machine, const Lost& lost, Program program)
      : m_(machine), lost_(lost), is_inference_(program == Program::inference) {}

  void run() {
    if (is_inference_) {
      m_.begin();
      for (int i = 0; i < 2 * steps; ++i) m_.step(0, [&] { infer(); });
      m_.synchronize("DeviceSynchronize");
      return m_.end();
    }
    m_.launch(elementwise());  // before the first step
    m_.synchronize("DeviceSynchronize");
    for (int number = 1; number <= steps; ++number) m_.step(number, [&] { step(number); });
    m_.synchronize("DeviceSynchronize");
  }

  // Which of the causes are absent, although their program runs: what their cost is compared with.
  bool is_launching_free = false, is_communication_hidden = false, is_reading_free = false,
       is_device_filled = false;

 private:
  double lost(PlantedCause cause) const { return lost_[static_cast<size_t>(cause)]; }

  static Kernel elementwise(double us = 25) {
    return {"void at::native::vectorized_elementwise_kernel<4, at::native::GeluFunctor>", us};
  }
  Kernel product(double us) const {
    const int products = (is_inference_ ? 3 : 3 + 6) * layers;
    const double more = lost(PlantedCause::f32) / products;
    const bool plain = more > 0;
    if (m_.is_amd())
      return {plain ? "Cijk_Ailk_Bljk_SB_MT128x128x16_MI16x16x1_SN_ISA90a"
                    : "Cijk_Ailk_Bljk_BBS_BH_MT128x128x32_MI32x32x8_SN_ISA90a",
              us + more};
    return {plain ? "ampere_sgemm_128x64_tn" : "ampere_bf16_s16816gemm_bf16_128x128_ldg8_f2f_tn",
            us + more};
  }
  void op_with(const std::string& name, const Kernel& kernel) {
    m_.op(name, [&] { m_.launch(kernel); });
  }
  void linear(const char* name) {
    m_.op("aten::linear", [&] { op_with(name, product(60)); });
  }

  void step(int number);
  void infer();
  void load(int number);
  void preprocess();
  void forward();
  void attention();
  void read_metrics();
  void backward();
  void communicate();
  void wait_on_host(int number);
  void allocate();
  void optimize();
  void compile(int number);

  Machine& m_;
  const Lost& lost_;
  const bool is_inference_;
};

void Training::step(int number) {
  load(number);
  preprocess();
  compile(number);
  forward();
  read_metrics();
  backward();
  wait_on_host(number);
  optimize();
}

// Without steps of the profiler.
void Training::infer() {
  load(0);
  preprocess();
  forward();
  read_metrics();
  wait_on_host(0);
}

void Training::load(int /*number*/) {
  const std::string name = "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__";
  m_.range("user_annotation", name, [&] { m_.spend(60 + lost(PlantedCause::data)); });
  m_.spend(20);
  m_.op("aten::to", [&] {
    m_.op("aten::copy_", [&] {
      const double pageable = lost(PlantedCause::pageable);
      if (pageable > 0) {
        m_.copy("HtoD", false, pageable, compute_stream, true);
        if (!m_.is_amd()) m_.synchronize("StreamSynchronize", compute_stream);
      } else {
        m_.copy("HtoD", true, 60, copy_stream, false);
      }
    });
  });
}

// Small kernels, before anything else is in the queue.
void Training::preprocess() {
  const int count = static_cast<int>(lost(PlantedCause::launch_bound) / 11.5);
  m_.be_fast(is_launching_free);
  for (int i = 0; i < count; ++i) {
    m_.op("aten::clamp", [&] { m_.launch(elementwise(2.2)); });
    m_.spend(2);
  }
  m_.be_fast(false);
  const double few = lost(PlantedCause::few_blocks);
  if (few > 0)
    op_with("aten::cumsum",
            {"void at::native::tensor_kernel_scan_innermost_dim<float>",
             few * (is_device_filled ? 0.25 : 1.25), compute_stream, is_device_filled ? 1.0 : 0.2});
}

void Training::forward() {
  for (int layer = 0; layer < layers; ++layer) {
    op_with("aten::layer_norm", {"void at::native::vectorized_layer_norm_kernel<float>", 30});
    linear("aten::addmm");
    attention();
    linear("aten::addmm");
    op_with("aten::gelu", elementwise());
    linear("aten::addmm");
    m_.spend(10);
  }
}

void Training::attention() {
  const double each = lost(PlantedCause::attention) / layers;
  m_.op("aten::scaled_dot_product_attention", [&] {
    if (each == 0) return op_with("aten::_flash_attention_forward", {"flash_fwd_kernel<T>", 60});
    op_with("aten::bmm", product(20));
    op_with("aten::div", elementwise(each * 0.2));
    op_with("aten::masked_fill",
            {"void at::native::vectorized_elementwise_kernel<4, masked_fill>", each * 0.2});
    op_with("aten::_softmax", {"void softmax_warp_forward<float, float, float, 10>", each * 0.4});
    op_with("aten::native_dropout", {"void fused_dropout_kernel_vec<float>", each * 0.2});
    op_with("aten::bmm", product(20));
  });
}

// Sums that the program reads one by one, each of which empties the queue.
void Training::read_metrics() {
  const int count = 1 + static_cast<int>(lost(PlantedCause::item) / 45);
  for (int i = 0; i < count; ++i) {
    op_with("aten::sum", {"void at::native::reduce_kernel<512, 1, float>", 4});
    if (is_reading_free || lost(PlantedCause::item) == 0) continue;
    m_.op("aten::item", [&] {
      m_.op("aten::_local_scalar_dense", [&] {
        m_.copy("DtoH", false, 2, compute_stream, m_.is_amd());
        if (!m_.is_amd()) m_.synchronize("StreamSynchronize", compute_stream);
      });
    });
    m_.spend(6);
  }
}

void Training::backward() {
  m_.spend(30);
  m_.on_thread(backward_thread);
  for (int layer = 0; layer < layers; ++layer) {
    for (int i = 0; i < 3; ++i) {
      m_.op("autograd::engine::evaluate_function: AddmmBackward0", [&] {
        op_with("aten::mm", product(60));
        op_with("aten::mm", product(60));
      });
    }
    op_with("aten::_flash_attention_backward", {"flash_bwd_kernel<T>", 90});
    op_with("aten::gelu_backward", elementwise());
    if (layer == 0 && is_communication_hidden) communicate();
  }
  m_.on_thread(main_thread);
  const double slow = lost(PlantedCause::slow_kernel);
  if (slow > 0)
    op_with("aten::embedding_dense_backward",
            {"void at::native::indexing_backward_kernel<float>", slow + 40});
  if (!is_communication_hidden) communicate();
  m_.wait_event(compute_stream, communication_stream);
}

void Training::communicate() {
  const double us = 30 + lost(PlantedCause::communication);
  m_.op("c10d::allreduce_", [&] {
    m_.wait_event(communication_stream, compute_stream);
    m_.launch({m_.is_amd() ? "ncclDevKernel_Generic_4(ncclDevKernelArgsStorage<4096ul>)"
                           : "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgs)",
               us, communication_stream, 0.2});
  });
}

void Training::wait_on_host(int number) {
  const auto python = [&](const std::string& name, double us) {
    if (us > 0) m_.range("python_function", name, [&] { m_.spend(us); });
  };
  // The scaler reads whether a gradient is infinite; nothing is in the queue then.
  m_.op("aten::item", [&] {
    m_.op("aten::_local_scalar_dense", [&] {
      m_.copy("DtoH", false, 2, compute_stream, m_.is_amd());
      if (!m_.is_amd()) m_.synchronize("StreamSynchronize", compute_stream);
    });
  });
  python("<built-in method sleep of module object at 0x7f01>", lost(PlantedCause::sleep));
  python("<built-in method acquire of _thread.lock object at 0x7f02>", lost(PlantedCause::lock));
  if (number == 4) m_.spend(lost(PlantedCause::straggler) * steps);
  allocate();
}

void Training::allocate() {
  const double all = lost(PlantedCause::allocator);
  if (all == 0) return;
  m_.op("aten::empty", [&] {
    for (int i = 0; i < 3; ++i) m_.call("Free", all * 0.2);
    m_.call("Malloc", all * 0.4);
  });
}

void Training::optimize() {
  const int count = static_cast<int>(lost(PlantedCause::optimizer) / 12.5);
  m_.range("user_annotation", "Optimizer.step#AdamW.step", [&] {
    m_.spend(10);
    if (count == 0)
      op_with("aten::_fused_adamw_",
              {"void at::native::multi_tensor_apply_kernel<FusedAdamMathFunctor<float>>", 200});
    for (int i = 0; i < count; ++i) {
      m_.op(i % 2 == 0 ? "aten::addcmul_" : "aten::addcdiv_",
            [&] { m_.launch(elementwise(200.0 / count + 1)); });
      m_.spend(2);
    }
  });
}

void Training::compile(int number) {
  const double each = 2 * lost(PlantedCause::recompilation);
  if (each == 0 || number % 2 == 1) return;
  m_.range("cpu_op", "dynamo", [&] {
    m_.range("user_annotation", "dynamo_data: compile_id=0/0", [&] { m_.spend(5); });
    m_.range("cpu_op", "backend_compile", [&] {
      m_.range("user_annotation", "backend_compile_data: fn_name=f, compile_id=0/0",
               [&] { m_.spend(5); });
      m_.spend(each * 0.7);
    });
    m_.spend(each * 0.3);
  });
}

// The host launches many equal kernels, far ahead of the device.
void run_full_queue(Machine& m, double us) {
  m.launch({"gemm_like_kernel", us});
  for (int number = 1; number <= 3; ++number) {
    m.step(number, [&] {
      for (int i = 0; i < 1500; ++i) m.op("aten::mm", [&] { m.launch({"gemm_like_kernel", us}); });
    });
  }
  m.synchronize("DeviceSynchronize");
}

struct Run {
  std::string json;
  int64_t length;
};

// `without`: this one does not cost what it could be spared.
Run run(const Lost& lost, Vendor vendor, Program program, const PlantedCause* without) {
  Machine machine(vendor);
  Lost left = lost;
  Training training(machine, left, program);
  if (without) {
    if (*without == PlantedCause::launch_bound)
      training.is_launching_free = true;
    else if (*without == PlantedCause::item)
      training.is_reading_free = true;
    else if (*without == PlantedCause::few_blocks)
      training.is_device_filled = true;
    else if (*without == PlantedCause::communication)
      training.is_communication_hidden = true;
    else
      left[static_cast<size_t>(*without)] = 0;
  }
  training.run();
  return {machine.json(), machine.length()};
}

double per_step(double strength, Program program) {
  return (program == Program::training ? training_us : inference_us) * strength / (1 - strength);
}

}  // namespace

std::string_view name_of(PlantedCause cause) {
  constexpr std::array<std::string_view, planted_causes> names{
      "data",  "item",      "pageable",  "launch_bound",  "full_queue",    "slow_kernel",
      "f32",   "attention", "optimizer", "recompilation", "communication", "straggler",
      "sleep", "lock",      "allocator", "few_blocks"};
  return names[static_cast<size_t>(cause)];
}

PlantedTrace plant(PlantedCause cause, double strength, Vendor vendor, Program program) {
  if (cause == PlantedCause::full_queue) {
    Machine machine(vendor);
    run_full_queue(machine, 20 + 100 * strength);
    return {machine.json(), machine.json(), machine.length(), 0};
  }
  constexpr std::array lesser{PlantedCause::data, PlantedCause::item, PlantedCause::allocator,
                              PlantedCause::sleep, PlantedCause::optimizer};
  PlantedCause other = lesser[static_cast<size_t>(cause) % lesser.size()];
  if (other == cause || (other == PlantedCause::optimizer && program == Program::inference))
    other = PlantedCause::lock;
  Lost lost{};
  lost[static_cast<size_t>(cause)] = per_step(strength, program);
  lost[static_cast<size_t>(other)] = per_step(strength / 4, program);
  Run with = run(lost, vendor, program, nullptr), without = run(lost, vendor, program, &cause);
  return {std::move(with.json), std::move(without.json), with.length, with.length - without.length};
}

std::string healthy_trace(Vendor vendor, Program program) {
  return run({}, vendor, program, nullptr).json;
}

}  // namespace vitro::analyze
