# GCC 12 takes the parts of a variant that is moved for uninitialised.
target_compile_options(vitro_loop PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
