// Finds what the names of kernels, their order and their launches say about how a device is used;
// `vitro trace kernels` and `doctor` report it.
#include "analyze/questions/ops/kernel_findings.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <string>

#include "analyze/findings/findings.h"
#include "analyze/model/arguments.h"
#include "analyze/model/index.h"
#include "analyze/model/words.h"
#include "analyze/read/scan.h"
#include "base/sort_list.h"
#include "vitro/base/cat.h"
#include "vitro/base/counted.h"

namespace vitro::analyze {
namespace {

// The first digits of the number at the front, without the last one: 80 is 8, 100 is 10.
int major_of(std::string_view digits) {
  int number = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return number / 10;
}

// The compute capability that a kernel of NVIDIA's libraries was written for; 0: not in its name.
int built_for(std::string_view name) {
  constexpr std::pair<std::string_view, int> names[] = {
      {"maxwell_", 5}, {"pascal_", 6}, {"volta_", 7}, {"turing_", 7}, {"ampere_", 8}};
  for (const auto& [part, major] : names)
    if (name.find(part) != std::string_view::npos) return major;
  if (name.starts_with("sm")) return major_of(name.substr(2));
  constexpr std::string_view cutlass = "cutlass_";
  return name.starts_with(cutlass) ? major_of(name.substr(cutlass.size())) : 0;
}

// By name.
struct Fact {
  bool is_product = false;  // of matrices, or a convolution
  bool is_plain = false;    // in f32, by the units for f32
  bool is_softmax = false, is_elementwise = false;
  int built_for = 0;
};

Fact fact_of(std::string_view name) {
  Fact out;
  out.is_product = holds(name, {"gemm", "Cijk_", "nvjet", "scudnn"});
  // Of AMD's products those of type S, without the mode for TF32 (MX).
  out.is_plain = name.starts_with("Cijk_")
                     ? holds(name, {"_SB_", "_S_B_"})
                     : holds(name, {"_sgemm_", "scudnn", "gemm_f32f32_f32f32_f32"}) &&
                           !holds(name, {"tf32", "tensorop", "s1688", "s16816", "s884"});
  out.is_softmax =
      holds(name, {"softmax", "SoftMax"}) && !holds(name, {"backward", "Backward", "bwd", "Grad"});
  out.is_elementwise = !out.is_softmax && holds(name, {"elementwise", "dropout", "masked"});
  out.built_for = out.is_product ? built_for(name) : 0;
  return out;
}

// Of a device of NVIDIA or AMD.
struct Properties {
  int major = 0;  // of its compute capability
  double multiprocessors = 0;
};

// By the number of the device.
std::map<std::string, Properties> properties_of(const Trace& trace) {
  std::map<std::string, Properties> out;
  const auto properties = trace.metadata().find("deviceProperties");
  if (properties == trace.metadata().end()) return out;
  const std::string_view json = properties->second;
  for (size_t at = json.find('{'); at != std::string_view::npos; at = json.find('{', at)) {
    const size_t length = value_length(json.substr(at));
    if (length == 0) break;
    const Arguments device = Arguments::of(json.substr(at, length));
    if (const auto major = device.number("computeMajor"))
      out[device.text("id").value_or("")] = {static_cast<int>(*major),
                                             device.decimal("numSms").value_or(0)};
    at += length;
  }
  return out;
}

// "[16, 1, 1]": their number.
double blocks_of(std::string_view grid) {
  double out = grid.empty() ? 0 : 1;
  for (size_t at = 0; at < grid.size(); ++at) {
    int64_t number = 0;
    const auto read = std::from_chars(grid.data() + at, grid.data() + grid.size(), number);
    if (read.ec != std::errc()) continue;
    out *= static_cast<double>(number);
    at = static_cast<size_t>(read.ptr - grid.data());
  }
  return out;
}

// Kernels with something in common.
struct Group {
  uint64_t calls = 0;
  int64_t time = 0;  // within the measured window
  std::vector<std::pair<int64_t, EventId>> each;
  Pieces when;

