# Calls by name, pages, counting: what is not on the way of a call; and what only calls ops: gradients and composites.
vitro_compile_for_size(ops "*.cpp" "fourier_(plan|kernel)\\.cpp$")
