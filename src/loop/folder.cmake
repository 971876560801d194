# GCC 12 takes the parts of a variant that is moved for uninitialised.
target_compile_options(vitro_loop PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
# Kernels are made once for a graph; printing them is for people, and who interprets them waits anyhow.
vitro_compile_for_size(loop "interpret.cpp;print.cpp;structure.cpp;loop_nest.cpp;kernel.cpp;rewrite.cpp;value.cpp;offsets.cpp")
