# What is done once for a way through a function: its graph, recording and reports, reasons in words.
vitro_compile_for_size(capture "backends.cpp;aliases.cpp;bounds.cpp;bind_results.cpp;codes.cpp;expansion.cpp;functionalize.cpp;generalise.cpp;guard_reports.cpp;inference.cpp;keep_less.cpp;plan.cpp;prune.cpp;recomputed.cpp;gradient_slices.cpp;recompile_reasons.cpp;recorded_path.cpp;recorder.cpp;trace_tree.cpp")
# What every recorded op is compared by.
vitro_compile_for_speed(capture "call.cpp")
