// How near matrix products and convolutions come to what their device can do.
//   for (const Products& p : products(index)) print(p.op, p.shapes, p.achieved(), p.roof);
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "vitro/analyze/answer.h"

namespace vitro::analyze {

class TraceIndex;

// What a data sheet gives, without sparsity: 1e12 operations a second in f32 on the units for it,
// in f32 by tensor cores (TF32), in f16 and bf16; 1e12 bytes a second of memory.
struct DeviceSheet {
  std::string_view name;  // a part of the device's name
  double f32, tf32, f16, bytes;
};
// The sheet of a device; nothing if it is not known.
std::optional<DeviceSheet> sheet_of(std::string_view device_name);

// Calls of aten::mm, addmm, bmm and baddbmm with the same shapes, or of convolutions with the same
// shapes and settings, whose arguments are recorded (record_shapes=True), among the first
// products_read events; the table's title says if there are more.
inline constexpr EventId products_read = 1U << 21;
struct Products {
  std::string op, shapes, type;
  uint64_t calls = 0;
  int64_t device_ns = 0;  // of the work that they launched
  double operations = 0;  // of all calls: 2 m n k for each product, or those of Convolution
  double bytes = 0;       // of operands and results, each once
  // The least for the operations, or for moving `bytes` from and to memory, if that is longer:
  // operands that are in a cache may take less. 0: the device's sheet is not known.
  double roof_ns = 0;
  EventId longest = 0;

  double achieved() const;  // 1e12 operations a second
  double of_roof() const;   // percent of what the sheet allows; 0: not known
};

// By device time, the longest first; nothing if the file is gone.
std::vector<Products> products(const TraceIndex& index);
AnswerTable products_table(const Trace& trace, const std::vector<Products>& list);

}  // namespace vitro::analyze