  void add(const Trace& trace, const Window& window, EventId e) {
    const int64_t begin = std::max(trace.ts()[e], window.begin);
    const int64_t end = std::min(end_of(trace, e), window.end);
    if (end <= begin) return;
    ++calls;
    time += end - begin;
    each.emplace_back(begin - end, e);
    when.add(begin, end);
  }
  std::vector<EventId> events() {
    std::ranges::sort(each);
    std::vector<EventId> out;
    for (const auto& [length, e] : each) out.push_back(e);
    return out;
  }
};

struct Seen {
  double calls = 0, missing = 0;  // of a full device
  std::vector<EventId> small;
};

class KernelReader {
 public:
  explicit KernelReader(const TraceIndex& index)
      : index_(index),
        trace_(index.trace()),
        window_(index->window()),
        properties_(properties_of(trace_)),
        explained_(trace_.size()),
        findings_(index) {
    for (const std::string& name : trace_.names()) facts_.push_back(fact_of(name));
  }

  std::vector<Finding> take() {
    for (const Device& device : index_->devices()) {
      products(device);
      attention(device);
      small(device);
      slow(device);
    }
    optimizers();
    return findings_.take();
  }

 private:
  const Fact& fact(EventId e) const { return facts_[trace_.name_ids()[e]]; }
  bool is_kernel(EventId e) const { return index_->classes()[e] == EventClass::kernel; }
  std::string on(const Device& device) const { return device_name(trace_.tracks()[device.track]); }
  std::string key(std::string_view what, const Device& device) const {
    return cat("kernels.", what, ".", trace_.tracks()[device.track].pid);
  }
  std::string in_time(const Group& group) const {
    return cat(time_text(group.time), " of ", time_text(window_.length()), " in ",
               counted(group.calls, "kernel"));
  }

  void products(const Device& device);
  void attention(const Device& device);
  bool is_batched(EventId product) const;
  std::map<Group*, Seen> blocks(const Device& device, const std::vector<Group*>& groups) const;
  void small(const Device& device);
  void slow(const Device& device);
  void optimizers();

