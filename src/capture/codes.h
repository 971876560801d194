// Codes of breaks, recompiles, fallbacks and refusals.
#pragma once

#include "vitro/base/code.h"

namespace vitro::capture {

extern const Code not_comparable, not_repeatable;
extern const Code item_break, pointer_break, other_break, asked_break, disabled_break, long_break,
    loop_break, size_break;
extern const Code op_differs, inputs_differ, number_differs, attribute_differs, sizes_differ,
    modes_differ, aliases_differ, too_many_ways, too_much_recorded, results_differ;
extern const Code not_compiled, no_such_backend, write_not_a_value, shared_memory_written,
    run_failed, other_outputs, budget_is_spent;

}  // namespace vitro::capture
