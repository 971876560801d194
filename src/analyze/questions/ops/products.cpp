// Compares the time of matrix products and convolutions with the least that their device needs for
// the operations and bytes; the result is a table of `vitro trace kernels`.
#include "analyze/questions/ops/products.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <map>

#include "analyze/model/arguments.h"
#include "analyze/model/index.h"
#include "analyze/questions/ops/convolutions.h"
#include "analyze/read/scan.h"
#include "base/sort_list.h"
#include "kineto/names.h"
#include "vitro/base/cat.h"

namespace vitro::analyze {
namespace {

// Data sheets of NVIDIA and AMD; of MI250X one of its two dies, which is a device of its own.  More
// specific names first.
constexpr DeviceSheet sheets[] = {
    {"V100", 15.7, 15.7, 125, 0.9},
    {"T4", 8.1, 8.1, 65, 0.32},
    {"A100-SXM4-80GB", 19.5, 156, 312, 2.039},
    {"A100 80GB PCIe", 19.5, 156, 312, 1.935},
    {"A100", 19.5, 156, 312, 1.555},
    {"A10", 31.2, 62.5, 125, 0.6},
    {"L40S", 91.6, 183, 362, 0.864},
    {"L4", 30.3, 60, 121, 0.3},
    {"H100 PCIe", 51, 378, 756, 2.0},
    {"H100 NVL", 60, 417, 835, 3.9},
    {"H100", 67, 494, 989, 3.35},
    {"H200", 67, 494, 989, 4.8},
    {"B200", 75, 1100, 2250, 8},
    {"MI300X", 163.4, 653.7, 1307.4, 5.3},
    {"MI250X", 47.9, 47.9, 191.5, 1.638},
    {"MI210", 45.3, 45.3, 181, 1.638},
};

struct Operand {
  double batch = 1, rows = 0, columns = 0;
};

// "[[64], [4096, 100], [100, 64], [], []]": those of two or three dimensions.
std::vector<Operand> operands(std::string_view dims) {
  std::vector<Operand> out;
  std::vector<double> list;
  for (size_t at = 0; at < dims.size(); ++at) {
    if (dims[at] == '[') list.clear();
    if (dims[at] == ']' && (list.size() == 2 || list.size() == 3)) {
      out.push_back({list.size() == 3 ? list[0] : 1, list[list.size() - 2], list.back()});
    }
    if (dims[at] == ']') list.clear();
    int64_t number = 0;
    const auto read = std::from_chars(dims.data() + at, dims.data() + dims.size(), number);
    if (read.ec != std::errc()) continue;
    list.push_back(static_cast<double>(number));
    at = static_cast<size_t>(read.ptr - dims.data()) - 1;
  }
  return out;
}

bool is_product(std::string_view op) {
  return op == "aten::mm" || op == "aten::addmm" || op == "aten::bmm" || op == "aten::baddbmm";
}

// By op: the work that its calls launched.  Of products the innermost op around a launch, of
// convolutions the outermost, which may call a product.
std::map<EventId, int64_t> device_times(const TraceIndex& index) {
  const Trace& trace = index.trace();
  enum Kind : char { other, product, convolution };
  std::string kinds;  // by name
  for (const std::string& name : trace.names())
    kinds += is_convolution(name) ? convolution : is_product(name) ? product : other;
  std::map<EventId, int64_t> out;
  if (kinds.find_first_not_of(other) == kinds.npos) return out;
  for (const Launch& launch : index->launches()) {
    EventId op = Timeline::nobody;
    for (EventId e = launch.call; e != Timeline::nobody; e = index->timeline().parent(e)) {
      const char kind = kinds[trace.name_ids()[e]];
      if (kind == convolution || (kind == product && op == Timeline::nobody)) op = e;
    }
    if (op < products_read) out[op] += launch.work;
  }
  return out;
}

// The sheet of the only kind of device in the trace.
std::optional<DeviceSheet> sheet_of(const Trace& trace) {
  const auto properties = trace.metadata().find("deviceProperties");
  if (properties == trace.metadata().end()) return {};
  const std::string_view json = properties->second;
  const size_t at = json.find('{');
  if (at == std::string_view::npos) return {};
  const Arguments device = Arguments::of(json.substr(at, value_length(json.substr(at))));
  return analyze::sheet_of(device.text("name").value_or(""));
}

// Of one call.
void measure(Products& p, std::string_view concrete, const std::optional<DeviceSheet>& sheet) {
  const bool is_short = p.type == "c10::BFloat16" || p.type == "c10::Half";
  const double size = is_short ? 2 : 4;
  if (const auto convolution = convolution_of(p.op, p.shapes, concrete)) {
    p.operations = convolution->operations;
    p.bytes = size * convolution->elements;
    p.shapes = convolution->shapes;
  } else {
    const std::vector<Operand> all = operands(p.shapes);
    if (all.size() < 2 || !is_product(p.op)) return;
    const Operand &left = all[all.size() - 2], &right = all.back();
    if (left.columns != right.rows) return;
    p.operations = 2 * left.batch * left.rows * left.columns * right.columns;
    p.bytes = size * left.batch *
              (left.rows * left.columns + right.rows * right.columns + left.rows * right.columns);
  }
  if (!sheet) return;
  const double speed = is_short ? sheet->f16 : std::max(sheet->f32, sheet->tf32);
  p.roof_ns = std::max(p.operations / speed, p.bytes / sheet->bytes) / 1000;
}

}  // namespace

// Of whole words: an L40 is not an L4.
std::optional<DeviceSheet> sheet_of(std::string_view device_name) {
  const auto ends_word = [&](size_t at) {
    return at >= device_name.size() ||
           std::isalnum(static_cast<unsigned char>(device_name[at])) == 0;
  };
  for (const DeviceSheet& sheet : sheets) {
    const size_t at = device_name.find(sheet.name);
    if (at == std::string_view::npos || !ends_word(at + sheet.name.size())) continue;
    if (at == 0 || ends_word(at - 1)) return sheet;
  }
  return {};
}

double Products::achieved() const {
  return device_ns > 0 ? operations / static_cast<double>(device_ns) / 1000 : 0;
}

double Products::of_roof() const {
  return device_ns > 0 ? 100 * roof_ns / static_cast<double>(device_ns) : 0;
}

std::vector<Products> products(const TraceIndex& index) {
  const Trace& trace = index.trace();
  const std::map<EventId, int64_t> times = device_times(index);
  const std::optional<DeviceSheet> sheet = sheet_of(trace);
  std::vector<EventId> events;
  for (const auto& [e, time] : times) events.push_back(e);
  std::map<std::string, Products> groups;
  Arguments args;
  (void)trace.read_events(events, [&](EventId e, std::string_view json) {
    if (!args.read(json)) return;
    std::string type = args.text(kineto::argument::input_type).value_or("");
    // The first of the list: ["float", "float"].
    const size_t from = type.find('"');
    if (from == std::string::npos) return;
    type = type.substr(from + 1, type.find('"', from + 1) - from - 1);
    if (type != "float" && type != "c10::BFloat16" && type != "c10::Half") return;
    Products one{.op = std::string(trace.name(e)),
                 .shapes = args.text(kineto::argument::input_dims).value_or(""),
                 .type = type};
    measure(one, args.text(kineto::argument::concrete_inputs).value_or(""), sheet);
    if (!(one.operations > 0)) return;
    Products& group = groups[cat(one.op, one.shapes, type)];
    if (group.calls == 0) {
      group = one;
    } else {
      group.operations += one.operations;
      group.bytes += one.bytes;
      group.roof_ns += one.roof_ns;
    }
    ++group.calls;
    const int64_t time = times.at(e);
    if (group.longest == 0 || time > times.at(group.longest)) group.longest = e;
    group.device_ns += time;
  });
  std::vector<Products> out;
  for (auto& [key, group] : groups) out.push_back(std::move(group));
  sort_list(out, std::ranges::greater(), &Products::device_ns);
  return out;
}

AnswerTable products_table(const Trace& trace, const std::vector<Products>& list) {
  AnswerTable table{"products",
                    "Matrix products and convolutions beside what their device can do",
                    {{"op", "Op"},
                     {"shapes", "Shapes"},
                     {"type", "Type"},
                     {"calls", "Calls", Unit::count},
                     {"device_ns", "Device", Unit::ns},
                     {"tflops", "TFLOP/s", Unit::number},
                     {"gb_per_s", "GB/s", Unit::number},
                     {"roof_percent", "Of the roof", Unit::percent},
                     {"longest", "Event", Unit::count}},
                    {}};
  if (trace.size() > products_read)
    table.title += cat(" (among the first ", products_read, " events)");
  for (const Products& p : list) {
    const double gb_per_s = p.device_ns > 0 ? p.bytes / static_cast<double>(p.device_ns) : 0;
    table.rows.push_back(
        {p.op, p.shapes, p.type, static_cast<int64_t>(p.calls), p.device_ns, p.achieved(), gb_per_s,
         p.roof_ns > 0 ? AnswerCell(p.of_roof()) : AnswerCell(), static_cast<int64_t>(p.longest)});
  }
  return table;
}

}  // namespace vitro::analyze
