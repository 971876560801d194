# Done once for a way through a function.
vitro_compile_for_size(aot "*.cpp")
