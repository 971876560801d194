# Calls by name, pages, counting: what is not on the way of a call; and what only calls ops: gradients and composites.
vitro_compile_for_size(ops "*.cpp" "(fourier_plan|fourier_kernel|complex_product)\\.cpp$")
vitro_compile_for_speed(ops complex_product.cpp)
