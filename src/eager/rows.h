// Faster ways for composites that every model calls: the same bits as their programs.
#pragma once

#include <span>
#include <vector>

#include "vitro/core/op.h"

namespace vitro::eager {

// Fills `results`, if there is a faster way for this call (`metas` are what its shape rule gave).
bool run_by_rows(const OpCall& call, const std::vector<TensorMeta>& metas,
                 std::span<Tensor> results);

}  // namespace vitro::eager
