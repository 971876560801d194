// Runs op bodies on loop values.  The only file of the backend that uses the structs of ops; all
// others switch on kinds.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "loop/value.h"
#include "vitro/core/op.h"

namespace vitro::backend {

// Passed to bodies that use indices: returns the element's index along dimension d < 0.
using IndexAt = std::function<loop::Value(int)>;

// The element of a pointwise op, before rounding to the result's dtype.  `operands` are in the
// compute type; omitted operands are not passed.
loop::Value run_pointwise(const OpDef& op, AttrsView attrs, std::span<const loop::Value> operands,
                          const IndexAt& at);

// The four steps of a reduction on tuples of state.
struct ReductionBody {
  using State = std::vector<loop::Value>;
  State (*init)(loop::Value zero);
  State (*combine)(const State& state, loop::Value x, loop::Value index);
  State (*merge)(const State& a, const State& b);
  State (*finish)(const State& state, loop::Value count);  // the op's results
  bool rounds;  // combine and merge round, so their order matters
};
const ReductionBody& reduction_body(const OpDef& op);

// The three steps of a scan, on tuples of state.  `results` maps the state to the op's results.
struct ScanBody {
  using State = std::vector<loop::Value>;
  State (*init)(loop::Value zero);
  State (*combine)(const State& state, loop::Value x, loop::Value index);
  State (*results)(const State& state);
};
const ScanBody& scan_body(const OpDef& op);

// The three steps of a window op, on tuples of state.
struct WindowBody {
  using State = std::vector<loop::Value>;
  State (*init)(AttrsView attrs, loop::Value zero);
  // Adds an element, which is 0 if not `inside`; `position`: its row-major index in its plane, the
  // last `plane` dimensions.
  State (*combine)(const State& state, loop::Value x, loop::Value inside, loop::Value position);
  State (*results)(AttrsView attrs, const State& state, loop::Value count);
  int plane;
};
const WindowBody& window_body(const OpDef& op);

}  // namespace vitro::backend
