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
#include "vitro/base/cat.h"
#include "vitro/base/counted.h"

namespace vitro::analyze {
namespace {

bool holds(std::string_view name, std::initializer_list<std::string_view> parts) {
  return std::ranges::any_of(
      parts, [&](std::string_view part) { return name.find(part) != std::string_view::npos; });
}

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
  bool takes_many = false;  // updates many parameters
  int built_for = 0;
};

Fact fact_of(std::string_view name) {
  Fact out;
  out.is_product = holds(name, {"gemm", "Cijk_", "nvjet", "scudnn"});
  out.is_plain = holds(name, {"_sgemm_", "scudnn", "gemm_f32f32_f32f32_f32"}) &&
                 !holds(name, {"tf32", "tensorop", "s1688", "s16816", "s884"});
  out.is_softmax =
      holds(name, {"softmax", "SoftMax"}) && !holds(name, {"backward", "Backward", "bwd", "Grad"});
  out.is_elementwise = !out.is_softmax && holds(name, {"elementwise", "dropout", "masked"});
  out.takes_many = holds(name, {"multi_tensor", "MultiTensor", "used_adam", "usedAdam", "usedOpt"});
  out.built_for = out.is_product ? built_for(name) : 0;
  return out;
}

// The major compute capability of each NVIDIA device, by its number.
std::map<std::string, int> capabilities(const Trace& trace) {
  std::map<std::string, int> out;
  const auto properties = trace.metadata().find("deviceProperties");
  if (properties == trace.metadata().end()) return out;
  const std::string_view json = properties->second;
  for (size_t at = json.find('{'); at != std::string_view::npos; at = json.find('{', at)) {
    const size_t length = value_length(json.substr(at));
    if (length == 0) break;
    const Arguments device = Arguments::of(json.substr(at, length));
    if (const auto major = device.number("computeMajor"))
      out[device.text("id").value_or("")] = static_cast<int>(*major);
    at += length;
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

class KernelReader {
 public:
  explicit KernelReader(const TraceIndex& index)
      : index_(index),
        trace_(index.trace()),
        window_(index->window()),
        capabilities_(capabilities(trace_)),
        findings_(index) {
    for (const std::string& name : trace_.names()) facts_.push_back(fact_of(name));
  }

  std::vector<Finding> take() {
    for (const Device& device : index_->devices()) {
      products(device);
      attention(device);
      small(device);
    }
    findings_.only_while(index_->idle_time());
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
  void small(const Device& device);
  void optimizers();

  const TraceIndex& index_;
  const Trace& trace_;
  const Window& window_;
  const std::map<std::string, int> capabilities_;
  std::vector<Fact> facts_;  // by name
  Findings findings_;
};

void KernelReader::products(const Device& device) {
  constexpr int with_tf32 = 8;
  const auto known = capabilities_.find(trace_.tracks()[device.track].pid);
  if (known == capabilities_.end() || known->second < with_tf32) return;
  Group plain, older;
  int oldest = known->second;
  for (const EventId e : paced(device.work)) {
    const Fact& each = fact(e);
    if (!is_kernel(e) || !each.is_product) continue;
    if (each.is_plain) {
      plain.add(trace_, window_, e);
    } else if (each.built_for > 0 && each.built_for < known->second) {
      older.add(trace_, window_, e);
      oldest = std::min(oldest, each.built_for);
    }
  }
  if (plain.calls > 0) {
    const std::vector<EventId> events = plain.events();
    findings_.add(
        {key("f32", device),
         cat(on(device), " multiplies in f32 without its tensor cores for ", in_time(plain),
             ", the longest is ", short_name(trace_.name(events.front()))),
         "if the model keeps its accuracy: torch.set_float32_matmul_precision(\"high\") "
         "and torch.backends.cudnn.allow_tf32, or autocast to bfloat16"},
        0, plain.time, events, std::move(plain.when));
  }
  if (older.calls > 0) {
    const std::vector<EventId> events = older.events();
    findings_.add({key("architecture", device),
                   cat(on(device), " has compute capability ", known->second,
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
        for (const EventId inner : stream.since) between.add(trace_, window_, inner);
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

// Fewer blocks than multiprocessors.
void KernelReader::small(const Device& device) {
  constexpr size_t most_names = 64, most_calls = 8;
  constexpr EventId read_until = 1U << 21;  // the file is read again up to there
  std::map<uint32_t, Group> by_name;
  for (const EventId e : paced(device.work))
    if (is_kernel(e) && index_->kinds()[e] == WorkKind::compute)
      by_name[trace_.name_ids()[e]].add(trace_, window_, e);
  std::vector<Group*> longest;
  for (auto& [name, group] : by_name)
    if (group.calls > 0) longest.push_back(&group);
  std::ranges::stable_sort(longest, [](auto* a, auto* b) { return a->time > b->time; });
  longest.resize(std::min(longest.size(), most_names));
  std::map<EventId, Group*> looked_at;
  for (Group* group : longest) {
    for (size_t i = 0; i < std::min(group->each.size(), most_calls); ++i)
      if (group->each[i].second < read_until) looked_at[group->each[i].second] = group;
  }
  std::vector<EventId> events;
  for (const auto& [e, group] : looked_at) events.push_back(e);
  struct Seen {
    double calls = 0, missing = 0;  // of a full device
    std::vector<EventId> small;
  };
  std::map<Group*, Seen> seen;
  Arguments args;
  const auto read = trace_.read_events(events, [&](EventId e, std::string_view json) {
    const auto blocks = args.read(json) ? args.decimal("blocks per SM") : std::nullopt;
    if (!blocks || *blocks <= 0) return;
    Seen& of = seen[looked_at[e]];
    ++of.calls;
    if (*blocks >= 1) return;
    of.missing += 1 - *blocks;
    of.small.push_back(e);
  });
  if (!read) return;
  Group all;
  double saved = 0;
  for (Group* group : longest) {
    const Seen& of = seen[group];
    if (of.calls == 0 || 2 * static_cast<double>(of.small.size()) < of.calls) continue;
    all.calls += group->calls;
    all.time += group->time;
    saved += static_cast<double>(group->time) * of.missing / of.calls;
    for (const EventId e : of.small) all.each.emplace_back(trace_.ts()[e] - end_of(trace_, e), e);
    all.when.add(group->when.take(window_));
  }
  if (all.calls == 0) return;
  findings_.add({key("small", device),
                 cat(on(device), " runs kernels with fewer blocks than it has multiprocessors for ",
                     in_time(all)),
                 "give it more work at once: a larger batch, independent work on other streams; "
                 "the rest of the device has nothing to do there"},
                0, static_cast<int64_t>(saved), all.events(), std::move(all.when),
                Confidence::possible);
}

void KernelReader::optimizers() {
  constexpr uint64_t least_kernels = 10;
  constexpr int64_t most_apart_ns = 100'000;  // a step that takes longer does something else, too
  std::map<uint32_t, std::vector<const Launch*>> by_track;
  for (const Launch& launch : index_->launches())
    by_track[trace_.track_ids()[launch.call]].push_back(&launch);
  for (auto& [track, list] : by_track)
    std::ranges::sort(list, {}, [&](const Launch* l) { return trace_.ts()[l->call]; });
  Group steps;
  uint64_t kernels = 0;
  for (const EventId e : trace_.events()) {
    if (index_->classes()[e] != EventClass::annotation ||
        !trace_.name(e).starts_with("Optimizer.step#"))
      continue;
    const auto& list = by_track[trace_.track_ids()[e]];
    auto launch = std::ranges::lower_bound(list, trace_.ts()[e], {},
                                           [&](const Launch* l) { return trace_.ts()[l->call]; });
    uint64_t here = 0;
    bool takes_many = false;
    for (; launch != list.end() && trace_.ts()[(*launch)->call] < end_of(trace_, e); ++launch) {
      here += is_kernel((*launch)->first);
      takes_many |= fact((*launch)->first).takes_many;
    }
    const int64_t length = end_of(trace_, e) - trace_.ts()[e];
    if (takes_many || here < least_kernels || length > most_apart_ns * static_cast<int64_t>(here))
      continue;
    steps.add(trace_, window_, e);
    kernels += here;
  }
  if (steps.calls == 0) return;
  findings_.add({"kernels.optimizer",
                 cat("the optimizer launches ", counted(kernels, "kernel"), " in ",
                     counted(steps.calls, "step"), " of ", time_text(steps.time),
                     ", a few for each parameter"),
                 "let it update all parameters together: fused=True, or foreach=True"},
                0, steps.time, steps.events(), std::move(steps.when));
}

}  // namespace

std::vector<Finding> kernel_findings(const TraceIndex& index) {
  if (index->devices().empty()) return {};
  return KernelReader(index).take();
}

}  // namespace vitro::analyze
