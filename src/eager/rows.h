// Composites that have a form by rows (vitro/ops/rows.h), on dense f32 operands.
#pragma once

#include <span>
#include <vector>

#include "vitro/core/op.h"

namespace vitro::eager {

// Fills `results` (`metas` are what the call's shape rule gave), or does nothing and says false
// where the call has to run as a program.
bool run_by_rows(const OpCall& call, const std::vector<TensorMeta>& metas,
                 std::span<Tensor> results);

}  // namespace vitro::eager