  const TraceIndex& index_;
  const Trace& trace_;
  const Window& window_;
  const std::map<std::string, Properties> properties_;
  std::vector<Fact> facts_;      // by name
  std::vector<bool> explained_;  // by event: kernels of findings
  Findings findings_;
};

void KernelReader::products(const Device& device) {
  constexpr int with_tf32 = 8;
  const auto known = properties_.find(trace_.tracks()[device.track].pid);
  if (known == properties_.end() || known->second.major < with_tf32) return;
  const int major = known->second.major;
  Group plain, older;
  int oldest = major;
  for (const EventId e : paced(device.work)) {
    const Fact& each = fact(e);
    if (!is_kernel(e) || !each.is_product) continue;
    if (each.is_plain) {
      explained_[e] = true;
      plain.add(trace_, window_, e);
    } else if (each.built_for > 0 && each.built_for < major) {
      older.add(trace_, window_, e);
      oldest = std::min(oldest, each.built_for);
    }
  }
  if (plain.calls > 0) {
    const std::vector<EventId> events = plain.events();
    const bool is_amd = trace_.name(events.front()).starts_with("Cijk_");
    findings_.add(
        {key("f32", device),
         cat(on(device), " multiplies in f32", is_amd ? "" : " without its tensor cores", " for ",
             in_time(plain), ", the longest is ", short_name(trace_.name(events.front()))),
         "if the model keeps its accuracy: torch.set_float32_matmul_precision(\"high\") "
         "and torch.backends.cudnn.allow_tf32, or autocast to bfloat16"},
        0, plain.time, events, std::move(plain.when));
  }
  if (older.calls > 0) {
    const std::vector<EventId> events = older.events();
    findings_.add({key("architecture", device),
                   cat(on(device), " has compute capability ", major,
                       " and multiplies with kernels for ", oldest, " for ", in_time(older),
                       ", the longest is ", short_name(trace_.name(events.front()))),
                   "see whether newer releases of the libraries (cuBLAS, cuDNN, CUTLASS), or sizes "
                   "that are multiples of 16 bytes, give kernels for this device"},
                  0, older.time, events, std::move(older.when), Confidence::possible);
  }
}

// Whether an op around the launch multiplies batches; true if the launch is not in the file.
bool KernelReader::is_batched(EventId product) const {
  const EventId launch = index_->links().launch_of(product);
  if (launch == Links::nobody) return true;
  const Timeline& timeline = index_->timeline();
  bool any_op = false;
  for (EventId e = launch; e != Timeline::nobody; e = timeline.parent(e)) {
    any_op |= index_->classes()[e] == EventClass::op;
    if (holds(trace_.name(e), {"bmm", "attention"})) return true;
  }
  return !any_op;
}

// A product, a softmax and a product, with nothing but elementwise kernels between.
void KernelReader::attention(const Device& device) {
  constexpr uint64_t least = 2;
  Group between;
  uint64_t found = 0;
  struct Stream {
    EventId product = Links::nobody;  // before
    bool is_softmax_done = false;
    std::vector<EventId> since;
  };
  std::map<uint32_t, Stream> streams;
  for (const EventId e : paced(device.work)) {
    Stream& stream = streams[trace_.track_ids()[e]];
    const Fact& each = fact(e);
    if (is_kernel(e) && each.is_product) {
      if (stream.is_softmax_done && is_batched(stream.product) && is_batched(e)) {
        ++found;
        for (const EventId inner : stream.since) {
          explained_[inner] = true;
          between.add(trace_, window_, inner);
        }
      }
      stream = {e, false, {}};
    } else if (is_kernel(e) && each.is_softmax && stream.product != Links::nobody &&
               !stream.is_softmax_done) {
      stream.is_softmax_done = true;
      stream.since.push_back(e);
    } else if (is_kernel(e) && each.is_elementwise && stream.since.size() < 8) {
      stream.since.push_back(e);
    } else {
      stream = {};
    }
  }
  if (found < least || between.calls == 0) return;
  findings_.add(
      {key("attention", device),
       cat(on(device), " runs ", counted(found, "attention"),
           " as products with a softmax between them; what runs between takes ", in_time(between)),
       "use scaled_dot_product_attention, whose fused kernels keep the scores on the "
       "chip, with arguments that they support"},
      0, between.time, between.events(), std::move(between.when));
}

// What the arguments of some calls of each group say about their blocks.
std::map<Group*, Seen> KernelReader::blocks(const Device& device,
                                            const std::vector<Group*>& groups) const {
  constexpr size_t most_calls = 8;
  constexpr EventId read_until = 1U << 21;  // the file is read again up to there
  std::map<EventId, Group*> looked_at;      // kernels and their launches
  const auto look_at = [&](EventId e, Group* group) {
    if (e < read_until) looked_at[e] = group;
  };
  for (Group* group : groups) {
    for (size_t i = 0; i < std::min(group->each.size(), most_calls); ++i) {
      look_at(group->each[i].second, group);
      look_at(index_->links().launch_of(group->each[i].second), group);
    }
  }
  std::vector<EventId> events;
  for (const auto& [e, group] : looked_at) events.push_back(e);
  const auto known = properties_.find(trace_.tracks()[device.track].pid);
  const double multiprocessors = known == properties_.end() ? 0 : known->second.multiprocessors;
  std::map<Group*, Seen> out;
  Arguments args;
  const auto read = trace_.read_events(events, [&](EventId e, std::string_view json) {
    if (!args.read(json)) return;
    const double blocks = is_kernel(e)          ? args.decimal("blocks per SM").value_or(0)
                          : multiprocessors > 0 ? blocks_of(args.raw("grid")) / multiprocessors
                                                : 0;
    if (blocks <= 0) return;
    Seen& of = out[looked_at[e]];
    ++of.calls;
    if (blocks >= 1) return;
    of.missing += 1 - blocks;
    of.small.push_back(e);
  });
  return read ? out : std::map<Group*, Seen>();
}

// Fewer blocks than multiprocessors.
void KernelReader::small(const Device& device) {
  constexpr size_t most_names = 64;
  std::map<uint32_t, Group> by_name;
  for (const EventId e : paced(device.work))
    if (is_kernel(e) && index_->kinds()[e] == WorkKind::compute)
      by_name[trace_.name_ids()[e]].add(trace_, window_, e);
  std::vector<Group*> longest;
  for (auto& [name, group] : by_name)
    if (group.calls > 0) longest.push_back(&group);
  sort_list(longest, std::ranges::greater(), &Group::time);
  longest.resize(std::min(longest.size(), most_names));
  std::map<Group*, Seen> seen = blocks(device, longest);
  Group all;
  double saved = 0;
  for (Group* group : longest) {
    const Seen& of = seen[group];
    if (of.calls == 0 || 2 * static_cast<double>(of.small.size()) < of.calls) continue;
    all.calls += group->calls;
    all.time += group->time;
    saved += static_cast<double>(group->time) * of.missing / of.calls;
    for (const EventId e : of.small) all.each.emplace_back(trace_.ts()[e] - end_of(trace_, e), e);
    for (const auto& [length, e] : group->each) explained_[e] = true;
    all.when.add(group->when.take(window_));
  }
  if (all.calls == 0) return;
  findings_.add({key("small", device),
                 cat(on(device), " runs kernels with fewer blocks than it has multiprocessors for ",
                     in_time(all)),
                 "give it more work at once: a larger batch, independent work on other streams; "
                 "the rest of the device has nothing to do there"},
                0, static_cast<int64_t>(saved), all.events(), std::move(all.when));
}

// A kernel that takes much time, since each call takes several times what others take on average.
// It is neither from a library for products, attention or communication, which are fast, nor one
// that another finding is about.
void KernelReader::slow(const Device& device) {
  constexpr double times_slower = 4;
  constexpr int64_t least_part = 12;
  std::map<uint32_t, Group> by_name;
  int64_t time = 0, calls = 0;  // of all
  for (const EventId e : paced(device.work)) {
    if (!is_kernel(e) || index_->kinds()[e] != WorkKind::compute) continue;
    time += end_of(trace_, e) - trace_.ts()[e];
    ++calls;
    if (!explained_[e] && !fact(e).is_product &&
        !holds(trace_.name(e), {"flash", "fmha", "attn", "cudnn"}))
      by_name[trace_.name_ids()[e]].add(trace_, window_, e);
  }
  Group* most = nullptr;
  for (auto& [name, group] : by_name) {
    const auto own = static_cast<int64_t>(group.calls);
    const double others = static_cast<double>(time - group.time) * static_cast<double>(own);
    const bool is_slow =
        static_cast<double>(group.time) * static_cast<double>(calls - own) >= times_slower * others;
    if (is_slow && own < calls && (!most || group.time > most->time)) most = &group;
  }
  if (!most || least_part * most->time < window_.length()) return;
  const std::vector<EventId> events = most->events();
  const auto own = static_cast<int64_t>(most->calls);
  findings_.add(
      {key("slow", device),
       cat(on(device), " spends ", in_time(*most), " named ",
           short_name(trace_.name(events.front())), ", ", time_text(most->time / own),
           " in each; others take ", time_text((time - most->time) / (calls - own)), " on average"),
       "see whether it can be replaced (a library's kernel, another layout or type), "
       "fused with its neighbours (compile the region), or called less"},
      0, most->time, events, std::move(most->when));
}

void KernelReader::optimizers() {
  const SeparateUpdates& updates = index_->updates();
  const IdleGroup* most = nullptr;
  for (const DeviceIdle& device : index_->idle())
    for (const IdleGroup& group : device.groups)
      if (group.cause == IdleCause::update && (!most || group.time > most->time)) most = &group;
  if (!most) return;
  findings_.add(
      {"kernels.optimizer",
       cat("the optimizer launches ", counted(updates.kernels, "kernel"), " in ",
           counted(updates.steps.size(), "step"),
           ", a few for each parameter; for that a device is idle for ", time_text(most->time)),
       "let it update all parameters together: fused=True, or foreach=True"},
      most->own, most->time, updates.steps, Pieces(most->when));
}

}  // namespace

std::vector<Finding> kernel_findings(const TraceIndex& index) {
  if (index->devices().empty()) return {};
  return KernelReader(index).take();
}

}  // namespace vitro::analyze
