# What is done once for a way through a function: graphs of it, records and reports, reasons in words.
vitro_compile_for_size(capture "backends.cpp;codes.cpp;expand.cpp;extend.cpp;generalise.cpp;guard_reports.cpp;plan.cpp;record.cpp;why.cpp")
