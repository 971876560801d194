# Code that reads the machine's properties once.
vitro_compile_for_size(runtime "cpu/machine.cpp")
# Memory for every result.
vitro_compile_for_speed(runtime "cpu/allocator.cpp")
