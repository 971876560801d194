// Composites with a form by rows (vitro/ops/rows.h), for f32 operands.
#pragma once

#include <span>
#include <vector>

#include "vitro/core/op.h"

namespace vitro::eager {

// Computes `results`, whose metadata is `metas`.  Returns false without doing anything if the call
// must run as a program.
bool run_by_rows(const OpCall& call, const std::vector<TensorMeta>& metas,
                 std::span<Tensor> results);

}  // namespace vitro::eager
