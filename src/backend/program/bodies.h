// Op bodies run on loop values.  The only file of the back end that sees the structs of ops; all
// others go by kind.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "loop/value.h"
#include "vitro/core/op.h"

namespace vitro::backend {

// What a body that asks for indices gets: the element's index along dimension d < 0.
using IndexAt = std::function<loop::Value(int)>;

// The element of a pointwise op, before it is rounded to the result's dtype.  Operands are in the
// type that is computed in; an operand that is left out is not passed.
loop::Value run_pointwise(const OpDef& op, AttrsView attrs, std::span<const loop::Value> operands,
                          const IndexAt& at);

// The four steps of a reduction on tuples of state.
struct ReductionBody {
  using State = std::vector<loop::Value>;
  State (*init)(loop::Value zero);
  State (*combine)(const State& state, loop::Value x, loop::Value index);
  State (*merge)(const State& a, const State& b);
  State (*finish)(const State& state, loop::Value count);  // the op's results
  bool rounds;  // combine and merge of floating point: their order matters
};
const ReductionBody& reduction_body(const OpDef& op);

// The three steps of a scan, on such tuples; what is kept of a step, for each of the op's results.
struct ScanBody {
  using State = std::vector<loop::Value>;
  State (*init)(loop::Value zero);
  State (*combine)(const State& state, loop::Value x, loop::Value index);
  State (*results)(const State& state);
};
const ScanBody& scan_body(const OpDef& op);

// The three steps of a window op, on such tuples.
struct WindowBody {
  using State = std::vector<loop::Value>;
  State (*init)(AttrsView attrs, loop::Value zero);
  // One more element, which is 0 where it is not `inside`; `position`: its number in its plane.
  State (*combine)(const State& state, loop::Value x, loop::Value inside, loop::Value position);
  State (*results)(AttrsView attrs, const State& state, loop::Value count);
};
const WindowBody& window_body(const OpDef& op);

}  // namespace vitro::backend
