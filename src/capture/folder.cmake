# What is done once for a way through a function: its graph, recording and reports, reasons in words.
vitro_compile_for_size(capture "backends.cpp;codes.cpp;expand.cpp;extend.cpp;generalise.cpp;guard_reports.cpp;plan.cpp;trace_tree.cpp;why.cpp")
